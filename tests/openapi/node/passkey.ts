// An authenticator with one passkey, and the browser around it (WebAuthn Level 3).
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import type { components } from "./clients/auth-mfa.js";

type Schemas = components["schemas"];

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();
const base64url = (data: string | Buffer): string => Buffer.from(data).toString("base64url");

// CBOR (RFC 8949), as far as it is needed.
const head = (major: number, n: number): Buffer => Buffer.from(n < 24 ? [(major << 5) | n] : [(major << 5) | 25, n >> 8, n & 255]);
const number = (n: number): Buffer => (n < 0 ? head(1, -1 - n) : head(0, n));
const bytes = (data: Buffer): Buffer => Buffer.concat([head(2, data.length), data]);
const text = (data: string): Buffer => Buffer.concat([head(3, data.length), Buffer.from(data)]);
const map = (...members: [Buffer, Buffer][]): Buffer => Buffer.concat([head(5, members.length), ...members.flat()]);

const userPresent = 1;
const userVerified = 4;
const hasCredential = 64;

export class Passkey {
  readonly #id = randomBytes(32);
  readonly #key: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  #userHandle = "";
  #count = 0;

  /** `origin`: of the page. */
  constructor(readonly origin: string) {}

  /** As `navigator.credentials.create`, in the form of `toJSON()`. */
  create(options: Schemas["PasskeyCreationOptions"]): Schemas["PasskeyRegistration"] {
    this.#userHandle = options.user.id;
    const { x, y } = this.#key.publicKey.export({ format: "jwk" });
    const coordinate = (value: string | undefined): Buffer => bytes(Buffer.from(value!, "base64url"));
    const key = map(
      [number(1), number(2)], // kty: EC2
      [number(3), number(-7)], // alg: ES256
      [number(-1), number(1)], // crv: P-256
      [number(-2), coordinate(x)],
      [number(-3), coordinate(y)],
    );
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.#id.length]), this.#id, key]);
    const data = Buffer.concat([this.#data(options.rp.id, userPresent | userVerified | hasCredential), credential]);
    const attestation = map([text("fmt"), text("none")], [text("attStmt"), map()], [text("authData"), bytes(data)]);
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: base64url(this.#clientData("webauthn.create", options.challenge)),
        attestationObject: base64url(attestation),
        transports: ["internal"],
      },
    };
  }

  /** As `navigator.credentials.get`, in the form of `toJSON()`. */
  get(options: Schemas["PasskeyRequestOptions"]): Schemas["PasskeyAssertion"] {
    const client = this.#clientData("webauthn.get", options.challenge);
    const data = this.#data(options.rpId, userPresent | userVerified);
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(sign("sha256", Buffer.concat([data, sha256(client)]), this.#key.privateKey)),
        userHandle: this.#userHandle,
      },
    };
  }

  #credential(): { id: string; rawId: string; type: "public-key" } {
    return { id: base64url(this.#id), rawId: base64url(this.#id), type: "public-key" };
  }

  #clientData(type: string, challenge: string): string {
    return JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false });
  }

  #data(rpId: string, flags: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(++this.#count);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count]);
  }
}
