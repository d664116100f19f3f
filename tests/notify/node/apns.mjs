// Simulates the Apple Push Notification service as documented in
// https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns. Like
// Apple's service, it allows one stream per connection until it has accepted a push with a provider token, then
// 1000 streams.
//
// Names of responses: ok, and every reason of .../handling-notification-responses-from-apns with its status.
// Unregistered_at adds the time {since} (Unix milliseconds). TooManyRequests_later and ServiceUnavailable_later
// add a Retry-After. BAD_GATEWAY is an HTML page.
//
// GET /tokens: headers and claims of the received provider tokens, in order. POST /tokens {expire: true}: all
// tokens received so far count as expired.
import { verify } from "node:crypto";
import { options, readJwt, serve } from "./push_server.mjs";

const statuses = {
  400: [
    "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
    "DeviceTokenNotForTopic", "DuplicateHeaders", "IdleTimeout", "InvalidPushType", "MissingDeviceToken", "MissingTopic",
    "PayloadEmpty", "TopicDisallowed",
  ],
  403: [
    "BadCertificate", "BadCertificateEnvironment", "BadEnvironmentKeyIdInToken", "ExpiredProviderToken", "Forbidden",
    "InvalidProviderToken", "MissingProviderToken", "UnrelatedKeyIdInToken",
  ],
  404: ["BadPath"],
  405: ["MethodNotAllowed"],
  410: ["ExpiredToken", "Unregistered"],
  413: ["PayloadTooLarge"],
  429: ["TooManyProviderTokenUpdates", "TooManyRequests"],
  500: ["InternalServerError"],
  503: ["ServiceUnavailable", "Shutdown"],
};
const statusOf = new Map(Object.entries(statuses).flatMap(([status, reasons]) => reasons.map((r) => [r, Number(status)])));

const others = new Set(["Unregistered_at", "TooManyRequests_later", "ServiceUnavailable_later", "BAD_GATEWAY"]);

const fault = (reason, more = {}, headers = {}) => ({
  status: statusOf.get(reason),
  error: reason,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ reason, ...more }),
});

const tokens = []; // {header, claims, text}
const expired = new Set();

function checkAuthorization(headers) {
  const [, text] = /^bearer (\S+)$/i.exec(headers.authorization ?? "") ?? [];
  if (!text) return fault("MissingProviderToken");
  const check = (data, signature) =>
    !options.publicKey || verify("sha256", data, { key: options.publicKey, dsaEncoding: "ieee-p1363" }, signature);
  const jwt = readJwt(text, "ES256", check);
  if (!jwt?.header.kid || !jwt.claims.iss || !Number.isInteger(jwt.claims.iat)) return fault("InvalidProviderToken");
  if (tokens.at(-1)?.text !== text) tokens.push({ ...jwt, text });
  return expired.has(text) ? fault("ExpiredProviderToken") : null;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function checkHeaders(headers) {
  if (!headers["apns-topic"]) return fault("MissingTopic");
  if (!/^[A-Za-z0-9.-]+$/.test(headers["apns-topic"])) return fault("BadTopic");
  const background = headers["apns-push-type"] === "background";
  if (!background && headers["apns-push-type"] !== "alert") return fault("InvalidPushType");
  if (!["1", "5", "10"].includes(headers["apns-priority"])) return fault("BadPriority");
  if (background && headers["apns-priority"] === "10") return fault("BadPriority");
  if (!/^\d+$/.test(headers["apns-expiration"] ?? "")) return fault("BadExpirationDate");
  if (!uuid.test(headers["apns-id"] ?? "")) return fault("BadMessageId");
  if (Buffer.byteLength(headers["apns-collapse-id"] ?? "") > 64) return fault("BadCollapseId");
  return null;
}

function read(headers, text) {
  const [, encoded] = /^\/3\/device\/([^/]*)$/.exec(headers[":path"]) ?? [];
  if (encoded === undefined) return { error: fault("BadPath") };
  const token = decodeURIComponent(encoded);
  if (headers[":method"] !== "POST") return { token, error: fault("MethodNotAllowed") };
  if (!token) return { token, error: fault("MissingDeviceToken") };
  if (!text) return { token, error: fault("PayloadEmpty") };
  if (Buffer.byteLength(text) > 4096) return { token, error: fault("PayloadTooLarge") };
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return { token, error: fault("PayloadEmpty") };
  }
  if (!body.aps) return { token, body, error: fault("PayloadEmpty") };
  return { token, body, error: checkHeaders(headers) ?? checkAuthorization(headers) };
}

function answer(name, token, headers) {
  if (statusOf.has(name)) return fault(name);
  if (name === "Unregistered_at") return fault("Unregistered", { timestamp: options.since });
  if (name === "TooManyRequests_later") return fault("TooManyRequests", {}, { "retry-after": "60" });
  if (name === "ServiceUnavailable_later") return fault("ServiceUnavailable", {}, { "retry-after": "60" });
  if (name === "BAD_GATEWAY") return { status: 502, headers: {}, body: "<html>Bad gateway</html>" };
  return { status: 200, headers: { "apns-id": headers["apns-id"] } };
}

const trusted = new WeakSet();

await serve({
  read,
  answer,
  knows: (name) => statusOf.has(name) || others.has(name),
  streams: 1,
  accepted(session) {
    if (trusted.has(session)) return;
    trusted.add(session);
    session.settings({ maxConcurrentStreams: 1000 });
  },
  more(request, text, reply) {
    const { method, url } = request;
    if (method === "GET" && url === "/tokens") reply(tokens);
    else if (method === "POST" && url === "/tokens") {
      if (JSON.parse(text).expire) for (const token of tokens) expired.add(token.text);
      reply({});
    } else return false;
    return true;
  },
});
