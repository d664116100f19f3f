// The reference of the client has no warnings, and the TypeScript of its README and guide compiles.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fencedBlocks } from "../docs/blocks.mjs";

const { SOURCE, BUILD, CLIENT } = process.env;
const tool = (file, args, cwd) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(CLIENT, "node_modules", file), ...args], { cwd, encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
};

test("the reference of all methods is generated without warnings", () => {
  tool("typedoc/bin/typedoc", ["--options", path.join(CLIENT, "typedoc.json")], CLIENT);
});

test("the TypeScript of the README and of the guide compiles", () => {
  const folder = path.join(BUILD, "npm/sdk-documents");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, "node_modules/@tetrad"), { recursive: true });
  symlinkSync(CLIENT, path.join(folder, "node_modules/@tetrad/client"));
  for (const name of ["@types", "react"]) symlinkSync(path.join(CLIENT, "node_modules", name), path.join(folder, "node_modules", name));
  for (const document of ["proto/typescript/README.md", "docs/sdk.md"]) {
    const blocks = fencedBlocks(readFileSync(path.join(SOURCE, document), "utf8")).filter(({ words }) => words[0] === "typescript");
    // Each block begins at the line that it has in the document, so that errors name the line.
    const lines = [];
    for (const { line, text } of blocks) {
      while (lines.length < line) lines.push("");
      lines.push(...text.split("\n"));
    }
    writeFileSync(path.join(folder, `${path.basename(document, ".md")}.tsx`), `${lines.join("\n")}\n`);
  }
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2022", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
    module: "ESNext",
    moduleResolution: "bundler",
    jsx: "react-jsx",
    types: ["node"],
    strict: true,
    noEmit: true,
  };
  writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.tsx"] }));
  tool("typescript/bin/tsc", ["--project", folder], folder);
});
