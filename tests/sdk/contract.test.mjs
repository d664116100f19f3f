// The parts of the client that are written by hand agree with the contracts and with the project.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const { SOURCE, CLIENT } = process.env;
const read = (...parts) => readFileSync(path.join(...parts), "utf8");
const contracts = readdirSync(path.join(SOURCE, "proto"))
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => read(SOURCE, "proto", name))
  .join("\n");

test("the version of the package is the version of the project", () => {
  const [, version] = /project\(tetrad VERSION ([\d.]+)/.exec(read(SOURCE, "CMakeLists.txt"));
  assert.equal(JSON.parse(read(CLIENT, "package.json")).version, version);
});

test("WebhookEvents has the types of events that the contracts name", () => {
  const kinds = "feedback|reply|user|session|mfa|notification|broadcast|domain|entitlement|webhook";
  const named = new Set(contracts.match(new RegExp(`(?<=\`)(${kinds})\\.(?!localhost)[a-z]+(?=\`)`, "g")));
  const typed = new Set(read(CLIENT, "src/events.ts").match(/(?<=^ {2}")[a-z]+\.[a-z]+(?=":)/gm));
  assert.deepEqual([...typed].sort(), [...named].sort());
});

test("the error codes are those of the services", () => {
  const options = ["-rhoE", "--include=*.hpp", "--exclude-dir=node_modules", 'ErrorCode [a-z_]+[{]"([A-Z_]+|mfa_[a-z_]+)"', "libs", "services"];
  const found = execFileSync("grep", options, { cwd: SOURCE, encoding: "utf8" });
  const defined = new Set(found.match(/(?<=")\w+(?=")/g));
  defined.add("INTERNAL");
  defined.delete("AUTHORIZATION_EXPIRED"); // only on hosted pages
  const typed = new Set(read(CLIENT, "src/generated/error-codes.ts").match(/(?<=\| ")\w+/g));
  assert.deepEqual([...typed].sort(), [...defined].sort());
});
