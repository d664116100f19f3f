// The running services, and tenants with staff, for the tests of the console.
//
// Environment variables: SOURCE is the checkout, BUILD the build folder with the services, TETRAD_RUN the folder for all data, CLIENT the
// built package @tetrad/client.
//
//     const stack = await openStack();                          // starts the services unless they run
//     const { acme, rival } = await stack.newTenants("notify"); // two new tenants, each with production and sandbox
//     const place = acme.production;                            // one environment of a tenant
//     await fill(place);                                        // seed.mjs: data with hostile texts, in all services
//     const { owner, admin, user } = place.members;             // session.mjs signs them in
//     await place.notify.createTemplate({ … });                 // feedback, auth, notify, billing: clients with the master key
//     place.client("billing", token)                            // a client with another credential
//
// The tests of one TETRAD_RUN share the services. Each test creates tenants of its own, so that tests can run in any order, again, and beside
// each other. A test whose services need settings of their own has a TETRAD_RUN of its own: openStack({ settings: { NOTIFY_FCM_BASE_URL } }).
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import otplib from "otplib";

const { SOURCE, BUILD, TETRAD_RUN, CLIENT } = process.env;
for (const [name, value] of Object.entries({ SOURCE, BUILD, TETRAD_RUN, CLIENT })) assert.ok(value, `${name} is not set`);
export const { ApiError, Auth, Billing, Feedback, Notify, verifyWebhook } = await import(path.join(CLIENT, "dist/esm/index.js"));
export const { localhostFetch } = await import(path.join(CLIENT, "dist/esm/localhost.js"));

/** The services by their names in `Place.client`: prefix of the variables, class of the client. */
const services = { feedback: ["FEEDBACK", Feedback], auth: ["AUTH", Auth], notify: ["NOTIFY", Notify], billing: ["BILLING", Billing] };
export const serviceNames = Object.keys(services);

/** Texts that break pages which treat them as anything but text. Each field of the seeds has one of them. */
export const hostile = {
  html: "<img src=x onerror=alert(1)>",
  script: '"></textarea><script>alert(1)</script>',
  rtl: "\u202Eمرحبا بالعالم\u202C שלום עולם",
  emoji: "👩‍👩‍👧‍👦🏳️‍🌈 é̷͓ 𝕬",
  formula: '=HYPERLINK("https://evil.example","Open")',
  /** A word without a place to break, of `length` characters. */
  long: (length = 20_000) => "W".repeat(length),
};

/** Waits for up to two minutes until `look` returns a value, and returns it. The limit is long, because the machine may be busy. */
export async function eventually(look) {
  for (const end = Date.now() + 120_000; ; await new Promise((go) => setTimeout(go, 50))) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, `not within 120 s: ${look}`);
  }
}

/** All items of a list, or all lines of an export. */
export async function collected(items) {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
}

const envFile = path.join(TETRAD_RUN, "env");
/** The values of KEY=VALUE lines. */
const valuesOf = (file) => Object.fromEntries(readFileSync(file, "utf8").trim().split("\n").map((line) => /^([^=]*)=(.*)$/s.exec(line).slice(1)));

/** The ports of an earlier start, or free ones. */
function portSettings() {
  const names = Object.values(services).flatMap(([prefix]) => [`${prefix}_PORT`, `${prefix}_OPS_PORT`]);
  if (existsSync(envFile)) {
    const values = valuesOf(envFile);
    return Object.fromEntries(names.map((name) => [name, values[name]]));
  }
  const ports = execFileSync("bash", ["-c", `source "$SOURCE/scripts/common.sh" && free_ports ${names.length}`], { encoding: "utf8" });
  return Object.fromEntries(names.map((name, i) => [name, ports.trim().split(" ")[i]]));
}

async function run(args, settings = {}) {
  const child = spawn(path.join(SOURCE, "scripts/run"), args, { env: { ...process.env, ...portSettings(), ...settings }, stdio: ["ignore", "ignore", "pipe"] });
  const [log, [status]] = await Promise.all([text(child.stderr), once(child, "close")]);
  assert.equal(status, 0, `scripts/run ${args.join(" ")}\n${log}`);
}

/** The running services. Starts them unless they run. `fresh`: without earlier data. `settings`: further variables of the services. */
export async function openStack({ fresh = false, settings = {} } = {}) {
  await run(["--detach", "--no-build", ...(fresh ? ["--fresh"] : [])], settings);
  return new Stack(valuesOf(envFile));
}

/** Stops the services, and keeps their data. The tests of a shared stack leave this to CTest. */
export const stopStack = () => run(["--stop"]);

export class Stack {
  /** `env`: the values of TETRAD_RUN/env, for example EMAIL_OUTBOX or PURCHASES_SUBSCRIBERS. */
  constructor(env) {
    this.env = env;
  }

  /** Ends a service until `resume`. */
  async halt(service) {
    const pid = Number(this.env[`${services[service][0]}_PID`]);
    process.kill(pid, "SIGTERM");
    await eventually(() => !existsSync(`/proc/${pid}`) || readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")); // nothing may wait for it
  }

  /** Starts the services that have ended. */
  async resume() {
    await run(["--detach", "--no-build"]);
    this.env = valuesOf(envFile);
  }

  /** The URL of a service for a host label, such as `acme-sandbox`. */
  url(service, label) {
    const [prefix] = services[service];
    return `http://${label}.${this.env[`${prefix}_HOST`]}:${this.env[`${prefix}_PORT`]}`;
  }

  /** A client of a service. Default: with the master key. */
  client(service, label, apiKey = this.env.MASTER_KEY) {
    return new services[service][1]({ baseUrl: this.url(service, label), fetch: localhostFetch, ...(apiKey && { apiKey }) });
  }

  /** The tenants `acme` and `rival` of a test, whose slugs begin with `name`. */
  async newTenants(name) {
    const run = Math.random().toString(36).slice(2, 8);
    const [acme, rival] = await Promise.all(["acme", "rival"].map((which) => this.newTenant(`${name}-${which}-${run}`)));
    return { acme, rival };
  }

  /** A tenant with an owner, an admin and a user in each environment. Its limits do not slow down tests. */
  async newTenant(slug) {
    const limits = { requestsPerMinute: 100_000, sendsPer5Minutes: 10_000, broadcastsPerMinute: 1000, testPushesPerMinute: 1000 };
    for (const service of serviceNames) await this.client(service, "admin").putTenant(slug, { displayName: `${slug} & Söhne`, limits });
    const tenant = { slug, production: new Place(this, slug, "production"), sandbox: new Place(this, slug, "sandbox") };
    for (const place of [tenant.production, tenant.sandbox])
      for (const role of ["owner", "admin", "user"]) place.members[role] = await place.newMember(role, `${role}@${place.label}.example`);
    return tenant;
  }
}

/** One environment of a tenant. */
export class Place {
  /** The accounts of the seeds by role. */
  members = {};

  constructor(stack, slug, environment) {
    Object.assign(this, { stack, slug, environment });
    this.label = environment === "sandbox" ? `${slug}-sandbox` : slug;
    /** A word that the texts of the seeds contain, and that no other environment has. */
    this.mark = `${environment}mark${Math.random().toString(36).slice(2, 10)}`;
    for (const service of serviceNames) this[service] = this.client(service);
  }

  url(service) {
    return this.stack.url(service, this.label);
  }

  /** A client of a service for this environment. Default: with the master key. */
  client(service, apiKey) {
    return this.stack.client(service, this.label, apiKey);
  }

  /** The origin of the console and of the hosted pages. */
  get origin() {
    return this.url("auth");
  }

  /** A new account. Staff get an authenticator app, which the console requires. */
  async newMember(role, email, { totp = role !== "user" } = {}) {
    const password = "a violet teapot";
    const { userId } = await this.auth.createMember({ email, role, password, emailVerified: true });
    const member = new Member(this, { userId, email, role, password });
    if (totp) await member.enrol();
    return member;
  }
}

/** An account with its password and, after `enrol`, its authenticator app. */
export class Member {
  /** Secret of the authenticator app. */
  secret = undefined;
  /** Cookies of the browser in which the member has signed in (session.mjs). */
  storageState = undefined;
  #usedStep = 0;

  constructor(place, { userId, email, role, password }) {
    Object.assign(this, { place, userId, email, role, password });
  }

  /** Signs in without a browser, and returns an access token. Only for accounts without a second factor. */
  async token() {
    return (await this.place.client("auth", null).login({ email: this.email, password: this.password })).accessToken;
  }

  async enrol() {
    const caller = this.place.client("auth", await this.token());
    this.secret = (await caller.setUpTotp()).secret;
    this.recoveryCodes = (await caller.confirmTotp({ code: await this.code() })).recoveryCodes;
  }

  /** A code of the authenticator app that has not been used. Waits for it if necessary: the service accepts three codes at any time. */
  code() {
    return eventually(() => {
      const now = Math.floor(Date.now() / 30_000);
      const step = Math.max(this.#usedStep + 1, now - 1);
      if (step > now + 1) return undefined;
      this.#usedStep = step;
      return otplib.authenticator.clone({ epoch: step * 30_000 }).generate(this.secret);
    });
  }
}
