// The story of notify: email, push, text messages, broadcasts and a custom domain.
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Notify, NotifyComponents } from "@tetrad/client";
import { administer, listen, readReference } from "./shared.js";
import { collected, errorOf, eventually, refused, type World } from "./world.js";

type Notification = NotifyComponents["schemas"]["Notification"];
type Send = NotifyComponents["schemas"]["Send"];

const pem = { type: "pkcs8", format: "pem" } as const;

const send = async (backend: Notify, body: Send): Promise<string> => (await backend.sendNotification(body)).notificationId;

/** A notification that is no longer queued. */
const outcome = (backend: Notify, notificationId: string): Promise<Notification> =>
  eventually(async () => {
    const found = await backend.getNotification(notificationId);
    return found.status === "queued" ? undefined : found;
  });

export async function notify(world: World): Promise<void> {
  const operator = world.notify(world.env["MASTER_KEY"]);
  const key = world.keys["NOTIFY_SANDBOX_KEY"]!;
  const backend = world.notify(key);
  const app = world.notify(world.keys["NOTIFY_SANDBOX_PUBLISHABLE_KEY"]);
  const limits = { sendsPer5Minutes: 1000, sandboxSms: true }; // text messages go to the simulated Twilio
  await operator.putTenant("demo", { displayName: "demo", limits });

  await templates(backend);
  await platforms(backend);
  await webPush(backend, app);

  // Ada's app registers her phone with the publishable key.
  const phone = { userId: "ada", token: "c0ffee", platform: "ios" } as const;
  assert.equal((await app.registerDevice(phone)).userId, "ada");
  await refused(app.listDevices({ userId: "ada" }), "FORBIDDEN");
  assert.deepEqual(
    (await backend.listDevices({ userId: "ada" })).items.map(({ token }) => token),
    ["c0ffee"],
  );
  assert.equal((await backend.testDevice("c0ffee")).result, "sent");

  // An email, a text message and a push are accepted and then sent.
  const heard = await listen(world, "notify", key, "notification.sent");
  const mail = await send(backend, {
    templateName: "welcome",
    channel: "email",
    to: "ada@example.org",
    variables: { name: "Ada" },
    attachments: await attachments(world, backend),
  });
  assert.equal((await outcome(backend, mail)).status, "sent");
  assert.match(readFileSync(path.join(world.env["EMAIL_OUTBOX"]!, `${mail}.eml`), "utf8"), /Subject: Welcome, Ada/);
  assert.equal((await heard<Notification>(mail)).channel, "email");
  await text(world, backend);
  const push = await send(backend, {
    templateName: "answer",
    channel: "push",
    to: "ada",
    variables: { from: "Grace", text: "It is planned." },
    data: { thread: "42" },
    push: { ttlSeconds: 3600, collapseKey: "thread-42", link: "https://app.example.com/threads/42", badge: 1 },
  });
  assert.deepEqual(
    (await outcome(backend, push)).deliveries?.map(({ status }) => status),
    ["sent"],
  );
  assert.deepEqual(world.apple.pushes, ["/3/device/c0ffee", "/3/device/c0ffee"]);

  // The phone reports that it has received the push, and Ada opens it.
  const got = { id: push, context: "background", timestamp: new Date().toISOString() };
  assert.deepEqual(await backend.ackNotifications({ notifications: [got] }), {
    acknowledged: 1,
    results: [{ id: push, result: "delivered" }],
  });
  assert.equal((await backend.openNotification(push)).status, "opened");
  const { items } = await backend.listNotificationEvents(push);
  assert.deepEqual(
    items.map(({ status }) => status),
    ["opened", "delivered", "sent", "queued"],
  );
  const listed = await backend.listNotifications({ status: "opened", channel: "push", to: "ada", limit: 1 });
  assert.deepEqual(
    listed.notifications.map(({ notificationId }) => notificationId),
    [push],
  );

  await broadcast(world, backend);
  await later(backend);
  await domain(world, backend);
  await suppress(world, backend);
  await settle(world, backend);

  // The backend exports and erases a user.
  const exported = await collected(backend.exportUser("ada"));
  assert.ok(exported.some(({ type }) => type === "notification"));
  assert.deepEqual(await backend.eraseUser("ada"), { deleted: true });

  await administer(world, "notify");
  await readReference(world, "notify");
}

/** Creates three templates, which both environments share, and previews one. */
async function templates(backend: Notify): Promise<void> {
  const body = {
    name: "welcome",
    channel: "email",
    subject: "Welcome, {{name}}",
    body: "<p>Hello <b>{{name}}</b>, how are you?</p>",
  } as const;
  const { templateId, placeholders } = await backend.createTemplate(body);
  assert.deepEqual(placeholders, ["name"]);
  await refused(backend.createTemplate(body), "CONFLICT");
  await backend.createTemplate({ name: "code", channel: "sms", body: "{{code}} is your code." });
  const options = { priority: "normal", sound: "default" } as const;
  const answer = await backend.createTemplate({
    name: "answer",
    channel: "push",
    subject: "{{from}} answered",
    body: "{{text}}",
    push: options,
  });
  assert.deepEqual(answer.push, options);
  const shown = await backend.previewTemplate(templateId, { variables: { name: "Ada & Grace" } });
  assert.equal(shown.body, "<p>Hello <b>Ada &amp; Grace</b>, how are you?</p>");
  await refused(backend.previewTemplate(templateId, { variables: {} }), "VALIDATION_ERROR");
  const read = await backend.getTemplate(templateId).withResponse();
  const changed = await backend.updateTemplate(
    templateId,
    { subject: "Welcome, {{name}}!" },
    { ifMatch: read.response.headers.get("ETag")! },
  );
  assert.equal(changed.version, 2);
  await backend.updateTemplate(templateId, { subject: body.subject });
  const { templateId: spare } = await backend.createTemplate({ ...body, name: "spare" });
  await backend.deleteTemplate(spare);
  const all = await backend.listTemplates();
  assert.deepEqual(
    all.templates.map(({ name }) => name),
    ["answer", "code", "welcome"],
  );
  const paged = await backend.listTemplates({ limit: 2 });
  assert.equal(paged.templates.length, 2);
  assert.equal(typeof paged.nextCursor, "string");
}

/** Stores push credentials for APNs and FCM and deletes those for FCM. */
async function platforms(backend: Notify): Promise<void> {
  await refused(
    backend.sendNotification({ templateName: "answer", channel: "push", to: "ada", variables: { from: "", text: "" } }),
    "PUSH_CHANNEL_DISABLED",
  );
  const apple = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: pem,
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const apns = await backend.putPlatform("apns", {
    keyId: "ABCDE12345",
    teamId: "TEAM123456",
    bundleId: "com.example.demo",
    environment: "sandbox",
    privateKey: apple.privateKey,
  });
  assert.ok(apns.kind === "apns" && apns.bundleId === "com.example.demo");
  const google = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: pem,
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const account = {
    type: "service_account",
    project_id: "demo-project",
    private_key: google.privateKey,
    client_email: "push@demo-project.iam.gserviceaccount.com",
  } as const;
  await backend.putPlatform("fcm", { serviceAccountKey: account });
  assert.deepEqual(
    (await backend.listPlatforms()).platforms.map(({ kind }) => kind),
    ["fcm", "apns"],
  );
  await backend.deletePlatform("fcm");
}

/** Makes keys for Web Push, registers a browser, makes a new key, and deletes the keys. */
async function webPush(backend: Notify, app: Notify): Promise<void> {
  const browser = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(browser.x!, "base64url"), Buffer.from(browser.y!, "base64url")]);
  const endpoint = "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABl7xQ2";
  const keys = { p256dh: point.toString("base64url"), auth: Buffer.alloc(16, 7).toString("base64url") };
  const device = { userId: "browser", platform: "web", subscription: { endpoint, keys } } as const;
  await refused(backend.getWebPushKey(), "NOT_FOUND");
  await refused(app.registerDevice(device), "PUSH_CHANNEL_DISABLED");
  const made = await backend.putPlatform("webpush", { subject: "mailto:push@example.com" });
  assert.ok(made.kind === "webpush");
  assert.equal((await backend.getWebPushKey()).publicKey, made.publicKey);
  await refused(app.getWebPushKey(), "FORBIDDEN");
  const { token } = await app.registerDevice(device);
  assert.equal(token, createHash("sha256").update(endpoint).digest("hex"));
  const rotated = await backend.putPlatform("webpush", { rotate: true });
  assert.ok(rotated.kind === "webpush" && rotated.publicKey !== made.publicKey);
  await app.unregisterDevice(token);
  await backend.deletePlatform("webpush");
}

/** Sends an inline file and an uploaded file. */
async function attachments(world: World, backend: Notify): Promise<NonNullable<Send["attachments"]>> {
  const pdf = Buffer.from("%PDF-1.7 and so on");
  const file = await backend.uploadAttachment({ filename: "invoice.pdf" }, new Blob([pdf], { type: "application/pdf" }));
  assert.deepEqual((await world.send("notify", "GET", file.downloadUrl!)).body, pdf);
  return [
    { attachmentId: file.attachmentId },
    { filename: "terms.txt", contentType: "text/plain", content: Buffer.from("Be kind.").toString("base64") },
  ];
}

/** Sends a text message; Twilio reports its delivery. */
async function text(world: World, backend: Notify): Promise<void> {
  const id = await send(backend, { templateName: "code", channel: "sms", to: "+14155550123", variables: { code: "314159" } });
  assert.equal((await outcome(backend, id)).status, "sent");
  const message = await eventually(() => world.twilio.messages.find((sent) => sent.get("Body") === "314159 is your code."));
  const url = message.get("StatusCallback")!;
  const form = { MessageSid: `SM${"1".padStart(32, "0")}`, MessageStatus: "delivered" };
  const headers = { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": world.twilio.signature(url, form) };
  assert.equal((await world.send("notify", "POST", url, headers, new URLSearchParams(form).toString())).status, 204);
  assert.equal((await outcome(backend, id)).status, "delivered");
  assert.equal(
    (await world.send("notify", "POST", url, { ...headers, "x-twilio-signature": "" }, new URLSearchParams(form).toString())).status,
    401,
  );
}

/** Sends a push to every device. A second broadcast with the same dedupe key does not start. */
async function broadcast(world: World, backend: Notify): Promise<void> {
  for (const n of [1, 2, 3]) await backend.registerDevice({ userId: `user-${n}`, token: `beef0${n}`, platform: "ios" });
  await backend.unregisterDevice("beef03");
  const body = {
    templateName: "answer",
    channel: "push",
    variables: { from: "We", text: "Night mode is here." },
    dedupeKey: "story",
  } as const;
  const { broadcastId, status } = await backend.startBroadcast(body);
  assert.equal(status, "queued");
  const done = await eventually(async () => {
    const found = await backend.getBroadcast(broadcastId);
    return found.completedAt === null ? undefined : found;
  });
  assert.deepEqual([done.enqueuedDevices, done.sentCount, done.failedCount, done.invalidTokenCount], [3, 3, 0, 0]);
  assert.deepEqual(await backend.startBroadcast(body), { broadcastId, status: "duplicate" });
  const { carriers, ...listed } = done;
  assert.deepEqual(carriers, [{ kind: "apns", state: "ok", since: null }]);
  assert.deepEqual((await backend.listBroadcasts()).items, [listed]);
  await refused(backend.cancelBroadcast(broadcastId), "CONFLICT");
  await refused(backend.startBroadcast({ ...body, templateName: "code", dedupeKey: "other" }), "TEMPLATE_NOT_PUSH");
  await stop(world, backend);
}

/** Cancels a broadcast while Apple has not answered. */
async function stop(world: World, backend: Notify): Promise<void> {
  world.apple.hold();
  const { broadcastId } = await backend.startBroadcast({ templateName: "answer", channel: "push", variables: { from: "", text: "Stop" } });
  const stopped = await backend.cancelBroadcast(broadcastId);
  assert.notEqual(stopped.cancelledAt, null);
  world.apple.release();
}

/** Schedules a notification for tomorrow, cancels it and retries it. */
async function later(backend: Notify): Promise<void> {
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  const notificationId = await send(backend, {
    templateName: "code",
    channel: "sms",
    to: "+14155550123",
    variables: { code: "271828" },
    sendAt,
  });
  const cancelled = await backend.cancelNotification(notificationId);
  assert.deepEqual([cancelled.status, cancelled.failureReason], ["failed", "CANCELLED"]);
  await refused(backend.cancelNotification(notificationId), "CONFLICT");
  assert.equal((await backend.retryNotification(notificationId)).status, "queued");
  await backend.cancelNotification(notificationId);
}

/** A custom domain: its records are added to the DNS, the service verifies it, and emails are signed. */
async function domain(world: World, backend: Notify): Promise<void> {
  const asked = { domain: "shop.example", fromEmail: "hello@shop.example", fromName: "The Shop" };
  const pending = await backend.verifyDomain(asked);
  assert.equal(pending.status, "pending");
  for (const { name, value } of pending.dnsRecords) world.names.records.set(name, value);
  const verified = await backend.getDomainStatus();
  assert.deepEqual(
    verified.dnsRecords.map(({ status }) => status),
    ["verified", "verified", "verified", "verified"],
  );
  assert.equal(verified.status, "verified");
  const mail = await send(backend, { templateName: "welcome", channel: "email", to: "ada@example.org", variables: { name: "Ada" } });
  assert.equal((await outcome(backend, mail)).status, "sent");
  assert.match(
    readFileSync(path.join(world.env["EMAIL_OUTBOX"]!, `${mail}.eml`), "utf8"),
    /^DKIM-Signature: (.|\r\n[ \t])*d=shop\.example/m,
  );
  await backend.deleteDomain();
  await refused(backend.getDomainStatus(), "NOT_FOUND");
}

/** A number that has opted out gets no messages until the suppression is deleted. */
async function suppress(world: World, backend: Notify): Promise<void> {
  const to = "+14155550199";
  world.twilio.optedOut.add(to);
  const reasons: (string | null)[] = [];
  for (const code of ["161803", "141421"])
    reasons.push(
      (await outcome(backend, await send(backend, { templateName: "code", channel: "sms", to, variables: { code } }))).failureReason,
    );
  assert.deepEqual(reasons, ["21610", "SUPPRESSED"]);
  assert.deepEqual(
    (await backend.listSuppressions()).items.map(({ address }) => address),
    [to],
  );
  await backend.deleteSuppression(to);
}

async function settle(world: World, backend: Notify): Promise<void> {
  assert.equal((await backend.updateSettings({ pushEnabled: false })).pushEnabled, false);
  await eventually(async () => {
    const error = await errorOf(send(backend, { templateName: "answer", channel: "push", to: "ada", variables: { from: "", text: "" } }));
    return error?.status === 409 ? true : undefined; // other threads get new settings a moment later
  });
  assert.equal((await backend.updateSettings({ pushEnabled: null })).pushEnabled, true);
  assert.equal((await backend.getSettings()).pushEnabled, true);
  const { items } = await backend.listAudit({ action: "domain.verified" });
  assert.deepEqual(
    items.map(({ subjectId }) => subjectId),
    ["shop.example"],
  );

  const operator = world.notify(world.env["MASTER_KEY"]);
  const { prefix } = await operator.mintKey({ environment: "sandbox", kind: "publishable" });
  await refused(backend.mintKey({ environment: "sandbox", kind: "secret" }), "FORBIDDEN");
  assert.ok((await operator.listKeys()).items.some((record) => record.prefix === prefix && record.kind === "publishable"));
  await operator.revokeKey(prefix);
  assert.equal((await operator.rotatePublishableKey("sandbox")).kind, "publishable");
  assert.equal((await operator.rotateKey("sandbox", { gracePeriodSeconds: 3600 })).kind, "secret");
}
