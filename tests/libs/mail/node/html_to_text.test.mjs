// Compares the text that libs/mail makes of the emails in html_emails/ with the text of html-to-text, an independent converter.
// PROGRAM prints the text of an HTML file; EMAILS is the folder. Must be equal: the words in their order, the markers of lists, the
// targets of links, and the rows and cells of `table.data`. Before the comparison:
// - html-to-text gets the rules that it does not have by default: hidden elements are skipped, cells of a layout are blocks, images
//   are shown by their `alt` only, also in links, and a link whose text is its target is shown once.
// - In both texts, white space of any kind separates words, soft hyphens, zero-width spaces and lone joiners are left out, and so
//   are the marks of quotations, lines and borders: `>`, `-----`, `|`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { htmlToText } from "html-to-text";

const { PROGRAM: program, EMAILS: folder } = process.env;
const hidden = ["[hidden]", "[style*='display:none']", "[style*='display: none']", "[style*='visibility:hidden']",
  "[style*='visibility: hidden']", "[style*='max-height:0']"];
const unseen = ["title", "script", "style", "head"];
const options = {
  wordwrap: false,
  whitespaceCharacters: " \t\r\n\f", // without U+200B
  formatters: { alt: (image, walk, builder) => builder.addInline(image.attribs.alt ?? "") },
  selectors: [
    ...[...hidden, ...unseen].map((selector) => ({ selector, format: "skip" })),
    { selector: "a", options: { hideLinkHrefIfSameAsText: true } },
    { selector: "img", format: "alt" },
    { selector: "ul", options: { itemPrefix: "- " } },
    { selector: "table.data", format: "dataTable", options: { uppercaseHeaderCells: false, maxColumnWidth: 200 } },
    ...["table", "tr", "td", "th", "dt", "dd", "address"].map((selector) => ({ selector, format: "block" })),
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
};

const plain = (text) =>
  text
    .replace(/[\u00ad\u034f\u200b\u2060\ufeff]/g, "")
    .replace(/(?<![^\s\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]+(?![^\s\u200c\u200d])/g, "")
    .replace(/\[tel:/g, "[")
    .replace(/(\[[^\]\s@]+@[^\]\s?]+)\?[^\]]*\]/g, "$1]");
const words = (text) => plain(text).split(/\s+/).filter((word) => !/^(>+|\||-{3,}|)$/.test(word));
const links = (text) => words(text).flatMap((word) => word.match(/\[\S+?\]|^(?:https?):\S+$/g) ?? []);
const lines = (text) => plain(text).split("\n").map((line) => line.replace(/^[\s>]+/, "").replace(/\s+$/, "")).filter(Boolean);
const markers = (text) => lines(text).flatMap((line) => /^(?:-|(?:\d+|[a-z]+|[A-Z]|[ivxlc]+)\.)(?= )/.exec(line)?.[0] ?? []);
const cells = (line, border) => line.split(border).map((cell) => cell.replace(/\s+/g, " ").trim()).filter(Boolean);
const tables = (html) => html.match(/<table class="data"[\s\S]*?<\/table>/g) ?? [];

const files = readdirSync(folder).filter((name) => name.endsWith(".html"));

test("there are fifty emails", () => assert.ok(files.length >= 50));

for (const file of files) {
  test(`text of ${file}`, () => {
    const html = readFileSync(path.join(folder, file), "utf8");
    const ours = execFileSync(program, [path.join(folder, file)], { encoding: "utf8" });
    const theirs = htmlToText(html, options);
    assert.deepEqual(words(ours), words(theirs));
    assert.deepEqual(markers(ours), markers(theirs));
    assert.deepEqual(links(ours), links(theirs));
    const rows = lines(ours).map((line) => cells(line, "|").join(" | "));
    for (const table of tables(html))
      for (const line of lines(htmlToText(table, options))) assert.ok(rows.includes(cells(line, /\s{3,}/).join(" | ")), line);
    assert.doesNotMatch(ours, / \n|\n\n\n|^\n|\u00a0/);
  });
}
