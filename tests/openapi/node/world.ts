// The running services, configured to call the providers that this process simulates.
import assert from "node:assert/strict";
import { once } from "node:events";
import type http from "node:http";
import type http2 from "node:http2";
import type net from "node:net";
import { ApiError, Auth, Billing, Feedback, Notify, type ClientOptions } from "@tetrad/client";
import { listening, played } from "./played.js";
import { Apple, Issuer, NameServer, Receiver, Twilio } from "./providers.js";
import { Services, type Name } from "./services.js";

export { eventually, exchanged, ok, refused as rejected, type Name } from "./services.js";


/** The error of a call; undefined if it succeeds. */
export async function errorOf(call: PromiseLike<unknown>): Promise<ApiError | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The error of a call that must be refused with that code. */
export async function refused(call: PromiseLike<unknown>, code: string): Promise<ApiError> {
  const error = await errorOf(call);
  assert.equal(error?.code, code, error?.message);
  return error!;
}

/** All items of a list, or all lines of an export. */
export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export class World extends Services {
  readonly apple = new Apple();
  readonly twilio = new Twilio();
  readonly issuer = new Issuer();
  readonly names = new NameServer();
  readonly receiver = new Receiver();
  /** Subscriber documents of the purchase provider, by user. */
  readonly subscribers = new Map<string, unknown>();
  readonly #servers: (net.Server | http2.Http2Server)[] = [];

  static async start(): Promise<World> {
    const world = new World();
    try {
      await world.#begin();
    } catch (error) {
      await world.stop();
      throw error;
    }
    return world;
  }

  feedback(credential?: string): Feedback {
    return new Feedback(this.#options("feedback", credential));
  }

  auth(credential?: string): Auth {
    return new Auth(this.#options("auth-mfa", credential));
  }

  notify(credential?: string): Notify {
    return new Notify(this.#options("notify", credential));
  }

  billing(credential?: string): Billing {
    return new Billing(this.#options("billing", credential));
  }

  /** The client of any service, for the operations that all services have. */
  area(name: Name, credential?: string): Feedback | Auth | Notify | Billing {
    return this[name === "auth-mfa" ? "auth" : name](credential);
  }

  /** Options of a client whose traffic is checked against the contract. */
  #options(name: Name, credential: string | undefined): ClientOptions {
    return { baseUrl: this.base(name), fetch: this.fetchOf(name), ...(credential !== undefined && { apiKey: credential }) };
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.names.socket.close();
    for (const server of this.#servers) {
      server.close();
      if ("closeAllConnections" in server) (server as http.Server).closeAllConnections();
    }
  }

  async #begin(): Promise<void> {
    const twilio = await played((_, body) => this.twilio.answer(body));
    const purchases = await played((request) => ({
      status: 200,
      json: this.subscribers.get(decodeURIComponent(request.url!.split("/")[3]!)),
    }));
    const issuer = await played((request, body) => this.issuer.answer(request.url!, body));
    const receiver = await played((request, body) => {
      this.receiver.received.push({ headers: request.headers as Record<string, string>, body });
      return { status: 204 };
    });
    // auth-mfa asks the other services through this server to erase users. So these requests are checked against the contracts, too.
    const erasures = await played(async (request) => {
      const [, name, label, ...route] = request.url!.split("/");
      assert.equal(label, this.label);
      const url = `${this.base(name as Name)}/${route.join("/")}`;
      const { status, body } = await this.send(name as Name, request.method!, url, { Authorization: request.headers.authorization! });
      return { status, json: JSON.parse(body.toString()) };
    });
    const targets = ["feedback", "notify", "billing"].map((name) => `${name}=${erasures.url}/${name}/{tenant}`);
    this.#servers.push(twilio.server, purchases.server, issuer.server, receiver.server, erasures.server, this.apple.server);
    this.issuer.url = issuer.url;
    this.receiver.url = receiver.url;
    this.names.socket.bind(0, "127.0.0.1");
    await once(this.names.socket, "listening");
    const apple = await listening(this.apple.server);
    await this.launch((ports) => ({
      AUTH_ERASURE_TARGETS: targets.join(","),
      AUTH_TWILIO_AUTH_TOKEN: this.twilio.token,
      NOTIFY_APNS_BASE_URL: apple,
      NOTIFY_DNS_SERVERS: `127.0.0.1:${this.names.socket.address().port}`,
      NOTIFY_SMS_PROVIDER: "twilio",
      NOTIFY_TWILIO_BASE_URL: twilio.url,
      NOTIFY_TWILIO_ACCOUNT_SID: "AC1",
      NOTIFY_TWILIO_AUTH_TOKEN: this.twilio.token,
      NOTIFY_TWILIO_FROM: "+14155550100",
      NOTIFY_TWILIO_WEBHOOK_URL: `http://127.0.0.1:${ports["NOTIFY_PORT"]}/webhooks/sms/twilio`,
      BILLING_PURCHASES_API_URL: purchases.url,
    }));
  }
}
