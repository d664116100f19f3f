import assert from "node:assert/strict";
import { test } from "node:test";
import { csvCell, toCsv } from "../src/ui/csv.ts";

test("a cell that a spreadsheet would read as a formula gets an apostrophe", () => {
  for (const start of ["=", "+", "-", "@", "\t", "\r"]) assert.ok(csvCell(`${start}1`).replace(/^"/, "").startsWith(`'${start}`), JSON.stringify(start));
  assert.equal(csvCell('=HYPERLINK("http://a.example")'), '"\'=HYPERLINK(""http://a.example"")"');
  assert.equal(csvCell("a=1"), "a=1");
});

test("numbers stay numbers, also negative ones", () => {
  assert.equal(csvCell(-5), "-5");
  assert.equal(csvCell("-5"), "'-5");
});

test("quotes, commas and line breaks are quoted, and nothing is an empty cell", () => {
  assert.equal(toCsv([["a", 'b"c', "d,e", "f\ng", null, undefined, true]]), 'a,"b""c","d,e","f\ng",,,true\r\n');
});
