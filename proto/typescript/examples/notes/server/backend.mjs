// The backend of the app: verifies who calls, keeps the notes of each user, checks what the user has paid for, and sends pushes.
import { Billing, Notify } from "@tetrad/client";
import { localhostFetch } from "@tetrad/client/localhost";
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from "jose";
import { pro, templateName } from "./product.mjs";
import { pay } from "./purchases.mjs";
import { settings } from "./settings.mjs";
import { dataOf, forget, save } from "./store.mjs";

/** @import { WebhookEvent } from "@tetrad/client" */
/** @typedef {{ userId: string, id: string, body: any }} Call */

/** A request that the backend refuses. */
export class Refusal extends Error {
  /** @param {number} status @param {string} code @param {string} detail */
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

// --- who calls -------------------------------------------------------------------------------------------------------------------

// localhostFetch reaches the local stack at names such as demo-sandbox.auth.localhost. For other names it is `fetch`.
const keys = createRemoteJWKSet(new URL("/.well-known/jwks.json", settings.authUrl), {
  [customFetch]: (url, init) => localhostFetch(new Request(url, init)),
});
const expected = { issuer: settings.authUrl, audience: "tetrad", algorithms: ["ES256"], typ: "at+jwt" };

/** The user of an access token of auth-mfa. @param {string | undefined} authorization */
export async function userOf(authorization) {
  try {
    const { payload } = await jwtVerify(authorization?.replace(/^Bearer /, "") ?? "", keys, expected);
    return /** @type {string} */ (payload.sub);
  } catch (error) {
    const isRefused = error instanceof errors.JOSEError && !["ERR_JWKS_TIMEOUT", "ERR_JOSE_GENERIC"].includes(error.code);
    throw isRefused ? new Refusal(401, "UNAUTHORIZED", "Sign in again.") : error;
  }
}

// --- billing and notify ----------------------------------------------------------------------------------------------------------

const billing = new Billing({ baseUrl: settings.billingUrl, apiKey: settings.billingKey, fetch: localhostFetch });
const notify = new Notify({ baseUrl: settings.notifyUrl, apiKey: settings.notifyKey, fetch: localhostFetch });

/** Sends a push to the user's devices, and files it in the inbox. A repetition with the same key sends nothing. @param {string} userId @param {{title: string, body: string}} texts @param {string} [idempotencyKey] */
async function push(userId, texts, idempotencyKey) {
  const sent = await notify.sendNotification(
    { templateName, channel: "push", to: userId, variables: texts },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  );
  const data = dataOf(userId);
  if (data.inbox.some(({ id }) => id === sent.notificationId)) return;
  data.inbox.unshift({ id: sent.notificationId, ...texts, at: new Date().toISOString() });
  data.inbox.splice(50);
  save(userId, data);
}

/** Handles an event of a service. The same event may come more than once. @param {WebhookEvent} event */
export async function onEvent(event) {
  if (event.type === "user.deleted") forget(event.data.userId);
  if (event.type !== "entitlement.changed") return;
  const { from, entitlement } = event.data;
  if (from === null && entitlement.isActive && entitlement.features.includes(pro.feature))
    await push(entitlement.userId, { title: "Notes Pro is yours", body: "Give your notes a colour." }, event.id);
}

// --- the operations of the page --------------------------------------------------------------------------------------------------

const colours = ["none", "sun", "rose", "sky", "mint", "violet"];
const mostNotes = 500;

/** @param {Call} call */
async function putNote({ userId, id, body: { title, text, colour } }) {
  if (!/^[\w-]{1,40}$/.test(id) || typeof title !== "string" || title.length > 200 || typeof text !== "string" || text.length > 20_000 || !colours.includes(colour))
    throw new Refusal(400, "VALIDATION_ERROR", "The note is too long, or its colour is unknown.");
  const old = dataOf(userId).notes.find((note) => note.id === id);
  // The page hides the feature, and the backend protects it.
  if (colour !== (old?.colour ?? "none") && !(await billing.checkFeature(userId, pro.feature)).granted)
    throw new Refusal(402, "FEATURE_NOT_GRANTED", "Colours are part of Notes Pro.");
  const data = dataOf(userId); // after the wait for billing
  const note = { id, title, text, colour, changedAt: new Date().toISOString() };
  const notes = [note, ...data.notes.filter((one) => one.id !== id)];
  if (notes.length > mostNotes) throw new Refusal(409, "TOO_MANY_NOTES", `You have ${mostNotes} notes. Delete one first.`);
  save(userId, { ...data, notes });
  return note;
}

/** @param {Call} call */
function deleteNote({ userId, id }) {
  const data = dataOf(userId);
  data.notes = data.notes.filter((note) => note.id !== id);
  save(userId, data);
  return { deleted: true };
}

/** @param {Call} call */
async function remind({ userId, id }) {
  const note = dataOf(userId).notes.find((one) => one.id === id);
  if (!note) throw new Refusal(404, "NOT_FOUND", "This note was deleted.");
  await push(userId, { title: note.title || "Untitled note", body: note.text.slice(0, 200) || "You wanted to be reminded." });
  return { sent: true };
}

/** The inbox: the backend keeps the texts, and notify knows what became of each push. @param {Call} call */
async function listInbox({ userId }) {
  const { inbox } = dataOf(userId);
  if (inbox.length === 0) return [];
  const { notifications } = await notify.listNotifications({ to: userId, channel: "push", limit: 100 });
  return inbox.map((item) => ({ ...item, status: notifications.find(({ notificationId }) => notificationId === item.id)?.status ?? "sent" }));
}

/** @param {Call} call */
async function openNotification({ userId, id }) {
  if (!dataOf(userId).inbox.some((item) => item.id === id)) throw new Refusal(404, "NOT_FOUND", "There is no such notification.");
  await notify.openNotification(id);
  return { opened: true };
}

/** @type {Record<string, (call: Call) => unknown>} */
export const api = {
  "GET notes": ({ userId }) => dataOf(userId).notes,
  "PUT notes/:": putNote,
  "DELETE notes/:": deleteNote,
  "POST notes/:/reminder": remind,
  "GET inbox": listInbox,
  "POST inbox/:/opened": openNotification,
  "POST checkout": ({ userId }) => pay(userId),
};
