// Finds references to files, functions and flags that do not exist, in documents and in comments of the code:
//
//   documents  links and their anchors; in backticks: paths, calls, qualified names, flags; in blocks of code: the project's own
//              scripts, and their flags
//   comments   paths and file names; in backticks: calls, qualified names. Help texts of scripts are checked like comments
//
// A path may be relative to the file or to the root, or be the end of exactly one path. A plain file name may exist in any folder.
// `*`, `<name>`, `{a,b}` and `…` in a path are wildcards.
import path from "node:path";

const { basename, dirname, join, normalize } = path.posix;

// --- comments --------------------------------------------------------------------------------------------------------------------

/** The syntax of comments, by file name. */
const languages = [
  [/\.(cpp|hpp|mjs|js|ts|css)$/, "c"],
  [/\.(sh|ya?ml|cmake|cfg|env|supp|conf)$|(^|\/)(CMakeLists\.txt|Containerfile|\.clang-(format|tidy)|\.containerignore|\.npmrc)$/, "hash"],
  [/^(scripts|deploy|\.ci)\/([a-z-]+|packages\/[a-z]+)$/, "hash"],
  [/\.(sql|lua)$/, "dashes"],
];
const languageOf = (file) => languages.find(([pattern]) => pattern.test(file))?.[1];
const isDocument = (file) => file.endsWith(".md");

/** Whether the check needs the text of a file, not only its path. */
export const isRead = (file) => isDocument(file) || languageOf(file) !== undefined || /\.(html|json|txt)$/.test(file);

// String literals are matched too, so that comment marks inside them do not count. In JavaScript, `/` after an operator begins a
// regular expression.
const strings = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const regex = String.raw`(?<=[(,=:[!&|?{};+]\s*|\breturn\s)/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/`;
const syntax = {
  c: new RegExp(String.raw`(//[^\n]*|/\*[\s\S]*?\*/)|R"([^()\s\\"]{0,16})\([\s\S]*?\)\2"|${strings}|` + "`(?:[^`\\\\]|\\\\.)*`" + `|${regex}`, "g"),
  hash: new RegExp(String.raw`((?<=^|[\s;])#(?!!)[^\n]*)|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'`, "gm"),
  dashes: new RegExp(String.raw`(--[^\n]*|/\*[\s\S]*?\*/)|"[^"\n]*"|'(?:[^']|'')*'`, "g"),
};

/** Splits a file into its code and its comments, as [line, text]. */
function separated(file, text) {
  const comments = [];
  let line = 1, at = 0;
  const add = (offset, words) => {
    for (; at < offset; at++) if (text[at] === "\n") line++;
    words.split("\n").forEach((each, i) => comments.push([line + i, each]));
  };
  const code = text.replace(syntax[languageOf(file)], (all, comment, ...rest) => {
    if (comment === undefined) return all;
    add(rest.find((each) => typeof each === "number"), comment);
    return comment.replace(/[^\n]+/g, " ");
  });
  line = 1, at = 0;
  for (const help of languageOf(file) === "hash" ? text.matchAll(/(?<=<<'?TEXT'?\n)[\s\S]*?(?=\nTEXT\n)/g) : []) add(help.index, help[0]);
  return { code, comments };
}

// --- what exists -----------------------------------------------------------------------------------------------------------------

const escaped = (text) => text.replace(/[.+?^$()|[\]\\]/g, "\\$&");
const hasWildcards = (name) => /[*<{…]/.test(name);

/** A path with wildcards, as the source of a regular expression. */
const patternOf = (name) => escaped(name).replace(/<[^<>/]*>|…|\*+/g, "[^/]+")
  .replace(/\{([^{}]*)\}/g, (_, list) => (list.includes(",") ? `(?:${list.replaceAll(",", "|")})` : "[^/]+"));

class Index {
  documents = []; // [file, text]
  comments = []; // [file, [[line, text]]]
  #paths = new Set(); // files and folders
  #byName = new Map(); // last part of a path -> paths
  #code = new Map(); // file -> code without comments
  #byWord = new Map(); // word -> files whose code contains it

  constructor(tree) {
    for (const [file, text] of tree) {
      this.#addPath(file);
      if (text === undefined) continue;
      if (isDocument(file)) this.documents.push([file, text]);
      else this.#addCode(file, languageOf(file) ? separated(file, text) : { code: text, comments: [] });
    }
    this.everything = [...this.#code.values()].join("\n");
    // Each setting is also a flag: DATABASE_POOL is --database-pool.
    this.settings = new Set([...this.#byWord.keys()].filter((word) => /^[A-Z][A-Z0-9_]+$/.test(word))
      .map((word) => `--${word.toLowerCase().replaceAll("_", "-")}`));
    this.roots = [...new Set([...this.#paths].filter((each) => each.includes("/")).map((each) => each.split("/")[0]))];
  }

  #addPath(file) {
    for (let at = file; at !== "." && !this.#paths.has(at); at = dirname(at)) {
      this.#paths.add(at);
      this.#byName.set(basename(at), [...(this.#byName.get(basename(at)) ?? []), at]);
    }
  }

  #addCode(file, { code, comments }) {
    this.#code.set(file, code);
    if (comments.length > 0) this.comments.push([file, comments]);
    for (const word of new Set(code.match(/[A-Za-z_]\w*/g))) {
      if (!this.#byWord.has(word)) this.#byWord.set(word, []);
      this.#byWord.get(word).push(file);
    }
  }

  has(file) { return this.#paths.has(normalize(file).replace(/\/$/, "")); }
  codeOf(file) { return this.#code.get(file); }
  #someCode(word, holds) { return (this.#byWord.get(word) ?? []).some((file) => holds(this.#code.get(file))); }

  /** The paths that `name` can mean in the file `from`. */
  meanings(name, from) {
    const wanted = name.replace(/^\.\//, "").replace(/\/+$/, ""), near = normalize(join(dirname(from), wanted));
    if (wanted.startsWith("../")) return this.has(near) ? [near] : [];
    if (hasWildcards(wanted)) {
      const pattern = new RegExp(`(^|/)${patternOf(wanted)}$`);
      return [...this.#paths].filter((each) => pattern.test(each)).slice(0, 1);
    }
    // A program built from one source file has the name of that file.
    for (const each of [near, wanted, `${near}.cpp`, `${wanted}.cpp`]) if (this.has(each)) return [each];
    const [first, ...rest] = wanted.split("/");
    if (rest.length > 0 && (this.has(first) || this.has(join(dirname(from), first)))) return []; // its folder exists but does not contain it
    const found = (this.#byName.get(basename(wanted)) ?? []).filter((each) => each.endsWith(`/${wanted}`));
    return rest.length > 0 ? found : found.slice(0, 1);
  }

  hasFunction(name) { return this.#someCode(name, (code) => new RegExp(`\\b${name}\\b[\\s"']*\\(`).test(code)); }

  /** Whether the code has the qualified name, or `name` in a file that declares `scope`. */
  hasQualified(scope, name) {
    const declares = new RegExp(`\\b(?:namespace|class|struct|enum|union)\\s+(?:\\w+(?:::|\\s+))*${scope}\\b`);
    return this.#someCode(name, (code) => code.includes(`${scope}::${name}`) || declares.test(code));
  }

  hasFlag(flag) { return this.settings.has(flag) || new RegExp(`(?<![\\w-])${flag}(?![\\w-])`).test(this.everything); }
}

// --- references ------------------------------------------------------------------------------------------------------------------

const extensions = "cpp|hpp|md|mjs|ts|js|css|html|sh|ya?ml|cmake|cfg|sql|lua|env|supp|dict|json|txt";
/** A path or a file name, by its extension. */
const fileName = String.raw`(?:\.{1,2}/)*(?:[\w.*<>{},…-]+/)*[\w.*<>{},…-]*[\w*>}]\.(?:${extensions})`;
const fileNames = new RegExp(String.raw`(?<![\w@/.$%:~{}<>*-])${fileName}(?![\w/(-])`, "g");
const isFileName = new RegExp(`^${fileName}$`);

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading) => heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase().replace(/[^\w\- ]/gu, "").replaceAll(" ", "-");
const hasHeading = (text, anchor) => [...text.matchAll(/^#+ (.*)$/gm)].some(([, heading]) => anchorOf(heading) === anchor);

/** The paragraphs of a document and the lines of its blocks of code: { line, text, isBlock }. */
function partsOf(text) {
  const parts = [];
  let fenced = false, open = false;
  text.split("\n").forEach((line, i) => {
    const fence = /^\s*```/.test(line), isBlock = fenced || fence || /^ {4}\S/.test(line);
    if (fence) fenced = !fenced;
    if (open && !isBlock && line !== "") parts.at(-1).text += `\n${line}`;
    else parts.push({ line: i + 1, text: line, isBlock });
    open = !isBlock && line !== "";
  });
  return parts;
}

/** A command that runs a script of the project. */
const ownCommand = /^(?:sudo )?(?:\.\/)?((?:scripts|deploy)\/[a-z-]+)(?=\s|$)/;

class Check {
  faults = new Set();
  used = new Set();
  counts = { links: 0, files: 0, names: 0, flags: 0 };

  constructor(tree, outside) {
    Object.assign(this, { tree, outside, index: new Index(tree) });
    this.folders = new RegExp(String.raw`(?<![\w@/.$%:~{}<>*-])(?:\./)?(?:${this.index.roots.map(escaped).join("|")})/[\w.*<>{},…/-]*[\w*<>}…/](?![\w.]*[({])`, "g");
  }

  #isOutside(kind, name) {
    const entries = (this.outside[kind] ?? []).filter(([pattern]) => pattern.test(name));
    for (const entry of entries) this.used.add(entry);
    return entries.length > 0;
  }

  #file(at, name) {
    this.counts.files++;
    const [file] = at, found = this.index.meanings(name, file);
    if (found.length === 1 || this.#isOutside("files", name)) return;
    this.#fault(at, found.length === 0 ? `there is no file ${name}` : `${name} is the end of ${found.length} paths: write more of the path, or <name>`);
  }

  #fault([file, line], words) { this.faults.add(`${file}:${line}: ${words}`); }

  #name(at, span) {
    const match = /^((?:\w+::)*)~?(\w+)\(.*\)$/.exec(span) ?? /^((?:\w+::)+)(\w+)$/.exec(span);
    if (!match) return;
    this.counts.names++;
    const scopes = match[1].split("::").filter(Boolean), name = match[2];
    const exists = scopes.length > 0 ? this.index.hasQualified(scopes.at(-1), name) : this.index.hasFunction(name);
    if (exists || (scopes.length > 0 ? this.#isOutside("scopes", scopes[0]) : this.#isOutside("functions", name))) return;
    this.#fault(at, `the code has no ${span}`);
  }

  #flags(at, command) {
    const script = ownCommand.exec(command)?.[1];
    if (script && !this.index.has(script)) this.#fault(at, `there is no script ${script}`);
    const code = script && this.index.codeOf(script);
    for (const [flag] of command.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g)) {
      this.counts.flags++;
      if ((code ? code.includes(flag) : this.index.hasFlag(flag)) || this.#isOutside("flags", flag)) continue;
      this.#fault(at, code ? `${script} has no flag ${flag}` : `no program has a flag ${flag}`);
    }
  }

  #link(at, target) {
    if (/^[a-z]+:/.test(target)) return;
    this.counts.links++;
    const [file] = at, [name, anchor] = target.split("#"), to = name ? normalize(join(dirname(file), name)) : file;
    if (!this.index.has(to)) this.#fault(at, `the link to ${name} leads to no file`);
    else if (anchor && !hasHeading(this.tree.get(to) ?? "", anchor)) this.#fault(at, `${to} has no heading for #${anchor}`);
  }

  /** A span in backticks is a path if it has a known extension, begins with a folder of the root, or ends with `/`. */
  #path(at, span) {
    const name = span.replace(/^\.\//, "").replace(/:\d+$/, "");
    if (/\s|::|^\/|^--|[()'"$=;@]/.test(name)) return;
    const inRoot = name.includes("/") && this.index.roots.includes(name.split("/")[0]);
    if (isFileName.test(name) || inRoot || /^[\w.<>-]+(\/[\w.<>-]+)*\/$/.test(name)) this.#file(at, name);
  }

  document(file, text) {
    for (const { line, text: words, isBlock } of partsOf(text)) {
      const at = (match) => [file, line + words.slice(0, match.index).split("\n").length - 1];
      const command = words.trim().replace(/\s#.*/, "");
      if (isBlock && ownCommand.test(command)) this.#flags([file, line], command);
      if (isBlock) continue;
      const links = words.replace(/`[^`]*`/g, (span) => span.replace(/[^\n]/g, " ")).matchAll(/\]\(([^)\s]+)\)/g);
      for (const link of links) this.#link(at(link), link[1]);
      for (const match of words.matchAll(/`([^`]+)`/g)) {
        const span = match[1].replace(/\s*\n\s*/g, " ");
        this.#path(at(match), span);
        this.#name(at(match), span);
        this.#flags(at(match), span);
      }
    }
  }

  comments(file, comments) {
    for (const [line, words] of comments) {
      const at = [file, line];
      for (const [name] of words.matchAll(fileNames)) this.#file(at, name);
      for (const [name] of words.matchAll(this.folders)) this.#file(at, name);
      for (const [, span] of words.matchAll(/`([^`]+)`/g)) this.#name(at, span);
    }
  }
}

/**
 * Checks a tree: path -> text, or undefined for a file whose text is not needed. `outside`: names that do not
 * belong to the project: lists `files`, `functions`, `scopes` (the first scope of a qualified name) and
 * `flags` of [pattern, reason]. Returns `faults` (each begins with `file:line:`), `unused` (the entries of
 * `outside` that no reference needed) and `counts` (of references, by kind).
 */
export function danglingReferences(tree, outside = {}) {
  const check = new Check(tree, outside);
  for (const [file, text] of check.index.documents) check.document(file, text);
  for (const [file, comments] of check.index.comments) check.comments(file, comments);
  const unused = Object.values(outside).flat().filter((entry) => !check.used.has(entry)).map(([pattern]) => `${pattern}`);
  return { faults: [...check.faults], unused, counts: check.counts };
}
