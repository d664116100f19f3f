// Holds proto/ to Spectral, its rules for OpenAPI and those of OWASP. SOURCE is the checkout.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import test from "node:test";
import { fileURLToPath } from "node:url";
import YAML from "yaml";

const here = path.dirname(fileURLToPath(import.meta.url));
const proto = path.join(here, "proto"); // a copy, from where the rules' package is found
rmSync(proto, { recursive: true, force: true });
cpSync(path.join(process.env.SOURCE, "proto"), proto, { recursive: true });
const documents = readdirSync(proto)
  .filter((name) => /^[a-z].*\.yaml$/.test(name))
  .sort();
const rules = YAML.parse(readFileSync(path.join(proto, ".spectral.yaml"), "utf8"));

/** What Spectral finds in a document of proto/ under a ruleset of proto/: {code, message, path, source, range}. Each is given a
    process of its own: documents that share others are not told apart in one. */
async function findings(ruleset, name) {
  const cli = path.join(here, "node_modules/@stoplight/spectral-cli/dist/index.js");
  const child = spawn(process.execPath, [cli, "lint", "--quiet", "--format=json", `--ruleset=${ruleset}`, name], { cwd: proto });
  const [out, error, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  assert.ok(status === 0 || status === 1, error);
  return JSON.parse(out);
}

const said = ({ source, range, code, path: at, message }) =>
  `${path.basename(source)}:${range.start.line + 1} ${code} ${at.join(".")}: ${message}`;

/** As the rules write it, with the braces percent-encoded. */
const pointerOf = (at) =>
  at.map((segment) => `/${encodeURIComponent(String(segment).replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");

const found = new Map();
const all = []; // what there would be with no rule off
writeFileSync(path.join(proto, ".all.yaml"), YAML.stringify({ extends: rules.extends }));
for (const name of documents) {
  const [own, everything] = await Promise.all([findings(".spectral.yaml", name), findings(".all.yaml", name)]);
  found.set(name, own);
  all.push(...everything);
}

for (const name of documents) test(`${name}: Spectral finds nothing`, () => assert.deepEqual(found.get(name).map(said), []));

test("no rule is off in vain", () => {
  const isOff = (rule, files) => {
    const [name, pointer] = files.split("#");
    const matches = new RegExp(`^${name.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
    return all.some(
      ({ code, source, path: at }) =>
        code === rule && matches.test(path.basename(source)) && (pointer === undefined || `${pointerOf(at)}/`.startsWith(`${pointer}/`)),
    );
  };
  for (const rule of Object.keys(rules.rules)) assert.ok(isOff(rule, "*"), rule);
  for (const { files, rules: off } of rules.overrides) {
    for (const rule of Object.keys(off))
      assert.ok(
        files.some((file) => isOff(rule, file)),
        `${rule} at ${files}`,
      );
    for (const file of files)
      assert.ok(
        Object.keys(off).some((rule) => isOff(rule, file)),
        `nothing is found at ${file}`,
      );
  }
});

test("a fault is found", async () => {
  const good = readFileSync(path.join(proto, "feedback.openapi.yaml"), "utf8");
  const faults = {
    "owasp:api4:2023-string-limit": [", maxLength: 200", ""],
    "owasp:api8:2023-define-error-responses-401": ['        "401": {$ref: "common.yaml#/components/responses/Unauthorized"}\n', ""],
    "owasp:api2:2023-jwt-best-practices": ["RFC8725", "nobody"],
    "oas3-schema": ["      operationId: createFeedback", "      operationID: createFeedback"],
    "oas3-valid-media-example": ["category: bug\n", "category: rant\n"],
  };
  let faulty = good;
  for (const [before, after] of Object.values(faults)) {
    assert.ok(faulty.includes(before), before);
    faulty = faulty.replace(before, after);
  }
  writeFileSync(path.join(proto, "feedback.openapi.yaml"), faulty);
  const codes = (await findings(".spectral.yaml", "feedback.openapi.yaml")).map(({ code }) => code);
  for (const code of Object.keys(faults)) assert.ok(codes.includes(code), code);
});
