#!/usr/bin/env node
// Writes the dashboards into its own folder: overview.json, and one for each service. The list at the end of this file
// contains the panels of each service.
//   generate.mjs           writes the dashboards
//   generate.mjs --check   writes nothing; exits with 1 if a dashboard is not up to date
import { readFileSync, writeFileSync } from "node:fs";

const columns = 24;
const height = 7;

/// A selector for the dashboard's service with further matchers: `of("status=~\"5..\"")`.
const of = (...matchers) => `{${['service="$service"', ...matchers].join(", ")}}`;
const per = (labels, inner) => `sum by (${labels}) (${inner})`;
const most = (labels, inner) => `max by (${labels}) (${inner})`;
const rate = (metric, ...matchers) => `rate(${metric}${of(...matchers)}[$__rate_interval])`;
const quantile = (q, labels) => `histogram_quantile(${q}, ${per(["le", ...labels].join(", "), rate("tetrad_http_request_duration_seconds_bucket"))})`;

/// A graph of one or more queries [expression, legend].
function graph(title, unit, queries, more = {}) {
  return {
    type: "timeseries",
    title,
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 8, showPoints: "never", ...more.custom }, ...(more.max && { max: more.max }) }, overrides: [] },
    options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
    targets: queries.map(([expr, legendFormat]) => ({ expr, legendFormat })),
    ...(more.description && { description: more.description }),
  };
}

/// One number for each series, red from `bad` up (with `low`: red below it).
function stat(title, unit, expr, { legend = "", bad, low = false, decimals } = {}) {
  const steps = bad === undefined ? [{ color: "text", value: null }]
    : low ? [{ color: "red", value: null }, { color: "green", value: bad }]
    : [{ color: "green", value: null }, { color: "red", value: bad }];
  return {
    type: "stat",
    title,
    fieldConfig: { defaults: { unit, thresholds: { mode: "absolute", steps }, ...(decimals !== undefined && { decimals }) }, overrides: [] },
    options: { colorMode: "background_solid", graphMode: "none", reduceOptions: { calcs: ["lastNotNull"] }, textMode: legend ? "value_and_name" : "value" },
    targets: [{ expr, legendFormat: legend }],
  };
}

/// Places rows of panels; the panels of a row share the width of the page.
function placed(rows) {
  const panels = [];
  let y = 0;
  for (const [title, row, tall = height] of rows) {
    panels.push({ type: "row", title, collapsed: false, gridPos: { h: 1, w: columns, x: 0, y }, panels: [] });
    const width = Math.floor(columns / row.length);
    row.forEach((panel, i) => panels.push({ ...panel, gridPos: { h: tall, w: width, x: i * width, y: y + 1 } }));
    y += 1 + tall;
  }
  return panels.map((panel, i) => ({
    id: i + 1,
    ...panel,
    ...(panel.targets && {
      datasource: { type: "prometheus", uid: "${datasource}" },
      targets: panel.targets.map((target, n) => ({ refId: String.fromCharCode(65 + n), ...target })),
    }),
  }));
}

function dashboard(name, title, rows, constants = []) {
  return {
    uid: `tetrad-${name}`,
    title,
    tags: ["tetrad"],
    schemaVersion: 38,
    version: 1,
    editable: false,
    graphTooltip: 1,
    refresh: "1m",
    time: { from: "now-6h", to: "now" },
    timezone: "utc",
    templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Prometheus" }, ...constants] },
    links: [{ type: "dashboards", tags: ["tetrad"], title: "Tetrad", asDropdown: true, includeVars: false, keepTime: true }],
    panels: placed(rows),
  };
}

const objectives = [
  "Objectives",
  [
    stat("Requests without 5xx (objective 99.9 % over 30 days)", "percentunit", "1 - service:tetrad_http_errors:ratio_rate6h" + of(), { bad: 0.999, low: true, decimals: 3 }),
    stat("Requests in time (objective 99 %)", "percentunit", "1 - service:tetrad_http_slow:ratio_rate6h" + of(), { bad: 0.99, low: true, decimals: 2 }),
    stat("Ready replicas", "none", `sum(tetrad_ready${of()})`, { bad: 1, low: true }),
    stat("PostgreSQL", "none", `min(tetrad_database_connected${of()})`, { bad: 1, low: true }),
    stat("Redis", "none", `min(tetrad_redis_connected${of()})`, { bad: 1, low: true }),
    stat("Versions", "none", `count by (version) (tetrad_build_info${of()})`, { legend: "{{version}}" }),
  ],
  4,
];

const requests = [
  ["Requests", [
    graph("Requests by status", "reqps", [[per("status", rate("tetrad_http_requests_total")), "{{status}}"]], { custom: { stacking: { mode: "normal" } } }),
    graph("Failing routes (5xx)", "reqps", [[`topk(8, ${per("method, route", rate("tetrad_http_requests_total", 'status=~"5.."'))})`, "{{method}} {{route}}"]]),
    graph("Busiest routes", "reqps", [[`topk(8, ${per("method, route", rate("tetrad_http_requests_total"))})`, "{{method}} {{route}}"]]),
  ]],
  ["Latency", [
    graph("Response time", "s", [[quantile(0.5, []), "median"], [quantile(0.95, []), "95th percentile"], [quantile(0.99, []), "99th percentile"]]),
    graph("Slowest routes (99th percentile)", "s", [[`topk(8, ${quantile(0.99, ["method", "route"])})`, "{{method}} {{route}}"]]),
    graph("Requests in flight and connections", "none", [[`sum(tetrad_http_requests_in_flight${of()})`, "requests"], [`sum(tetrad_http_connections${of()})`, "connections"]]),
  ]],
  ["Tenants and refusals", [
    graph("Busiest tenants", "reqps", [[`topk(8, ${per("tenant, env", rate("tetrad_tenant_requests_total"))})`, "{{tenant}} {{env}}"]]),
    graph("Tenants with 4xx", "reqps", [[`topk(8, ${per("tenant, env", rate("tetrad_tenant_requests_total", 'class="4xx"'))})`, "{{tenant}} {{env}}"]]),
    graph("Refused: 401, 429, malformed HTTP", "reqps", [
      [`sum(${rate("tetrad_http_requests_total", 'status="401"')})`, "401"],
      [`sum(${rate("tetrad_http_requests_total", 'status="429"')})`, "429"],
      [per("code", rate("tetrad_http_protocol_errors_total")), "{{code}}"],
      [`sum(${rate("tetrad_http_connections_refused_total")})`, "connections over a network's limit"],
    ]),
    graph("Memory of request bodies", "bytes", [
      [`max(tetrad_http_body_bytes${of()})`, "in use, highest replica"],
      [`max(tetrad_http_body_budget_bytes${of()})`, "budget of each replica"],
    ]),
    graph("Bodies refused, by exhausted share", "reqps", [[per("share", rate("tetrad_http_body_refusals_total")), "{{share}}"]]),
  ]],
];

const database = ["Database and keys", [
  graph("Database threads", "none", [
    [`sum(tetrad_database_threads_busy${of()})`, "busy"],
    [`sum(tetrad_database_threads${of()})`, "total"],
    [`sum(tetrad_database_queue_jobs${of()})`, "jobs waiting"],
    [`sum(tetrad_database_callers_apart${of()})`, "callers waiting for a scope's lock"],
  ]),
  graph("Replicas that receive notifications", "none", [[`sum(tetrad_database_listening${of()})`, "listening"], [`sum(tetrad_ready${of()})`, "ready"]]),
  graph("Age of the user token keys", "s", [[`max by (instance) (tetrad_token_keys_age_seconds${of()})`, "{{instance}}"]]),
]];

const queues = [
  ["Queues", [
    graph("Due jobs", "none", [[most("queue", `tetrad_queue_due_jobs${of()}`), "{{queue}}"]], { description: "Counted up to 10,000." }),
    graph("Longest wait of a due job", "s", [[most("queue", `tetrad_queue_oldest_due_seconds${of()}`), "{{queue}}"]]),
    graph("All jobs, including later ones", "none", [[most("queue", `tetrad_queue_jobs${of()}`), "{{queue}}"]], { description: "Counted up to 10,000." }),
    graph("Oldest job", "s", [[most("queue", `tetrad_queue_oldest_job_seconds${of()}`), "{{queue}}"]]),
  ]],
  ["Workers", [
    graph("Busy workers", "percentunit", [[`${per("queue", `tetrad_worker_threads_busy${of()}`)} / ${per("queue", `tetrad_worker_threads${of()}`)}`, "{{queue}}"]], { max: 1 }),
    graph("Runs by outcome", "ops", [[per("queue, outcome", rate("tetrad_jobs_total")), "{{queue}} {{outcome}}"]]),
    graph("Jobs given up or lost", "ops", [[per("queue, outcome", rate("tetrad_jobs_total", 'outcome=~"dead|lost"')), "{{queue}} {{outcome}}"]]),
    graph("Duration of a run", "s", [[`${per("queue", rate("tetrad_job_duration_seconds_total"))} / ${per("queue", rate("tetrad_jobs_total"))}`, "{{queue}}"]]),
  ]],
];

const webhooks = [
  graph("Webhooks: answers from receivers", "ops", [[per("answer", rate("tetrad_webhook_attempts_total")), "{{answer}}"]], { custom: { stacking: { mode: "normal" } } }),
  graph("Webhooks: in progress", "none", [
    [`sum(tetrad_webhook_attempts_in_flight${of()})`, "in flight"],
    [`sum(tetrad_webhook_slow_attempts_in_flight${of()})`, "in flight to slow endpoints"],
    [`sum(tetrad_webhook_deliveries_waiting${of()})`, "waiting for their host"],
    [`sum(tetrad_webhook_tests_in_flight${of()})`, "tests in flight"],
  ]),
  graph("Webhooks: postponed", "ops", [[per("reason", rate("tetrad_webhook_put_off_total")), "{{reason}}"]]),
  graph("Webhooks: answers to tests", "ops", [[per("answer", rate("tetrad_webhook_tests_total")), "{{answer}}"]], { description: "Tests that people and programs start (POST /v1/webhooks/{webhookId}/test)." }),
];
const providers = [
  graph("Answers from providers", "ops", [[per("provider, answer", rate("tetrad_provider_answers_total")), "{{provider}} {{answer}}"]]),
  graph("Share of failures from providers", "percentunit", [["service_provider:tetrad_provider_failures:rate10m" + of() + " / service_provider:tetrad_provider_answers:rate10m" + of(), "{{provider}}"]], { max: 1 }),
];

const texts = [
  graph("Refused text messages", "ops", [[per("purpose, reason", rate("tetrad_sms_refusals_total")), "{{purpose}} {{reason}}"]], { description: "The limit that refused the message: see docs/operations/sms.md." }),
  graph("Text messages of sandboxes", "ops", [[per("result", rate("tetrad_sms_sandbox_messages_total")), "{{result}}"]], { description: "Messages that were not sent to phones." }),
];

const emails = ["Emails", [
  graph("Emails in progress", "none", [[`sum by (instance) (tetrad_email_queued_messages${of()})`, "{{instance}}"]], { description: "Emails that were passed to the mail server's client and have no result yet." }),
  graph("Connections to the mail server", "none", [[`sum(tetrad_email_connections${of()})`, "connections"]], { description: "At most SMTP_CONNECTIONS for each replica." }),
]];

const periodic = ["Periodic tasks", [
  graph("Overdue", "s", [[most("task", `tetrad_periodic_task_overdue_seconds${of()}`), "{{task}}"]]),
  graph("Failures per hour", "none", [[`sum by (task) (increase(tetrad_periodic_task_failures_total${of()}[1h]))`, "{{task}}"]]),
]];

/// A process metric has no label `service`; its scrape job has the name of the service.
const ofProcess = (metric) => `${metric}{job="$service"}`;
const processes = ["Processes", [
  graph("CPU", "none", [[`rate(${ofProcess("process_cpu_seconds_total")}[$__rate_interval])`, "{{instance}}"]], { description: "Cores." }),
  graph("Memory", "bytes", [[ofProcess("process_resident_memory_bytes"), "{{instance}}"]]),
  graph("File descriptors", "percentunit", [[`${ofProcess("process_open_fds")} / ${ofProcess("process_max_fds")}`, "{{instance}}"]], { max: 1 }),
  graph("Running since", "dateTimeAsIso", [[`1000 * ${ofProcess("process_start_time_seconds")}`, "{{instance}}"]]),
]];

function ofService(name, own) {
  const service = { name: "service", type: "constant", query: name, hide: 2 };
  return dashboard(name, `Tetrad: ${name}`, [objectives, ...own, ...requests, database, ...(name === "auth-mfa" ? [] : queues), periodic, processes], [service]);
}

const every = (metric, more = "") => `sum by (service) (${metric}${more})`;
const overview = dashboard("overview", "Tetrad: overview", [
  ["Objectives", [
    stat("Requests without 5xx", "percentunit", "1 - service:tetrad_http_errors:ratio_rate6h", { legend: "{{service}}", bad: 0.999, low: true, decimals: 3 }),
    stat("Requests in time", "percentunit", "1 - service:tetrad_http_slow:ratio_rate6h", { legend: "{{service}}", bad: 0.99, low: true, decimals: 2 }),
    stat("Ready replicas", "none", every("tetrad_ready"), { legend: "{{service}}", bad: 1, low: true }),
    stat("Firing alerts", "none", 'sum by (alertname, severity) (ALERTS{alertname=~"Tetrad.*", alertstate="firing"})', { legend: "{{severity}} {{alertname}}", bad: 1 }),
  ], 5],
  ["Requests", [
    graph("Requests", "reqps", [["service:tetrad_http_requests:rate5m", "{{service}}"]]),
    graph("Answered with 5xx", "percentunit", [["service:tetrad_http_errors:ratio_rate5m", "{{service}}"]]),
    graph("Too slow", "percentunit", [["service:tetrad_http_slow:ratio_rate5m", "{{service}}"]]),
  ]],
  ["Dependencies", [
    graph("Replicas with PostgreSQL", "none", [[every("tetrad_database_connected"), "{{service}}"]]),
    graph("Replicas with Redis", "none", [[every("tetrad_redis_connected"), "{{service}}"]]),
    graph("Jobs waiting for a database thread", "none", [[every("tetrad_database_queue_jobs"), "{{service}}"]]),
  ]],
  ["Background work", [
    graph("Longest wait of a due job", "s", [["max by (service, queue) (tetrad_queue_oldest_due_seconds) > 0", "{{service}} {{queue}}"]]),
    graph("Jobs given up", "ops", [['sum by (service, queue) (rate(tetrad_jobs_total{outcome="dead"}[$__rate_interval]))', "{{service}} {{queue}}"]]),
    graph("Share of failures from providers", "percentunit", [["service_provider:tetrad_provider_failures:rate10m / service_provider:tetrad_provider_answers:rate10m", "{{service}} {{provider}}"]], { max: 1 }),
  ]],
  ["Resources", [
    graph("CPU", "none", [['sum by (job) (rate(process_cpu_seconds_total{job=~"feedback|auth-mfa|notify|billing"}[$__rate_interval]))', "{{job}}"]], { description: "Cores." }),
    graph("Memory", "bytes", [['sum by (job) (process_resident_memory_bytes{job=~"feedback|auth-mfa|notify|billing"})', "{{job}}"]]),
  ]],
]);

const dashboards = {
  overview,
  feedback: ofService("feedback", [
    ["Board", [
      graph("Pages by source", "reqps", [[per("outcome", rate("tetrad_board_pages_total")), "{{outcome}}"]], { description: "Whether the page was in the cache." }),
    ]],
    emails,
    ["Webhooks", webhooks],
  ]),
  "auth-mfa": ofService("auth-mfa", [
    ["Sign-in", [
      graph("Sign-ins by status", "reqps", [[per("route, status", rate("tetrad_http_requests_total", 'route=~"/v1/auth/(login|register|external|refresh)"')), "{{route}} {{status}}"]]),
      graph("Second factors by status", "reqps", [[per("route, status", rate("tetrad_http_requests_total", 'route=~"/v1/auth/mfa/(verify|challenge)"')), "{{route}} {{status}}"]]),
      graph("Password queue", "none", [[`sum(tetrad_password_queue_jobs${of()})`, "waiting or being hashed"], [`sum(tetrad_password_threads${of()})`, "threads"]]),
      graph("Password hashes", "ops", [[`sum(${rate("tetrad_password_hashes_total")})`, "hashes"]]),
      graph("Breached passwords", "ops", [[per("result", rate("tetrad_breach_checks_total")), "{{result}}"]], { description: "Lookups of new passwords (BREACH_API_URL). After a failed lookup the password is accepted." }),
    ]],
    ["OpenID Connect", [
      graph("Logout tokens", "ops", [[per("outcome", rate("tetrad_jobs_total", 'queue="logout_notices"')), "{{outcome}}"], [`sum(${rate("tetrad_logout_notices_failed_total")})`, "given up after a day"]], { description: "Attempts to tell clients that a session has ended (backchannelLogoutUri)." }),
      graph("Logout tokens: longest wait", "s", [[`max(tetrad_queue_oldest_due_seconds${of('queue="logout_notices"')})`, "due"]]),
    ]],
    ["Text messages", [
      ...providers, ...texts,
      graph("Codes in progress", "none", [[`sum(tetrad_sms_in_flight${of()})`, "at the provider"], [`sum(tetrad_sms_waiting${of()})`, "waiting"]]),
    ]],
    emails,
  ]),
  notify: ofService("notify", [
    ["Providers", [...providers, ...texts, ...webhooks]],
    emails,
    ["Pushes", [
      graph("Devices in progress", "none", [[`sum by (instance) (tetrad_push_queued_devices${of()})`, "{{instance}}"]]),
      graph("Connections to carriers", "none", [[`sum(tetrad_push_connections${of()})`, "connections"]]),
      graph("Carriers that are down", "none", [[`max by (carrier, kind) (tetrad_push_breakers_open${of()})`, "{{carrier}} {{kind}}"]], { description: "Open breakers in a replica: of the carrier's origins, and of single senders (credentials or environments). Their pushes wait for a probe to succeed." }),
      graph("Carriers found down", "ops", [[per("carrier", rate("tetrad_push_breaker_opened_total")), "{{carrier}}"]], { description: "How often a breaker opens." }),
      graph("Direct pushes: longest wait", "s", [[`max by (queue) (tetrad_queue_oldest_due_seconds${of('queue=~"notify.push.*"')})`, "{{queue}}"]], { description: "By carrier. `notify.push` holds pushes whose carriers are not known yet." }),
      graph("Broadcasts: longest wait", "s", [[`max by (queue) (tetrad_queue_oldest_due_seconds${of('queue=~"notify.broadcast_chunk.*"')})`, "{{queue}}"]], { description: "By carrier." }),
      graph("Time to delivery", "s", [
        [`histogram_quantile(0.5, sum by (provider, le) (${rate("tetrad_delivery_seconds_bucket")}))`, "{{provider}} median"],
        [`histogram_quantile(0.99, sum by (provider, le) (${rate("tetrad_delivery_seconds_bucket")}))`, "{{provider}} 99 %"],
        [`sum by (provider) (${rate("tetrad_delivery_seconds_sum")}) / sum by (provider) (${rate("tetrad_delivery_seconds_count")})`, "{{provider}} mean"],
      ], { description: "From when a notification is due until its provider accepts it." }),
      graph("Purged rows", "ops", [[per("kind", rate("tetrad_retention_purged_total")), "{{kind}}"]], { description: "Notifications and broadcasts whose retention has ended." }),
      graph("Broadcasts: chunks left", "none", [[`max by (queue) (tetrad_queue_jobs${of('queue=~"notify.broadcast_chunk.*"')})`, "{{queue}}"]], { description: "Counted up to 10,000." }),
      graph("Broadcasts: chunks finished", "ops", [[`sum by (queue) (${rate("tetrad_jobs_total", 'queue=~"notify.broadcast_chunk.*"', 'outcome="done"')})`, "{{queue}}"]]),
    ]],
  ]),
  billing: ofService("billing", [
    ["Events", [
      graph("Events", "ops", [[per("provider, result", rate("tetrad_billing_events_total")), "{{provider}} {{result}}"]]),
      graph("Reconciler: longest wait", "s", [[`max(tetrad_queue_oldest_due_seconds${of('queue="reconcile"')})`, "oldest due job"], [`max(tetrad_queue_oldest_job_seconds${of('queue="reconcile"')})`, "oldest job"]]),
      stat("Archive: months ahead", "none", `min(tetrad_event_archive_months_ahead${of()})`, { bad: 1, low: true }),
    ]],
    ["Providers and webhooks", [...providers, ...webhooks]],
  ]),
};

const check = process.argv[2] === "--check";
let stale = false;
for (const [name, content] of Object.entries(dashboards)) {
  const file = new URL(`${name}.json`, import.meta.url);
  const text = JSON.stringify(content, null, 2) + "\n";
  if (!check) {
    writeFileSync(file, text);
  } else if (readFileSync(file, "utf8") !== text) {
    console.error(`${name}.json differs from the output of generate.mjs. Run deploy/observability/dashboards/generate.mjs.`);
    stale = true;
  }
}
process.exitCode = stale ? 1 : 0;
