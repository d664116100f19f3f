// Lints the contracts in proto/ with Spectral: with its rules for OpenAPI, the rules of OWASP, and proto/.spectral.yaml. SOURCE is the
// checkout.
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
const proto = path.join(here, "proto"); // a copy below node_modules' folder, so that the ruleset's packages are found
rmSync(proto, { recursive: true, force: true });
cpSync(path.join(process.env.SOURCE, "proto"), proto, { recursive: true });
const documents = readdirSync(proto)
  .filter((name) => /^[a-z].*\.yaml$/.test(name))
  .sort();
const rules = YAML.parse(readFileSync(path.join(proto, ".spectral.yaml"), "utf8"));

/** Findings of Spectral in a document of proto/ under a ruleset of proto/: {code, message, path, source, range}. Each run has its own
    process: in one process Spectral mixes up documents that refer to the same file. */
async function findings(ruleset, name) {
  const cli = path.join(here, "node_modules/@stoplight/spectral-cli/dist/index.js");
  const child = spawn(process.execPath, [cli, "lint", "--quiet", "--format=json", `--ruleset=${ruleset}`, name], { cwd: proto });
  const [out, error, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  assert.ok(status === 0 || status === 1, error);
  return JSON.parse(out);
}

const said = ({ source, range, code, path: at, message }) =>
  `${path.basename(source)}:${range.start.line + 1} ${code} ${at.join(".")}: ${message}`;

/** The JSON pointer of a path, with percent-encoded braces as in the overrides of the ruleset. */
const pointerOf = (at) =>
  at.map((segment) => `/${encodeURIComponent(String(segment).replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");

const found = new Map();
const excused = []; // findings of rules that are switched off, for all files or for some
const switchedOff = [rules, ...rules.overrides].flatMap((part) => Object.keys(part.rules).filter((rule) => part.rules[rule] === "off"));
writeFileSync(
  path.join(proto, ".off.yaml"),
  YAML.stringify({
    extends: rules.extends.map((ruleset) => [ruleset, "off"]),
    rules: Object.fromEntries(switchedOff.map((rule) => [rule, true])),
  }),
);
for (const name of documents) {
  const [own, off] = await Promise.all([findings(".spectral.yaml", name), findings(".off.yaml", name)]);
  found.set(name, own);
  excused.push(...off);
}

for (const name of documents) test(`${name} has no findings`, () => assert.deepEqual(found.get(name).map(said), []));

test("every rule that is switched off has findings", () => {
  const isOff = (rule, files) => {
    const [name, pointer] = files.split("#");
    const matches = new RegExp(`^${name.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
    return excused.some(
      ({ code, source, path: at }) =>
        code === rule && matches.test(path.basename(source)) && (pointer === undefined || `${pointerOf(at)}/`.startsWith(`${pointer}/`)),
    );
  };
  for (const [rule, level] of Object.entries(rules.rules)) if (level === "off") assert.ok(isOff(rule, "*"), rule);
  for (const { files, rules: off } of rules.overrides) {
    for (const rule of Object.keys(off))
      assert.ok(
        files.some((file) => isOff(rule, file)),
        `${rule} at ${files}`,
      );
    for (const file of files)
      assert.ok(
        Object.keys(off).some((rule) => isOff(rule, file)),
        `the rules have no findings at ${file}`,
      );
  }
});

/** Faults to make in feedback.openapi.yaml: the text, its replacement, the rule that must find the fault, and a part of the finding's
    place or message. */
const faults = [
  ["      maxLength: 200\n", "", "owasp:api4:2023-string-limit", "components.schemas.Title"],
  ['        "401": {$ref: "common.yaml#/components/responses/Unauthorized"}\n', "", "owasp:api8:2023-define-error-responses-401", "post"],
  ["RFC8725", "RFC", "owasp:api2:2023-jwt-best-practices", "userToken"],
  ["      operationId: createFeedback", "      operationID: createFeedback", "oas3-schema", "/v1/feedbacks.post"],
  ["category: bug\n              title", "category: rant\n              title", "oas3-valid-media-example", "requestBody"],
  ["{name: Replies, description: ", "{name: Replies, x-text: ", "tag-description", "tags.1"],
  ["description: Only threads with one of these statuses, separated by commas.", "x-text: .", "oas3-parameter-description", "/v1/feedbacks.get"],
  ["summary: List feedback threads", "summary: Show feedback threads", "operation-summary", 'listFeedbacks must start with "List"'],
  ["summary: Get thread statistics", "summary: get thread statistics", "operation-summary", 'getStats must start with "Get"'],
  ["summary: Export feedback", "summary: Export a file of all feedback", "operation-summary", "exportFeedbacks has more than 6 words"],
  ["summary: Post a reply", "summary: Post a reply.", "operation-summary", "postReply ends with a punctuation mark"],
  ["description: Name of the file,", "x-text: Name of the file,", "property-description", "components.schemas.Filename"],
  ["      example: screenshot.png\n", "", "property-example", "components.schemas.Filename"],
  ['example: "key:fbk_Xk3vR9aQ"', 'example: "\\0"', "ref-example", "components.schemas.Reply.properties.authorId.example"],
  ["            example: {status: in-progress, assigneeEmail: grace@example.com}\n", "", "request-example", "patch.requestBody"],
  ["              example: *reply\n", "", "response-example", "replies.post.responses.201"],
];

test("every rule finds a fault", async () => {
  let faulty = readFileSync(path.join(proto, "feedback.openapi.yaml"), "utf8");
  for (const [before, after] of faults) {
    assert.ok(faulty.includes(before), before);
    faulty = faulty.replace(before, after);
  }
  writeFileSync(path.join(proto, "feedback.openapi.yaml"), faulty);
  const lines = (await findings(".spectral.yaml", "feedback.openapi.yaml")).map(said);
  for (const [before, , rule, part] of faults)
    assert.ok(
      lines.some((line) => line.includes(` ${rule} `) && line.includes(part)),
      `${before} => ${rule} ${part}, among\n${lines.join("\n")}`,
    );
  const own = Object.entries(rules.rules).filter(([, level]) => level !== "off");
  assert.deepEqual(
    own.map(([rule]) => rule).filter((rule) => faults.every(([, , shown]) => shown !== rule)),
    [],
    "these rules have no fault in the list",
  );
});
