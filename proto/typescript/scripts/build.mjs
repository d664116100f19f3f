// Compiles the package twice, for `import` (dist/esm) and for `require` (dist/cjs), and copies the licence of the repository.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
rmSync(path.join(here, "dist"), { recursive: true, force: true });
for (const project of ["tsconfig.json", "tsconfig.cjs.json"]) {
  const { status } = spawnSync(process.execPath, [tsc, "--project", path.join(here, project)], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
writeFileSync(path.join(here, "dist/cjs/package.json"), '{ "type": "commonjs" }\n');
const licence = path.join(here, "../../LICENSE");
if (existsSync(licence)) copyFileSync(licence, path.join(here, "LICENSE"));
