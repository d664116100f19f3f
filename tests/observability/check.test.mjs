// Checks deploy/observability for consistency: rules, their tests, dashboards, runbooks, and the lists of exported metrics.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../..");
const deployed = path.join(root, "deploy/observability");
const services = ["feedback", "auth-mfa", "notify", "billing"];

const files = (folder, end) => readdirSync(folder).filter((name) => name.endsWith(end)).map((name) => path.join(folder, name)).sort();
const read = (...parts) => readFileSync(path.join(...parts), "utf8");
const unique = (list) => [...new Set(list)].sort();

/// Runs a program and returns its output. Fails if the program fails.
function run(program, args, input) {
  const done = spawnSync(program, args, { input, encoding: "utf8" });
  assert.equal(done.error, undefined);
  assert.equal(done.status, 0, `${program} ${args.join(" ")}\n${done.stdout}${done.stderr}`);
  return done.stdout;
}

// --- reading the files

/// name -> {type, labels} for one service.
function exportedBy(service) {
  const metrics = new Map();
  for (const line of read(deployed, "metrics", `${service}.txt`).trimEnd().split("\n")) {
    const [name, type, labels = ""] = line.split(" ");
    assert.match(line, /^[a-z_]+ (counter|gauge|histogram)( [a-z_]+(,[a-z_]+)*)?$/);
    metrics.set(name, { type, labels: labels.split(",").filter(Boolean) });
  }
  return metrics;
}

/// The names of the series that a service exports.
function seriesOf(service) {
  const names = [];
  for (const [name, { type }] of exportedBy(service))
    names.push(...(type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name]));
  return names;
}

const everySeries = unique(services.flatMap(seriesOf));
const ruleFiles = files(path.join(deployed, "rules"), ".yml");
const testFiles = files(here, ".test.yml");

/// The rules of a file, each with its text.
function rulesOf(file) {
  const blocks = readFileSync(file, "utf8").split(/^(?=\s+- (?:alert|record): )/m).slice(1);
  return blocks.map((text) => {
    const [, kind, name] = text.match(/- (alert|record): (\S+)/);
    const field = (key) => text.match(new RegExp(`^\\s+${key}: "?(.*?)"?$`, "m"))?.[1];
    return { kind, name, text, field };
  });
}

const rules = ruleFiles.flatMap(rulesOf);
const alerts = rules.filter((rule) => rule.kind === "alert");
const recorded = rules.filter((rule) => rule.kind === "record").map((rule) => rule.name);

/// The metrics of an expression: names that are not functions, keywords, labels or numbers.
function metricsIn(expression) {
  const bare = expression
    .replace(/"(\\.|[^"\\])*"/g, '""')
    .replace(/\{[^}]*\}/g, " ")
    .replace(/\[[^\]]*\]/g, " ")
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, " ");
  const words = bare.match(/[a-zA-Z_:][a-zA-Z0-9_:]*(?!\s*\(|[a-zA-Z0-9_:])/g) ?? [];
  return unique(words.filter((word) => !["and", "or", "unless", "bool", "offset", "by", "e"].includes(word)));
}

/// Replaces Grafana's variables, so that the expression can be parsed.
const filledIn = (expression, service) =>
  expression.replaceAll("$__rate_interval", "5m").replaceAll("$service", service ?? "feedback");

function expressionsOf(dashboard) {
  return dashboard.panels.flatMap((panel) => (panel.targets ?? []).map((target) => ({ panel: panel.title, expr: target.expr })));
}

const dashboards = files(path.join(deployed, "dashboards"), ".json").map((file) => ({
  name: path.basename(file, ".json"),
  json: JSON.parse(readFileSync(file, "utf8")),
}));

// --- metrics

test("metric names follow the conventions of Prometheus", () => {
  for (const service of services) {
    let text = "";
    for (const [name, { type, labels }] of exportedBy(service)) {
      const shown = (end = "", more = []) => `${name}${end}{${[...labels.map((label) => `${label}="x"`), ...more].join(",")}} 1\n`;
      text += `# HELP ${name} Help.\n# TYPE ${name} ${type}\n`;
      text += type === "histogram" ? shown("_bucket", ['le="+Inf"']) + shown("_sum") + shown("_count") : shown();
    }
    run("promtool", ["check", "metrics"], text);
  }
});

test("only known labels are used, and no histogram has a tenant label", () => {
  const bounded = ["answer", "carrier", "class", "code", "env", "kind", "method", "outcome", "provider", "purpose", "queue", "reason", "result", "route", "service", "share", "status", "task", "tenant", "version"];
  for (const service of services) {
    for (const [name, { type, labels }] of exportedBy(service)) {
      assert.deepEqual(labels.filter((label) => !bounded.includes(label)), [], name);
      if (labels.includes("tenant")) assert.equal(`${name} ${type}`, "tetrad_tenant_requests_total counter");
      if (name.startsWith("tetrad_")) assert.ok(labels.includes("service"), name);
    }
  }
});

// --- rules

test("promtool accepts the rules", () => {
  assert.ok(ruleFiles.length > 0);
  run("promtool", ["check", "rules", ...ruleFiles]);
});

for (const file of testFiles) test(`unit tests: ${path.basename(file)}`, () => run("promtool", ["test", "rules", file]));

test("rules use only exported or recorded metrics, and each recorded metric is used", () => {
  const known = [...everySeries, ...recorded];
  const used = [];
  for (const { name, text } of rules) {
    const expression = text.match(/expr: (?:\|\n)?([\s\S]*?)(?=^ {8}(?:for|labels|annotations):|^\s*#|^ {2}- name|(?![\s\S]))/m)[1];
    const metrics = metricsIn(expression);
    assert.ok(metrics.length > 0, name);
    assert.deepEqual(metrics.filter((metric) => metric !== "up" && !known.includes(metric)), [], name);
    used.push(...metrics);
  }
  for (const { json } of dashboards) used.push(...expressionsOf(json).flatMap(({ expr }) => metricsIn(expr)));
  assert.deepEqual(recorded.filter((name) => !used.includes(name)), []);
});

test("each alert has a severity, a summary, a description and a runbook", () => {
  for (const { name, field } of alerts) {
    assert.match(name, /^Tetrad[A-Z][A-Za-z]+$/);
    assert.match(field("severity") ?? "", /^(page|ticket)$/, name);
    assert.ok(field("summary")?.includes("{{ $labels."), name);
    assert.ok(field("description")?.length > 40, name);
    assert.equal(field("runbook_url"), `runbooks/${name}.md`);
  }
});

/// The cases of the unit tests, each as its text.
const cases = testFiles.flatMap((file) => readFileSync(file, "utf8").split(/^(?= {2}- name: )/m).slice(1));

/// For each case in which the alert `name` fires with this severity: the labels of the alert.
function firingLabels(name, severity) {
  const found = [];
  for (const [, labels] of cases.join("").matchAll(/labels: 'ALERTS\{(.*)\}'/g)) {
    const all = Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
    if (all.alertname === name && all.severity === severity && all.alertstate === "firing") found.push(all);
  }
  return found;
}

test("each alert has a unit test with a time at which it fires and a time at which it does not", () => {
  for (const { name, field } of alerts) {
    const severity = field("severity");
    assert.ok(firingLabels(name, severity).length > 0, `${name} (${severity}) has no test in which it fires`);
    const both = cases.some((text) => text.includes(`alertname="${name}"`) && text.includes(`severity="${severity}"`) && text.includes("exp_samples: []"));
    assert.ok(both, `${name} (${severity}) has no test in which it does not fire`);
  }
});

test("annotations use only labels that the alert has", () => {
  for (const { name, text, field } of alerts) {
    const wanted = unique([...text.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label));
    for (const labels of firingLabels(name, field("severity"))) assert.deepEqual(wanted.filter((label) => !(label in labels)), [], name);
  }
});

// --- dashboards

test("the dashboards equal the output of generate.mjs", () => run("node", [path.join(deployed, "dashboards/generate.mjs"), "--check"]));

test("each service has a dashboard, and one dashboard shows all services", () => {
  assert.deepEqual(dashboards.map(({ name }) => name).sort(), [...services, "overview"].sort());
  assert.equal(new Set(dashboards.map(({ json }) => json.uid)).size, dashboards.length);
});

test("every expression of a dashboard parses", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tetrad-dashboards-"));
  try {
    const groups = dashboards.map(({ name, json }) => ({
      name,
      rules: expressionsOf(json).map(({ expr }, i) => ({ record: `dashboard:panel:${i}`, expr: filledIn(expr, name) })),
    }));
    const file = path.join(folder, "dashboards.yml");
    writeFileSync(file, JSON.stringify({ groups })); // JSON is valid YAML
    for (const { rules: made, name } of groups) assert.ok(made.length > 10, name);
    run("promtool", ["check", "rules", file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a dashboard uses only metrics of its service", () => {
  for (const { name, json } of dashboards) {
    const known = [...(name === "overview" ? everySeries : seriesOf(name)), ...recorded, "ALERTS"];
    for (const { panel, expr } of expressionsOf(json))
      assert.deepEqual(metricsIn(filledIn(expr, name)).filter((metric) => !known.includes(metric)), [], `${name}: ${panel}`);
  }
});

test("every exported metric is on a dashboard or in a rule", () => {
  const shown = new Set([...dashboards.flatMap(({ json }) => expressionsOf(json).flatMap(({ expr }) => metricsIn(expr))), ...rules.flatMap(({ text }) => text.match(/\b(tetrad|process)_[a-z0-9_]+/g) ?? [])]);
  const standard = ["process_virtual_memory_bytes", "process_threads", "tetrad_http_request_duration_seconds_sum"]; // for ad-hoc queries
  assert.deepEqual(everySeries.filter((name) => !shown.has(name) && !standard.includes(name)), []);
});

// --- runbooks

const pages = files(path.join(deployed, "runbooks"), ".md").filter((file) => path.basename(file) !== "README.md");

test("each alert has a runbook, and each runbook has an alert", () => {
  assert.deepEqual(pages.map((file) => path.basename(file, ".md")), unique(alerts.map(({ name }) => name)));
});

test("a runbook has its sections in order: meaning, impact, confirmation, action, end", () => {
  const wanted = ["Meaning", "Impact", "How to confirm", "What to do", "Resolved when"];
  for (const file of pages) {
    const text = readFileSync(file, "utf8");
    assert.ok(text.startsWith(`# ${path.basename(file, ".md")}\n`), file);
    assert.deepEqual([...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title), wanted, file);
    for (const part of text.split(/^## .*$/m).slice(1)) assert.ok(part.trim().length > 20, file);
  }
});

test("runbooks mention only existing metrics, log lines and settings", () => {
  const sources = run("grep", ["-rhoE", '"([^"\\\\]|\\\\.)*"', path.join(root, "libs"), path.join(root, "services"), "--include=*.cpp", "--include=*.hpp"]);
  const texts = new Set(sources.split("\n"));
  const known = new Set([...everySeries, ...recorded]);
  for (const file of pages) {
    const page = readFileSync(file, "utf8");
    for (const name of page.match(/\b(tetrad|process)_[a-z0-9_]+\b(?!:)/g) ?? [])
      assert.ok(known.has(name) || [...known].some((series) => series.includes(`:${name}:`)), `${file}: ${name}`);
    for (const [, message] of page.matchAll(/`"message":"([^"]+?)…?"`/g)) assert.ok(texts.has(`"${message}"`), `${file}: ${message}`);
    for (const [, setting] of page.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`/g)) assert.ok(texts.has(`"${setting}"`), `${file}: ${setting}`);
  }
});
