// The story of notify: email, push, text messages, broadcasts and a custom domain.
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { components, paths } from "./clients/notify.js";
import { administer, listen, readReference } from "./shared.js";
import { eventually, ok, refused, type World } from "./world.js";

type Caller = ReturnType<typeof World.prototype.client<paths>>;
type Notification = components["schemas"]["Notification"];
type Send = components["schemas"]["Send"];

const pem = { type: "pkcs8", format: "pem" } as const;

const send = async (backend: Caller, body: Send): Promise<string> =>
  (await ok(backend.POST("/v1/notifications/send", { body }))).notificationId;

/** A notification that is no longer queued. */
const outcome = (backend: Caller, notificationId: string): Promise<Notification> =>
  eventually(async () => {
    const found = await ok(backend.GET("/v1/notifications/{notificationId}", { params: { path: { notificationId } } }));
    return found.status === "queued" ? undefined : found;
  });

export async function notify(world: World): Promise<void> {
  const operator = world.client<paths>("notify", world.env["MASTER_KEY"]);
  const key = world.keys["NOTIFY_SANDBOX_KEY"]!;
  const backend = world.client<paths>("notify", key);
  const app = world.client<paths>("notify", world.keys["NOTIFY_SANDBOX_PUBLISHABLE_KEY"]);
  const limits = { sendsPer5Minutes: 1000, sandboxSms: true }; // text messages go to the simulated Twilio
  await ok(operator.PUT("/v1/admin/tenants/{slug}", { params: { path: { slug: "demo" } }, body: { displayName: "demo", limits } }));

  await templates(backend);
  await platforms(backend);
  await webPush(backend, app);

  // Ada's app registers her phone with the publishable key.
  const phone = { userId: "ada", token: "c0ffee", platform: "ios" } as const;
  assert.equal((await ok(app.POST("/v1/devices", { body: phone }))).userId, "ada");
  await refused(app.GET("/v1/devices", { params: { query: { userId: "ada" } } }), "FORBIDDEN");
  assert.deepEqual(
    (await ok(backend.GET("/v1/devices", { params: { query: { userId: "ada" } } }))).items.map(({ token }) => token),
    ["c0ffee"],
  );
  assert.equal((await ok(backend.POST("/v1/devices/{token}/test", { params: { path: { token: "c0ffee" } } }))).result, "sent");

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
  assert.deepEqual(await ok(backend.POST("/v1/notifications/ack", { body: { notifications: [got] } })), {
    acknowledged: 1,
    results: [{ id: push, result: "delivered" }],
  });
  const one = { params: { path: { notificationId: push } } };
  assert.equal((await ok(backend.POST("/v1/notifications/{notificationId}/opened", one))).status, "opened");
  const { items } = await ok(backend.GET("/v1/notifications/{notificationId}/events", one));
  assert.deepEqual(
    items.map(({ status }) => status),
    ["opened", "delivered", "sent", "queued"],
  );
  const listed = await ok(
    backend.GET("/v1/notifications", { params: { query: { status: "opened", channel: "push", to: "ada", limit: 1 } } }),
  );
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
  const ada = { path: { userId: "ada" } };
  const exported = String(await ok(backend.GET("/v1/users/{userId}/export", { params: ada, parseAs: "text" })));
  assert.ok(exported.includes('"type":"notification"'));
  assert.deepEqual(await ok(backend.DELETE("/v1/users/{userId}", { params: ada })), { deleted: true });

  await administer(world, "notify");
  await readReference(world, "notify");
}

/** Creates three templates, which both environments share, and previews one. */
async function templates(backend: Caller): Promise<void> {
  const body = {
    name: "welcome",
    channel: "email",
    subject: "Welcome, {{name}}",
    body: "<p>Hello <b>{{name}}</b>, how are you?</p>",
  } as const;
  const { templateId, placeholders } = await ok(backend.POST("/v1/templates", { body }));
  assert.deepEqual(placeholders, ["name"]);
  await refused(backend.POST("/v1/templates", { body }), "CONFLICT");
  await ok(backend.POST("/v1/templates", { body: { name: "code", channel: "sms", body: "{{code}} is your code." } }));
  const options = { priority: "normal", sound: "default" } as const;
  const answer = await ok(
    backend.POST("/v1/templates", { body: { name: "answer", channel: "push", subject: "{{from}} answered", body: "{{text}}", push: options } }),
  );
  assert.deepEqual(answer.push, options);
  const here = { path: { templateId } };
  const shown = await ok(
    backend.POST("/v1/templates/{templateId}/preview", { params: here, body: { variables: { name: "Ada & Grace" } } }),
  );
  assert.equal(shown.body, "<p>Hello <b>Ada &amp; Grace</b>, how are you?</p>");
  await refused(backend.POST("/v1/templates/{templateId}/preview", { params: here, body: { variables: {} } }), "VALIDATION_ERROR");
  const read = await backend.GET("/v1/templates/{templateId}", { params: here });
  const changed = await ok(
    backend.PATCH("/v1/templates/{templateId}", {
      params: { ...here, header: { "If-Match": read.response.headers.get("ETag")! } },
      body: { subject: "Welcome, {{name}}!" },
    }),
  );
  assert.equal(changed.version, 2);
  await ok(backend.PATCH("/v1/templates/{templateId}", { params: here, body: { subject: body.subject } }));
  const { templateId: spare } = await ok(backend.POST("/v1/templates", { body: { ...body, name: "spare" } }));
  await ok(backend.DELETE("/v1/templates/{templateId}", { params: { path: { templateId: spare } } }));
  const all = await ok(backend.GET("/v1/templates"));
  assert.deepEqual(
    all.templates.map(({ name }) => name),
    ["answer", "code", "welcome"],
  );
  const paged = await ok(backend.GET("/v1/templates", { params: { query: { limit: 2 } } }));
  assert.equal(paged.templates.length, 2);
  assert.equal(typeof paged.nextCursor, "string");
}

/** Stores push credentials for APNs and FCM and deletes those for FCM. */
async function platforms(backend: Caller): Promise<void> {
  await refused(
    backend.POST("/v1/notifications/send", {
      body: { templateName: "answer", channel: "push", to: "ada", variables: { from: "", text: "" } },
    }),
    "PUSH_CHANNEL_DISABLED",
  );
  const apple = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: pem,
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const apns = await ok(
    backend.PUT("/v1/platforms/{kind}", {
      params: { path: { kind: "apns" } },
      body: {
        keyId: "ABCDE12345",
        teamId: "TEAM123456",
        bundleId: "com.example.demo",
        environment: "sandbox",
        privateKey: apple.privateKey,
      },
    }),
  );
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
  await ok(backend.PUT("/v1/platforms/{kind}", { params: { path: { kind: "fcm" } }, body: { serviceAccountKey: account } }));
  assert.deepEqual(
    (await ok(backend.GET("/v1/platforms"))).platforms.map(({ kind }) => kind),
    ["fcm", "apns"],
  );
  await ok(backend.DELETE("/v1/platforms/{kind}", { params: { path: { kind: "fcm" } } }));
}

/** Makes keys for Web Push, registers a browser, makes a new key, and deletes the keys. */
async function webPush(backend: Caller, app: Caller): Promise<void> {
  const here = { params: { path: { kind: "webpush" } } } as const;
  const browser = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(browser.x!, "base64url"), Buffer.from(browser.y!, "base64url")]);
  const endpoint = "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABl7xQ2";
  const keys = { p256dh: point.toString("base64url"), auth: Buffer.alloc(16, 7).toString("base64url") };
  const device = { userId: "browser", platform: "web", subscription: { endpoint, keys } } as const;
  await refused(backend.GET("/v1/platforms/webpush"), "NOT_FOUND");
  await refused(app.POST("/v1/devices", { body: device }), "PUSH_CHANNEL_DISABLED");
  const made = await ok(backend.PUT("/v1/platforms/{kind}", { ...here, body: { subject: "mailto:push@example.com" } }));
  assert.ok(made.kind === "webpush");
  assert.equal((await ok(backend.GET("/v1/platforms/webpush"))).publicKey, made.publicKey);
  await refused(app.GET("/v1/platforms/webpush"), "FORBIDDEN");
  const { token } = await ok(app.POST("/v1/devices", { body: device }));
  assert.equal(token, createHash("sha256").update(endpoint).digest("hex"));
  const rotated = await ok(backend.PUT("/v1/platforms/{kind}", { ...here, body: { rotate: true } }));
  assert.ok(rotated.kind === "webpush" && rotated.publicKey !== made.publicKey);
  await ok(app.DELETE("/v1/devices/{token}", { params: { path: { token } } }));
  await ok(backend.DELETE("/v1/platforms/{kind}", here));
}

/** Sends an inline file and an uploaded file. */
async function attachments(world: World, backend: Caller): Promise<NonNullable<Send["attachments"]>> {
  const pdf = Buffer.from("%PDF-1.7 and so on");
  const file = await ok(
    backend.POST("/v1/attachments/presign", { body: { filename: "invoice.pdf", contentType: "application/pdf", sizeBytes: pdf.length } }),
  );
  await world.send("notify", "PUT", file.uploadUrl, { "content-type": "application/pdf" }, pdf);
  const { downloadUrl } = await ok(
    backend.GET("/v1/attachments/{attachmentId}", { params: { path: { attachmentId: file.attachmentId } } }),
  );
  assert.deepEqual((await world.send("notify", "GET", downloadUrl!)).body, pdf);
  return [
    { attachmentId: file.attachmentId },
    { filename: "terms.txt", contentType: "text/plain", content: Buffer.from("Be kind.").toString("base64") },
  ];
}

/** Sends a text message; Twilio reports its delivery. */
async function text(world: World, backend: Caller): Promise<void> {
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
async function broadcast(world: World, backend: Caller): Promise<void> {
  for (const n of [1, 2, 3]) await ok(backend.POST("/v1/devices", { body: { userId: `user-${n}`, token: `beef0${n}`, platform: "ios" } }));
  await ok(backend.DELETE("/v1/devices/{token}", { params: { path: { token: "beef03" } } }));
  const body = {
    templateName: "answer",
    channel: "push",
    variables: { from: "We", text: "Night mode is here." },
    dedupeKey: "story",
  } as const;
  const { broadcastId, status } = await ok(backend.POST("/v1/notifications/broadcast", { body }));
  assert.equal(status, "queued");
  const here = { params: { path: { broadcastId } } };
  const done = await eventually(async () => {
    const found = await ok(backend.GET("/v1/notifications/broadcasts/{broadcastId}", here));
    return found.completedAt === null ? undefined : found;
  });
  assert.deepEqual([done.enqueuedDevices, done.sentCount, done.failedCount, done.invalidTokenCount], [3, 3, 0, 0]);
  assert.deepEqual(await ok(backend.POST("/v1/notifications/broadcast", { body })), { broadcastId, status: "duplicate" });
  const { carriers, ...listed } = done;
  assert.deepEqual(carriers, [{ kind: "apns", state: "ok", since: null }]);
  assert.deepEqual((await ok(backend.GET("/v1/notifications/broadcasts"))).items, [listed]);
  await refused(backend.POST("/v1/notifications/broadcasts/{broadcastId}/cancel", here), "CONFLICT");
  await refused(
    backend.POST("/v1/notifications/broadcast", { body: { ...body, templateName: "code", dedupeKey: "other" } }),
    "TEMPLATE_NOT_PUSH",
  );
  await stop(world, backend);
}

/** Cancels a broadcast while Apple has not answered. */
async function stop(world: World, backend: Caller): Promise<void> {
  world.apple.hold();
  const { broadcastId } = await ok(
    backend.POST("/v1/notifications/broadcast", {
      body: { templateName: "answer", channel: "push", variables: { from: "", text: "Stop" } },
    }),
  );
  const stopped = await ok(backend.POST("/v1/notifications/broadcasts/{broadcastId}/cancel", { params: { path: { broadcastId } } }));
  assert.notEqual(stopped.cancelledAt, null);
  world.apple.release();
}

/** Schedules a notification for tomorrow, cancels it and retries it. */
async function later(backend: Caller): Promise<void> {
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  const notificationId = await send(backend, {
    templateName: "code",
    channel: "sms",
    to: "+14155550123",
    variables: { code: "271828" },
    sendAt,
  });
  const here = { params: { path: { notificationId } } };
  const cancelled = await ok(backend.POST("/v1/notifications/{notificationId}/cancel", here));
  assert.deepEqual([cancelled.status, cancelled.failureReason], ["failed", "CANCELLED"]);
  await refused(backend.POST("/v1/notifications/{notificationId}/cancel", here), "CONFLICT");
  assert.equal((await ok(backend.POST("/v1/notifications/{notificationId}/retry", here))).status, "queued");
  await ok(backend.POST("/v1/notifications/{notificationId}/cancel", here));
}

/** A custom domain: its records are added to the DNS, the service verifies it, and emails are signed. */
async function domain(world: World, backend: Caller): Promise<void> {
  const asked = { domain: "shop.example", fromEmail: "hello@shop.example", fromName: "The Shop" };
  const pending = await ok(backend.POST("/v1/domains/verify", { body: asked }));
  assert.equal(pending.status, "pending");
  for (const { name, value } of pending.dnsRecords) world.names.records.set(name, value);
  const verified = await ok(backend.GET("/v1/domains/status"));
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
  await ok(backend.DELETE("/v1/domains"));
  await refused(backend.GET("/v1/domains/status"), "NOT_FOUND");
}

/** A number that has opted out gets no messages until the suppression is deleted. */
async function suppress(world: World, backend: Caller): Promise<void> {
  const to = "+14155550199";
  world.twilio.optedOut.add(to);
  const reasons: (string | null)[] = [];
  for (const code of ["161803", "141421"])
    reasons.push(
      (await outcome(backend, await send(backend, { templateName: "code", channel: "sms", to, variables: { code } }))).failureReason,
    );
  assert.deepEqual(reasons, ["21610", "SUPPRESSED"]);
  assert.deepEqual(
    (await ok(backend.GET("/v1/suppressions"))).items.map(({ address }) => address),
    [to],
  );
  await ok(backend.DELETE("/v1/suppressions/{address}", { params: { path: { address: to } } }));
}

async function settle(world: World, backend: Caller): Promise<void> {
  assert.equal((await ok(backend.PATCH("/v1/settings", { body: { pushEnabled: false } }))).pushEnabled, false);
  await eventually(async () => {
    const { response } = await backend.POST("/v1/notifications/send", {
      body: { templateName: "answer", channel: "push", to: "ada", variables: { from: "", text: "" } },
    });
    return response.status === 409 ? true : undefined; // other threads get new settings a moment later
  });
  assert.equal((await ok(backend.PATCH("/v1/settings", { body: { pushEnabled: null } }))).pushEnabled, true);
  assert.equal((await ok(backend.GET("/v1/settings"))).pushEnabled, true);
  const { items } = await ok(backend.GET("/v1/audit", { params: { query: { action: "domain.verified" } } }));
  assert.deepEqual(
    items.map(({ subjectId }) => subjectId),
    ["shop.example"],
  );

  const operator = world.client<paths>("notify", world.env["MASTER_KEY"]);
  const sandbox = { params: { path: { environment: "sandbox" } } } as const;
  const { prefix } = await ok(operator.POST("/v1/keys", { body: { environment: "sandbox", kind: "publishable" } }));
  await refused(backend.POST("/v1/keys", { body: { environment: "sandbox", kind: "secret" } }), "FORBIDDEN");
  assert.ok((await ok(operator.GET("/v1/keys"))).items.some((record) => record.prefix === prefix && record.kind === "publishable"));
  await ok(operator.DELETE("/v1/keys/{prefix}", { params: { path: { prefix } } }));
  assert.equal((await ok(operator.POST("/v1/keys/{environment}/rotate-publishable", sandbox))).kind, "publishable");
  assert.equal(
    (await ok(operator.POST("/v1/keys/{environment}/rotate", { ...sandbox, body: { gracePeriodSeconds: 3600 } }))).kind,
    "secret",
  );
}
