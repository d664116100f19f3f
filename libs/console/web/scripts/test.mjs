// Runs the tests of the parts that need no browser. esbuild, which Vite brings, translates them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const out = mkdtempSync(path.join(root, ".tests-"));
try {
  const entryPoints = readdirSync(path.join(root, "tests")).filter((name) => name.endsWith(".test.ts")).map((name) => path.join(root, "tests", name));
  await build({ entryPoints, outdir: out, outExtension: { ".js": ".mjs" }, bundle: true, format: "esm", platform: "node", target: "node20", logLevel: "warning" });
  const { status } = spawnSync(process.execPath, ["--test", ...readdirSync(out).map((name) => path.join(out, name))], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  rmSync(out, { recursive: true });
}
