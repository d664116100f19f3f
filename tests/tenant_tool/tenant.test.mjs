// Tests of scripts/tenant: its commands against the local run, and against the hosts of an installation through TLS.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import test, { after, before } from "node:test";
import { areas, Installation, serviceOf, source, url, valuesOf } from "./installation.mjs";

const services = areas.map(serviceOf);
const created = [
  "FEEDBACK_PRODUCTION_KEY",
  "FEEDBACK_SANDBOX_KEY",
  "NOTIFY_PRODUCTION_KEY",
  "NOTIFY_PRODUCTION_PUBLISHABLE_KEY",
  "NOTIFY_SANDBOX_KEY",
  "NOTIFY_SANDBOX_PUBLISHABLE_KEY",
  "BILLING_PRODUCTION_KEY",
  "BILLING_SANDBOX_KEY",
];
const routes = { feedback: "/v1/feedbacks", auth: "/v1/members", notify: "/v1/templates", billing: "/v1/products" };
const secrets = []; // must be in no command line

let at;
before(async () => {
  at = await Installation.start();
  secrets.push(at.env.MASTER_KEY);
});
after(() => at?.stop());

const lines = (out) => out.trim().split("\n").filter(Boolean);
const rows = (out) => lines(out).map((line) => line.split("\t"));
const inEach = (text) => services.map((service) => `${service}: ${text}\n`).join("");

/** Runs a command that must fail. Returns the error output. */
async function refused(run, status = 1) {
  const ended = await run;
  assert.equal(ended.status, status, ended.out + ended.err);
  return ended.err;
}

/** Creates a tenant without keys. */
const make = (slug) => at.ok("create", slug, "--no-keys");

/** The keys in KEY=VALUE lines. */
function keysIn(out) {
  const keys = valuesOf(out);
  secrets.push(...Object.values(keys));
  return keys;
}

/** The status of a request with an API key. */
const statusWith = async (area, label, key) => (await at.request(area, label, "GET", routes[area], { key })).status;

/** Whether an area has a tenant, and its record. */
const record = async (area, slug) =>
  (await at.request(area, "admin", "GET", `/v1/admin/tenants/${slug}`, { key: at.env.MASTER_KEY })).body;

// --- the local run ---------------------------------------------------------------------------------------------------------------

test("without a URL, the commands manage the local run as before", async () => {
  const { out, err, status } = await at.local(["create", "here", "The Shop"]);
  assert.equal(status, 0, err);
  assert.equal(err, "");
  const keys = keysIn(out);
  assert.deepEqual(lines(out).map((line) => line.split("=")[0]), created);
  assert.equal(await statusWith("feedback", "here-sandbox", keys.FEEDBACK_SANDBOX_KEY), 200);

  const listed = rows((await at.local(["list"])).out).filter(([, slug]) => slug === "here");
  assert.deepEqual(listed, services.map((service) => [service, "here", "active", "The Shop"]));
  assert.equal((await at.local(["suspend", "here"])).out, inEach("here suspended"));
  assert.equal((await record("notify", "here")).status, "suspended");
  assert.equal((await record("notify", "here")).displayName, "The Shop");
  assert.equal((await at.local(["delete", "here"])).out, inEach("here deleted"));
  assert.equal((await at.local(["delete", "here", "--purge"])).out, inEach("here deleted"));
  assert.deepEqual(rows((await at.local(["list"])).out).filter(([, slug]) => slug === "here"), []);
});

test("TETRAD_ONLY and --only limit a command to one service", async () => {
  const { out } = await at.local(["create", "single"], { env: { TETRAD_ONLY: "billing" } });
  assert.deepEqual(Object.keys(keysIn(out)), ["BILLING_PRODUCTION_KEY", "BILLING_SANDBOX_KEY"]);
  assert.equal((await at.local(["--only", "auth", "create", "single"])).out, "");
  assert.deepEqual(rows(await at.ok("list")).filter(([, slug]) => slug === "single").map(([service]) => service), ["auth-mfa", "billing"]);
});

test("--local manages the local run although variables name another installation", async () => {
  const { status, out } = await at.local(["--local", "list"], { env: { TETRAD_URL: "https://{area}.example.invalid" } });
  assert.equal(status, 0);
  assert.equal(rows(out).filter(([, slug]) => slug === "demo").length, 4);
});

// --- commands --------------------------------------------------------------------------------------------------------------------

test("create makes the tenant and its keys in each service, through the hosts of the installation", async () => {
  at.requests.length = 0;
  const keys = keysIn(await at.ok("create", "shop", "The", "Shop"));
  assert.deepEqual(Object.keys(keys), created);
  for (const area of ["feedback", "notify", "billing"]) {
    assert.equal(await statusWith(area, "shop", keys[`${area.toUpperCase()}_PRODUCTION_KEY`]), 200);
    assert.equal(await statusWith(area, "shop-sandbox", keys[`${area.toUpperCase()}_SANDBOX_KEY`]), 200);
  }
  for (const area of areas) assert.equal((await record(area, "shop")).displayName, "The Shop");
  for (const { label, path: route } of at.requests) assert.equal(label, route.startsWith("/v1/admin/") ? "admin" : "shop");
  assert.deepEqual([...new Set(at.requests.map(({ area }) => area))], areas);
});

test("create can be repeated, and --no-keys creates no keys", async () => {
  const listed = rows(await at.ok("keys", "shop"));
  assert.deepEqual(listed.map(([service, environment, kind]) => [service, environment, kind]), [
    ["feedback", "production", "secret"], ["feedback", "sandbox", "secret"],
    ["notify", "production", "publishable"], ["notify", "production", "secret"],
    ["notify", "sandbox", "publishable"], ["notify", "sandbox", "secret"],
    ["billing", "production", "secret"], ["billing", "sandbox", "secret"],
  ]);
  await at.ok("suspend", "shop");
  assert.equal(await at.ok("create", "shop", "Another Shop", "--no-keys"), "");
  assert.equal((await record("auth", "shop")).displayName, "Another Shop");
  assert.equal((await record("auth", "shop")).status, "active");
  assert.equal(rows(await at.ok("keys", "shop")).length, listed.length);
});

test("list prints every page", async () => {
  for (let i = 0; i < 101; i++)
    await at.request("billing", "admin", "PUT", `/v1/admin/tenants/page-${i}`, { key: at.env.MASTER_KEY, body: { displayName: `Page\t${i}` } });
  const listed = rows(await at.ok("--only=billing", "list")).filter(([, slug]) => slug.startsWith("page-"));
  assert.equal(new Set(listed.map(([, slug]) => slug)).size, 101);
  assert.deepEqual(listed.at(-1), ["billing", "page-0", "active", "Page\\t0"]);
});

test("limits are set in the services that use them, and the others are kept", async () => {
  await make("limited");
  const set = await at.ok("limits", "limited", "requestsPerMinute=900", "smsPerDay=50", "sandboxSms=true", "broadcastsPerMinute=3");
  assert.deepEqual(lines(set).sort(), [
    "auth-mfa: requestsPerMinute=900", "auth-mfa: sandboxSms=true", "auth-mfa: smsPerDay=50",
    "billing: requestsPerMinute=900",
    "feedback: requestsPerMinute=900",
    "notify: broadcastsPerMinute=3", "notify: requestsPerMinute=900", "notify: sandboxSms=true", "notify: smsPerDay=50",
  ]);
  assert.deepEqual((await record("feedback", "limited")).limits, { requestsPerMinute: 900 });

  await at.ok("suspend", "limited");
  assert.equal(await at.ok("limits", "limited", "smsPerDay=", "sandboxSms=false"),
    "auth-mfa: smsPerDay=default\nauth-mfa: sandboxSms=false\nnotify: smsPerDay=default\nnotify: sandboxSms=false\n");
  const { limits, status, displayName } = await record("notify", "limited");
  assert.deepEqual({ limits, status, displayName }, {
    limits: { requestsPerMinute: 900, broadcastsPerMinute: 3, sandboxSms: false },
    status: "suspended",
    displayName: "limited",
  });
});

test("limits without a value are listed, also stored names that no service uses", async () => {
  const key = at.env.MASTER_KEY;
  await at.request("feedback", "admin", "PUT", "/v1/admin/tenants/limited", { key, body: { displayName: "limited", limits: { typo: 1, requestsPerMinute: 7 } } });
  const listed = rows(await at.ok("limits", "limited"));
  assert.deepEqual(listed.filter(([service]) => service === "feedback"), [
    ["feedback", "requestsPerMinute", "7"],
    ["feedback", "typo", "1", "no effect"],
  ]);
  assert.deepEqual(listed.filter(([service]) => service === "notify"), [
    ["notify", "requestsPerMinute", "900"],
    ["notify", "sendsPer5Minutes", "default"],
    ["notify", "broadcastsPerMinute", "3"],
    ["notify", "testPushesPerMinute", "default"],
    ["notify", "smsPerDay", "default"],
    ["notify", "sandboxSms", "false"],
  ]);
});

test("a limit that no selected service uses is an error, and so is a wrong value", async () => {
  assert.match(await refused(at.tenant("--only", "feedback", "limits", "limited", "smsPerDay=1")), /No service took smsPerDay\. .*auth-mfa notify/);
  assert.match(await refused(at.tenant("limits", "limited", "smsPerHour=1"), 2), /'smsPerHour' is not a limit\. Limits: requestsPerMinute /);
  for (const wrong of ["smsPerDay", "smsPerDay=many", "smsPerDay=-1", "smsPerDay=1.5"])
    assert.match(await refused(at.tenant("limits", "limited", wrong), 2), /must be NAME=VALUE/);
  const error = await refused(at.tenant("limits", "limited", "sandboxSms=1"));
  assert.match(error, /auth-mfa: PUT \/v1\/admin\/tenants\/limited: 400 VALIDATION_ERROR, requestId \w+, .*sandboxSms/);
});

test("the tool knows the limits in docs/configuration.md", () => {
  const section = readFileSync(path.join(source, "docs/configuration.md"), "utf8").split("## Limits of a tenant")[1].split("\n## ")[0];
  const documented = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(/^all_limits='(.*)'$/m.exec(readFileSync(path.join(source, "scripts/tenant"), "utf8"))[1].split(" "), documented);
});

test("suspend and resume can be repeated and keep the display name", async () => {
  const { FEEDBACK_PRODUCTION_KEY: key } = keysIn(await at.ok("create", "paused", "Paused Inc."));
  for (let i = 0; i < 2; i++) assert.equal(await at.ok("suspend", "paused"), inEach("paused suspended"));
  assert.equal(await statusWith("feedback", "paused", key), 403);
  for (let i = 0; i < 2; i++) assert.equal(await at.ok("resume", "paused"), inEach("paused resumed"));
  assert.equal(await statusWith("feedback", "paused", key), 200);
  assert.equal((await record("billing", "paused")).displayName, "Paused Inc.");
});

test("a deleted tenant can be resumed, and no other command cancels its erasure", async () => {
  await make("gone");
  assert.equal(await at.ok("delete", "gone"), inEach("gone deleted"));
  assert.equal(await at.ok("suspend", "gone"), "");
  assert.match(await refused(at.tenant("limits", "gone", "smsPerDay=1")), /auth-mfa: gone is deleted/);
  for (const area of areas) assert.ok((await record(area, "gone")).eraseAfter);
  assert.equal(await at.ok("resume", "gone"), inEach("gone resumed, erasure cancelled"));
  for (const area of areas) assert.equal((await record(area, "gone")).eraseAfter, null);
  assert.equal(await at.ok("delete", "gone", "--purge"), inEach("gone deleted"));
  const error = await refused(at.tenant("delete", "gone", "--purge"));
  for (const service of services) assert.match(error, new RegExp(`${service}: left out.*404 TENANT_NOT_FOUND, requestId \\w+`));
  assert.match(error, /error: No service has the tenant gone\./);
});

test("delete continues in the services that still have the tenant", async () => {
  await make("halfway");
  await at.ok("--only", "notify", "delete", "halfway", "--purge");
  const { status, out, err } = await at.tenant("delete", "halfway", "--purge");
  assert.equal(status, 0);
  assert.equal(out, inEach("halfway deleted").replace("notify: halfway deleted\n", ""));
  assert.match(err, /^notify: left out, because it does not have the tenant halfway: 404 TENANT_NOT_FOUND/m);
});

test("delete --purge waits for a long erasure", async () => {
  await make("large");
  let left = 1;
  at.faults.set("auth", (request, response) => {
    if (request.method !== "DELETE" || left-- <= 0) return false;
    response.writeHead(503, { "content-type": "application/problem+json", "retry-after": "5" });
    response.end(JSON.stringify({ status: 503, error: "UNAVAILABLE", requestId: "a1", detail: "The erasure continues." }));
    return true;
  });
  const { status, out, err } = await at.tenant("delete", "large", "--purge");
  at.faults.clear();
  assert.equal(status, 0, err);
  assert.equal(out, inEach("large deleted"));
  assert.match(err, /auth-mfa: the erasure takes longer/);
});

// --- keys ------------------------------------------------------------------------------------------------------------------------

const listedKeys = async (slug, area, environment) =>
  rows(await at.ok("--only", area, "keys", slug)).filter(([, of]) => of === environment);

test("keys of each service are minted, listed, rotated and revoked", async () => {
  await make("locks");
  assert.equal(await at.ok("keys", "locks"), "");
  for (const area of areas)
    for (const environment of ["production", "sandbox"]) {
      const label = environment === "sandbox" ? "locks-sandbox" : "locks";
      const variable = `${area.toUpperCase()}_${environment.toUpperCase()}_KEY`;
      const first = keysIn(await at.ok("keys", "locks", "mint", area, environment))[variable];
      assert.equal(await statusWith(area, label, first), 200, variable);
      const second = keysIn(await at.ok("keys", "locks", "rotate", area, environment, "--grace", "3600"))[variable];
      assert.equal(await statusWith(area, label, first), 200);
      const [newest, oldest] = await listedKeys("locks", area, environment);
      assert.deepEqual(newest.slice(0, 4), [serviceOf(area), environment, "secret", second.slice(0, 12)]);
      assert.equal(newest[6], "-");
      assert.equal(oldest[3], first.slice(0, 12));
      assert.ok(Date.parse(oldest[6]) > Date.parse(oldest[4]));
      const third = keysIn(await at.ok("keys", "locks", "rotate", area, environment))[variable];
      assert.deepEqual((await listedKeys("locks", area, environment)).map(([, , , prefix]) => prefix), [third.slice(0, 12)]);
      assert.equal(await at.ok("keys", "locks", "revoke", third.slice(0, 12)), `${serviceOf(area)}: ${third.slice(0, 12)} revoked\n`);
      assert.deepEqual(await listedKeys("locks", area, environment), []);
    }
});

test("publishable keys of notify are minted, rotated and revoked apart from secret keys", async () => {
  const secret = keysIn(await at.ok("keys", "locks", "mint", "notify", "sandbox", "secret")).NOTIFY_SANDBOX_KEY;
  const variable = "NOTIFY_SANDBOX_PUBLISHABLE_KEY";
  const first = keysIn(await at.ok("keys", "locks", "mint", "notify", "sandbox", "publishable"))[variable];
  const second = keysIn(await at.ok("keys", "locks", "rotate", "notify", "sandbox", "publishable"))[variable];
  assert.notEqual(first, second);
  const kinds = async () => (await listedKeys("locks", "notify", "sandbox")).map(([, , kind, prefix]) => [kind, prefix]);
  assert.deepEqual(await kinds(), [["publishable", second.slice(0, 12)], ["secret", secret.slice(0, 12)]]);
  await at.ok("keys", "locks", "revoke", second.slice(0, 12));
  assert.deepEqual(await kinds(), [["secret", secret.slice(0, 12)]]);
});

test("wrong arguments of keys are refused, and a whole key is not repeated", async () => {
  assert.match(await refused(at.tenant("keys", "locks", "revoke", "fbk_00000000")), /feedback: DELETE \/v1\/keys\/fbk_00000000: 404 NOT_FOUND, requestId \w+/);
  assert.match(await refused(at.tenant("keys", "locks", "mint", "billing", "production", "publishable"), 2), /KIND must be secret/);
  assert.match(await refused(at.tenant("keys", "locks", "mint", "sms", "production"), 2), /'sms' is not a service/);
  assert.match(await refused(at.tenant("keys", "locks", "mint", "notify", "staging"), 2), /ENVIRONMENT must be production or sandbox/);
  assert.match(await refused(at.tenant("keys", "locks", "mint", "notify"), 2), /needs a SERVICE and an ENVIRONMENT/);
  assert.match(await refused(at.tenant("keys", "locks", "rotate", "notify", "sandbox", "--grace", "1h"), 2), /--grace must be/);
  assert.match(await refused(at.tenant("keys", "locks", "rotate", "notify", "sandbox", "--grace", "604801")), /400 VALIDATION_ERROR.*gracePeriodSeconds/);
  assert.match(await refused(at.tenant("keys", "unknown", "mint", "notify", "sandbox")), /notify: POST \/v1\/keys: 404 TENANT_NOT_FOUND/);
  const whole = "fbk_Xk3vR9aQ7mTz2LcW8yHd5NpJ4uKs6BfG1eVo0iC3rA9tYq";
  const { status, out, err } = await at.tenant("keys", "locks", "revoke", whole);
  assert.equal(status, 2);
  assert.ok(!(out + err).includes(whole));
  // `locks-sandbox` would be the sandbox of `locks`.
  assert.match(await refused(at.tenant("keys", "locks-sandbox"), 2), /must not end in -sandbox/);
});

// --- owners ----------------------------------------------------------------------------------------------------------------------

test("owner creates an owner who signs in with the printed password", async () => {
  await make("firm");
  for (const [environment, label] of [["production", "firm"], ["sandbox", "firm-sandbox"]]) {
    const { OWNER_EMAIL: email, OWNER_PASSWORD: password, ...rest } = valuesOf(
      await at.ok("owner", "firm", `Grace@${environment}.example`, ...(environment === "sandbox" ? [environment] : [])),
    );
    secrets.push(password);
    assert.deepEqual(rest, { OWNER_ENVIRONMENT: environment });
    assert.match(password, /^[A-Za-z0-9]{40}$/);
    const { status, body } = await at.request("auth", label, "POST", "/v1/auth/login", { body: { email, password } });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.user.role, "owner");
  }
  assert.match(await refused(at.tenant("owner", "firm", "grace@production.example")), /auth-mfa: POST .*\/owners: 409 CONFLICT, requestId \w+/);
  assert.match(await refused(at.tenant("owner", "unknown", "grace@production.example")), /404 TENANT_NOT_FOUND/);
  assert.match(await refused(at.tenant("owner", "firm", "nonsense")), /400 VALIDATION_ERROR.*email/);
});

test("owner --invite sends an invitation and prints no password", async () => {
  for (const [environment, label] of [["production", "firm"], ["sandbox", "firm-sandbox"]]) {
    const email = `ada@${environment}.example`;
    const printed = await at.ok("owner", "firm", email, environment, "--invite");
    assert.equal(printed, `auth-mfa: ${email} invited as owner of firm (${environment})\n`);
    const { body } = await at.request("auth", label, "GET", `/v1/members?email=${encodeURIComponent(email)}`, { key: at.env.MASTER_KEY });
    assert.deepEqual(body.items.map(({ role, status }) => [role, status]), [["owner", "invited"]]);
  }
  const outbox = at.env.AUTH_EMAIL_OUTBOX;
  const invited = () => readdirSync(outbox).filter((file) => file.endsWith(".eml")).map((file) => readFileSync(path.join(outbox, file), "utf8"));
  for (const end = Date.now() + 60_000; !invited().some((mail) => mail.includes("ada@production.example")); ) {
    assert.ok(Date.now() < end, "no invitation within 60 s");
    await new Promise((go) => setTimeout(go, 50));
  }
});

// --- errors ----------------------------------------------------------------------------------------------------------------------

test("an error names the service, the status, the code, the requestId and the completed changes", async () => {
  at.faults.set("billing", (_request, response) => response.destroy());
  const unreachable = await refused(at.tenant("create", "partly"));
  assert.match(unreachable, /billing: no response from https:\/\/admin\.billing\.example\.test to PUT \/v1\/admin\/tenants\/partly/);
  assert.match(unreachable, /Completed before the error: feedback: tenant created; auth-mfa: tenant created; notify: tenant created\.\n$/);

  at.faults.set("billing", (_request, response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>"));
  const gateway = await refused(at.tenant("suspend", "partly"));
  assert.match(gateway, /billing: GET \/v1\/admin\/tenants\/partly: 502 <h1>Bad Gateway<\/h1>/);
  assert.match(gateway, /Completed before the error: feedback: partly suspended; auth-mfa: partly suspended; notify: partly suspended\./);
  at.faults.clear();

  // The command can be repeated when the service works again.
  assert.equal(await at.ok("create", "partly", "--no-keys"), "");
  for (const area of areas) assert.equal((await record(area, "partly")).status, "active");
});

test("the keys that were printed before an error are named", async () => {
  at.faults.set("notify", (request, response) => {
    if (request.method !== "POST") return false;
    response.writeHead(500, { "content-type": "application/problem+json" });
    response.end(JSON.stringify({ status: 500, error: "INTERNAL", requestId: "5f2b8c1d9e3a4f60", detail: "An unexpected error occurred." }));
    return true;
  });
  const { status, out, err } = await at.tenant("create", "broken");
  at.faults.clear();
  assert.equal(status, 1);
  assert.deepEqual(Object.keys(keysIn(out)), ["FEEDBACK_PRODUCTION_KEY", "FEEDBACK_SANDBOX_KEY"]);
  assert.match(err, /notify: POST \/v1\/keys: 500 INTERNAL, requestId 5f2b8c1d9e3a4f60, An unexpected error occurred\./);
  assert.match(err, /billing: tenant created; feedback: FEEDBACK_PRODUCTION_KEY created; feedback: FEEDBACK_SANDBOX_KEY created\./);
});

test("a wrong master key is refused", async () => {
  const keyFile = at.file("wrong-key", `${"wrong".repeat(8)}\n`);
  const error = await refused(at.raw(["--url", url, "--cacert", "ca.pem", "--key-file", keyFile, "list"]));
  assert.match(error, /feedback: GET \/v1\/admin\/tenants\?limit=100: 401 UNAUTHORIZED, requestId \w+/);
});

test("unknown and invalid slugs are refused", async () => {
  for (const command of ["suspend", "resume", "delete", "limits", "keys"])
    assert.match(await refused(at.tenant(command, "nowhere")), /feedback: left out.*404 TENANT_NOT_FOUND(.|\n)*No service has the tenant nowhere\./);
  for (const slug of ["Shop", "shop.evil", "shop/..", "-shop", "a".repeat(56)])
    assert.match(await refused(at.tenant("suspend", slug), 2), /The slug must have/);
  assert.match(await refused(at.tenant("create", "billing")), /feedback: PUT \/v1\/admin\/tenants\/billing: 400 VALIDATION_ERROR/);
});

test("the key file must exist, be readable and have one line", async () => {
  const list = (keyFile) => at.raw(["--url", url, "--cacert", "ca.pem", "--key-file", keyFile, "--only", "billing", "list"]);
  assert.match(await refused(list("missing")), /The key file .*\/missing does not exist/);
  assert.match(await refused(list(at.folder)), /cannot be read/);
  assert.match(await refused(list(at.file("empty", "\n"))), /is empty/);
  assert.match(await refused(list(at.file("two-lines", `${at.env.MASTER_KEY}\nX-Other: header\n`))), /must be one line/);
  const missing = await refused(at.raw(["--url", url, "--cacert", "ca.pem", "list"]));
  assert.match(missing, /The master key is missing\. Use --key-file FILE/); // the key of the local run is not sent

  for (const mode of [0o644, 0o640]) {
    const { status, err } = await list(at.file("shared", at.env.MASTER_KEY, mode));
    assert.equal(status, 0);
    assert.match(err, new RegExp(`warning: other users can read the key file .*/shared \\(mode ${mode.toString(8)}\\)\\. Run: chmod 600`));
  }
  const { status, err } = await list(at.file("shared", `${at.env.MASTER_KEY}\r\n`));
  assert.deepEqual({ status, err }, { status: 0, err: "" });
});

test("the key comes from the standard input, a variable or a file that a variable names", async () => {
  const options = ["--url", url, "--cacert", "ca.pem", "--only", "billing"];
  const { MASTER_KEY } = at.env;
  assert.equal((await at.raw([...options, "--key-file", "-", "list"], { input: MASTER_KEY })).status, 0);
  assert.equal((await at.raw([...options, "list"], { env: { MASTER_KEY } })).status, 0);
  assert.equal((await at.raw([...options, "list"], { env: { MASTER_KEY: "wrong", MASTER_KEY_FILE: at.keyFile } })).status, 0);
});

test("characters of the key that curl's configuration treats specially are sent unchanged", async () => {
  const key = `a"b\\c${"d".repeat(30)}`;
  let sent;
  at.faults.set("billing", (request, response) => {
    sent = request.headers.authorization;
    response.writeHead(200, { "content-type": "application/json" }).end('{"items": [], "cursor": null}');
    return true;
  });
  const { status } = await at.raw(["--url", url, "--cacert", "ca.pem", "--key-file", at.file("odd", key), "--only", "billing", "list"]);
  at.faults.clear();
  assert.equal(status, 0);
  assert.equal(sent, `Bearer ${key}`);
});

// --- URLs and TLS ----------------------------------------------------------------------------------------------------------------

test("certificates are verified, also if .curlrc turns this off", async () => {
  for (const CURL_HOME of [at.curlHome, at.carelessCurlHome]) {
    at.requests.length = 0;
    const error = await refused(at.raw(["--url", url, "--key-file", at.keyFile, "list"], { env: { CURL_HOME } }));
    assert.match(error, /SSL certificate problem(.|\n)*feedback: no response from https:\/\/admin\.feedback\.example\.test/);
    assert.deepEqual(at.requests, []);
  }
  assert.match(await refused(at.raw(["--url", url, "--key-file", at.keyFile, "--cacert", "missing.pem", "list"])), /missing\.pem, does not exist/);
  // A certificate of the authority for another host.
  assert.match(await refused(at.raw(["--billing-url", "https://other.example.test", "--cacert", "ca.pem", "--key-file", at.keyFile, "list"])), /no alternative certificate subject name matches/);
});

test("a redirect is not followed", async () => {
  at.requests.length = 0;
  at.faults.set("feedback", (_request, response) => response.writeHead(307, { location: "https://admin.billing.example.test/v1/admin/tenants" }).end());
  const run = at.raw(["--url", url, "--cacert", "ca.pem", "--key-file", at.keyFile, "list"], { env: { CURL_HOME: at.carelessCurlHome } });
  assert.match(await refused(run), /feedback: GET .*: 307/);
  at.faults.clear();
  assert.deepEqual(at.requests.map(({ area }) => area), ["feedback"]);
});

test("services without a URL are left out with a message", async () => {
  const options = ["--cacert", "ca.pem", "--key-file", at.keyFile];
  const some = ["--notify-url", "https://notify.example.test/", "--billing-url=https://Billing.example.test"];
  const { status, out, err } = await at.raw([...options, ...some, "create", "some"]);
  assert.equal(status, 0, err);
  assert.equal(err, "left out, because there is no URL: feedback (--feedback-url), auth-mfa (--auth-url)\n");
  assert.deepEqual(Object.keys(keysIn(out)), created.filter((name) => !name.startsWith("FEEDBACK")));
  assert.match(await refused(at.raw([...options, ...some, "owner", "some", "grace@example.com"])), /There is no URL for auth-mfa \(--auth-url\)/);
  assert.match(await refused(at.raw([...options, ...some, "--only", "feedback", "list"])), /There is no URL for feedback \(--feedback-url\)/);
});

test("variables replace the options, and a service's own URL takes precedence", async () => {
  const env = { TETRAD_URL: url, TETRAD_CACERT: "ca.pem", MASTER_KEY_FILE: at.keyFile, TETRAD_AUTH_URL: "https://other.example.test" };
  assert.match(await refused(at.raw(["list"], { env })), /auth-mfa: no response from https:\/\/admin\.other\.example\.test/);
  assert.equal((await at.raw(["list", "--auth-url", "https://auth.example.test"], { env })).status, 0);
  assert.equal((await at.raw(["list"], { env: { ...env, TETRAD_ONLY: "billing" } })).status, 0);
});

test("wrong URLs are refused before a request", async () => {
  const wrong = {
    "http://{area}.example.test": /must begin with https:\/\//,
    "https://example.test": /must contain \{area\}/,
    "https://operator:secret@{area}.example.test": /without a user/,
    "https://{area}.example.test/v1": /without a user, a path and a query/,
    "{area}.example.test": /must have the form/,
  };
  at.requests.length = 0;
  for (const [text, expected] of Object.entries(wrong)) {
    const error = await refused(at.raw(["--url", text, "--key-file", at.keyFile, "list"]), 2);
    assert.match(error, expected);
    assert.equal(lines(error).length, 1);
    assert.ok(!error.includes("secret@"));
  }
  assert.match(await refused(at.raw(["--feedback-url", "https://127.0.0.1", "list"]), 2), /has an IP address\. Use the BASE_HOST/);
  assert.deepEqual(at.requests, []);
});

test("http works for hosts of this machine only", async () => {
  const { FEEDBACK_PORT, MASTER_KEY } = at.env;
  const options = ["--feedback-url", `http://feedback.localhost:${FEEDBACK_PORT}`, "--only", "feedback", "list"];
  // The proxy of the environment is not used, and curl resolves *.localhost.
  const env = { MASTER_KEY, CURL_HOME: at.folder, http_proxy: "http://127.0.0.1:1" };
  const { status, out, err } = await at.raw(options, { env });
  assert.equal(status, 0, err);
  assert.ok(rows(out).some(([service, slug]) => service === "feedback" && slug === "demo"));
});

// --- help and secrets ------------------------------------------------------------------------------------------------------------

test("--help describes every command, option and variable", async () => {
  const { status, out, err } = await at.local(["--help"]);
  assert.equal(status, 0, err);
  const code = readFileSync(path.join(source, "scripts/tenant"), "utf8").split("# --- the command line")[1];
  const options = new Set([...code.matchAll(/--[a-z]+(-[a-z]+)*/g)].map(([option]) => option));
  for (const option of options) assert.ok(out.includes(option), option);
  for (const word of ["create", "list", "limits", "suspend", "resume", "delete", "keys", "mint", "rotate", "revoke", "owner", "TETRAD_URL", "MASTER_KEY_FILE", "TETRAD_CACERT", "TETRAD_ONLY"])
    assert.match(out, new RegExp(`\\b${word}\\b`));
});

test("a wrong command line ends with 2", async () => {
  for (const args of [[], ["nonsense"], ["create"], ["list", "extra"], ["suspend", "shop", "--purge"], ["--key", "secret", "list"], ["--url"], ["owner", "shop"], ["list", "--grace", "1"], ["suspend", "shop", "extra"]])
    await refused(at.tenant(...args), 2);
});

test("no secret was in the process list", () => {
  assert.ok(secrets.length > 40);
  const ran = at.commandLines();
  assert.match(ran, /^curl .*\/v1\/admin\/tenants\/firm\/owners/m);
  assert.match(ran, /^jq /m);
  for (const secret of secrets) assert.ok(!ran.includes(secret));
  assert.deepEqual(at.exposed, []);
});
