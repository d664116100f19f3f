// The services, started by scripts/run with a PostgreSQL and a Redis of their own, told of the providers that are played here.
// SOURCE is the checkout, BUILD the build folder whose services are started, RUN where they keep everything.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import type http2 from "node:http2";
import net from "node:net";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import createClient, { type Client } from "openapi-fetch";
import { Contract, type Exchange } from "./contract.js";
import { Apple, Issuer, listening, NameServer, played, Receiver, Twilio } from "./providers.js";

export type Name = "feedback" | "auth-mfa" | "notify" | "billing";
const prefixes: Record<Name, string> = { feedback: "FEEDBACK", "auth-mfa": "AUTH", notify: "NOTIFY", billing: "BILLING" };
const names = Object.keys(prefixes) as Name[];

function setting(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} is not set`);
  return value;
}
const source = setting("SOURCE");

/** Waits for what has to come, for as long as a machine that is busy with other things may take. */
export async function eventually<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const end = Date.now() + 120_000; ; await new Promise((go) => setTimeout(go, 50))) {
    const found = await look();
    if (found !== undefined) return found;
    assert.ok(Date.now() < end, `in vain: ${look}`);
  }
}

// --- the services ------------------------------------------------------------------------------------------------------------

async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 8_000); // neither those that connections are given nor those that scripts/run takes
    const server = net.createServer();
    const free = await new Promise<boolean>((done) => server.once("error", () => done(false)).listen(port, "127.0.0.1", () => done(true)));
    await new Promise((closed) => server.close(closed));
    if (free) return port;
  }
}

const valuesOf = (file: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );

/** A request as it is put on the wire: to 127.0.0.1, whatever host the address names. */
async function exchanged(method: string, url: URL, requestHeaders: Headers, requestBody: Buffer): Promise<Exchange> {
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

export class World {
  readonly apple = new Apple();
  readonly twilio = new Twilio();
  readonly issuer = new Issuer();
  readonly names = new NameServer();
  readonly receiver = new Receiver();
  /** What the purchase platform knows of a user. */
  readonly subscribers = new Map<string, unknown>();
  readonly contracts = Object.fromEntries(
    names.map((name) => [name, new Contract(path.join(source, "proto", `${name}.openapi.yaml`))]),
  ) as Record<Name, Contract>;
  readonly #servers: (net.Server | http2.Http2Server)[] = [];
  #settings: Record<string, string> = {};
  env: Record<string, string> = {};
  keys: Record<string, string> = {};

  static async start(): Promise<World> {
    const world = new World();
    try {
      await world.#play();
      await world.#run("--detach", "--fresh", "--no-build");
    } catch (error) {
      await world.stop();
      throw error;
    }
    world.env = valuesOf(path.join(setting("RUN"), "env"));
    world.keys = valuesOf(path.join(setting("RUN"), "keys"));
    return world;
  }

  async stop(): Promise<void> {
    await this.#run("--stop");
    this.names.socket.close();
    for (const server of this.#servers) {
      server.close();
      if ("closeAllConnections" in server) (server as http.Server).closeAllConnections();
    }
  }

  async #play(): Promise<void> {
    const twilio = await played((_, body) => this.twilio.answer(body));
    const platform = await played((request) => ({
      status: 200,
      json: this.subscribers.get(decodeURIComponent(request.url!.split("/")[3]!)),
    }));
    const issuer = await played(() => ({ status: 200, json: { keys: [this.issuer.jwk] } }));
    const receiver = await played((request, body) => {
      this.receiver.received.push({ headers: request.headers as Record<string, string>, body });
      return { status: 204 };
    });
    this.#servers.push(twilio.server, platform.server, issuer.server, receiver.server, this.apple.server);
    this.issuer.url = issuer.url;
    this.receiver.url = receiver.url;
    this.names.socket.bind(0, "127.0.0.1");
    await once(this.names.socket, "listening");
    for (const prefix of Object.values(prefixes))
      for (const port of ["PORT", "OPS_PORT"]) this.#settings[`${prefix}_${port}`] = String(await freePort());
    Object.assign(this.#settings, {
      AUTH_TWILIO_AUTH_TOKEN: this.twilio.token,
      NOTIFY_APNS_BASE_URL: await listening(this.apple.server),
      NOTIFY_DNS_SERVERS: `127.0.0.1:${this.names.socket.address().port}`,
      NOTIFY_SMS_PROVIDER: "twilio",
      NOTIFY_TWILIO_BASE_URL: twilio.url,
      NOTIFY_TWILIO_ACCOUNT_SID: "AC1",
      NOTIFY_TWILIO_AUTH_TOKEN: this.twilio.token,
      NOTIFY_TWILIO_FROM: "+14155550100",
      NOTIFY_TWILIO_WEBHOOK_URL: `http://127.0.0.1:${this.#settings["NOTIFY_PORT"]}/webhooks/sms/twilio`,
      BILLING_PURCHASES_API_URL: platform.url,
    });
  }

  async #run(...args: string[]): Promise<void> {
    const env = { ...process.env, ...this.#settings, BUILD: setting("BUILD"), TETRAD_RUN: setting("RUN") };
    const [status] = await once(spawn(path.join(source, "scripts/run"), args, { env, stdio: ["ignore", "ignore", "inherit"] }), "close");
    assert.equal(status, 0, `scripts/run ${args.join(" ")}`);
  }

  /** The address of a service as the sandbox of tenant `demo` knows it. */
  base(name: Name): string {
    const prefix = prefixes[name];
    return `http://demo-sandbox.${this.env[`${prefix}_HOST`]}:${this.env[`${prefix}_PORT`]}`;
  }

  /** Sends a request and holds it and the answer against the service's contract. */
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

  /** A typed client of a service, all of whose traffic is held against its contract. */
  client<Paths extends {}>(name: Name, bearer?: string): Client<Paths> {
    return createClient<Paths>({
      baseUrl: this.base(name),
      headers: bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` },
      fetch: async (request: Request) => {
        const { status, headers, body } = await this.send(
          name,
          request.method,
          request.url,
          request.headers,
          Buffer.from(await request.arrayBuffer()),
        );
        return new Response(status === 204 ? null : body, { status, headers });
      },
    });
  }
}

// --- answers -----------------------------------------------------------------------------------------------------------------

type Answer = { response: Response; data?: unknown; error?: unknown };

/** What a call that has to succeed answered. */
export async function ok<A extends Answer>(call: Promise<A>): Promise<NonNullable<A["data"]>> {
  const { response, data, error } = await call;
  assert.ok(response.ok, `${response.status} ${JSON.stringify(error)}`);
  return data as NonNullable<A["data"]>;
}

/** What a call that has to be refused, with that code, answered. */
export async function refused<A extends Answer>(call: Promise<A>, code: string): Promise<NonNullable<A["error"]>> {
  const { response, error } = await call;
  assert.equal((error as { error?: string } | undefined)?.error, code, `${response.status} ${JSON.stringify(error)}`);
  return error as NonNullable<A["error"]>;
}
