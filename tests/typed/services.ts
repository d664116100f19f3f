// The services, started by scripts/run with their own PostgreSQL and Redis, and typed clients for them.
// Environment variables: SOURCE is the checkout, BUILD the build folder with the services, RUN the folder for all data of the services.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { buffer, text } from "node:stream/consumers";
import createClient, { type Client } from "openapi-fetch";
import { Contract, type Exchange } from "./contract.js";

export type Name = "feedback" | "auth-mfa" | "notify" | "billing";
const prefixes: Record<Name, string> = { feedback: "FEEDBACK", "auth-mfa": "AUTH", notify: "NOTIFY", billing: "BILLING" };
const names = Object.keys(prefixes) as Name[];

function setting(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} is not set`);
  return value;
}
export const source = setting("SOURCE");

/** Waits for up to two minutes until `look` returns a value. The limit is long, because the machine may be busy. */
export async function eventually<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const end = Date.now() + 120_000; ; await new Promise((go) => setTimeout(go, 50))) {
    const found = await look();
    if (found !== undefined) return found;
    assert.ok(Date.now() < end, `not within 120 s: ${look}`);
  }
}

// --- the services ------------------------------------------------------------------------------------------------------------

const drawn = new Set<number>();

/** A free port that no earlier call returned, because the service on that port may not have started yet. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 8_000); // outside the ephemeral ports and the ports of scripts/run
    if (drawn.has(port)) continue;
    const server = net.createServer();
    const free = await new Promise<boolean>((done) => server.once("error", () => done(false)).listen(port, "127.0.0.1", () => done(true)));
    await new Promise((closed) => server.close(closed));
    drawn.add(port);
    if (free) return port;
  }
}

/** The values of KEY=VALUE lines. */
export const valuesOf = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines
      .trim()
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );

/** Sends a request to 127.0.0.1, for any host in the URL, and returns the request and the response. It checks nothing. */
export async function exchanged(method: string, url: URL, requestHeaders: Headers, requestBody: Buffer): Promise<Exchange> {
  const sent = Object.fromEntries(requestHeaders);
  if (requestBody.length > 0 || !["GET", "DELETE"].includes(method)) sent["content-length"] = String(requestBody.length);
  const request = http.request({
    host: "127.0.0.1",
    port: url.port,
    method,
    path: url.pathname + url.search,
    headers: { ...sent, host: url.host },
    agent: false,
  });
  request.end(requestBody);
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  const headers = new Headers();
  for (let i = 0; i < response.rawHeaders.length; i += 2) headers.append(response.rawHeaders[i]!, response.rawHeaders[i + 1]!);
  return { method, url, requestHeaders, requestBody, status: response.statusCode!, headers, body: await buffer(response) };
}

/** The four running services, as called from one tenant's environment. All traffic is checked against their contracts. */
export class Services {
  /** The host label of the tenant's environment, in front of each service's host. */
  label = "demo-sandbox";
  readonly contracts = Object.fromEntries(
    names.map((name) => [name, new Contract(path.join(source, "proto", `${name}.openapi.yaml`))]),
  ) as Record<Name, Contract>;
  env: Record<string, string> = {};
  keys: Record<string, string> = {};
  #settings: Record<string, string> = {};

  /** Starts the services without earlier data. `more`: additional settings, which may depend on the ports. */
  async launch(more: (ports: Record<string, string>) => Record<string, string>): Promise<void> {
    const ports: Record<string, string> = {};
    for (const prefix of Object.values(prefixes))
      for (const port of ["PORT", "OPS_PORT"]) ports[`${prefix}_${port}`] = String(await freePort());
    this.#settings = { ...ports, ...more(ports) };
    await this.script("run", "--detach", "--fresh", "--no-build");
    this.env = valuesOf(readFileSync(path.join(setting("RUN"), "env"), "utf8"));
    this.keys = valuesOf(readFileSync(path.join(setting("RUN"), "keys"), "utf8"));
  }

  async stop(): Promise<void> {
    await this.script("run", "--stop");
  }

  /** Runs a script of scripts/ and returns its output. Fails unless the script exits with 0. */
  async script(name: string, ...args: string[]): Promise<string> {
    const env = { ...process.env, ...this.#settings, BUILD: setting("BUILD"), TETRAD_RUN: setting("RUN") };
    const child = spawn(path.join(source, "scripts", name), args, { env, stdio: ["ignore", "pipe", "inherit"] });
    const [out, [status]] = await Promise.all([text(child.stdout), once(child, "close")]);
    assert.equal(status, 0, `scripts/${name} ${args.join(" ")}`);
    return out;
  }

  /** The base URL of a service for the tenant's environment. */
  base(name: Name): string {
    const prefix = prefixes[name];
    return `http://${this.label}.${this.env[`${prefix}_HOST`]}:${this.env[`${prefix}_PORT`]}`;
  }

  /** Sends a request, and checks it and its response against the service's contract. */
  async send(
    name: Name,
    method: string,
    url: string | URL,
    headers: Headers | Record<string, string> = {},
    body: Buffer | string = "",
  ): Promise<Exchange> {
    const exchange = await exchanged(method, new URL(url), new Headers(headers), Buffer.from(body));
    assert.deepEqual(this.contracts[name].faultsOf(exchange), [], exchange.body.toString());
    return exchange;
  }

  /** A `fetch` that checks all traffic against the service's contract. */
  fetchOf(name: Name): (request: Request) => Promise<Response> {
    return async (request) => {
      const body = Buffer.from(await request.arrayBuffer());
      const exchange = await this.send(name, request.method, request.url, request.headers, body);
      const { status, headers } = exchange;
      return new Response(status === 204 ? null : exchange.body, { status, headers });
    };
  }

  /** A typed client of a service. All its traffic is checked against the contract. */
  client<Paths extends {}>(name: Name, bearer?: string): Client<Paths> {
    return createClient<Paths>({
      baseUrl: this.base(name),
      headers: bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` },
      fetch: this.fetchOf(name),
    });
  }
}

// --- responses ---------------------------------------------------------------------------------------------------------------

type Answer = { response: Response; data?: unknown; error?: unknown };

/** The body of a call that must succeed. */
export async function ok<A extends Answer>(call: Promise<A>): Promise<NonNullable<A["data"]>> {
  const { response, data, error } = await call;
  assert.ok(response.ok, `${response.status} ${JSON.stringify(error)}`);
  return data as NonNullable<A["data"]>;
}

/** The problem of a call that must be refused with that code. */
export async function refused<A extends Answer>(call: Promise<A>, code: string): Promise<NonNullable<A["error"]>> {
  const { response, error } = await call;
  assert.equal((error as { error?: string } | undefined)?.error, code, `${response.status} ${JSON.stringify(error)}`);
  return error as NonNullable<A["error"]>;
}
