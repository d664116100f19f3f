// SECURITY.md and docs/security/asvs.md: checks that every file, CTest entry and test case that they name exists, and that every
// requirement has one verdict. Run this file in the root folder of the checkout.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import test from "node:test";

const read = (file) => readFileSync(file, "utf8");
const requirements = read("docs/security/asvs.md");
const text = read("SECURITY.md") + requirements;

/** The files below a folder. */
const filesOf = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesOf(at);
    return [at];
  });
const sources = filesOf("tests");

/** The CTest entries of the CMakeLists.txt files below tests/, each with its folder; `${…}` matches any word. */
const entries = sources
  .filter((file) => path.basename(file) === "CMakeLists.txt")
  .flatMap((file) =>
    [...read(file).matchAll(/(?:tetrad_test\(|tetrad_stories\(|tetrad_rehearsal\(|add_test\(NAME )([\w${}]+)/g)].map(([, name]) => ({
      name: new RegExp(`^${name.replaceAll(/\$\{\w+\}/g, "\\w+")}$`),
      folder: path.dirname(file),
    })),
  )
  .filter(({ name }) => name.source !== "^\\w+$");

/** The titles of the test cases of a folder. A long title consists of several literals. */
function casesOf(folder) {
  const titles = new Set();
  for (const file of sources.filter((one) => one.startsWith(folder + path.sep) && /\.(cpp|ts|mjs)$/.test(one)))
    for (const [, literals] of read(file).matchAll(/\b(?:TEST_CASE|TEST_CASE_METHOD\(\w+,\s*|test)\(?\s*((?:"(?:[^"\\]|\\.)*"\s*)+)/g))
      titles.add([...literals.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part]) => part).join(""));
  return titles;
}

test("every file named in SECURITY.md and asvs.md exists", () => {
  const named = [...text.matchAll(/`((?:libs|services|tests|scripts|deploy|docs|proto)\/[\w.\/-]+|[A-Z]+\.md|CMakeLists\.txt|\.containerignore)`/g)];
  assert.ok(named.length > 100);
  assert.deepEqual(
    named.map(([, file]) => file).filter((file) => !existsSync(file)),
    [],
  );
});

test("every test named in SECURITY.md and asvs.md exists", () => {
  const rows = requirements.split("\n");
  const shown = rows.filter((row) => row.startsWith("| ")).flatMap((row) => [...row.split(" | ").at(-1).matchAll(/`([^`]+)`(?: "([^"]+)")?/g)]);
  const named = [...shown, ...text.matchAll(/`(test_\w+)`/g)];
  assert.ok(shown.length > 100);
  const faults = named.flatMap(([, name, title]) => {
    const folders = entries.filter((entry) => entry.name.test(name)).map((entry) => entry.folder);
    if (folders.length === 0) return [`no entry ${name}`];
    return title === undefined || folders.some((folder) => casesOf(folder).has(title)) ? [] : [`no "${title}" in ${name}`];
  });
  assert.deepEqual(faults, []);
});

test("each requirement of ASVS 5.0's levels 1 and 2 has one verdict", () => {
  const verdicts = ["met", "part", "gap", "operator", "none"];
  const rows = [...requirements.matchAll(/^\| (\d+\.\d+\.\d+(?:, \d+\.\d+\.\d+)*) \| [^|]+ \| (\w+) \| /gm)];
  const ids = rows.flatMap(([, list]) => list.split(", "));
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(ids.length, 253);
  assert.deepEqual(
    rows.map(([, , verdict]) => verdict).filter((verdict) => !verdicts.includes(verdict)),
    [],
  );
});
