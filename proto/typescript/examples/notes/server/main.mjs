// The web server of the app: the built page, its configuration, the API for the page, and the webhook that the services call.
import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { ApiError, verifyWebhook, WebhookVerificationError } from "@tetrad/client";
import { api, onEvent, Refusal, userOf } from "./backend.mjs";
import { settings } from "./settings.mjs";

const { port, authUrl, feedbackUrl, notifyUrl, billingUrl, clientId, notifyPublishableKey } = settings;
const config = { authUrl, feedbackUrl, notifyUrl, billingUrl, clientId, notifyPublishableKey };
const services = [authUrl, feedbackUrl, notifyUrl, billingUrl].map((url) => new URL(url).origin).join(" ");
const contentSecurityPolicy =
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ${services}; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const folder = path.join(import.meta.dirname, "../dist");
/** @type {Record<string, string>} */
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const mostBytes = 100_000;

/** @param {http.IncomingMessage} request */
async function bodyOf(request) {
  if (!(Number(request.headers["content-length"] ?? 0) <= mostBytes) || request.headers["transfer-encoding"])
    throw new Refusal(413, "PAYLOAD_TOO_LARGE", "The request is too large.");
  return text(request);
}

/** @param {string} body */
function parsed(body) {
  try {
    return body === "" ? {} : JSON.parse(body);
  } catch {
    throw new Refusal(400, "MALFORMED_JSON", "The body is not JSON.");
  }
}

/** The answer of the API: `/api/notes/{id}/reminder` is the operation `POST notes/:/reminder`. @param {http.IncomingMessage} request @param {string} pathname */
async function callApi(request, pathname) {
  const [resource = "", id = "", ...rest] = pathname.split("/").slice(2);
  const operation = api[`${request.method} ${[resource, ...(id ? [":"] : []), ...rest].join("/")}`];
  if (operation === undefined) throw new Refusal(404, "NOT_FOUND", "There is no such operation.");
  const userId = await userOf(request.headers.authorization);
  return operation({ userId, id, body: parsed(await bodyOf(request)) });
}

/** Receives the events of the services. @param {http.IncomingMessage} request */
async function receiveWebhook(request) {
  const event = await verifyWebhook({ body: await bodyOf(request), headers: request.headers, secret: settings.webhookSecrets });
  await onEvent(event);
  return {};
}

/** @param {http.IncomingMessage} request @returns {Promise<{type: string, content: string | Buffer}>} */
async function contentFor(request) {
  const { pathname } = new URL(request.url ?? "/", "http://app");
  /** @param {unknown} value */
  const json = (value) => ({ type: "application/json", content: JSON.stringify(value) });
  if (pathname.startsWith("/api/")) return json(await callApi(request, pathname));
  if (pathname === "/webhooks/tetrad" && request.method === "POST") return json(await receiveWebhook(request));
  if (pathname === "/config.json") return json(config);
  const file = path.join(folder, pathname === "/" ? "index.html" : pathname); // a URL has no `..` in its path
  const content = await readFile(file).catch(() => undefined);
  if (content === undefined) throw new Refusal(404, "NOT_FOUND", "There is no such page.");
  return { type: types[path.extname(file)] ?? "application/octet-stream", content };
}

/** The refusal for the caller. An error of a service is explained, but its details stay here. @param {unknown} error */
function refusalOf(error) {
  if (error instanceof Refusal) return error;
  if (error instanceof WebhookVerificationError) return new Refusal(400, "WEBHOOK_REFUSED", error.message);
  console.error(error);
  if (error instanceof ApiError && error.status === 429)
    return new Refusal(429, "RATE_LIMITED", "Too many notifications within a short time. Try again in some minutes.");
  return new Refusal(500, "INTERNAL_ERROR", "Something went wrong. Try again later.");
}

const server = http.createServer(async (request, response) => {
  const headers = { "Content-Security-Policy": contentSecurityPolicy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache" };
  try {
    const { type, content } = await contentFor(request);
    response.writeHead(200, { ...headers, "Content-Type": type }).end(content);
  } catch (error) {
    const { status, code, message } = refusalOf(error);
    response.writeHead(status, { ...headers, "Content-Type": "application/json" }).end(JSON.stringify({ error: code, detail: message }));
  }
});
server.listen(port, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${port}`));
