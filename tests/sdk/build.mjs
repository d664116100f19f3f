// Copies the package @tetrad/client with its contracts into the build tree, installs its npm packages, and builds it:
// node build.mjs SOURCE DESTINATION. An unchanged lock file is installed only once.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const [source, destination] = process.argv.slice(2);
const own = new Set(["node_modules", "dist", "docs", "examples", "LICENSE"]);
const target = path.join(destination, "proto/typescript");

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { cwd: target, stdio: "inherit" });
  if (error !== undefined) console.error(`${command} is missing. Install it: apt-get install nodejs npm`);
  if (status !== 0) process.exit(status ?? 1);
}

mkdirSync(target, { recursive: true });
cpSync(path.join(source, "LICENSE"), path.join(destination, "LICENSE"));
for (const name of readdirSync(path.join(source, "proto")))
  if (name.endsWith(".yaml")) cpSync(path.join(source, "proto", name), path.join(destination, "proto", name));
for (const name of readdirSync(target)) if (!own.has(name) && !name.startsWith("installed-")) rmSync(path.join(target, name), { recursive: true });
for (const name of readdirSync(path.join(source, "proto/typescript")))
  if (!own.has(name)) cpSync(path.join(source, "proto/typescript", name), path.join(target, name), { recursive: true });

const lock = createHash("sha256").update(readFileSync(path.join(target, "package-lock.json"))).digest("hex");
const stamp = path.join(target, `installed-${lock}`);
if (!existsSync(stamp)) {
  run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=4");
  writeFileSync(stamp, "");
}
run(process.execPath, "scripts/build.mjs");
