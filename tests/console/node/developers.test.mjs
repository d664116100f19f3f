// Staff in the area Developers. The steps depend on each other.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { after, before } from "node:test";
import { promisify } from "node:util";
import { assertUnknown, button, card, choose, confirmed, copied, dialog, exported, fact, hasRows, pick, row, says, tap, toggle } from "./parts.mjs";
import { fill } from "./seed.mjs";
import { closeAll, openConsole, step } from "./session.mjs";
import { eventually, hostile, openStack, verifyWebhook } from "./stack.mjs";

const root = "/console/developers";
const excerpt = `${hostile.script} ${hostile.rtl} ${hostile.long(400)}`;

/** An endpoint of the tenant. `answer` is the status of its responses, `events` what it has received, with a verified signature. */
const endpoint = { answer: 200, secret: "", events: [] };
const server = createServer(async (request, response) => {
  try {
    endpoint.events.push(await verifyWebhook({ body: await buffer(request), headers: request.headers, secret: endpoint.secret }));
    response.writeHead(endpoint.answer, { "Content-Type": "text/plain; charset=utf-8" }).end(excerpt);
  } catch (error) {
    response.writeHead(400).end(String(error));
  }
});

let place, sandbox, desk, page, hook;
before(async () => {
  const tenant = await (await openStack()).newTenant(`developers-${Math.random().toString(36).slice(2, 8)}`);
  ({ production: place, sandbox } = tenant);
  await fill(place);
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
});
after(() => new Promise((closed) => server.close(closed)));
after(closeAll);

const statusOf = (call) => call.then(() => 200, ({ status }) => status);
/** Waits for a dialog. The console may ask for a confirmation of the sign-in first. */
const appears = (locator) => confirmed(desk, () => locator.isVisible());
/** The secret that a dialog shows once. */
const shownSecret = () => page.locator(".dev-secret code").innerText();
const leave = () => button(desk, "I have stored it").click();
const withMenu = (entry) => desk.pick("More actions", entry);

step("a new key is shown once, and works", async () => {
  desk = await openConsole(place.members.owner, root, { permissions: ["clipboard-read", "clipboard-write"] });
  page = desk.page;
  await desk.look("developers-keys", { schemes: ["light", "dark"] });
  await button(desk, "Create key").click();
  const form = dialog(desk, "Create key");
  await choose(desk, "Service", "Notifications", form);
  await desk.look("developers-key-create");
  // The dialog stays open while the key is made, because only it shows the result.
  await page.route(/\/v1\/keys/, async (route) => {
    if (route.request().method() === "POST") await page.keyboard.press("Escape");
    await route.continue();
  });
  await button(form, "Create key").click();
  const once = dialog(desk, "New key of Notifications");
  await appears(once);
  await page.unroute(/\/v1\/keys/);
  const secret = await shownSecret();
  await page.keyboard.press("Escape"); // asks first
  await once.getByText("Have you copied it?").waitFor();
  await desk.look("developers-key-once", { schemes: ["light", "dark"] });
  assert.equal(await copied(desk, button(once, "Copy")), secret);
  await leave();
  await once.waitFor({ state: "detached" });
  assert.equal(await statusOf(place.client("notify", secret).listTemplates()), 200);
  assert.equal(await statusOf(sandbox.client("notify", secret).listTemplates()), 401);

  const received = tap(desk);
  await desk.open(root);
  await assertUnknown({ desk, received }, secret);
  const prefix = secret.slice(0, 12);
  await row(desk, "API keys", prefix).waitFor();
  const rows = await exported(desk, "api-keys.csv");
  assert.ok(rows.some((one) => one["API key"] === prefix && one.Environment === "production"), JSON.stringify(rows));

  await button(desk, `Revoke ${prefix}…`).click();
  const revoke = dialog(desk, `Revoke the key ${prefix}…?`);
  await revoke.waitFor();
  await desk.look("developers-key-revoke");
  await button(revoke, "Revoke key").click();
  await confirmed(desk, () => desk.said(`${prefix}… is revoked`));
  await row(desk, "API keys", prefix).waitFor({ state: "detached" });
  await eventually(async () => (await statusOf(place.client("notify", secret).listTemplates())) === 401);
});

step("a key replaces all other keys of its service", async () => {
  const old = (await place.billing.mintKey({ environment: "production" })).key;
  const other = (await sandbox.billing.mintKey({ environment: "sandbox" })).key;
  assert.equal(await statusOf(place.client("billing", old).listProducts()), 200);
  await desk.open(`${root}?service=billing`);
  await button(desk, "Replace keys").click();
  const form = dialog(desk, "Replace keys");
  await choose(desk, "Service", "Billing", form);
  await pick(form, /^At once/);
  await desk.look("developers-key-replace");
  await button(form, "Replace keys").click();
  const once = dialog(desk, "New key of Billing");
  await appears(once);
  const secret = await shownSecret();
  await leave();
  assert.equal(await statusOf(place.client("billing", secret).listProducts()), 200);
  await eventually(async () => (await statusOf(place.client("billing", old).listProducts())) === 401);
  assert.equal(await statusOf(sandbox.client("billing", other).listProducts()), 200);
});

step("a webhook is created, and its endpoint gets a signed test event", async () => {
  const url = `http://127.0.0.1:${server.address().port}/hooks?x=<b>`;
  await desk.open(`${root}/webhooks`);
  await desk.look("developers-webhooks", { schemes: ["light", "dark"] });
  await button(desk, "Create webhook").click();
  const form = dialog(desk, "Create webhook");
  await choose(desk, "Service", "Feedback", form);
  desk.allow(/^400 POST .*\/v1\/webhooks$/);
  await form.getByLabel("URL of the endpoint").fill("ftp://example.com/");
  await pick(form, "Only some events");
  await button(form, /Types of events/).click();
  for (const type of ["feedback.created", "feedback.updated"]) await page.getByRole("menuitemcheckbox", { name: type, exact: true }).click();
  await page.keyboard.press("Escape");
  await form.getByText("2 types chosen").waitFor();
  await button(form, "Create webhook").click();
  await form.locator(".field-error").first().waitFor();
  await desk.look("developers-webhook-refused");
  await form.getByLabel("URL of the endpoint").fill(url);
  await form.getByLabel("Description").fill(`${hostile.html} ${hostile.rtl}`);
  await button(form, "Create webhook").click();
  await appears(dialog(desk, "The webhook is created"));
  endpoint.secret = await shownSecret();
  await desk.look("developers-webhook-once");
  await leave();
  await desk.heading("No deliveries yet").waitFor();
  hook = (await place.feedback.listWebhooks()).items.find((one) => one.url === url);
  assert.deepEqual([hook.events, hook.description, hook.enabled], [["feedback.created", "feedback.updated"], `${hostile.html} ${hostile.rtl}`, true]);
  await eventually(() => page.url().endsWith(`${root}/webhooks/feedback/${hook.webhookId}`));

  await button(desk, "Send test event").click();
  await page.getByText("The endpoint accepted the test event").waitFor();
  assert.deepEqual(endpoint.events.map(({ type }) => type), ["webhook.test"]);
  await desk.look("developers-webhook-tested", { schemes: ["light", "dark"] });
  endpoint.answer = 502;
  await button(desk, "Send test event").click();
  await page.getByText("The endpoint did not accept the test event").waitFor();
  await page.getByText(hostile.script, { exact: false }).first().waitFor();
  await desk.look("developers-webhook-test-failed");
});

step("deliveries arrive while the page is open, show their payload, and are sent again", async () => {
  endpoint.answer = 200;
  endpoint.events.length = 0;
  const { feedbackId } = await place.feedback.createFeedback({ category: "bug", title: `${hostile.html} ${place.mark}`, body: hostile.script });
  await row(desk, "Deliveries", "feedback.created").getByText("Delivered").waitFor();
  await row(desk, "Deliveries", "feedback.created").click();
  const shown = dialog(desk, "feedback.created");
  await shown.getByText(feedbackId).first().waitFor();
  await shown.getByText(`${hostile.html} ${place.mark}`, { exact: false }).first().waitFor();
  await desk.look("developers-delivery", { schemes: ["light", "dark"] });
  await says(desk, "The event is queued again", () => button(shown, "Send again").click());
  await eventually(() => endpoint.events.length === 2);
  await eventually(async () => (await fact(desk, "Attempts", shown).innerText()) === "2");
  const [first, second] = endpoint.events;
  assert.deepEqual(second, first, "the same event, with the same identifier");
  await page.keyboard.press("Escape");

  await choose(desk, "Status", "Failed");
  await desk.heading("No delivery has this status").waitFor();
  await button(desk, "Clear filters").click();
  await hasRows(desk, "Deliveries", 1);
  const rows = await exported(desk, "deliveries.csv");
  assert.deepEqual(rows.map((one) => [one.Event, one.Status, one.Response]), [["feedback.created", "delivered", "200"]]);
});

step("a change that the service refuses is shown at once and undone", async () => {
  await toggle(page, "Send events", false);
  await eventually(async () => !(await place.feedback.getWebhook(hook.webhookId)).enabled);
  await page.route(`**/v1/webhooks/${hook.webhookId}`, (route) => {
    if (route.request().method() !== "PATCH") return route.fallback();
    return route.fulfill({ status: 503, headers: { "Access-Control-Allow-Origin": place.origin, "Content-Type": "application/problem+json" }, body: JSON.stringify({ error: "UNAVAILABLE", requestId: "request-of-the-test" }) });
  });
  desk.allow(/^503 PATCH .*\/v1\/webhooks\//);
  await page.getByRole("switch", { name: "Send events" }).press("Space");
  await desk.message("The webhook was not changed");
  await eventually(async () => !(await page.getByRole("switch", { name: "Send events" }).isChecked()));
  await page.unroute(`**/v1/webhooks/${hook.webhookId}`);
  await toggle(page, "Send events", true);
  await eventually(async () => (await place.feedback.getWebhook(hook.webhookId)).enabled);
});

step("the secret is rotated, and both secrets sign for a time", async () => {
  const old = endpoint.secret;
  await withMenu("Rotate secret");
  await button(dialog(desk, "Make a new signing secret?"), "Rotate secret").click();
  await appears(dialog(desk, "New signing secret"));
  const secret = await shownSecret();
  await leave();
  assert.notEqual(secret, old);
  for (const one of [old, secret]) {
    endpoint.secret = one;
    endpoint.events.length = 0;
    await button(desk, "Send test event").click();
    await eventually(() => endpoint.events.length === 1);
    await page.getByText("The endpoint accepted the test event").waitFor();
  }
});

step("a webhook is edited and deleted", async () => {
  await withMenu("Edit");
  const form = dialog(desk, "Edit webhook");
  await form.getByLabel("Description").fill("App backend");
  await pick(form, /^All events/);
  await button(form, "Save").click();
  await form.waitFor({ state: "detached" });
  const changed = await place.feedback.getWebhook(hook.webhookId);
  assert.deepEqual([changed.description, changed.events], ["App backend", []]);
  await withMenu("Delete");
  const sure = dialog(desk, "Delete this webhook?");
  await desk.look("developers-webhook-delete");
  await button(sure, "Delete").click();
  await confirmed(desk, () => desk.said("The webhook is deleted"));
  await eventually(() => page.url().endsWith(`${root}/webhooks`));
  assert.equal(await statusOf(place.feedback.getWebhook(hook.webhookId)), 404);
});

step("origins are checked, added and removed", async () => {
  await desk.open(`${root}/origins`);
  const part = page.locator("section.card", { hasText: "Pages that show the board" });
  const field = part.getByRole("textbox");
  const add = async (text) => {
    await field.fill(text);
    await button(part, "Add").click();
  };
  for (const [text, fault] of [["app.example.com", /Begin with https/], ["https://*.example.com", /Wildcards are not possible/], ["https://app.example.com/path", /has no path/], [`https://${place.mark}.example`, /in the list already/]]) {
    await add(text);
    await part.getByText(fault).waitFor();
  }
  await desk.look("developers-origins", { schemes: ["light", "dark"] });
  await place.feedback.updateSettings({ allowedOrigins: ["https://another-tab.example"] });
  desk.allow(/^412 PATCH .*\/v1\/settings$/);
  await add("HTTPS://New.example:443/");
  await confirmed(desk, () => desk.said("https://new.example is allowed"));
  assert.deepEqual((await place.feedback.getSettings()).allowedOrigins, ["https://another-tab.example", "https://new.example"]);
  await button(part, "Remove https://new.example").click();
  await button(dialog(desk, "Remove this origin?"), "Remove").click();
  await confirmed(desk, () => desk.said("The origin is removed"));
  assert.deepEqual((await place.feedback.getSettings()).allowedOrigins, ["https://another-tab.example"]);
});

step("the audit log shows who changed what, and filters", async () => {
  await desk.open(`${root}/audit?service=feedback`);
  await desk.look("developers-audit", { schemes: ["light", "dark"] });
  const mine = row(desk, "Audit log", "settings.updated").filter({ hasText: `${place.members.owner.email} (you)` });
  await mine.first().click();
  const entry = dialog(desk, "settings.updated");
  const values = entry.getByRole("row").filter({ hasText: "allowedOrigins" }).getByRole("cell");
  assert.match(await values.nth(0).innerText(), /https:\/\/new\.example/);
  assert.doesNotMatch(await values.nth(1).innerText(), /https:\/\/new\.example/);
  await entry.getByText("Complete entry").click();
  await desk.look("developers-audit-entry", { schemes: ["light", "dark"] });
  await button(entry, "Same action").click();
  await entry.waitFor({ state: "detached" });
  await eventually(() => new URL(page.url()).searchParams.get("action") === "settings.updated");
  await desk.settled();
  await mine.first().click();
  await button(entry, "Same actor").click();
  await eventually(() => new URL(page.url()).searchParams.get("actor") === `user:${place.members.owner.userId}` || new URL(page.url()).searchParams.get("actor") === place.members.owner.userId);
  await desk.settled();
  const rows = await exported(desk, "audit-feedback.csv");
  assert.ok(rows.length >= 2);
  assert.deepEqual([...new Set(rows.map((one) => one.Action))], ["settings.updated"]);
  assert.deepEqual([...new Set(rows.map((one) => one.Actor))], [new URL(page.url()).searchParams.get("actor")]);

  await page.getByRole("searchbox").fill("nobody");
  await desk.heading("No entry matches").waitFor();
  await desk.look("developers-audit-nothing");
  await button(desk, "Clear filters").first().click();
  await row(desk, "Audit log", "webhook.deleted").first().waitFor();

  await desk.open(`${root}/audit?service=notify`); // hostile templates in the details
  await row(desk, "Audit log", "template.created").first().click();
  await dialog(desk, "template.created").getByText("Changed fields").or(dialog(desk, "template.created").getByRole("table")).first().waitFor();
  await desk.look("developers-audit-hostile");
  await page.keyboard.press("Escape");
});

step("the examples have the tenant's hosts, and run", async () => {
  const { key } = await place.billing.mintKey({ environment: "production" });
  await desk.open(`${root}/examples?service=billing`);
  await page.getByText(place.url("billing"), { exact: false }).first().waitFor();
  const request = card(desk, "Send a request");
  const curl = await copied(desk, request.getByRole("tabpanel").getByRole("button", { name: /Copy/ }).first());
  const { stdout } = await promisify(execFile)("bash", ["-c", curl.replace("curl", "curl -sS")], { env: { ...process.env, BILLING_KEY: key } });
  assert.equal(JSON.parse(stdout).granted, false);
  await request.getByRole("tab", { name: "Node.js" }).click();
  await desk.look("developers-examples", { schemes: ["light", "dark"] });
});
