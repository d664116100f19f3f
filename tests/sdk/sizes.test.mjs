// Bundles each import of the table of sizes in the package's README, and compares its size with the table. An import leaves out what it
// does not use.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const { CLIENT } = process.env;
const { build } = createRequire(path.join(CLIENT, "package.json"))("esbuild");
const readme = readFileSync(path.join(CLIENT, "README.md"), "utf8");
const rows = [...readme.matchAll(/^\| `(import [^`]+)` \| ([\d.]+) kB \|$/gm)].map(([, code, size]) => ({ code, size: Number(size) }));

/** The minified bundle of an import. */
async function bundle(code) {
  const contents = code.replace(/^import (?=\{)/, "export ");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: CLIENT },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    external: ["react", "react/*"],
  });
  return outputFiles[0].text;
}

test("the README has the sizes of the imports, within 10 %", async () => {
  assert.ok(rows.length >= 6, "the table of sizes is missing");
  const sizes = await Promise.all(rows.map(async ({ code }) => gzipSync(await bundle(code), { level: 9 }).length / 1000));
  const faults = rows
    .map(({ code, size }, i) => ({ code, size, measured: sizes[i].toFixed(1) }))
    .filter(({ size, measured }) => Math.abs(measured / size - 1) > 0.1)
    .map(({ code, size, measured }) => `${code}: ${measured} kB, but README.md says ${size} kB`);
  assert.deepEqual(faults, []);
});

test("a bundle has only the areas that it imports", async () => {
  const feedback = await bundle('import { Feedback } from "@tetrad/client"');
  assert.ok(feedback.includes("/v1/feedbacks"));
  for (const other of ["/v1/entitlements", "/v1/auth/", "/v1/notifications", "whsec_"]) assert.ok(!feedback.includes(other), other);
  const verify = await bundle('import { verifyWebhook } from "@tetrad/client"');
  assert.ok(verify.includes("whsec_") && !verify.includes("/v1/"));
});
