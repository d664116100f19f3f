// Runs the shell blocks of README.md and of each tutorial as a reader would, and compares the output with the output in the document.
// Each document runs in one shell, with services that were just started without data. Run this file in the root folder of the checkout. BUILD is the build folder
// with the services, RUN is the folder for all files of the run. DOCUMENTS, separated by spaces, limits the run to these documents.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import test, { after } from "node:test";
import { commandsIn, matches, resultsOf, scriptOf } from "./blocks.mjs";
import { documents as all } from "./documents.mjs";

const checkout = process.cwd();
const { BUILD, RUN } = process.env;
assert.ok(BUILD && RUN, "BUILD and RUN are not set");
const documents = process.env.DOCUMENTS?.split(" ") ?? all;
for (const file of documents) assert.ok(all.includes(file), `unknown document: ${file}`);
const mark = "@@end-of-block";
const minutes = 5; // time limit of a document

/** The ports in the documents, and the free ports that this run uses instead. */
const ports = {};
const drawn = new Set();
async function freePort() {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 8_000); // outside the ephemeral ports and the ports that scripts/run chooses
    if (drawn.has(port)) continue;
    const server = net.createServer();
    const free = await new Promise((done) => server.once("error", () => done(false)).listen(port, "127.0.0.1", () => done(true)));
    await new Promise((closed) => server.close(closed));
    drawn.add(port);
    if (free) return port;
  }
}
for (const [index, prefix] of ["FEEDBACK", "AUTH", "NOTIFY", "BILLING"].entries()) {
  ports[`${prefix}_PORT`] = { documented: 8101 + index, used: await freePort() };
  ports[`${prefix}_OPS_PORT`] = { documented: 9101 + index, used: await freePort() };
}
ports.APP_PORT = { documented: 8180, used: await freePort() }; // of the apps that the tutorials build
const environment = {
  ...process.env,
  ...Object.fromEntries(Object.entries(ports).map(([name, { used }]) => [name, String(used)])),
  BUILD,
  TETRAD_RUN: path.join(RUN, ".run"),
};
const asDocumented = (text) => Object.values(ports).reduce((all, { documented, used }) => all.replaceAll(`:${used}`, `:${documented}`), text);

async function script(name, ...args) {
  const child = spawn(path.join(checkout, "scripts", name), args, { env: environment, stdio: ["ignore", "ignore", "inherit"] });
  const [status] = await once(child, "close");
  assert.equal(status, 0, `scripts/${name} ${args.join(" ")}`);
}

/** The folder for the folders that documents make with `mktemp`. */
const temporary = path.join(RUN, "tmp");

/** Makes a folder with the parts of the checkout that the documents use: the scripts (and `.run`, which scripts/run makes). */
function makeFolder() {
  for (const folder of [path.join(RUN, "scripts"), temporary]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  for (const name of ["run", "tenant", "browser"]) {
    const file = path.join(RUN, "scripts", name);
    writeFileSync(file, `#!/bin/sh\nexec '${path.join(checkout, "scripts", name)}' "$@"\n`);
    chmodSync(file, 0o755);
  }
}

/** Runs the commands one after the other in one bash, and returns their output. Then ends processes that the commands left running. */
async function printedBy(commands) {
  const file = path.join(RUN, "printed.txt");
  const out = openSync(file, "w");
  const child = spawn("bash", ["-c", scriptOf(commands, mark)], { cwd: RUN, env: { ...environment, TMPDIR: temporary }, stdio: ["ignore", out, out], detached: true });
  const limit = setTimeout(() => process.kill(-child.pid, "SIGKILL"), minutes * 60_000);
  await once(child, "exit");
  clearTimeout(limit);
  try {
    process.kill(-child.pid, "SIGTERM");
  } catch {
    // no process was left
  }
  closeSync(out);
  return readFileSync(file, "utf8");
}

after(() => script("run", "--stop"));

for (const file of documents) {
  test(file, async () => {
    makeFolder();
    await script("run", "--detach", "--fresh", "--no-build");
    const commands = commandsIn(file);
    const { results, rest } = resultsOf(await printedBy(commands), mark);
    const faults = results.flatMap(({ printed, status }, index) => {
      const { line, output } = commands[index];
      const shown = asDocumented(printed);
      if (status === 0 && matches(output, shown)) return [];
      return [`${file}:${line} ended with ${status} and printed\n${shown}\n--- instead of\n${output}\n`];
    });
    if (results.length < commands.length) faults.push(`${file}:${commands[results.length].line} did not end. It printed\n${rest}`);
    assert.ok(faults.length === 0, faults.join("\n"));
  });
}
