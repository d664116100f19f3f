// Verifies the service's signatures with the official library of Standard Webhooks.
// usage: node verify.mjs CACHE_DIRECTORY SIGNER
// Installs the library into CACHE_DIRECTORY once. Exits with 77 (skipped) if the library is not available.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";

const [cache, signer] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));

mkdirSync(cache, { recursive: true });
for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(here, file), join(cache, file));
if (!existsSync(join(cache, "node_modules", "standardwebhooks"))) {
  const install = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: cache, stdio: "inherit" });
  if (install.status !== 0) {
    console.error("standardwebhooks cannot be installed here: not verified");
    process.exit(77);
  }
}

const { Webhook } = createRequire(join(cache, "package.json"))("standardwebhooks");
const messages = execFileSync(signer, { encoding: "utf8" }).trim().split("\n").map((line) => JSON.parse(line));
assert.ok(messages.length > 0);
for (const { secret, id, timestamp, signature, body } of messages) {
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
  assert.throws(() => new Webhook(secret).verify(body + " ", headers));
  assert.throws(() => new Webhook(secret).verify(body, { ...headers, "webhook-id": id + "0" }));
}
console.log(`${messages.length} messages verified`);
