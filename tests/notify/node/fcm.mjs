// Simulates the HTTP v1 API of Firebase Cloud Messaging, with Google's token endpoint at {control}/token. Responses follow
// https://firebase.google.com/docs/cloud-messaging/error-codes and .../reference/fcm/rest/v1/ErrorCode.
//
// Names of responses: ok, UNREGISTERED, INVALID_TOKEN (as documented), INVALID_TOKEN_FIELD (with a field violation),
// INVALID_ARGUMENT, SENDER_ID_MISMATCH, THIRD_PARTY_AUTH_ERROR, PERMISSION_DENIED, UNAUTHENTICATED, QUOTA_EXCEEDED (with
// Retry-After), QUOTA_EXCEEDED_SOON (without Retry-After), UNAVAILABLE (with Retry-After), INTERNAL, BAD_GATEWAY (an HTML
// page), NOT_FOUND (an HTML page), NONSENSE.
//
// The token endpoint checks the assertion (against {publicKey}, if given) and counts requests. POST /tokens
// {error?, description?, status?, hang?, expires_in?, retryAfter?} sets its response; {revoke: true} revokes all issued
// tokens. GET /tokens: {asked, assertions: [{header, claims}]}.
import { createVerify } from "node:crypto";
import { options, readJwt, serve } from "./push_server.mjs";

const scope = "https://www.googleapis.com/auth/firebase.messaging";
const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const retryAfter = String(options.retryAfter ?? 60);

let given = new Set();
let asked = 0;
let behaviour = {};
const assertions = [];

const fault = (code, status, message, details = [], headers = {}) => ({
  status: code,
  headers: { "content-type": "application/json; charset=UTF-8", ...headers },
  body: JSON.stringify({ error: { code, message, status, ...(details.length && { details }) } }, null, 2),
});
const fcmError = (errorCode) => ({ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode });
const violation = (field, description) => ({
  "@type": "type.googleapis.com/google.rpc.BadRequest",
  fieldViolations: [{ field, description }],
});
const page = (status) => ({ status, headers: { "content-type": "text/html" }, body: `<!DOCTYPE html><title>Error ${status}</title>` });

const answers = {
  UNREGISTERED: fault(404, "NOT_FOUND", "Requested entity was not found.", [fcmError("UNREGISTERED")]),
  INVALID_TOKEN: fault(400, "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token", [
    fcmError("INVALID_ARGUMENT"),
  ]),
  INVALID_TOKEN_FIELD: fault(400, "INVALID_ARGUMENT", "Request contains an invalid argument.", [
    fcmError("INVALID_ARGUMENT"),
    violation("message.token", "Invalid registration token"),
  ]),
  INVALID_ARGUMENT: fault(400, "INVALID_ARGUMENT", "Invalid value at 'message.data[0].value' (TYPE_STRING), 12", [
    violation("message.data[0].value", "Invalid value at 'message.data[0].value' (TYPE_STRING), 12"),
  ]),
  SENDER_ID_MISMATCH: fault(403, "PERMISSION_DENIED", "SenderId mismatch", [fcmError("SENDER_ID_MISMATCH")]),
  THIRD_PARTY_AUTH_ERROR: fault(401, "UNAUTHENTICATED", "Auth error from APNS or Web Push Service", [
    fcmError("THIRD_PARTY_AUTH_ERROR"),
  ]),
  PERMISSION_DENIED: fault(403, "PERMISSION_DENIED", "Permission 'cloudmessaging.messages.create' denied"),
  UNAUTHENTICATED: fault(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
  QUOTA_EXCEEDED: fault(429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric", [fcmError("QUOTA_EXCEEDED")], {
    "retry-after": retryAfter,
  }),
  QUOTA_EXCEEDED_SOON: fault(429, "RESOURCE_EXHAUSTED", "Device message rate exceeded", [fcmError("QUOTA_EXCEEDED")]),
  UNAVAILABLE: fault(503, "UNAVAILABLE", "The service is currently unavailable.", [fcmError("UNAVAILABLE")], {
    "retry-after": retryAfter,
  }),
  INTERNAL: fault(500, "INTERNAL", "Internal error encountered.", [fcmError("INTERNAL")]),
  BAD_GATEWAY: page(502),
  NOT_FOUND: page(404),
  NONSENSE: { status: 200, headers: {}, body: "<html>welcome</html>" },
};

const known = {
  "": ["message", "validate_only"],
  message: ["token", "notification", "data", "android", "webpush", "apns"],
  "message.notification": ["title", "body", "image"],
  "message.android": ["collapse_key", "priority", "ttl", "data", "notification"],
  "message.android.notification": [
    "title", "body", "icon", "color", "sound", "tag", "click_action", "channel_id", "image", "notification_count",
  ],
  "message.webpush": ["headers", "data", "notification", "fcm_options"],
  "message.webpush.fcm_options": ["link", "analytics_label"],
};

/// Rules for single values, by path: false for a value that the API refuses.
const rules = {
  "message.android.priority": (value) => /^(high|normal)$/i.test(value),
  "message.android.ttl": (value) => /^\d+(\.\d{1,9})?s$/.test(value) && parseFloat(value) <= 2419200,
  "message.android.notification.notification_count": (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 31,
  "message.webpush.fcm_options.link": (value) => /^https:/i.test(value),
};

/// The API's error for a body that is not a valid message; null if the body is valid.
function faultOf(value, path = "") {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return fault(400, "INVALID_ARGUMENT", `Invalid value at '${path}'`, [violation(path, "not an object")]);
  }
  for (const [key, member] of Object.entries(value)) {
    const here = path ? `${path}.${key}` : key;
    if (known[path] && !known[path].includes(key)) {
      const message = `Invalid JSON payload received. Unknown name "${key}" at '${path}': Cannot find field.`;
      return fault(400, "INVALID_ARGUMENT", message, [violation(path, message)]);
    }
    if (rules[here] && !rules[here](member)) {
      return fault(400, "INVALID_ARGUMENT", `Invalid value at '${here}'`, [violation(here, "invalid value")]);
    }
    if (known[here]) {
      const found = faultOf(member, here);
      if (found) return found;
    }
  }
  const texts = path === "message" ? value.data : path === "message.webpush" ? value.headers : null;
  for (const data of Object.entries(texts ?? {})) {
    if (typeof data[1] !== "string") return answers.INVALID_ARGUMENT;
  }
  return null;
}

let sent = 0;
function read(headers, text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return { error: fault(400, "INVALID_ARGUMENT", "Invalid JSON payload received.") };
  }
  const token = body?.message?.token;
  const path = /^\/v1\/projects\/[a-z0-9.:-]+\/messages:send$/.test(headers[":path"]);
  if (!path || headers[":method"] !== "POST") return { token, body, error: page(404) };
  if (!/^application\/json/.test(headers["content-type"] ?? "")) {
    return { token, body, error: fault(400, "INVALID_ARGUMENT", "Invalid JSON payload received.") };
  }
  if (!given.has(headers.authorization)) return { token, body, error: { ...answers.UNAUTHENTICATED, error: "UNAUTHENTICATED" } };
  if (!token) return { token, body, error: fault(400, "INVALID_ARGUMENT", "Recipient of the message is not set.") };
  return { token, body, error: faultOf(body) };
}

function answer(name, token, headers) {
  if (answers[name]) return answers[name];
  const project = headers[":path"].split("/")[3];
  const id = `projects/${project}/messages/0:${Date.now()}%${(++sent).toString(16).padStart(16, "0")}`;
  return { status: 200, headers: { "content-type": "application/json; charset=UTF-8" }, body: JSON.stringify({ name: id }, null, 2) };
}

function readAssertion(form) {
  if (form.get("grant_type") !== grant) return null;
  const verify = (data, signature) =>
    !options.publicKey || createVerify("RSA-SHA256").update(data).verify(options.publicKey, signature);
  return readJwt(form.get("assertion") ?? "", "RS256", verify);
}

function giveToken(request, text, reply) {
  asked += 1;
  const { error, description, status, hang, expires_in = 3599 } = behaviour;
  if (hang) return;
  if (error || status) return reply({ error, error_description: description }, status ?? 400);
  const jwt = readAssertion(new URLSearchParams(text));
  const audience = `http://${request.headers.host}/token`;
  const { claims } = jwt ?? {};
  const sound = claims && claims.scope === scope && claims.aud === audience && claims.iss && claims.exp - claims.iat <= 3600;
  if (!sound) return reply({ error: "invalid_grant", error_description: "Invalid JWT Signature." }, 400);
  assertions.push(jwt);
  const access_token = `ya29.${asked}-${"c".repeat(120)}`;
  given.add(`Bearer ${access_token}`);
  return reply({ access_token, expires_in, token_type: "Bearer" });
}

await serve({
  read,
  answer,
  knows: (name) => name in answers,
  more(request, text, reply) {
    const { method, url } = request;
    if (method === "POST" && url === "/token") giveToken(request, text, reply);
    else if (method === "GET" && url === "/tokens") reply({ asked, assertions });
    else if (method === "POST" && url === "/tokens") {
      const { revoke, ...rest } = JSON.parse(text);
      if (revoke) given = new Set();
      behaviour = rest;
      reply({});
    } else return false;
    return true;
  },
});
