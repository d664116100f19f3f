// Simulated providers: Apple's push service, Twilio, an OpenID provider, a DNS server, a receiver of webhooks.
import { createHmac, generateKeyPairSync, randomUUID, sign, type KeyObject } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import http2 from "node:http2";

/** Apple's push service. It accepts every push; between `hold` and `release` it does not answer. */
export class Apple {
  readonly pushes: string[] = [];
  #held: (() => void)[] | undefined;
  readonly server = http2.createServer().on("stream", (stream, headers) => {
    const answer = (): void => {
      this.pushes.push(String(headers[":path"]));
      stream.respond({ ":status": 200, "apns-id": String(headers["apns-id"]) });
      stream.end();
    };
    stream
      .on("error", () => undefined)
      .resume()
      .on("end", () => (this.#held === undefined ? answer() : void this.#held.push(answer)));
  });

  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const answer of held) answer();
  }
}

/** Twilio. It accepts every message, except to numbers that have opted out. */
export class Twilio {
  readonly token = "a violet teapot";
  readonly messages: URLSearchParams[] = [];
  readonly optedOut = new Set<string>();

  answer(body: string): { status: number; json: unknown } {
    const form = new URLSearchParams(body);
    if (this.optedOut.has(form.get("To")!))
      return { status: 400, json: { code: 21610, message: "Attempt to send to unsubscribed recipient" } };
    this.messages.push(form);
    return { status: 201, json: { sid: `SM${String(this.messages.length).padStart(32, "0")}`, status: "queued" } };
  }

  /** `X-Twilio-Signature` of a form that is sent to an address. */
  signature(url: string, form: Record<string, string>): string {
    const text = Object.keys(form)
      .sort()
      .reduce((all, name) => all + name + form[name], url);
    return createHmac("sha1", this.token).update(text).digest("base64");
  }
}

/** An OpenID provider with one key. It serves `/jwks` and `/token`. */
export class Issuer {
  readonly #key: KeyObject;
  readonly jwk: object;
  /** Claims of the id tokens for codes that were not exchanged yet, by code. */
  readonly #codes = new Map<string, object>();
  url = "";

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#key = privateKey;
    this.jwk = { ...publicKey.export({ format: "jwk" }), kid: "1", alg: "ES256", use: "sig" };
  }

  /** The setting of a tenant whose users sign in with this provider on the hosted pages. */
  setting(name: string, clientId: string) {
    const issuer = this.url;
    const endpoints = { authorizationEndpoint: `${issuer}/authorize`, tokenEndpoint: `${issuer}/token`, jwksUrl: `${issuer}/jwks` };
    return { name, issuer, clientId, ...endpoints };
  }

  /** The response to an authorization request, for a user with these claims. `location` is where the client sent the browser. */
  authorize(location: string, claims: object): { state: string; code: string; iss: string } {
    const request = new URL(location).searchParams;
    const code = randomUUID();
    this.#codes.set(code, { aud: request.get("client_id"), nonce: request.get("nonce"), ...claims });
    return { state: request.get("state")!, code, iss: this.url };
  }

  answer(path: string, body: string): { status: number; json: unknown } {
    if (path !== "/token") return { status: 200, json: { keys: [this.jwk] } };
    const code = new URLSearchParams(body).get("code")!;
    const claims = this.#codes.get(code);
    if (!this.#codes.delete(code)) return { status: 400, json: { error: "invalid_grant" } };
    return { status: 200, json: { access_token: randomUUID(), token_type: "Bearer", id_token: this.idToken(claims!) } };
  }

  idToken(claims: object): string {
    const now = Math.floor(Date.now() / 1000);
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const text = `${encode({ alg: "ES256", kid: "1" })}.${encode({ iss: this.url, jti: randomUUID(), iat: now, exp: now + 600, ...claims })}`;
    return `${text}.${sign("sha256", Buffer.from(text), { key: this.#key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
  }
}

/** A DNS server that has only TXT records. */
export class NameServer {
  readonly records = new Map<string, string>();
  readonly socket: Socket = createSocket("udp4").on("message", (query, { port, address }) =>
    this.socket.send(this.#answer(query), port, address),
  );

  #answer(query: Buffer): Buffer {
    let end = 12; // end of the question's name: labels with their lengths, up to length 0
    const labels: string[] = [];
    for (let size = query[end]!; size !== 0; size = query[end]!) {
      labels.push(query.toString("latin1", end + 1, end + 1 + size));
      end += 1 + size;
    }
    const question = query.subarray(12, end + 5);
    const value = question.readUInt16BE(question.length - 4) === 16 ? this.records.get(labels.join(".").toLowerCase()) : undefined;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8480 | (value === undefined ? 3 : 0), 2); // authoritative; NXDOMAIN without a record
    head.writeUInt16BE(1, 4);
    if (value === undefined) return Buffer.concat([head, question]);
    head.writeUInt16BE(1, 6);
    const texts = value.match(/.{1,255}/g)!.map((text) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]));
    const data = Buffer.concat(texts);
    const record = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 255]); // name at 12; TXT, IN
    return Buffer.concat([head, question, record, data]);
  }
}

/** A receiver of webhooks. It keeps the received requests. */
export class Receiver {
  readonly received: { headers: Record<string, string>; body: string }[] = [];
  url = "";
}
