// Reads the shell blocks of a document and the output that the document shows, and compares it with the output of a run.
import { readFileSync } from "node:fs";

/**
 * The fenced blocks of a Markdown text: their line (from 1), the words after the fence (`sh no-run`), and their text. If a fence is
 * indented, as in a list, the same indentation is removed from the block's lines.
 */
export function fencedBlocks(markdown) {
  const blocks = [];
  let open;
  markdown.split("\n").forEach((line, index) => {
    if (open) {
      if (line.trim() === open.fence) {
        blocks.push({ line: open.line, end: index + 1, words: open.words, text: open.lines.join("\n") });
        open = undefined;
      } else open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
      return;
    }
    const [, indent, fence, info] = /^(\s*)(`{3,})([^`]*)$/.exec(line) ?? [];
    if (fence) open = { indent, fence, words: info.trim().split(/\s+/), line: index + 1, lines: [] };
  });
  if (open) throw new Error(`the block at line ${open.line} has no end`);
  return blocks;
}

const languages = ["sh", "text", "json", "js", "python", "html", "typescript"];

/**
 * The fences of a document that `commandsOf` would ignore without an error: `{line, fault}`. The language of
 * a block must be one of `languages`, and only `no-run` may follow `sh`. A fence must consist of backticks
 * and be the first text of its line.
 */
export function fenceFaults(markdown) {
  const blocks = fencedBlocks(markdown);
  const faults = blocks.flatMap(({ line, words: [language, ...rest] }) => {
    if (!languages.includes(language)) return [{ line, fault: `the block's language is "${language}" instead of ${languages.join(", ")}` }];
    if (rest.length > 0 && `${language} ${rest.join(" ")}` !== "sh no-run") return [{ line, fault: `"${rest.join(" ")}" after the language` }];
    return [];
  });
  markdown.split("\n").forEach((text, index) => {
    const line = index + 1;
    if (blocks.some((block) => block.line <= line && line <= block.end)) return;
    const [, before, fence] = /^((?:\s|>|[-*+]\s|\d+[.)]\s)*)(`{3,}|~{3,})/.exec(text) ?? [];
    if (fence?.startsWith("~")) faults.push({ line, fault: "a fence of ~ instead of backticks" });
    else if (fence) faults.push({ line, fault: before.trim() ? `"${before.trim()}" before the fence` : "backticks after the fence" });
  });
  return faults.sort((a, b) => a.line - b.line);
}

/** The commands of the `sh no-run` blocks of a document. */
export const commandsNotRun = (markdown) => fencedBlocks(markdown).filter(({ words }) => words[0] === "sh" && words.includes("no-run")).map(({ text }) => text);

/**
 * The commands of a document: `{line, commands, output}` for each `sh` block that is not marked `no-run`. `output` is the `text` or `json`
 * block that follows; only empty lines may be between. Without such a block it is "": the commands must print nothing.
 */
export function commandsOf(markdown) {
  const lines = markdown.split("\n");
  const blocks = fencedBlocks(markdown);
  return blocks.flatMap((block, index) => {
    if (block.words[0] !== "sh" || block.words.includes("no-run")) return [];
    const next = blocks[index + 1];
    const adjacent = next && lines.slice(block.end, next.line - 1).every((line) => line.trim() === "");
    const output = adjacent && ["text", "json"].includes(next.words[0]) ? next.text : "";
    return [{ line: block.line, commands: block.text, output }];
  });
}

export const commandsIn = (file) => commandsOf(readFileSync(file, "utf8"));

const tidy = (text) => text.split("\n").map((line) => line.trimEnd()).join("\n").replace(/\n+$/, "");
const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** Whether the output of a run matches the output in a document. `…` matches any text of a line; alone on a line, any number of lines. */
export function matches(shown, printed) {
  const lines = tidy(shown).split("\n").map((line) =>
    line.trim() === "…" ? "(?:[^\\n]*\\n)*?" : `${line.split("…").map(escaped).join("[^\\n]*?")}\\n`);
  return new RegExp(`^${lines.join("")}$`).test(`${tidy(printed)}\n`);
}

/** A script that runs the blocks in one shell. After each block it prints `mark`, the block's number and its exit status. */
export function scriptOf(commands, mark) {
  return ["exec 2>&1", ...commands.map(({ commands: text }, index) => `${text}\nprintf '\\n%s %s %s\\n' ${mark} ${index} "$?"`), ""].join("\n");
}

/** The output and exit status of each block, read from the output of the script. Blocks that did not end are missing. */
export function resultsOf(printed, mark) {
  const results = [];
  let rest = printed;
  for (;;) {
    const [whole, status] = new RegExp(`\\n${mark} ${results.length} (\\d+)\\n`).exec(rest) ?? [];
    if (whole === undefined) return { results, rest };
    const at = rest.indexOf(whole);
    results.push({ printed: rest.slice(0, at), status: Number(status) });
    rest = rest.slice(at + whole.length);
  }
}
