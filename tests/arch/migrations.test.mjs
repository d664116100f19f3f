// A migration that declares the checksum of an earlier text may differ from that text only in its comments, because databases that
// applied the earlier text do not run it again. reworded_migrations.txt holds the SHA-256 of the statements of each such migration.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";

const table = new URL("reworded_migrations.txt", import.meta.url);

/** The SQL without comments, with each run of white space as one space. A string may contain `--`; a dollar-quoted body is code. */
const statementsOf = (sql) =>
  sql.replaceAll(/'(?:[^']|'')*'|--[^\n]*/g, (part) => (part.startsWith("--") ? " " : part)).replaceAll(/\s+/g, " ").trim();

test("comments and white space are left out, strings stay", () => {
  assert.equal(statementsOf("-- a 'b\nSELECT  '--x''--y' -- z\n, 1;\n"), "SELECT '--x''--y' , 1;");
});

test("the statements of migrations with reworded comments are unchanged", () => {
  const files = execFileSync("git", ["ls-files", "*.sql"], { encoding: "utf8" }).trim().split("\n");
  const declared = files.filter((file) => /^-- Checksum before its comments were reworded: /m.test(readFileSync(file, "utf8")));
  const actual = declared.map((file) => `${createHash("sha256").update(statementsOf(readFileSync(file, "utf8"))).digest("hex")}  ${file}`);
  assert.deepEqual(actual, readFileSync(table, "utf8").trim().split("\n"));
});
