// Generates a typed client from each contract of proto/, and compiles the TypeScript of this folder, which uses them, in strict mode.
// The environment variable SOURCE names the checkout, and CLIENT the built package @tetrad/client, if the TypeScript imports it.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const here = path.dirname(fileURLToPath(import.meta.url));
for (const folder of ["clients", "built"]) {
  rmSync(path.join(here, folder), { recursive: true, force: true });
  mkdirSync(path.join(here, folder));
}
for (const service of ["feedback", "auth-mfa", "notify", "billing"]) {
  const contract = pathToFileURL(path.join(process.env.SOURCE, "proto", `${service}.openapi.yaml`));
  const types = await openapiTS(contract, { defaultNonNullable: false, silent: true });
  writeFileSync(path.join(here, "clients", `${service}.ts`), astToString(types));
}
if (process.env.CLIENT) {
  const link = path.join(here, "node_modules/@tetrad/client");
  mkdirSync(path.dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(process.env.CLIENT, link);
}
process.exitCode =
  spawnSync(process.execPath, [path.join(here, "node_modules/typescript/bin/tsc"), "--project", here], { stdio: "inherit" }).status ?? 1;
