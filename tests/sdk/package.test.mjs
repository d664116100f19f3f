// Packs the package, installs it in new projects, and type-checks, builds and runs them. They call a local server.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

const { SOURCE, BUILD, CLIENT } = process.env;
const folder = path.join(BUILD, "npm/sdk-projects");
const npm = ["--cache", path.join(BUILD, "npm/cache"), "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
const run = async (command, args, cwd, env = {}) => {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 24 };
  const { stdout } = await promisify(execFile)(command, args, options).catch((error) => assert.fail(`${error.message}\n${error.stdout}`));
  return stdout.trim();
};

const server = http.createServer((request, response) => {
  response.writeHead(200, { "content-type": "application/json", "access-control-allow-origin": "*" });
  response.end(JSON.stringify({ items: [{ feedbackId: "f1", title: request.headers.authorization ?? "board" }], cursor: null }));
});
let url;

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${server.address().port}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder, ...npm], CLIENT);
});
after(() => server.close());

/** Copies a project of projects/, and installs its packages and the packed one. */
async function installed(name) {
  const project = path.join(folder, name);
  cpSync(path.join(SOURCE, "tests/sdk/projects", name), project, { recursive: true });
  const tarball = readdirSync(folder).find((one) => one.endsWith(".tgz"));
  const manifest = path.join(project, "package.json");
  const { dependencies, ...rest } = JSON.parse(readFileSync(manifest, "utf8"));
  writeFileSync(manifest, JSON.stringify({ ...rest, dependencies: { "@tetrad/client": `file:../${tarball}`, ...dependencies } }));
  await run("npm", ["install", ...npm], project);
  return project;
}
const tool = (project, name) => path.join(project, "node_modules/.bin", name);

test("the package has the compiled files, the licence and the README", async () => {
  const [{ files }] = JSON.parse(await run("npm", ["pack", "--ignore-scripts", "--dry-run", "--json", ...npm], CLIENT));
  const names = files.map(({ path: name }) => name);
  for (const name of ["LICENSE", "README.md", "package.json", "dist/esm/index.js", "dist/cjs/index.d.ts", "dist/cjs/package.json"])
    assert.ok(names.includes(name), name);
  assert.deepEqual(names.filter((name) => !/^(dist\/|LICENSE$|README\.md$|package\.json$)/.test(name)), []);
});

test("a project with Vite and TypeScript type-checks, builds and calls a service", async () => {
  const project = await installed("vite");
  await run(tool(project, "tsc"), ["--noEmit"], project);
  await run(tool(project, "vite"), ["build", "--logLevel", "error"], project, { VITE_URL: url });
  const [bundle] = readdirSync(path.join(project, "dist/assets"));
  assert.equal(await run(process.execPath, [path.join("dist/assets", bundle)], project), "board");
});

test("a project with ECMAScript modules for Node.js type-checks and calls a service", async () => {
  const project = await installed("node");
  await run(tool(project, "tsc"), [], project);
  assert.equal(await run(process.execPath, ["dist/main.js"], project, { URL_OF_SERVICE: url }), "Bearer fbk_1");
});

test("a CommonJS project type-checks and calls a service", async () => {
  const project = await installed("commonjs");
  await run(tool(project, "tsc"), [], project);
  assert.match(readFileSync(path.join(project, "dist/main.js"), "utf8"), /require\("@tetrad\/client"\)/);
  assert.equal(await run(process.execPath, ["dist/main.js"], project, { URL_OF_SERVICE: url }), "Bearer fbk_1");
});

test("a project with React renders on the server", async () => {
  const project = await installed("next");
  await run(tool(project, "tsc"), [], project);
  assert.equal(await run(process.execPath, ["dist/page.js"], project, { URL_OF_SERVICE: url }), "<main><h1>board</h1><p>loading</p></main>");
});
