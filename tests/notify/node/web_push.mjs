// Simulates a push service for Web Push (RFC 8030), and the browsers that subscribe to it. It decrypts each message with
// the package http_ece, and checks its VAPID header (RFC 8292) with the package web-push and with jws, which web-push uses.
// The service uses TLS at {port}. The control server for the test uses a free port of 127.0.0.1. Options: {key, cert}, files
// of the server's key and certificate.
//
// The name of a subscription selects the response: a status of three digits (`410`, `410-x`; 429 and 503 with Retry-After
// 60), `redirect` (307 to the endpoint of the subscription `target`), `hang` or `hang-x` (no response), `large` (a response of 100,000
// bytes); other names: 201 with a Location.
//
//   POST /subscribe {name, applicationServerKey} -> {endpoint, keys: {p256dh, auth}}, as of a browser's toJSON()
//   POST /script    {all?: status | null, delay?: ms}: the response to every message, and the time until each response
//   POST /listen    {on}: closes the port of the service and its connections, or opens the same port again
//   GET  /most      {most, connections}: the highest number of requests that waited for a response at the same time, and the
//                   number of connections so far
//   GET  /seen      [{name, headers, payload, claims, key, fault?}]: the received messages, in order; DELETE clears them
import { createECDH, createPublicKey, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { createRequire } from "node:module";
import { setTimeout } from "node:timers/promises";
import ece from "http_ece";

const require = createRequire(import.meta.url);
const vapid = require("web-push/src/vapid-helper.js");
const jws = createRequire(require.resolve("web-push"))("jws");

const options = JSON.parse(process.argv[2] ?? "{}");
const subscriptions = new Map(); // name -> {ecdh, auth, applicationServerKey}
const script = { all: null, delay: 0 };
let seen = [];
let waiting = 0;
let most = 0;
let connections = 0;

/// A public key in PEM, from an uncompressed point in base64url.
function pem(point) {
  const bytes = Buffer.from(point, "base64url");
  const [x, y] = [bytes.subarray(1, 33), bytes.subarray(33)].map((half) => half.toString("base64url"));
  return createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" }).export({ type: "spki", format: "pem" });
}

/// Checks the VAPID header as a push service does. Returns {claims, key}, or throws an error.
function readVapid(header) {
  const [, token, key] = /^vapid t=([^,\s]+), ?k=([^,\s]+)$/.exec(header ?? "") ?? [];
  if (!token) throw new Error("no VAPID header");
  vapid.validatePublicKey(key);
  if (!jws.verify(token, "ES256", pem(key))) throw new Error("wrong signature");
  const { header: jose, payload } = jws.decode(token, { json: true });
  if (jose.typ !== "JWT" || jose.alg !== "ES256") throw new Error("wrong type of token");
  vapid.validateSubject(payload.sub);
  vapid.validateExpiration(payload.exp);
  if (payload.exp <= Date.now() / 1000) throw new Error("expired");
  return { claims: payload, key };
}

/// RFC 8030, 5: TTL is required, Urgency and Topic have fixed forms.
function checkHeaders(headers) {
  if (headers["content-encoding"] !== "aes128gcm") throw new Error("wrong content coding");
  if (!/^\d+$/.test(headers.ttl ?? "")) throw new Error("wrong TTL");
  if (!["very-low", "low", "normal", "high", undefined].includes(headers.urgency)) throw new Error("wrong urgency");
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(headers.topic ?? "x")) throw new Error("wrong topic");
}

function decrypt(subscription, body) {
  if (body.length > 4096) throw new Error("too large");
  return ece.decrypt(body, { version: "aes128gcm", privateKey: subscription.ecdh, authSecret: subscription.auth }).toString();
}

/// Reads a message into `push`. Returns the status of a fault; null if there is none.
function read(push, headers, body) {
  const subscription = subscriptions.get(push.name);
  if (!subscription) return 404;
  try {
    checkHeaders(headers);
    Object.assign(push, readVapid(headers.authorization));
    if (push.claims.aud !== origin()) throw new Error("wrong audience");
    if (push.key !== subscription.applicationServerKey) return 403;
    push.payload = decrypt(subscription, body);
    return null;
  } catch (error) {
    push.fault = error.message;
    return 400;
  }
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const service = https.createServer({ key: readFileSync(options.key), cert: readFileSync(options.cert) }, async (request, response) => {
  const name = decodeURIComponent(request.url.replace(/^\/push\//, ""));
  most = Math.max(most, ++waiting);
  const body = await bodyOf(request);
  if (script.delay > 0) await setTimeout(script.delay);
  waiting -= 1;
  const push = { name, headers: request.headers };
  const fault = request.method === "POST" ? read(push, request.headers, body) : 405;
  seen.push(push);
  const wanted = script.all ?? Number(/^(\d{3})(-|$)/.exec(name)?.[1] ?? 201);
  const status = fault ?? wanted;
  if (!fault && /^hang(-|$)/.test(name)) return;
  if (!fault && name === "redirect") return response.writeHead(307, { location: `${origin()}/push/target` }).end();
  const headers = [429, 503].includes(status) ? { "retry-after": "60" } : { location: `${origin()}/message/1` };
  response.writeHead(status, headers).end(name === "large" ? "x".repeat(100_000) : "");
});

service.on("connection", () => connections++);

let port = 0;
const origin = () => `https://127.0.0.1:${port}`;

async function listen(on) {
  if (on) {
    service.listen(port, "127.0.0.1");
    await once(service, "listening");
    port = service.address().port;
  } else {
    service.close();
    service.closeAllConnections();
    await once(service, "close");
  }
}

function subscribe({ name, applicationServerKey }) {
  const ecdh = createECDH("prime256v1");
  ecdh.generateKeys();
  const auth = randomBytes(16).toString("base64url");
  subscriptions.set(name, { ecdh, auth, applicationServerKey });
  return {
    endpoint: `${origin()}/push/${encodeURIComponent(name)}`,
    expirationTime: null,
    keys: { p256dh: ecdh.getPublicKey("base64url"), auth },
  };
}

const control = http.createServer(async (request, response) => {
  const body = await bodyOf(request);
  const reply = (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  const asked = `${request.method} ${request.url}`;
  if (asked === "POST /subscribe") return reply(subscribe(JSON.parse(body)));
  if (asked === "GET /seen") return reply(seen);
  if (asked === "GET /most") return reply({ most, connections });
  if (asked === "DELETE /seen") seen = [];
  else if (asked === "POST /script") Object.assign(script, JSON.parse(body));
  else if (asked === "POST /listen") await listen(JSON.parse(body).on);
  else return response.writeHead(404).end();
  return reply({});
});

await listen(true);
control.listen(0, "127.0.0.1", () =>
  console.log(JSON.stringify({ port, url: origin(), control: `http://127.0.0.1:${control.address().port}` })),
);
