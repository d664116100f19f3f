// The walk of an owner through the area Notifications. notify.test.mjs has the order of the steps. Each step gets the world:
// `place` and `sandbox`, the environments of the tenant; `desk`, the owner's console in production; `fcm`, `apns`, `twilio` and `dns`, the
// stand-ins of the providers; `received`, which returns everything that the browser has received.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { addDevices, appleKey, lineOf, serviceAccount } from "./notify-data.mjs";
import { assertUnknown, button, card, choose, confirmed, copied, dialog, exported, fact, hasRows, heading, link, passTime, pick, row, says, stat, toggle } from "./parts.mjs";
import { openConsole } from "./session.mjs";
import { ApiError, eventually, hostile, localhostFetch } from "./stack.mjs";

const root = "/console/notify";
const preview = (desk) => desk.page.getByRole("complementary", { name: "Preview" });
const mailBody = (desk) => preview(desk).getByRole("region", { name: "Body of the email" });
const badge = (desk, text) => desk.page.locator("header .badge").getByText(text, { exact: true });
/** The identifier at the end of the address. */
const shownId = (desk) => new URL(desk.page.url()).pathname.split("/").at(-1);
const arrive = (desk, pattern) => desk.page.waitForURL(({ pathname }) => pattern.test(pathname));
const statusIs = (place, id, status) => eventually(async () => (await place.notify.getNotification(id)).status === status);
const isMissing = (call) => assert.rejects(async () => call, (error) => error instanceof ApiError && error.status === 404);

// --- the first visit

export async function showEmpty({ desk }) {
  desk.allow(/^404 GET .*\/v1\/domains\/status$/); // the tenant has no domain
  await link(desk.page.getByRole("navigation", { name: "Areas" }), "Notifications").click();
  await desk.page.getByText("No notifications yet").waitFor();
  await button(desk, "Send notification").first().click();
  await dialog(desk, "Send a notification").getByText("You need a template first.").waitFor();
  await desk.page.keyboard.press("Escape");
  const parts = [
    ["Deliveries", "No notifications yet"],
    ["Templates", "No templates yet"],
    ["Broadcasts", "No broadcasts yet"],
    ["Devices", "Whose devices do you look for?"],
    ["Suppressions", "No recipient has opted out"],
    ["Email domain", "Set up a domain"],
    ["Push credentials", "Not set up"],
  ];
  for (const [name, tells] of parts) {
    const tab = link(desk.page.getByRole("navigation", { name: "Notifications" }), name);
    await tab.click();
    await desk.page.getByText(tells).first().waitFor();
    assert.equal(await tab.getAttribute("aria-current"), "page");
    await desk.look(`notify-empty-${name.toLowerCase().replace(" ", "-")}`);
  }
  await desk.open(`${root}/broadcasts/new`);
  await desk.page.getByText("No push template yet").waitFor();
  await desk.look("notify-empty-composer");
}

// --- push credentials

export async function storeCredentials(world) {
  const { desk, place } = world;
  const account = serviceAccount();
  const apple = appleKey();
  await desk.open(`${root}/push`);

  // Firebase: the text of the key.
  await button(desk, "Set up Firebase (FCM)").click();
  const firebase = dialog(desk, "Firebase (FCM)");
  const key = firebase.getByLabel("Service account key (JSON)");
  await key.fill("no JSON");
  await firebase.getByText("This is not a JSON object.").first().waitFor();
  assert.ok(await button(firebase, "Save").isDisabled());
  await key.fill(JSON.stringify({ ...account, project_id: hostile.html }));
  await firebase.getByText(`Project: ${hostile.html}`).waitFor();
  desk.allow(/^400 PUT .*\/v1\/platforms\/(fcm|apns)$/);
  await button(firebase, "Save").click();
  await firebase.getByText("The credentials were not stored").waitFor();
  await desk.look("notify-credential-refused");
  await key.fill(JSON.stringify(account, null, 2));
  await says(desk, "The credentials are stored", () => button(firebase, "Save").click());
  await firebase.waitFor({ state: "detached" });
  await card(desk, "Firebase (FCM)").getByText("console-walk").waitFor();

  // Apple: the file of the key.
  await button(desk, "Set up Apple (APNs)").click();
  const apns = dialog(desk, "Apple (APNs)");
  await apns.getByLabel("Bundle ID").fill("com.example.walk");
  await apns.getByLabel("Key ID").fill("abcde12345");
  await apns.getByLabel("Team ID").fill("TEAM123456");
  await pick(apns, "Sandbox");
  await pick(apns, "Production");
  await apns.getByLabel("Private key (.p8)").fill("-----BEGIN PRIVATE KEY-----\nnot a key\n-----END PRIVATE KEY-----");
  await button(apns, "Save").click();
  await apns.getByText("The credentials were not stored").waitFor();
  const [choice] = await Promise.all([desk.page.waitForEvent("filechooser"), button(apns, "Choose file").click()]);
  await choice.setFiles({ name: "AuthKey_ABCDE12345.p8", mimeType: "application/x-pem-file", buffer: Buffer.from(apple) });
  await eventually(async () => (await apns.getByLabel("Private key (.p8)").inputValue()) === apple);
  await says(desk, "The credentials are stored", () => button(apns, "Save").click());
  await card(desk, "Apple (APNs)").getByText("ABCDE12345").waitFor();

  // Web Push: the service makes the key.
  await button(desk, "Set up Web Push").click();
  const web = dialog(desk, "Web Push");
  await web.getByLabel("Contact").fill("mailto:push@example.com");
  await says(desk, "The credentials are stored", () => button(web, "Save").click());
  const publicKey = async () => (await place.notify.listPlatforms()).platforms.find(({ kind }) => kind === "webpush").publicKey;
  const first = await publicKey();
  assert.equal(await copied(desk, button(desk, "Copy the public key")), first);
  await button(desk, "Replace credentials of Web Push").click();
  await toggle(web, "Make a new key", true);
  await says(desk, "The credentials are stored", () => button(web, "Save").click());
  await eventually(async () => (await publicKey()) !== first && (await card(desk, "Web Push").innerText()).includes(await publicKey()));

  const { platforms } = await place.notify.listPlatforms();
  const byKind = Object.fromEntries(platforms.map((one) => [one.kind, one]));
  assert.equal(byKind.fcm.projectId, "console-walk");
  assert.deepEqual([byKind.apns.bundleId, byKind.apns.keyId, byKind.apns.environment], ["com.example.walk", "ABCDE12345", "production"]);
  assert.equal(await desk.page.getByText("Ready", { exact: true }).count(), 3);
  await desk.look("notify-push", { schemes: ["light", "dark"] });

  // The secrets do not come back: neither at once, nor in the form, nor after the page was loaded again.
  for (const secret of [lineOf(account.private_key), lineOf(apple)]) await assertUnknown(world, secret);
  await desk.open(`${root}/push`);
  await button(desk, "Replace credentials of Apple (APNs)").click();
  assert.equal(await apns.getByLabel("Key ID").inputValue(), "ABCDE12345");
  assert.equal(await apns.getByLabel("Private key (.p8)").inputValue(), "");
  await desk.look("notify-credential");
  await button(apns, "Cancel").click();
  await button(desk, "Replace credentials of Firebase (FCM)").click();
  assert.equal(await key.inputValue(), "");
  for (const secret of [lineOf(account.private_key), lineOf(apple)]) await assertUnknown(world, secret);
  await button(firebase, "Cancel").click();

  await button(desk, "Delete credentials of Web Push").click();
  const deletion = dialog(desk, "Delete the credentials of Web Push?");
  assert.ok(await button(deletion, "Delete credentials").isDisabled());
  await deletion.getByLabel(/^Type/).fill(place.slug);
  await says(desk, "The credentials are deleted", () => button(deletion, "Delete credentials").click());
  assert.deepEqual((await place.notify.listPlatforms()).platforms.map(({ kind }) => kind).sort(), ["apns", "fcm"]);
}

// --- templates

const body = (desk) => desk.page.getByLabel("Body", { exact: true });
const text = (desk) => desk.page.getByLabel("Text", { exact: true });
const create = async (desk) => {
  await says(desk, "Saved", () => button(desk, "Create template").click());
  await arrive(desk, /\/templates\/[0-9a-f-]{36}$/);
};

export async function writeTemplates({ desk, place }) {
  await desk.open(`${root}/templates`);
  await link(desk, "Create template").first().click();
  await arrive(desk, /\/templates\/new$/);
  await desk.page.getByLabel("Name", { exact: true }).fill("welcome");
  await desk.page.getByLabel("Subject").fill("Welcome, {{name}}");
  await body(desk).fill(`<p>Hello <b>{{name</b>, <a href="{{link}}">start here</a>.</p>`);
  desk.allow(/^400 POST .*\/v1\/templates$/);
  await button(desk, "Create template").click();
  await desk.page.getByText("The template was not saved").waitFor();
  await body(desk).fill(`<p>Hello <b>{{name}}</b>, <a href="{{link}}">start here</a>.</p>`);

  // The draft with sample values, then with hostile ones. They are shown as text in each view.
  await mailBody(desk).getByText("Hello name, start here.").waitFor();
  await desk.look("notify-template-new");
  await preview(desk).getByLabel("name", { exact: true }).fill(hostile.html);
  await mailBody(desk).getByText(`Hello ${hostile.html}, start here.`).waitFor();
  await preview(desk).getByText(`Welcome, ${hostile.html}`).waitFor();
  await pick(preview(desk), "Text only");
  await mailBody(desk).getByText("start here (https://example.com/)").waitFor();
  await pick(preview(desk), "HTML source");
  await mailBody(desk).getByText("<b>&#60;img src=x").waitFor();
  await pick(preview(desk), "Email");
  await create(desk);

  // The stored template, rendered by the service.
  const templateId = shownId(desk);
  await preview(desk).getByText("Rendered by the service with the values below.").waitFor();
  await mailBody(desk).getByText(`Hello ${hostile.html}, start here.`).waitFor();
  await pick(preview(desk), "HTML source");
  const rendered = await place.notify.previewTemplate(templateId, { variables: { name: hostile.html, link: "https://example.com/" } });
  await mailBody(desk).getByText(rendered.body).waitFor();
  const stored = await place.notify.getTemplate(templateId);
  assert.deepEqual([stored.name, stored.channel, stored.format, stored.placeholders], ["welcome", "email", "html", ["link", "name"]]);
  await preview(desk).getByLabel("link", { exact: true }).fill("javascript:alert(1)");
  desk.allow(/^400 POST .*\/preview$/);
  await preview(desk).getByText("The template cannot be rendered with these values").waitFor();
  await desk.look("notify-template-refused-value");
  await preview(desk).getByLabel("link", { exact: true }).fill("https://example.com/start");
  await mailBody(desk).getByText(`Hello ${hostile.html}, start here.`).waitFor();
  await editTemplate({ desk, place }, templateId);
}

/** Two people edit one template at the same time. */
async function editTemplate({ desk, place }, templateId) {
  const subject = desk.page.getByLabel("Subject");
  await subject.fill("Hello, {{name}}");
  await preview(desk).getByText("Unsaved draft with the values below.").waitFor();
  assert.ok(await button(desk, "Send a test").isDisabled());
  await says(desk, "Saved", () => button(desk, "Save template").click());
  assert.equal((await place.notify.getTemplate(templateId)).subject, "Hello, {{name}}");

  await place.notify.updateTemplate(templateId, { subject: "Welcome, {{name}}" });
  await subject.fill("Good morning, {{name}}");
  desk.allow(/^412 PATCH .*\/v1\/templates\//);
  await button(desk, "Save template").click();
  await desk.page.getByText("The template was not saved").waitFor();
  await desk.page.getByText("Someone else has changed this template").waitFor();
  await desk.look("notify-template-conflict");
  assert.equal((await place.notify.getTemplate(templateId)).subject, "Welcome, {{name}}");
  await button(desk, "Load the newer version").click();
  await eventually(async () => (await subject.inputValue()) === "Welcome, {{name}}");
  await subject.fill("Good morning, {{name}}");
  await button(desk, "Discard changes").click();
  assert.equal(await subject.inputValue(), "Welcome, {{name}}");
}

/** Text messages and pushes, and templates whose texts are hostile in each field. */
export async function writeHostileTemplates({ desk, place }) {
  const add = async (channel, fields, more = async () => undefined) => {
    await desk.open(`${root}/templates/new`);
    if (channel !== "Email") await pick(desk, channel);
    for (const [label, value] of Object.entries(fields)) await desk.page.getByLabel(label, { exact: true }).fill(value);
    await more();
    await create(desk);
    return place.notify.getTemplate(shownId(desk));
  };
  const code = await add("SMS", { Name: "code", Text: "{{code}} is your code." }, async () => {
    await text(desk).fill("x".repeat(161));
    await preview(desk).getByText("161 characters, sent as 2 messages").waitFor();
    await text(desk).fill(`${"x".repeat(70)}\u{1F600}`);
    await preview(desk).getByText("72 characters, sent as 2 messages").waitFor();
    await text(desk).fill("{{code}} is your code.");
    await preview(desk).getByText("22 characters, sent as 1 message").or(preview(desk).getByText("code is your code.")).first().waitFor();
  });
  assert.deepEqual([code.channel, code.body, code.subject], ["sms", "{{code}} is your code.", ""]);

  const answer = await add("Push", { Name: "answer", Title: "{{from}} answered", Text: "{{text}}" }, async () => {
    await desk.page.getByText("Push options").click();
    await choose(desk, "Priority", "High: shown at once");
    await desk.page.getByLabel("Lifetime in seconds").fill("3600");
    await desk.page.getByLabel("Link", { exact: true }).fill("https://app.example.com/threads/42");
    await desk.page.getByLabel("Badge").fill("1");
    await preview(desk).getByText("from answered").waitFor();
    await desk.look("notify-template-push");
  });
  assert.deepEqual(answer.push, { ttlSeconds: 3600, priority: "high", link: "https://app.example.com/threads/42", badge: 1 });

  const html = await add("Email", { Name: hostile.html, Subject: `${hostile.html} {{name}}`, Body: `<script>alert(2)</script><p onclick="alert(3)">${hostile.html} ${hostile.rtl}</p><img src="https://evil.example/pixel.png" alt="A picture">` });
  assert.equal(html.name, hostile.html);
  await mailBody(desk).getByText("A picture").waitFor(); // and no request for it: look() checks the hosts
  await desk.look("notify-template-html", { schemes: ["light", "dark"] });
  const rtl = await add("Push", { Name: `${hostile.rtl} ${hostile.emoji}`, Title: hostile.rtl, Text: `${hostile.emoji} ${hostile.script}` });
  assert.equal(rtl.body, `${hostile.emoji} ${hostile.script}`);
  await desk.look("notify-template-rtl");
  const formula = await add("SMS", { Name: hostile.formula, Text: hostile.formula });
  assert.equal(formula.body, hostile.formula);
  const long = await add("Email", { Name: hostile.long(100), Subject: hostile.long(200), Body: hostile.long() });
  assert.equal(long.body.length, 20_000);
  await desk.page.getByText("20000 of 20000 characters").or(desk.page.getByText("20,000 of 20,000 characters")).waitFor();
  await desk.look("notify-template-long");

  // The list: search, filter, file.
  await desk.open(`${root}/templates`);
  await hasRows(desk, "Templates", 7);
  await desk.look("notify-templates", { schemes: ["light", "dark"] });
  await desk.page.getByRole("searchbox", { name: "Search by name or subject" }).fill("answered");
  await hasRows(desk, "Templates", 1);
  await desk.page.getByRole("searchbox", { name: "Search by name or subject" }).fill("");
  await choose(desk, "Channel", "SMS");
  await hasRows(desk, "Templates", 2);
  await choose(desk, "Channel", "Any channel");
  const rows = await exported(desk, "templates.csv");
  assert.deepEqual(rows.map((one) => one.Template).sort(), ["answer", "code", "welcome", hostile.html, hostile.long(100), rtl.name, `'${hostile.formula}`].sort());

  // Only after the name was typed, the template is deleted.
  await link(row(desk, "Templates", hostile.formula), hostile.formula).click();
  await arrive(desk, /\/templates\/[0-9a-f-]{36}$/);
  await button(desk, "Delete template").click();
  const deletion = dialog(desk, "Delete this template?");
  assert.ok(await button(deletion, "Delete template").isDisabled());
  await desk.look("notify-template-delete");
  await deletion.getByLabel(/^Type/).fill([...hostile.formula].slice(0, 24).join(""));
  await says(desk, "The template is deleted", () => button(deletion, "Delete template").click());
  await hasRows(desk, "Templates", 6);
  await isMissing(place.notify.getTemplate(formula.templateId));
}

// --- a test

/** The file of an email in the outbox, once it is there. */
const emailOf = ({ place }, id) => eventually(() => {
  const file = path.join(place.stack.env.EMAIL_OUTBOX, `${id}.eml`);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
});

export async function sendTest(world) {
  const { desk, place } = world;
  await desk.open(`${root}/templates`);
  await link(row(desk, "Templates", "welcome"), "welcome").click();
  await preview(desk).getByLabel("name", { exact: true }).fill(`Ada ${hostile.html}`);
  await desk.settled();
  await button(desk, "Send a test").click();
  const form = dialog(desk, "Send a test");
  await form.getByText("This is production.").waitFor();
  assert.equal(await form.getByLabel("Email address").inputValue(), desk.member.email);
  assert.equal(await form.getByLabel("name", { exact: true }).inputValue(), `Ada ${hostile.html}`);
  await desk.look("notify-send");
  await form.getByLabel("Email address").fill("no address");
  desk.allow(/^400 POST .*\/v1\/notifications\/send$/);
  await button(form, "Send now").click();
  await form.getByText("The notification was not sent").waitFor();
  await form.getByLabel("Email address").fill(desk.member.email);
  await says(desk, `Queued for ${desk.member.email}`, () => button(form, "Send now").click());
  await button(desk, "Follow the delivery").click();
  await arrive(desk, /\/deliveries\//);
  await badge(desk, "Sent").waitFor();
  const id = shownId(desk);
  const email = await emailOf(world, id);
  assert.match(email, new RegExp(`^To: .*${desk.member.email}`, "m"));
  assert.match(email, /^Subject: Welcome, Ada <img/m);
  const content = Buffer.from(email.split(/\r?\n\r?\n/).slice(1).join(""), "base64").toString().includes("Hello") ? Buffer.from(email.split(/\r?\n\r?\n/)[1], "base64").toString() : email.replaceAll(/=\r?\n/g, "");
  assert.ok(content.includes("Hello <b>Ada &lt;img") || content.includes("Hello <b>Ada &#60;img"), content);
  assert.equal((await place.notify.getNotification(id)).to, desk.member.email);
  await desk.look("notify-delivery-email");
}

// --- deliveries

/** A push moves from queued to opened while the list and its own page are open. */
export async function followDelivery({ desk, place, apns }) {
  const user = `ada ${hostile.html}`;
  await place.notify.registerDevice({ userId: user, token: "ios-ada", platform: "ios" });
  await apns.behave({ answer: "away" });
  const { notificationId } = await place.notify.sendNotification({ templateName: "answer", channel: "push", to: user, variables: { from: "Grace", text: hostile.rtl } });
  await desk.open(root);
  const listed = row(desk, "Deliveries", user);
  await listed.getByText("Queued").waitFor();
  const second = await openConsole(desk.member, `${root}/deliveries/${notificationId}`);
  await badge(second, "Queued").waitFor();
  await second.look("notify-delivery-queued");

  await apns.recover();
  await Promise.all([listed.getByText("Sent").waitFor(), badge(second, "Sent").waitFor()]);
  await statusIs(place, notificationId, "sent");
  assert.equal(apns.devices().get("ios-ada"), 1);
  await row(second, "Devices", "ios-ada").getByText("Sent", { exact: true }).waitFor();

  const got = { id: notificationId, context: hostile.html, timestamp: new Date().toISOString() };
  await place.notify.ackNotifications({ notifications: [got] });
  await Promise.all([listed.getByText("Delivered").waitFor(), badge(second, "Delivered").waitFor()]);
  await place.notify.openNotification(notificationId);
  await Promise.all([listed.getByText("Opened").waitFor(), badge(second, "Opened").waitFor()]);
  const history = second.page.getByRole("listitem").filter({ has: second.page.locator("time") });
  await eventually(async () => (await history.count()) === 4);
  assert.deepEqual((await history.allInnerTexts()).map((one) => one.split("\n")[0].trim()), ["Opened by the recipient", "Delivered", "Handed to the provider", "Accepted and queued"]);
  await history.getByText(hostile.html).waitFor();
  await second.look("notify-delivery-opened", { schemes: ["light", "dark"] });
  await second.close();
}

/** Notifications that fail, are sent again, wait, and are stopped. */
export async function repairDeliveries({ desk, place, apns }) {
  // A push to a user without devices fails. After the app has registered one, it is sent again.
  await desk.open(root);
  await button(desk, "Send notification").click();
  const form = dialog(desk, "Send a notification");
  await choose(desk, "Template", "answer", form);
  await form.getByLabel("User ID").fill("late-1");
  await form.getByLabel("from", { exact: true }).fill("Grace");
  await form.getByLabel("text", { exact: true }).fill(hostile.emoji);
  await says(desk, "Queued for late-1", () => button(form, "Send now").click());
  await button(desk, "Follow the delivery").click();
  await badge(desk, "Failed").waitFor();
  await desk.page.getByText("The user has no registered device.").first().waitFor();
  await desk.page.getByText("The user had no registered device when the push was sent.").waitFor();
  await desk.look("notify-delivery-failed");
  const failed = shownId(desk);
  await addDevices(place.notify, "late", 1, "ios");
  await says(desk, "The notification is queued again", () => button(desk, "Send again").click());
  await badge(desk, "Sent").waitFor();
  await statusIs(place, failed, "sent");
  assert.equal(apns.devices(failed).get("ios-late-1"), 1);

  // A scheduled email waits until it is stopped.
  await desk.open(root);
  await button(desk, "Send notification").click();
  await choose(desk, "Template", "welcome", form);
  await form.getByLabel("Email address").fill("later@example.com");
  await form.getByLabel("name", { exact: true }).fill("Ada");
  await form.getByLabel("link", { exact: true }).fill("https://example.com/");
  const at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
  await form.getByLabel("Send later").fill(at);
  await says(desk, "Queued for later@example.com", () => button(form, "Schedule").click());
  await button(desk, "Follow the delivery").click();
  await desk.page.getByText(/^Scheduled for/).waitFor();
  const waiting = shownId(desk);
  assert.equal((await place.notify.getNotification(waiting)).sendAt, new Date(`${at}Z`).toISOString()); // the time zone of the browser is UTC
  await button(desk, "Stop sending").click();
  const stop = dialog(desk, "Stop sending this notification?");
  await stop.getByText("later@example.com").waitFor();
  await says(desk, "The notification will not be sent", () => button(stop, "Stop sending").click());
  await badge(desk, "Failed").waitFor();
  await desk.page.getByText("Stopped before it was sent.").first().waitFor();
  const { status, failureReason } = await place.notify.getNotification(waiting);
  assert.deepEqual([status, failureReason], ["failed", "CANCELLED"]);
}

/** The list with filters, further pages and its file. */
export async function searchDeliveries({ desk, place }) {
  const variables = { from: "Grace", text: "Hello" };
  const users = [hostile.html, hostile.rtl, hostile.emoji, hostile.formula, hostile.script, "-2+3", "@cmd", hostile.long(128)];
  for (const to of users) await place.notify.sendNotification({ templateName: "answer", channel: "push", to, variables });
  for (let n = 1; n <= 60; ++n) await place.notify.sendNotification({ templateName: "answer", channel: "push", to: `crowd-${n}`, variables });
  await desk.open(root);
  await row(desk, "Deliveries", "crowd-60").waitFor();
  await desk.look("notify-deliveries", { schemes: ["light", "dark"] });

  // Scrolling loads the second page.
  await eventually(async () => {
    await desk.page.mouse.wheel(0, 3000);
    return row(desk, "Deliveries", hostile.html).first().isVisible();
  });
  await desk.look("notify-deliveries-hostile");

  const recipient = desk.page.getByRole("searchbox", { name: "Search by recipient" });
  for (const to of [hostile.formula, hostile.rtl]) {
    await recipient.fill(to);
    await recipient.press("Enter");
    await hasRows(desk, "Deliveries", 1);
    await row(desk, "Deliveries", to).waitFor();
  }
  await button(desk, "Clear filters").click();
  await choose(desk, "Status", "Sent");
  await choose(desk, "Channel", "Email");
  await choose(desk, "Period", "Last 24 hours");
  await hasRows(desk, "Deliveries", 1);
  assert.deepEqual(Object.fromEntries(new URL(desk.page.url()).searchParams), { status: "sent", channel: "email", period: "day" });
  await desk.open(new URL(desk.page.url()).pathname + new URL(desk.page.url()).search); // the address has the filter
  await hasRows(desk, "Deliveries", 1);
  await choose(desk, "Channel", "SMS");
  await desk.page.getByText("No notification matches").waitFor();
  await button(desk, "Clear filters").first().click();

  await row(desk, "Deliveries", "crowd-60").waitFor();
  const rows = await exported(desk, "notifications.csv");
  assert.ok(rows.length > 60);
  const names = rows.map((one) => one.Recipient);
  for (const to of users) assert.ok(names.includes(/^[=+\-@]/.test(to) ? `'${to}` : to), to);
  const { notifications } = await place.notify.listNotifications({ limit: 100 });
  assert.equal(rows.length, notifications.length);
  assert.deepEqual(rows.map((one) => one.ID), notifications.map(({ notificationId }) => notificationId));
}

// --- broadcasts

/** Chooses the template, fills in the form, and confirms. `asked`: whether the console must ask for the sign-in. */
async function startBroadcast(desk, { template, key, values = {}, done, asked }) {
  await desk.open(`${root}/broadcasts`);
  await link(desk, "New broadcast").first().click();
  await choose(desk, "Template", template);
  for (const [name, value] of Object.entries(values)) await desk.page.getByLabel(name, { exact: true }).fill(value);
  if (key) await desk.page.getByLabel("Key against double sending").fill(key);
  await desk.settled();
  await button(desk, "Review and start").click();
  const confirm = dialog(desk, "Start this broadcast?");
  if (key) await confirm.getByText(key).waitFor();
  assert.ok(await button(confirm, "Start broadcast").isDisabled());
  await confirm.getByLabel(/^Type/).fill(desk.place.slug);
  if (asked) await desk.look("notify-broadcast-confirm");
  if (asked) await passTime(desk, 6);
  const message = desk.page.getByRole("region", { name: "Messages" }).getByText(done);
  const arrived = Promise.all([message.waitFor(), arrive(desk, /\/broadcasts\/[0-9a-f-]{36}$/)]);
  await button(confirm, "Start broadcast").click();
  const was = await confirmed(desk, () => /\/broadcasts\/[0-9a-f-]{36}$/.test(desk.page.url()));
  await arrived;
  if (asked) assert.ok(was, "The console did not ask for the sign-in.");
  return shownId(desk);
}

const progress = (desk, done, total) => desk.page.getByText(`${done} of ${total} devices`, { exact: true });
const carrier = (desk, name) => desk.page.getByRole("listitem").filter({ hasText: name });

/** One carrier is away at first. The page follows the counters and the carriers until all devices have a result. */
export async function watchBroadcast({ desk, place, fcm }) {
  await addDevices(place.notify, "fan", 10, "ios");
  await addDevices(place.notify, "fan", 7, "android");
  await addDevices(place.notify, "left", 2, "android", "gone");
  await addDevices(place.notify, "odd", 1, "android", "refused");
  const ios = 12; // two users of earlier steps have a device each
  const total = ios + 10;
  await fcm.behave({ answer: "away" });
  const key = `${hostile.html} ${hostile.rtl}`;
  const id = await startBroadcast(desk, { template: "answer", key, values: { from: hostile.html, text: hostile.emoji }, done: "The broadcast has started", asked: true });
  await progress(desk, ios, total).waitFor();
  await carrier(desk, "Firebase (FCM)").getByText("Down", { exact: true }).waitFor();
  await carrier(desk, "Apple (APNs)").getByText("OK", { exact: true }).waitFor();
  await badge(desk, "Sending").waitFor();
  assert.equal(await stat(desk, "Waiting").innerText(), "10");
  assert.equal((await place.notify.getBroadcast(id)).sentCount, ios);
  await desk.look("notify-broadcast-running", { schemes: ["light", "dark"] });

  await fcm.recover();
  await progress(desk, total, total).waitFor();
  await badge(desk, "Completed").waitFor();
  const shown = async (label) => Number(await stat(desk, label).innerText());
  await eventually(async () => (await shown("Waiting")) === 0);
  assert.deepEqual([await shown("Sent"), await shown("Devices gone"), await shown("Failed")], [ios + 7, 2, 1]);
  const done = await place.notify.getBroadcast(id);
  assert.deepEqual([done.enqueuedDevices, done.sentCount, done.invalidTokenCount, done.failedCount], [total, ios + 7, 2, 1]);
  assert.deepEqual(fcm.tally(id), { devices: 7, accepted: 7, repeated: 0, ids: 0 });
  assert.equal(await fact(desk, "Key against double sending").innerText(), key);
  await carrier(desk, "Firebase (FCM)").getByText("OK", { exact: true }).waitFor();
  await desk.look("notify-broadcast-completed");

  // The same key again leads to the broadcast that exists.
  const again = await startBroadcast(desk, { template: "answer", key, values: { from: "a", text: "b" }, done: "A broadcast with this key exists already." });
  assert.equal(again, id);
  assert.equal((await place.notify.listBroadcasts()).items.length, 1);
  await eventually(async () => (await place.notify.listDevices({ userId: "left-1" })).items.length === 0);
}

/** A carrier throttles, and the owner stops the broadcast. */
export async function stopBroadcast({ desk, place, fcm }) {
  const [ios, android] = [12, 8]; // the first broadcast has unregistered two devices
  await fcm.behave({ answer: "throttle", retryAfter: 5 });
  const id = await startBroadcast(desk, { template: hostile.rtl, done: "The broadcast has started" });
  await progress(desk, ios, ios + android).waitFor();
  await carrier(desk, "Firebase (FCM)").getByText("Throttled", { exact: true }).waitFor();
  await desk.look("notify-broadcast-throttled");
  await button(desk, "Stop broadcast").click();
  const stop = dialog(desk, "Stop this broadcast?");
  await desk.look("notify-broadcast-stop");
  await says(desk, "The broadcast is stopped", () => button(stop, "Stop broadcast").click());
  await badge(desk, "Stopped").waitFor();
  await progress(desk, ios + android, ios + android).waitFor(); // a device that waited counts as failed
  assert.equal(await stat(desk, "Failed").innerText(), String(android));
  assert.equal(await button(desk, "Stop broadcast").count(), 0);
  const stopped = await place.notify.getBroadcast(id);
  assert.notEqual(stopped.cancelledAt, null);
  await fcm.recover();
  await desk.look("notify-broadcast-stopped");

  await desk.open(`${root}/broadcasts`);
  await hasRows(desk, "Broadcasts", 2);
  for (const state of ["Stopped", "Completed"]) await row(desk, "Broadcasts", state).waitFor();
  await desk.look("notify-broadcasts");
  const rows = await exported(desk, "broadcasts.csv");
  assert.deepEqual(rows.map((one) => [one.Status, Number(one.Sent)]), [["Stopped", ios], ["Completed", (await place.notify.listBroadcasts()).items[1].sentCount]]);
  assert.equal(fcm.tally(id).accepted, 0);
}

// --- devices

export async function manageDevices({ desk, place, fcm }) {
  const user = `${hostile.html} & ${hostile.rtl}`;
  const tokens = ["ios-one", "android-two", "gone-three", hostile.formula, "<img/src=x/onerror=alert(1)>", hostile.long(1000)];
  for (const token of tokens) await place.notify.registerDevice({ userId: user, token, platform: token.startsWith("ios") ? "ios" : "android" });
  await desk.open(`${root}/devices`);
  const search = desk.page.getByRole("searchbox", { name: "User ID" });
  await search.fill("nobody");
  await button(desk, "Find devices").click();
  await desk.page.getByText("This user has no device").waitFor();
  await search.fill(user);
  await search.press("Enter");
  await hasRows(desk, "Devices", tokens.length);
  await desk.look("notify-devices");
  const rows = await exported(desk, "devices.csv");
  assert.deepEqual(rows.map((one) => one["Device token"].replace(/^'/, "")).sort(), [...tokens].sort());

  await button(row(desk, "Devices", "android-two"), "Test push").click();
  await desk.page.getByText("The provider accepted the test push").waitFor();
  assert.equal(fcm.devices().get("android-two"), 1);
  await button(row(desk, "Devices", "gone-three"), "Test push").click();
  await desk.page.getByText("The device is gone and was unregistered").waitFor();
  await hasRows(desk, "Devices", tokens.length - 1);
  await desk.look("notify-device-gone");
  await button(row(desk, "Devices", "ios-one"), "Unregister device").click();
  await says(desk, "The device is unregistered", () => button(dialog(desk, "Unregister this device?"), "Unregister device").click());
  await hasRows(desk, "Devices", tokens.length - 2);
  const { items } = await place.notify.listDevices({ userId: user });
  assert.deepEqual(items.map(({ token }) => token).sort(), tokens.filter((token) => !["ios-one", "gone-three"].includes(token)).sort());
  for (const { token } of items) await place.notify.unregisterDevice(token);
}

// --- suppressions

/** A number opts out at the provider. Staff find it on the list, and remove it when its owner asks for messages again. */
export async function manageSuppressions({ desk, place, twilio }) {
  const to = "+14155550199";
  twilio.optedOut.add(to);
  const send = async (code) => {
    await desk.open(root);
    await button(desk, "Send notification").click();
    const form = dialog(desk, "Send a notification");
    await choose(desk, "Template", "code", form);
    await form.getByLabel("Phone number").fill(to);
    await form.getByLabel("code", { exact: true }).fill(code);
    await says(desk, `Queued for ${to}`, () => button(form, "Send now").click());
    await button(desk, "Follow the delivery").click();
    await arrive(desk, /\/deliveries\//);
    return shownId(desk);
  };
  await send("161803");
  await desk.page.getByText("The recipient replied STOP.").first().waitFor();
  await send("141421");
  await desk.page.getByText("The recipient is on the suppression list.").first().waitFor();

  await link(desk, "All deliveries").click();
  await link(desk.page.getByRole("navigation", { name: "Notifications" }), "Suppressions").click();
  await row(desk, "Suppressions", to).waitFor();
  await desk.look("notify-suppressions");
  const search = desk.page.getByRole("searchbox", { name: "Search by phone number" });
  await search.fill("(415) 555");
  await hasRows(desk, "Suppressions", 1);
  await search.fill(hostile.html);
  await desk.page.getByText("Not on the list").waitFor();
  await desk.look("notify-suppressions-none");
  await search.fill("");
  await hasRows(desk, "Suppressions", 1);
  const [listed] = await exported(desk, "suppressions.csv");
  assert.deepEqual([listed.Recipient, listed.Channel, listed.Reason], [`'${to}`, "sms", "21610"]); // a number begins like a formula

  twilio.optedOut.delete(to);
  await button(desk, `Remove ${to}`).click();
  const removal = dialog(desk, "Send to this recipient again?");
  await desk.look("notify-suppression-remove");
  await says(desk, "The entry is removed", () => button(removal, "Remove from list").click());
  await desk.page.getByText("No recipient has opted out").waitFor();
  assert.deepEqual((await place.notify.listSuppressions()).items, []);

  // The next text message arrives, and its status follows the reports of the provider.
  const id = await send("271828");
  await badge(desk, "Sent").waitFor();
  const { path: target, headers, body: form } = twilio.report(await eventually(() => twilio.find(to, "271828")));
  const reported = await localhostFetch(new Request(`${place.url("notify")}${target}`, { method: "POST", headers, body: form }));
  assert.equal(reported.status, 204);
  await badge(desk, "Delivered").waitFor();
  await statusIs(place, id, "delivered");
}

// --- the email domain

export async function verifyDomain(world) {
  const { desk, place, dns } = world;
  const domain = `mail.${place.slug}.example`;
  await desk.open(`${root}/domain`);
  desk.allow(/^400 POST .*\/v1\/domains\/verify$/);
  await desk.page.getByLabel("Domain", { exact: true }).fill(domain);
  await desk.page.getByLabel("Sender address").fill("hello@elsewhere.example");
  await desk.page.getByLabel("Sender name").fill(`${hostile.html} Söhne`);
  await button(desk, "Get DNS records").click();
  await desk.page.getByText("The domain was not saved").waitFor();
  await desk.page.getByLabel("Sender address").fill(`hello@${domain}`);
  await says(desk, "The domain is saved", () => button(desk, "Get DNS records").click());

  const { dnsRecords, fromName } = await place.notify.getDomainStatus();
  assert.equal(fromName, `${hostile.html} Söhne`);
  const names = { ownership: "Ownership", dkim: "DKIM signature", spf: "SPF", dmarc: "DMARC" };
  assert.deepEqual(dnsRecords.map(({ purpose }) => purpose).sort(), Object.keys(names).sort());
  const shown = (purpose) => desk.page.getByRole("listitem").filter({ has: desk.page.getByText(names[purpose], { exact: true }) });
  const check = async (states) => {
    await button(desk, "Check now").click();
    for (const [purpose, state] of Object.entries(states)) await shown(purpose).getByText(state, { exact: true }).waitFor();
  };
  const recordOf = (purpose) => dnsRecords.find((one) => one.purpose === purpose);
  for (const [purpose, name] of Object.entries(names)) {
    assert.equal(await copied(desk, button(desk, `Copy the name of ${name}`)), recordOf(purpose).name);
    assert.equal(await copied(desk, button(desk, `Copy the value of ${name}`)), recordOf(purpose).value);
  }
  await check({ ownership: "Missing", dkim: "Missing", spf: "Missing" });
  await desk.look("notify-domain-missing");
  dns.add(recordOf("ownership"));
  dns.add({ ...recordOf("spf"), value: `v=spf1 ${hostile.html} -all` });
  await check({ ownership: "Found", dkim: "Missing", spf: "Wrong value" });
  assert.equal((await place.notify.getDomainStatus()).status, "pending");
  await desk.look("notify-domain-pending", { schemes: ["light", "dark"] });
  dns.remove(recordOf("spf"));
  for (const purpose of ["dkim", "spf", "dmarc"]) dns.add(recordOf(purpose));
  await check({ ownership: "Found", dkim: "Found", spf: "Found", dmarc: "Found" });
  await card(desk, "DNS records").waitFor();
  await desk.page.getByRole("heading", { name: domain }).getByText("Verified").waitFor();
  assert.equal((await place.notify.getDomainStatus()).status, "verified");
  await desk.look("notify-domain-verified");

  // Email leaves from the domain, with the new sender.
  await button(desk, "Change domain and sender").click();
  const edit = dialog(desk, "Change domain and sender");
  await edit.getByLabel("Sender address").fill(`news@${domain}`);
  await edit.getByLabel("Sender name").fill("Acme News");
  await says(desk, "The domain is saved", () => button(edit, "Save").click());
  await fact(desk, "Sender").getByText(`Acme News <news@${domain}>`).waitFor();
  const { notificationId } = await place.notify.sendNotification({ templateName: "welcome", channel: "email", to: desk.member.email, variables: { name: "Ada", link: "https://example.com/" } });
  const email = await emailOf(world, notificationId);
  assert.match(email, new RegExp(`^From: "?Acme News"? <news@${domain}>`, "m"));
  assert.match(email, new RegExp(`^DKIM-Signature: (.|\\r\\n[ \\t])*d=${domain}`, "m"));

  // A record that disappears is reported before the domain is given up.
  dns.remove(recordOf("dkim"));
  await check({ dkim: "Missing" });
  await desk.page.getByText("Required DNS records are wrong").waitFor();
  await desk.look("notify-domain-failing");
  await button(desk, "Delete domain").click();
  const deletion = dialog(desk, "Delete this domain?");
  assert.ok(await button(deletion, "Delete").isDisabled());
  await deletion.getByLabel(/^Type/).fill(domain);
  await says(desk, "The domain is deleted", () => button(deletion, "Delete").click());
  await heading(desk, "Set up a domain").waitFor();
  await isMissing(place.notify.getDomainStatus());
}

// --- settings, refused credentials

export async function changeSettings({ desk, place, apns }) {
  await desk.open(`${root}/push`);
  await says(desk, "The settings are saved", () => toggle(desk, "Accept pushes", false));
  await eventually(async () => (await place.notify.getSettings()).pushEnabled === false);
  await choose(desk, "Keep notifications for", "180 days");
  await eventually(async () => (await place.notify.getSettings()).notificationRetentionDays === 180);
  await desk.open(`${root}/broadcasts/new`);
  await desk.page.getByText("Push is switched off in this environment").waitFor();
  await desk.look("notify-composer-off");
  await link(desk, "Open push credentials").first().click();
  await says(desk, "The settings are saved", () => toggle(desk, "Accept pushes", true));
  await eventually(async () => (await place.notify.getSettings()).pushEnabled === true);

  // Apple refuses the key: sending is paused until staff store another one.
  await apns.behave({ answer: "credential" });
  const sent = await eventually(async () => {
    try {
      return await place.notify.sendNotification({ templateName: "answer", channel: "push", to: "late-1", variables: { from: "a", text: "b" } });
    } catch (error) {
      if (error.status !== 409) throw error; // other threads get the new settings a moment later
      return undefined;
    }
  });
  await card(desk, "Apple (APNs)").getByText("Paused", { exact: true }).waitFor();
  await card(desk, "Apple (APNs)").getByText("InvalidProviderToken").waitFor();
  await desk.look("notify-push-paused");
  await apns.recover();
  await button(desk, "Replace credentials of Apple (APNs)").click();
  const form = dialog(desk, "Apple (APNs)");
  await form.getByLabel("Private key (.p8)").fill(appleKey());
  await says(desk, "The credentials are stored", () => button(form, "Save").click());
  await card(desk, "Apple (APNs)").getByText("Ready", { exact: true }).waitFor();
  await statusIs(place, sent.notificationId, "sent");
}

// --- the other environment

/** The sandbox shows none of production's data, and production none of the sandbox's. Both share the templates. */
export async function separateEnvironments({ desk, place, sandbox }) {
  await sandbox.notify.putPlatform("webpush", { subject: `mailto:${sandbox.mark}@example.com` });
  await sandbox.notify.sendNotification({ templateName: "welcome", channel: "email", to: `${sandbox.mark}@example.com`, variables: { name: "Ada", link: "https://example.com/" } });
  await place.notify.sendNotification({ templateName: "welcome", channel: "email", to: `${place.mark}@example.com`, variables: { name: "Ada", link: "https://example.com/" } });
  await desk.open(root);
  await row(desk, "Deliveries", `${place.mark}@example.com`).waitFor();
  assert.ok(!(await desk.text()).includes(sandbox.mark));

  const other = await openConsole(sandbox.members.owner, root);
  other.allow(/^404 GET .*\/v1\/domains\/status$/);
  await hasRows(other, "Deliveries", 1);
  await row(other, "Deliveries", `${sandbox.mark}@example.com`).waitFor();
  await other.look("notify-sandbox", { schemes: ["light", "dark"] });
  const parts = [
    ["", sandbox.mark],
    ["/broadcasts", "No broadcasts yet"],
    ["/suppressions", "No recipient has opted out"],
    ["/domain", "Set up a domain"],
    ["/push", sandbox.mark],
    ["/devices?user=late-1", "This user has no device"],
  ];
  for (const [part, tells] of parts) {
    await other.open(root + part);
    await other.page.getByText(tells).first().waitFor();
    const shown = await other.text();
    for (const secret of [`${place.mark}@`, "com.example.walk", "console-walk"]) assert.ok(!shown.includes(secret), `${part} shows ${secret}`);
  }
  await other.open(`${root}/templates`);
  await hasRows(other, "Templates", (await place.notify.listTemplates({ limit: 100 })).templates.length);

  // An address of production leads nowhere in the sandbox.
  other.allow(/^404 GET .*\/v1\/notifications\//);
  const [{ broadcastId }] = (await place.notify.listBroadcasts()).items;
  const [{ notificationId }] = (await place.notify.listNotifications({ limit: 1 })).notifications;
  await other.open(`${root}/deliveries/${notificationId}`);
  await heading(other, "Notification not found").waitFor();
  await other.look("notify-unknown");
  await other.open(`${root}/broadcasts/${broadcastId}`);
  await heading(other, "Broadcast not found").waitFor();
  await other.close();
}
