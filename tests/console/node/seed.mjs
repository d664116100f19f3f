// Data of one environment with hostile texts in all four services, for the tests of the console.
//
//     const data = await fill(place); // all of it; `fillDevelopers`, `fillUsers`, `fillFeedback`, `fillNotify` and `fillBilling` make the parts
//
// Each text that only one environment may show contains `place.mark`.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { eventually, hostile, serviceNames } from "./stack.mjs";

export async function fill(place) {
  const webhookIds = await fillDevelopers(place);
  const accounts = await fillUsers(place);
  const threads = await fillFeedback(place);
  return { webhookIds, ...accounts, threads, strangerId: hostile.html, ...(await fillNotify(place)), ...(await fillBilling(place)) };
}

/** API keys, allowed origins, and a webhook of each service, whose endpoint does not exist. Returns the identifiers of the webhooks by service. */
export async function fillDevelopers(place) {
  const { mark, environment } = place;
  for (const service of ["auth", "notify", "billing"]) await place[service].mintKey({ environment, ...(service === "notify" && { kind: "publishable" }) });
  await place.feedback.updateSettings({ allowedOrigins: [`https://${mark}.example`] });
  const found = {};
  for (const service of serviceNames) {
    const url = `http://127.0.0.1:9/${mark}/${hostile.long(1800)}`;
    found[service] = (await place[service].createWebhook({ url, description: `${hostile.html} ${hostile.rtl} ${mark}`, events: [] })).webhookId;
  }
  return found;
}

/** Accounts in each status. The user of the seeds has signed in with a hostile name of the browser. */
export async function fillUsers(place) {
  const { auth, mark, members } = place;
  const named = (email, more = {}) => auth.createMember({ email, password: "a violet teapot", emailVerified: true, ...more });
  const formula = await named(`=1+1|cmd@${mark}.example`);
  const long = await named(`${"w".repeat(64)}@${"w".repeat(60)}.${"w".repeat(60)}.${mark}.example`);
  const disabled = await named(`disabled@${mark}.example`);
  await auth.updateMember(disabled.userId, { status: "disabled" });
  const unverified = await named(`unverified@${mark}.example`, { emailVerified: false });
  const invited = await auth.createMember({ email: `invited@${mark}.example`, invite: true });
  const gone = await named(`gone@${mark}.example`);
  const { erasureId } = await auth.deleteMember(gone.userId);
  const { email, password } = members.user;
  await place.client("auth", null).login({ email, password }, { headers: { "User-Agent": `${hostile.html} ${"W".repeat(200)}` } });
  await assert.rejects(place.client("auth", null).login({ email, password: "wrong" }, { headers: { "User-Agent": hostile.script } }));
  return { users: { formula, long, disabled, unverified, invited }, erasureId };
}

/** Threads in each status with replies, notes, votes, files, a merge and a deletion. */
export async function fillFeedback(place) {
  const { feedback, mark, members } = place;
  const user = place.client("feedback", await members.user.token());
  const author = { userId: members.user.userId, userEmail: members.user.email };
  const create = (title, body, more = {}) => feedback.createFeedback({ category: "bug", title: `${title} ${mark}`, body, ...author, ...more });
  const file = await feedback.uploadAttachment({ filename: `${hostile.html} ${hostile.emoji}.txt`.replaceAll("/", ""), contentType: "text/plain" }, new Blob([`file of ${mark}`], { type: "text/plain" }));

  const html = await create(hostile.html, hostile.script, { priority: "critical", tags: [hostile.html, hostile.rtl, hostile.formula, hostile.emoji], attachmentIds: [file.attachmentId], appContext: { appName: hostile.html, appVersion: hostile.rtl, os: hostile.emoji, osVersion: hostile.formula } });
  const rtl = await create(hostile.rtl, `${hostile.rtl}\n\n${hostile.rtl}`, { category: "support", priority: "high" });
  const emoji = await create(hostile.emoji, hostile.emoji.repeat(100), { category: "general", priority: "low" });
  const formula = await create(hostile.formula, hostile.formula, { category: "feature" });
  const long = await feedback.createFeedback({ category: "bug", title: hostile.long(200), body: hostile.long(), ...author, tags: [hostile.long(50)], priority: "medium" });
  const stranger = await create("Written for another system", "By the backend.", { userId: `${hostile.html} ${hostile.long(200)}`, userEmail: `=1+1|cmd@${mark}.example`, category: "support" });
  const anonymous = await create("Without a user", "By the backend.", { userId: null, userEmail: null });
  const dark = await create("Dark mode for the editor", "My eyes hurt at night.", { category: "feature", priority: "high" });
  const twin = await create("Dark mode in the editor please", "Too bright.", { category: "feature" });
  const merged = await create("Dark mode editor", "The same again.", { category: "feature" });
  const resolved = await create("The export does nothing", "A click has no effect.", { priority: "medium" });
  const deleted = await create("Sent by mistake", "Never mind.");

  await feedback.updateSettings({ publicBoard: true, boardName: `${hostile.html} & Söhne`, boardColor: "#7c3aed" });
  for (const { feedbackId } of [dark, twin, formula]) await feedback.updateFeedback(feedbackId, { visibility: "public" });
  for (const voter of ["ada", "grace", hostile.html, `${hostile.rtl}${hostile.emoji}`]) await feedback.voteForUser(dark.feedbackId, voter);
  await feedback.voteForUser(merged.feedbackId, "linus");
  await feedback.mergeFeedback(merged.feedbackId, { into: dark.feedbackId });

  await feedback.postReply(html.feedbackId, { body: `${hostile.html} ${mark}` });
  await user.postReply(html.feedbackId, { body: `${hostile.rtl} ${hostile.emoji} ${mark}` });
  await feedback.postReply(html.feedbackId, { body: `${hostile.script} ${mark}`, internal: true });
  await user.postReply(html.feedbackId, { body: hostile.long() });
  const edited = await user.postReply(html.feedbackId, { body: hostile.formula });
  await user.updateReply(html.feedbackId, edited.replyId, { body: `${hostile.formula} ${hostile.html}` });
  await feedback.updateFeedback(html.feedbackId, { status: "in-progress", assigneeId: members.admin.userId, assigneeEmail: members.admin.email });
  await feedback.updateFeedback(rtl.feedbackId, { assigneeId: `${hostile.html} of another system`, assigneeEmail: null });
  await feedback.postReply(resolved.feedbackId, { body: "This is mended." });
  await feedback.updateFeedback(resolved.feedbackId, { status: "resolved" });
  await feedback.deleteFeedback(deleted.feedbackId);
  return { html, rtl, emoji, formula, long, stranger, anonymous, dark, twin, merged, resolved, deleted };
}

/** Templates, notifications in several states, devices, a broadcast, and credentials. Both environments share the templates, so their names have no mark. */
export async function fillNotify(place) {
  const { notify, mark, members, environment } = place;
  const templates = await notify.listTemplates({ limit: 100 });
  const template = async (body) => templates.templates.find(({ name }) => name === body.name) ?? notify.createTemplate(body);
  const mail = await template({ name: `${hostile.html} mail`, channel: "email", subject: `${hostile.html} {{name}}`, body: `<script>alert(1)</script><p>Hello {{name}}</p><img src="https://evil.example/x.png">` });
  const sms = await template({ name: `${hostile.rtl} ${hostile.emoji}`, channel: "sms", body: `{{name}} ${hostile.rtl}` });
  const push = await template({ name: `${hostile.formula} push`, channel: "push", subject: "{{name}} answered", body: hostile.emoji });
  const long = await template({ name: hostile.long(100), channel: "email", subject: hostile.long(200), body: hostile.long(), format: "text" });

  const key = generateKeyPairSync("ec", { namedCurve: "P-256", privateKeyEncoding: { type: "pkcs8", format: "pem" }, publicKeyEncoding: { type: "spki", format: "pem" } });
  await notify.putPlatform("apns", { keyId: "ABCDE12345", teamId: "TEAM123456", bundleId: `com.example.${mark}`, environment, privateKey: key.privateKey });
  await notify.putPlatform("webpush", { subject: `mailto:${mark}@example.com` });
  await notify.registerDevice({ userId: members.user.userId, token: `${mark}-1-${hostile.long(900)}`, platform: "ios" });
  await notify.registerDevice({ userId: `${hostile.html}`, token: `${mark}-2`, platform: "ios" });

  const variables = { name: `${hostile.html} ${mark}` };
  const send = (name, channel, to, more = {}) => notify.sendNotification({ templateName: name, channel, to, variables, ...more });
  const { notificationId } = await send(mail.name, "email", members.user.email);
  await send(sms.name, "sms", "+14155550123");
  await send(push.name, "push", members.user.userId);
  const later = await send(mail.name, "email", `later@${mark}.example`, { sendAt: new Date(Date.now() + 7 * 86_400_000).toISOString() });
  const failed = await send(mail.name, "email", `failed@${mark}.example`, { sendAt: new Date(Date.now() + 86_400_000).toISOString() });
  await notify.cancelNotification(failed.notificationId);
  const { broadcastId } = await notify.startBroadcast({ templateName: push.name, channel: "push", variables, dedupeKey: `${hostile.html} ${mark}` });
  await notify.verifyDomain({ domain: `${mark}.example`, fromEmail: `hello@${mark}.example`, fromName: hostile.html.replaceAll(/[<>]/g, "") });
  await eventually(async () => (await notify.getNotification(notificationId)).status !== "queued");
  return { templateIds: [mail, sms, push, long].map(({ templateId }) => templateId), notificationId, laterId: later.notificationId, broadcastId };
}

/** Products with entitlements in each state. Both environments share the products, so their names have no mark. */
export async function fillBilling(place) {
  const { billing, mark, members } = place;
  const { items } = await billing.listProducts({ limit: 100 });
  const product = async (body) => items.find(({ providerProductId }) => providerProductId === body.providerProductId) ?? billing.createProduct(body);
  const html = await product({ providerProductId: `${hostile.html}.monthly`, name: hostile.html, kind: "subscription", features: [hostile.html, hostile.rtl], grants: [{ name: hostile.emoji, quantity: 5 }] });
  const formula = await product({ providerProductId: hostile.formula, name: `${hostile.formula}`, kind: "lifetime", features: [hostile.formula] });
  const long = await product({ providerProductId: hostile.long(255), name: hostile.long(100), kind: "consumable", grants: [{ name: hostile.long(100), quantity: 9_007_199_254_740_991 }] });
  const soon = new Date(Date.now() + 30 * 86_400_000).toISOString();
  await billing.grantEntitlement(members.user.userId, { productId: html.productId, expiresAt: soon, reason: `${hostile.html} ${mark}` });
  await billing.grantEntitlement(members.user.userId, { productId: long.productId, expiresAt: null, reason: hostile.long(200) });
  const past = await billing.grantEntitlement(members.user.userId, { productId: formula.productId, expiresAt: null, reason: `${hostile.formula} ${mark}` });
  await billing.revokeGrant(members.user.userId, past.entitlementId);
  await billing.grantEntitlement(`${hostile.html} ${mark}`, { productId: html.productId, expiresAt: soon, reason: hostile.rtl });
  assert.ok((await billing.listSubscribers()).items.length > 0);
  return { productId: html.productId };
}
