import { TetradError } from "./errors.js";
import type { WebhookEvent } from "./events.js";

/** A received webhook request. */
export interface WebhookRequest {
  /** The body exactly as it was received. A parsed and serialised body has another signature. */
  body: string | Uint8Array;
  /** The headers: of the fetch standard, or an object with names in lower case, as Node.js has them. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The signing secret of the webhook (`whsec_…`). During a rotation: the old and the new secret. */
  secret: string | string[];
  /** How much the time of the request may differ from now, in seconds. Default: 300. */
  toleranceSeconds?: number;
  /** The current time. Default: the clock of this machine. */
  now?: Date;
}

/** Why a request was refused. */
export type WebhookFault = "missing_header" | "invalid_timestamp" | "too_old" | "too_new" | "wrong_signature" | "invalid_body";

/** A webhook request is not genuine. Answer it with 400, and ignore it. */
export class WebhookVerificationError extends TetradError {
  override name = "WebhookVerificationError";

  constructor(
    /** Why the request was refused. */
    readonly reason: WebhookFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Verifies the signature and the time of a webhook request (Standard Webhooks) and returns its event. Process an event only once: the
 * same event may arrive again, with the same `id`.
 *
 * @throws WebhookVerificationError The request is not genuine, or too old. `reason` tells why.
 * @throws TypeError A secret does not have the form `whsec_…`.
 */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const id = headerOf(request, "webhook-id");
  const timestamp = headerOf(request, "webhook-timestamp");
  const signatures = headerOf(request, "webhook-signature");
  checkTime(timestamp, request);
  const encoder = new TextEncoder();
  const body = typeof request.body === "string" ? encoder.encode(request.body) : request.body;
  const signed = joined(encoder.encode(`${id}.${timestamp}.`), body);
  const secrets = [request.secret].flat();
  const results = await Promise.all(secrets.map((secret) => isSigned(signed, signatures, secret)));
  if (!results.includes(true)) throw new WebhookVerificationError("wrong_signature", "No signature matches. Check the secret.");
  return { ...parsed(body), id };
}

function headerOf({ headers }: WebhookRequest, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : [headers[name]].flat()[0];
  if (!value) throw new WebhookVerificationError("missing_header", `Header ${name} is missing.`);
  return value;
}

function checkTime(timestamp: string, { toleranceSeconds = 300, now = new Date() }: WebhookRequest): void {
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookVerificationError("invalid_timestamp", "Header webhook-timestamp is not a number.");
  const age = now.getTime() / 1000 - Number(timestamp);
  if (age > toleranceSeconds) throw new WebhookVerificationError("too_old", `The request is older than ${toleranceSeconds} s.`);
  if (-age > toleranceSeconds)
    throw new WebhookVerificationError("too_new", `The time of the request is more than ${toleranceSeconds} s in the future.`);
}

/** Whether one of the signatures (`v1,<base64>`, separated by spaces) is that of the secret. WebCrypto compares in constant time. */
async function isSigned(signed: Uint8Array<ArrayBuffer>, signatures: string, secret: string): Promise<boolean> {
  const raw = /^whsec_(.+)$/.exec(secret)?.[1];
  const bytes = raw === undefined ? undefined : decoded(raw);
  if (bytes === undefined) throw new TypeError("secret must have the form whsec_ and base64.");
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const known = signatures.split(" ").filter((one) => one.startsWith("v1,"));
  const candidates = known.map((one) => decoded(one.slice(3))).filter((one) => one !== undefined);
  const results = await Promise.all(candidates.map((one) => crypto.subtle.verify("HMAC", key, one, signed)));
  return results.includes(true);
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function parsed(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch (cause) {
    throw new WebhookVerificationError("invalid_body", "The body is not JSON.", { cause });
  }
}
