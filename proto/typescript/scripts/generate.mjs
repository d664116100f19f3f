// Generates src/generated from the contracts of proto/: types, one method for each operation, and the error codes.
// With --check it writes nothing, and fails if a file is stale.
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { areas, contractOf } from "./contracts.mjs";
import { errorsFile, methodsFile } from "./methods.mjs";

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), "../src/generated");

async function generated() {
  const files = new Map();
  const codes = new Set();
  for (const area of areas) {
    const contract = await contractOf(area);
    for (const code of contract.codes) codes.add(code);
    files.set(`${area.name}-methods.ts`, methodsFile(area, contract));
    const types = astToString(await openapiTS(contract.document, { defaultNonNullable: false, silent: true }));
    files.set(`${area.name}.ts`, `// Generated from proto/${area.contract}.openapi.yaml by proto/typescript/scripts/generate.mjs.\n${withTsdoc(types)}`);
  }
  files.set("error-codes.ts", errorsFile([...codes].sort()));
  return files;
}

/** Replaces tags that TSDoc does not know. */
const withTsdoc = (types) =>
  types
    .replace(/^( +\* |.*\/\*\* )@description /gm, "$1")
    .replace(/^ +\* @(constant|enum \{[^}]*\})\n/gm, "")
    .replace(/^ +\/\*\*\n +\*\/\n/gm, "");

const files = await generated();
const present = existsSync(folder) ? readdirSync(folder) : [];
const textOf = (name) => (present.includes(name) ? readFileSync(path.join(folder, name), "utf8") : undefined);
const stale = [...files].filter(([name, text]) => textOf(name) !== text).map(([name]) => name);
const extra = present.filter((name) => !files.has(name));

if (process.argv.includes("--check")) {
  if (stale.length + extra.length > 0) {
    console.error(
      `src/generated differs from the contracts: ${[...stale, ...extra].join(", ")}. ` +
        "Run `npm ci && npm run generate` in proto/typescript, and commit the changes.",
    );
    process.exit(1);
  }
} else {
  for (const name of stale) writeFileSync(path.join(folder, name), files.get(name));
  for (const name of extra) rmSync(path.join(folder, name));
  console.log(stale.length + extra.length === 0 ? "src/generated is up to date." : `Changed: ${[...stale, ...extra].join(", ")}`);
}
