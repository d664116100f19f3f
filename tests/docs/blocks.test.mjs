// Tests blocks.mjs, and checks the syntax of the documents' shell blocks. Run this file in the root folder of the checkout.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import test from "node:test";
import { commandsIn, commandsNotRun, commandsOf, fenceFaults, fencedBlocks, matches, resultsOf, scriptOf } from "./blocks.mjs";
import { documents } from "./documents.mjs";

test("plain and indented blocks are found with their line numbers", () => {
  const text = "a\n```sh no-run\nx\n```\n1. b\n   ```json\n   {\n     1\n   ```\n````text\n```\n````\n";
  assert.deepEqual(fencedBlocks(text), [
    { line: 2, end: 4, words: ["sh", "no-run"], text: "x" },
    { line: 6, end: 9, words: ["json"], text: "{\n  1" },
    { line: 10, end: 12, words: ["text"], text: "```" },
  ]);
  assert.throws(() => fencedBlocks("```sh\nx"), /line 1/);
});

test("the output of a command is the next block if only empty lines are between", () => {
  const text = "```sh\na\n```\n\n```text\n1\n```\nwords\n```sh\nb\n```\nwords\n```json\n2\n```\n```sh no-run\nc\n```\n```text\n3\n```\n```sh\nd\n```\n```python\n4\n```\n";
  assert.deepEqual(commandsOf(text), [
    { line: 1, commands: "a", output: "1" },
    { line: 9, commands: "b", output: "" },
    { line: 22, commands: "d", output: "" },
  ]);
});

test("fences in any other form are reported", () => {
  const rows = [
    ["```sh no-run\na\n```\n```text\n~~~\n- ```\n```", []],
    ["   ```typescript\n   a\n   ```\n```html\n```\n```python\n```\n```js\n```", []],
    ["```\na\n```", [1]],
    ["a\n```bash\na\n```\n```shell\nb\n```", [2, 5]],
    ["```sh norun\na\n```", [1]],
    ["```json no-run\n{}\n```", [1]],
    ["~~~sh\na\n~~~", [1, 3]],
    ["> ```sh\n> a\n> ```", [1, 3]],
    ["a ``` b and `~~~`", []],
    ["```a``` b", [1]],
  ];
  for (const [text, lines] of rows) assert.deepEqual(fenceFaults(text).map(({ line }) => line), lines, text);
  assert.throws(() => fenceFaults("- ```sh\n  a\n  ```"), /line 3 has no end/);
});

test("an ellipsis matches any text of a line, and alone on a line any number of lines", () => {
  const rows = [
    ["", "", true],
    ["", "a\n", false],
    ["a", "a\n", true],
    ["a", "a  \r\n\n", true],
    ["a", "a\nb", false],
    ["a…", "a\nb", false],
    ["a…c", "abc", true],
    ["a…c", "ac", true],
    ['"id": "…",', '"id": "0-1",', true],
    ["a\n…\nb", "a\nb", true],
    ["a\n  …\nb", "a\n1\n2\nb", true],
    ["a\n…", "a\n1\n2", true],
    ["a\n…\nb", "a\n1\n2\nc", false],
    ["…", "", true],
    ["1.5 [x]", "125 x", false],
    ["$a (b) {c}", "$a (b) {c}", true],
  ];
  for (const [shown, printed, expected] of rows) assert.equal(matches(shown, printed), expected, JSON.stringify([shown, printed]));
});

test("blocks run in one shell, and each block has its own output and status", () => {
  const commands = [{ commands: "a=1\nprintf x" }, { commands: "cat <<'E'\ny $a\nE\necho $a" }, { commands: "false" }, { commands: "echo z >&2; exit 3" }, { commands: "echo no" }];
  const run = spawnSync("bash", ["-c", scriptOf(commands, "@mark")], { encoding: "utf8" });
  assert.deepEqual(resultsOf(run.stdout, "@mark"), {
    results: [{ printed: "x", status: 0 }, { printed: "y $a\n1\n", status: 0 }, { printed: "", status: 1 }],
    rest: "z\n",
  });
});

/** The commands that are not run, because they would start or build what the run of the documents itself starts. */
const notRun = {
  "README.md": [
    "./scripts/run     # starts all services with their own PostgreSQL and Redis; Ctrl-C stops them\n./scripts/test    # runs the tests",
    "deploy/make-secrets compose > deploy/.env\ndocker compose -p tetrad -f deploy/compose.yaml up --build --detach --wait",
  ],
  ...Object.fromEntries(["README", "auth-mfa", "billing", "feedback", "notify", "sign-in-native-app", "sign-in-server", "sign-in-single-page-app"]
    .map((name) => [`docs/tutorials/${name}.md`, ["./scripts/run --detach --fresh"]])),
};

test("only these commands of the documents are not run", () => {
  assert.deepEqual(Object.fromEntries(documents.map((file) => [file, commandsNotRun(readFileSync(file, "utf8"))])), notRun);
});

for (const file of documents) {
  test(`${file} has only blocks of known languages`, () => {
    assert.deepEqual(fenceFaults(readFileSync(file, "utf8")).map(({ line, fault }) => `${file}:${line}: ${fault}`), []);
  });

  test(`${file} has shell blocks, and bash can parse each of them`, () => {
    const commands = commandsIn(file);
    assert.ok(commands.length > 0);
    for (const { line, commands: text } of commands) {
      const check = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
      assert.equal(check.status, 0, `line ${line}: ${check.stderr}`);
    }
  });
}
