// Checks that documents and comments name only files, functions and flags that exist (references.mjs). Run this file in the root folder of the checkout.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { danglingReferences, isRead } from "./references.mjs";

/** Names that do not belong to the project, with the reason. Remove an entry that is no longer needed. */
const outside = {
  files: [
    [/^awaitable\.hpp$/, "a header of Boost.Asio"],
    [/^deploy\/\.env$/, "written by deploy/make-secrets"],
    [/^userlist\.txt$/, "a file of PgBouncer"],
    [/^Node\.js$/, "a program"],
    [/^terms\.txt$/, "an example of the contract in proto/notify.openapi.yaml, in the types that are generated from it"],
  ],
  functions: [
    [/^io_context$/, "a class of Boost.Asio"],
    [/^pg_\w+$/, "functions of PostgreSQL"],
  ],
  scopes: [[/^io_context$/, "a class of Boost.Asio"]],
  flags: [
    [/^--now$/, "systemctl"],
    [/^--previous$/, "kubectl"],
    [/^--h1$/, "h2load"],
  ],
};

/** The files of the checkout: tracked files and untracked files that are not ignored. Without git: all files. */
function filesOf(root) {
  const git = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  if (git.status === 0) return git.stdout.split("\0").filter((file) => file !== "" && existsSync(path.join(root, file)));
  const skipped = /^(build|node_modules|\.git|\.run.*)$/;
  const below = (folder) => readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const at = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return skipped.test(entry.name) ? [] : below(at);
    return [at];
  });
  return below("");
}

test("documents and comments name only files, functions and flags that exist", () => {
  const self = "tests/arch/references.test.mjs"; // its strings name files that do not exist
  const tree = new Map(filesOf(".").map((file) => [file, isRead(file) && file !== self ? readFileSync(file, "utf8") : undefined]));
  const { faults, unused, counts } = danglingReferences(tree, outside);
  assert.deepEqual(faults, []);
  assert.deepEqual(unused, [], "no reference needs these entries of the list above");
  for (const [kind, least] of Object.entries({ links: 30, files: 500, names: 100, flags: 20 })) assert.ok(counts[kind] > least, `${counts[kind]} ${kind}`);
});

// --- the check itself ------------------------------------------------------------------------------------------------------------

const good = {
  "README.md": "# Title\n\nSee [the map](docs/map.md#how-it-works), [below](#title) and https://example.com/x.md.\n",
  "docs/map.md": [
    "## How it works", "`../README.md`, `libs/a/thing.cpp`, `a/thing.cpp`, `thing.*`, `libs/<name>/thing.cpp`, `libs/a/`, `run.sh`;",
    "`run()`, `things::run`, `things::Thing::stop()`; `--fast`, `--pool-size=4`, `scripts/go --fast`; a span over `two", "words`.",
    "Routes and types are no files: `/v1/things`, `image/png`, `x/y`.", "", "```sh", "./scripts/go --fast   # no --slow here", "other --unknown file.md", "```",
  ].join("\n"),
  "libs/a/thing.cpp": '// thing.hpp and libs/a, as `run()` has it.\nnamespace things {\nvoid Thing::stop() { log("// gone.md"); }\n} // POOL_SIZE\n',
  "libs/a/thing.hpp": "#include <b.hpp>\nnamespace things { class Thing; void run(int POOL_SIZE); }\n",
  "scripts/go": "#!/bin/sh\n# See docs/map.md.\ncase $1 in --fast) ;; esac\ncat <<'TEXT'\nusage: scripts/go (docs/map.md)\nTEXT\n",
  "tests/run.sh": "echo '# not a comment: gone.md'\n",
  "tests/x.mjs": "const pattern = /[/*]gone.md`/; // thing.cpp\nconst text = `// gone.md`;\n",
};
const faultsOf = (changes, lists) => danglingReferences(new Map(Object.entries({ ...good, ...changes })), lists).faults;

test("valid references are accepted", () => assert.deepEqual(faultsOf({}), []));

const bad = [
  ["a link to no file", { "README.md": "[x](docs/gone.md)" }, /^README\.md:1: the link to docs\/gone\.md/],
  ["a link to no heading", { "README.md": "\n[x](docs/map.md#gone)" }, /^README\.md:2: docs\/map\.md has no heading for #gone/],
  ["a file in backticks", { "docs/other.md": "One\ntwo `thing.h`, `gone.md`." }, /^docs\/other\.md:2: there is no file gone\.md/],
  ["a path in a folder that exists", { "docs/other.md": "`libs/thing.cpp`" }, /there is no file libs\/thing\.cpp/],
  ["a folder", { "docs/other.md": "`libs/b/`" }, /there is no file libs\/b\//],
  ["a path relative to the document", { "docs/other.md": "`../docs/gone.md`" }, /there is no file \.\.\/docs\/gone\.md/],
  ["a path with wildcards", { "docs/other.md": "`libs/<name>/gone.*`" }, /there is no file libs\/<name>\/gone\.\*/],
  ["the end of several paths", { "docs/other.md": "`b/other.cpp`", "libs/b/other.cpp": "", "services/b/other.cpp": "" }, /b\/other\.cpp is the end of 2 paths/],
  ["a function", { "docs/other.md": "`walk()`" }, /the code has no walk\(\)/],
  ["a qualified name", { "docs/other.md": "`things::Gone`" }, /the code has no things::Gone/],
  ["a member of another scope", { "docs/other.md": "`others::run`" }, /the code has no others::run/],
  ["a flag", { "docs/other.md": "`--slow`" }, /no program has a flag --slow/],
  ["a flag of a script", { "docs/other.md": "`scripts/go --pool-size`" }, /scripts\/go has no flag --pool-size/],
  ["a flag of a script in a block", { "docs/other.md": "    scripts/go --slow" }, /scripts\/go has no flag --slow/],
  ["a script", { "docs/other.md": "```sh\n./scripts/gone\n```" }, /^docs\/other\.md:2: there is no script scripts\/gone/],
  ["a comment of C++", { "libs/a/b.cpp": "int a;\nint b; // as gone.md says" }, /^libs\/a\/b\.cpp:2: there is no file gone\.md/],
  ["a block comment", { "libs/a/b.cpp": 'auto s = R"x(")x"; /* one\n   libs/gone.hpp */' }, /^libs\/a\/b\.cpp:2: there is no file libs\/gone\.hpp/],
  ["a folder in a comment", { "libs/a/b.cpp": "// see docs/gone for more" }, /there is no file docs\/gone/],
  ["a function in a comment", { "libs/a/b.cpp": "// calls `walk()`" }, /the code has no walk\(\)/],
  ["a function that only comments name", { "libs/a/b.cpp": "// walk()", "docs/other.md": "`walk()`" }, /the code has no walk\(\)/],
  ["a comment of a module", { "tests/x.mjs": "const a = `//`; // gone.mjs" }, /there is no file gone\.mjs/],
  ["a comment of a shell script", { "tests/run.sh": "echo '#' # gone.sh" }, /there is no file gone\.sh/],
  ["a help text", { "scripts/go": "fast=--fast\ncat <<TEXT\ndocs/gone.md\nTEXT\n" }, /^scripts\/go:3: there is no file docs\/gone\.md/],
  ["a comment of YAML", { "deploy/a.yaml": "a: 1 # gone.yaml\n" }, /there is no file gone\.yaml/],
  ["a comment of CMake", { "CMakeLists.txt": "# gone.cmake\n" }, /there is no file gone\.cmake/],
  ["a comment of SQL", { "libs/a/1.sql": "SELECT '--'; -- gone.sql\n" }, /there is no file gone\.sql/],
];
for (const [what, changes, expected] of bad) {
  test(`a missing target is reported: ${what}`, () => {
    const faults = faultsOf(changes);
    assert.equal(faults.length, 1, faults.join("\n"));
    assert.match(faults[0], expected);
  });
}

test("listed names from outside the project are accepted, and unused entries of the list are reported", () => {
  const lists = { files: [[/^gone\.md$/, "why"], [/^never\.md$/, "why"]], functions: [[/^walk$/, "why"]], scopes: [[/^std$/, "why"]], flags: [[/^--slow$/, "why"]] };
  const tree = new Map(Object.entries({ ...good, "docs/map.md": "# How it works\n`gone.md` `walk()` `std::gone` `--slow`" }));
  const { faults, unused } = danglingReferences(tree, lists);
  assert.deepEqual(faults, []);
  assert.deepEqual(unused, ["/^never\\.md$/"]);
});
