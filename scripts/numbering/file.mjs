// What the scripts that write C++ tables share.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const MAX_COLUMNS = 110;

/** The installed version of an npm package. */
export const versionOf = (name) => createRequire(import.meta.url)(`${name}/package.json`).version;

/** Puts as many initialisers into each line as fit. */
export function wrap(entries) {
  const lines = [];
  for (const each of entries) {
    const longer = `${lines.at(-1)} ${each},`;
    if (lines.length && longer.length <= MAX_COLUMNS) lines[lines.length - 1] = longer;
    else lines.push(`    ${each},`);
  }
  return lines;
}

/**
 * Runs a script with the command line `[--check] FILE` or `--help`. `source` returns the contents of FILE. `from` names the package
 * and its version for messages, `script` the script.
 */
export function run({ usage, source, from, script }) {
  const [file, ...rest] = process.argv.slice(2).filter((argument) => argument !== "--check");
  if (file === "--help") process.stdout.write(usage);
  else if (!file || rest.length) {
    process.stderr.write(usage);
    process.exitCode = 2;
  } else if (!process.argv.includes("--check")) writeFileSync(file, source());
  else if (readFileSync(file, "utf8") !== source()) {
    console.error(`${file} differs from ${from}. Write it again with scripts/numbering/${script}.`);
    process.exitCode = 1;
  }
}
