// The walk of an owner through the area Billing. billing.test.mjs has the order of the steps. Each step gets the world: `place` and `sandbox`,
// the environments of the tenant; `desk`, the owner's console in production; `providers`, what the stand-ins of RevenueCat and Stripe know;
// `received`, which returns everything that the browser has received; `secrets`, which the steps fill.
import assert from "node:assert/strict";
import { addProducts, dayMs, historyOf, payment, purchase, signature, subscriber, subscription, tell } from "./billing-data.mjs";
import { assertUnknown, button, card, choose, confirmed, copied, dialog, exported, fact, hasRows, heading, link, passTime, pick, row, says, startsWith, stat, table, toggle } from "./parts.mjs";
import { openConsole } from "./session.mjs";
import { collected, eventually, hostile } from "./stack.mjs";

const root = "/console/billing";
const tabs = (desk) => desk.page.getByRole("navigation", { name: "Billing" });
const arrive = (desk, pattern) => desk.page.waitForURL(({ pathname }) => pattern.test(pathname));
const timeline = (desk) => desk.page.getByRole("figure", { name: "Access over time" });
const entitlementsOf = async (place, userId, query = {}) => (await place.billing.getUserEntitlements(userId, query)).entitlements;
const isGone = (locator) => async () => (await locator.count()) === 0;

// --- the first visit

export async function showEmpty({ desk }) {
  await link(desk.page.getByRole("navigation", { name: "Areas" }), "Billing").click();
  const parts = [
    ["Revenue", "No subscriptions in this period"],
    ["Subscribers", "No subscribers yet"],
    ["Products", "No products yet"],
    ["Events", "No events yet"],
    ["Sync", "No API key of Stripe"],
    ["Settings", "Not set"],
  ];
  for (const [name, tells] of parts) {
    await link(tabs(desk), name).click();
    await desk.page.getByText(tells).first().waitFor();
    await desk.look(`billing-empty-${name.toLowerCase()}`);
  }
  await desk.open(`${root}/subscribers`);
  await button(desk, "Grant access").first().click();
  await dialog(desk, "Choose the user").getByLabel("Email or user id").fill("nobody");
  await button(desk, "Use the user id “nobody”").click();
  await dialog(desk, "Grant access").getByText("There is no product to grant").waitFor();
  await desk.page.keyboard.press("Escape");
  await desk.open(`${root}/users/${encodeURIComponent("nobody here")}`);
  await desk.page.getByText("No purchases and no grants").waitFor();
  await desk.look("billing-empty-user");
}

// --- secrets and rules

const secretRow = (desk, name) => desk.page.getByRole("listitem").filter({ has: desk.page.getByText(name, { exact: true }) });

/** Stores a secret. With `value` undefined, the console generates it. `asked`: the console must ask for the sign-in. Returns the value. */
async function storeSecret(desk, name, value, { asked = false, replace = false } = {}) {
  await button(desk, `${replace ? "Replace" : "Add"}: ${name}`).click();
  const form = dialog(desk, name);
  const field = form.getByLabel("New value");
  let stored = value;
  if (value === undefined) {
    await button(form, "Generate a value").click();
    stored = await copied(desk, button(form, "Copy"));
    assert.equal(await field.inputValue(), stored);
    assert.ok(stored.length >= 32);
  } else await field.fill(value);
  if (asked) await desk.look("billing-secret");
  if (asked) await passTime(desk, 6);
  await button(form, "Save").click();
  const was = await confirmed(desk, isGone(form));
  if (asked) assert.ok(was, "The console did not ask for the sign-in.");
  await secretRow(desk, name).getByText("Set", { exact: true }).waitFor();
  return stored;
}

export async function storeSecrets(world) {
  const { desk, place, secrets } = world;
  await desk.open(`${root}/settings`);
  assert.equal(await copied(desk, button(fact(desk, "RevenueCat"), "Copy")), `${place.url("billing")}/webhooks/purchases`);
  assert.equal(await copied(desk, button(fact(desk, "Stripe"), "Copy")), `${place.url("billing")}/webhooks/payments`);
  secrets.purchases = await storeSecret(desk, "Webhook secret", undefined, { asked: true });
  await desk.open(`${root}/settings`); // with the true time again
  secrets.former = await storeSecret(desk, "Former webhook secret", "Bearer a faded teapot of the console");
  secrets.key = await storeSecret(desk, "API key of RevenueCat", "sk_console_walk_purchases_0123456789");
  secrets.stripe = await storeSecret(desk, "API key of Stripe", "rk_test_console_walk_payments_0123456789");

  // Two signing secrets: of production, and of any environment.
  secrets.signing = "whsec_console_walk_live_0123456789";
  await button(desk, "Add: Signing secrets").click();
  const signing = dialog(desk, "Signing secrets");
  await signing.getByLabel("Secret 1", { exact: true }).fill(secrets.signing);
  await choose(desk, "Environment", "Production", signing);
  await button(signing, "Add another secret").click();
  assert.ok(await button(signing, "Save").isDisabled());
  await signing.getByLabel("Secret 2", { exact: true }).fill("whsec_spare_0123456789_0123456789");
  await button(signing, "Add another secret").click();
  await button(signing, "Remove Secret 3").click();
  await desk.look("billing-signing");
  await button(signing, "Save").click();
  await confirmed(desk, isGone(signing));
  await secretRow(desk, "Signing secrets").getByText("Set", { exact: true }).waitFor();

  const settings = await place.billing.getSettings();
  for (const name of ["purchasesSecret", "purchasesSecretPrevious", "purchasesApiKey", "paymentsSigningSecrets", "paymentsApiKey"]) assert.equal(settings[name], true, name);
  await desk.look("billing-settings", { schemes: ["light", "dark"] });
  for (const secret of Object.values(secrets)) await assertUnknown(world, secret);
  await desk.open(`${root}/settings`);
  await button(desk, "Replace: API key of Stripe").click();
  assert.equal(await dialog(desk, "API key of Stripe").getByLabel("New value").inputValue(), "");
  for (const secret of Object.values(secrets)) await assertUnknown(world, secret);
  await button(dialog(desk, "API key of Stripe"), "Cancel").click();

  // The service accepts events with the secrets, and only with them.
  const test = { api_version: "1.0", event: { id: "test-1", type: "TEST" } };
  for (const [secret, status] of [[secrets.purchases, 200], [secrets.former, 200], ["Bearer a guess", 401]])
    assert.equal((await tell(place, "purchases", test, { Authorization: secret })).status, status);
  await button(desk, "Remove Former webhook secret").click();
  const removal = dialog(desk, "Remove: Former webhook secret?");
  await removal.getByText("Events with the former secret are refused.").waitFor();
  await button(removal, "Remove").click();
  await confirmed(desk, isGone(removal));
  await secretRow(desk, "Former webhook secret").getByText("Not set").waitFor();
  await eventually(async () => (await tell(place, "purchases", test, { Authorization: secrets.former })).status === 401);
}

export async function changeRules({ desk, place }) {
  await desk.open(`${root}/settings`);
  const leeway = desk.page.getByLabel("Leeway for renewals, in seconds");
  const save = button(card(desk, "Rules of access"), "Save");
  await leeway.fill("86401");
  await desk.page.getByText("Enter a whole number from 0 to 86,400").first().waitFor();
  assert.ok(await save.isDisabled());
  await leeway.fill("7200");
  await desk.page.getByText("Access lasts 2 hr longer").waitFor();
  await toggle(desk, "Access while a card payment is past due", true);
  await says(desk, "Saved", () => save.click());
  await eventually(async () => {
    const { pastDueIsActive, renewalLeewaySeconds } = await place.billing.getSettings();
    return pastDueIsActive && renewalLeewaySeconds === 7200;
  });

  // Someone else has changed the rules since the page was loaded.
  await place.billing.updateSettings({ renewalLeewaySeconds: 3600 });
  await leeway.fill("60");
  desk.allow(/^412 PATCH .*\/v1\/settings$/);
  await save.click();
  await desk.page.getByText("The settings were not saved").waitFor();
  await desk.look("billing-rules-conflict");
  await button(desk, "Try again").click();
  await eventually(async () => (await leeway.inputValue()) === "3600");
  assert.equal((await place.billing.getSettings()).renewalLeewaySeconds, 3600);
}

// --- products

export async function manageProducts({ desk, place, products }) {
  await desk.open(`${root}/products`);
  await button(desk, "New product").first().click();
  const form = dialog(desk, "New product");
  const features = form.getByRole("textbox", { name: "Features" });
  assert.ok(await button(form, "Create").isDisabled());
  await form.getByLabel("Name", { exact: true }).fill("Pro, monthly");
  await form.getByLabel("Provider’s product id").fill("com.example.pro.monthly");
  await pick(form, /^Lifetime/);
  await pick(form, /^Subscription/);
  await features.fill("export, sync, ");
  await features.fill(hostile.html);
  await features.press("Enter");
  await button(form, `Remove ${hostile.html}`).click();
  await button(form, "Add a quantity").click();
  await form.getByLabel("Quantity", { exact: true }).fill("5");
  await form.getByLabel("Name of the quantity").fill("seats");
  await desk.look("billing-product-new");
  await says(desk, "Product created", () => button(form, "Create").click());
  const find = async (id) => (await collected(place.billing.listProducts({ limit: 100 }))).find((one) => one.providerProductId === id);
  const pro = await find("com.example.pro.monthly");
  assert.deepEqual([pro.name, pro.kind, pro.features, pro.grants], ["Pro, monthly", "subscription", ["export", "sync"], [{ name: "seats", quantity: 5 }]]);

  // The provider's identifier is unique.
  await button(desk, "New product").first().click();
  await form.getByLabel("Name", { exact: true }).fill("Twin");
  await form.getByLabel("Provider’s product id").fill("com.example.pro.monthly");
  desk.allow(/^409 POST .*\/v1\/products$/);
  await button(form, "Create").click();
  await form.getByText("The product was not saved").waitFor();
  await button(form, "Cancel").click();

  Object.assign(products, { pro, ...(await addProducts(place.billing)) });
  await desk.open(`${root}/products`);
  await hasRows(desk, "Products", Object.keys(products).length);
  await desk.look("billing-products", { schemes: ["light", "dark"] });
  const rows = await exported(desk, "products.csv");
  assert.deepEqual(rows.map((one) => one["Provider’s product id"]).sort(), Object.values(products).map((one) => one.providerProductId.replace(/^=/, "'=")).sort());

  // Edit: with the newest version, and not over the changes of others.
  const edit = dialog(desk, "Edit product");
  const open = async (name) => {
    const found = row(desk, "Products", name).first();
    await found.focus();
    await found.press("Enter");
    await edit.getByLabel("Name", { exact: true }).waitFor();
  };
  await open("Pro, monthly");
  await edit.getByLabel("Name", { exact: true }).fill("Pro");
  await button(edit, "Remove sync").click();
  await edit.getByLabel("Quantity", { exact: true }).fill("6");
  await says(desk, "Saved", () => button(edit, "Save").click());
  products.pro = await place.billing.getProduct(pro.productId);
  assert.deepEqual([products.pro.name, products.pro.features, products.pro.grants], ["Pro", ["export"], [{ name: "seats", quantity: 6 }]]);
  await open("com.example.pro.monthly");
  await place.billing.updateProduct(pro.productId, { features: ["export", "sync"] });
  await edit.getByLabel("Name", { exact: true }).fill("Pro of someone else");
  desk.allow(/^412 PATCH .*\/v1\/products\//);
  await button(edit, "Save").click();
  await edit.getByText("The product was not saved").waitFor();
  await button(edit, "Cancel").click();
  products.pro = await place.billing.getProduct(pro.productId);
  assert.deepEqual([products.pro.name, products.pro.features], ["Pro", ["export", "sync"]]);

  await open(hostile.html);
  await desk.look("billing-product-hostile");
  await button(edit, "Cancel").click();

  // Only after the provider's identifier was typed, the product is deleted.
  await open("Coins");
  await button(edit, "Delete").click();
  const deletion = dialog(desk, "Delete the product?");
  assert.ok(await button(deletion, "Delete product").isDisabled());
  await deletion.getByLabel(/^Type/).fill("com.example.coins");
  await button(deletion, "Delete product").click();
  await confirmed(desk, isGone(edit));
  await hasRows(desk, "Products", Object.keys(products).length - 1);
  assert.equal(await find("com.example.coins"), undefined);
  delete products.coins;
}

// --- a user's timeline

/** Finds the user by email, or by an identifier of the app. */
async function findUser(desk, text, { byId = false } = {}) {
  await desk.open(`${root}/subscribers`);
  await button(desk, "Find a user").click();
  const find = dialog(desk, "Find a user");
  await find.getByLabel("Email or user id").fill(text);
  await button(find, byId ? `Use the user id “${text}”` : startsWith(text)).click();
  await arrive(desk, /\/billing\/users\/./);
  await desk.settled();
}

/** A time as the chart's table shows it. */
const timeOf = (text) => (text === "without end" ? Infinity : Date.parse(`${text.replaceAll("\u202f", " ")} UTC`));

/** The chart shows what the service answers for any time, and each event opens with its payload. */
export async function readTimeline({ desk, place, secrets }) {
  const { userId, email } = place.members.user;
  const now = Date.now();
  // The latest event comes first: a purchase that has ended would be synced with the provider.
  for (const event of historyOf(userId, now).reverse()) assert.equal((await tell(place, "purchases", event, { Authorization: secrets.purchases })).status, 200, event.event.id);
  await findUser(desk, email);
  await heading(desk, email).waitFor();
  await desk.page.getByText("Has access to 1 product").waitFor();
  await desk.page.getByText(/The last payment failed\. Access continues until/).waitFor();
  await timeline(desk).getByText(/^Trial: /).first().waitFor({ state: "attached" });
  await desk.look("billing-user", { schemes: ["light", "dark"] });

  // The bars have texts for screen readers, and there is a table with the same spans.
  const bars = await timeline(desk).locator(".billing-bar").allInnerTexts();
  assert.equal(bars.length, 5, bars.join("\n"));
  await button(timeline(desk), "Show as table").click();
  const lines = timeline(desk).getByRole("table").getByRole("row");
  const spans = (await Promise.all((await lines.all()).slice(1).map((line) => line.getByRole("cell").allInnerTexts()))).map((cells) => cells.slice(-3));
  assert.deepEqual(spans.map((cells) => cells[2]), ["Trial", "Access", "Access", "Grace period or leeway", "Grace period or leeway (expected)"]);
  for (const days of [-99, -94, -92, -60, -41, -36, -32, -30, -2, -0.5]) {
    const at = now + days * dayMs;
    const shown = spans.some(([from, to]) => timeOf(from) <= at && at < timeOf(to));
    const [one] = await entitlementsOf(place, userId, { at: new Date(at).toISOString() });
    assert.equal(shown, one.isActive, `${days} days`);
  }
  await desk.look("billing-user-table");
  await button(timeline(desk), "Show as chart").click();

  // A mark leads to its event.
  const events = timeline(desk).getByRole("group", { name: "Events" });
  await button(events, /^Cancellation, /).or(button(events, /^\d+ events? from /)).first().waitFor();
  await pick(timeline(desk), "3 months");
  await button(events, /^Cancellation, /).press("Enter");
  const event = dialog(desk, "Cancellation");
  await event.getByRole("region", { name: "Payload" }).getByText(`${userId}-h4`).first().waitFor();
  await desk.look("billing-event");
  await desk.page.keyboard.press("Escape");
  await event.waitFor({ state: "detached" });

  // Events that are close together are one mark with a menu.
  await pick(timeline(desk), "All");
  const cluster = button(events, /^\d+ events from /).first();
  await cluster.press("Enter");
  await desk.page.getByRole("menuitem").first().waitFor();
  await desk.page.keyboard.press("Enter");
  await desk.page.getByRole("dialog").getByRole("region", { name: "Payload" }).waitFor();
  await desk.page.keyboard.press("Escape");
  await hasRows(desk, "Events", 7);
}

/** Users whose identifiers are hostile. */
export async function readHostileUsers({ desk, place, secrets, products }) {
  const now = Date.now();
  const users = [hostile.html, hostile.rtl, hostile.emoji, hostile.formula, `team/ada?x=1#2 & 100%`, hostile.long(255)];
  const more = { product_id: products.html.providerProductId, store: hostile.html, currency: "EUR" };
  for (const [index, user] of users.entries()) {
    const event = purchase(`hostile-${index}`, user, { at: now - 3 * dayMs, until: now + 27 * dayMs, ...more, transaction_id: `${hostile.html} ${index}`, subscriber_attributes: { $displayName: { value: hostile.script } } });
    assert.equal((await tell(place, "purchases", event, { Authorization: secrets.purchases })).result, "applied");
    await findUser(desk, user, { byId: true });
    assert.equal(await desk.page.getByRole("heading", { level: 1 }).innerText(), user);
    await desk.page.getByText("Has access to 1 product").waitFor();
    await desk.look(`billing-user-hostile-${index}`);
    await desk.open(new URL(desk.page.url()).pathname); // the address leads to the user, too
    await desk.page.getByText("Has access to 1 product").waitFor();
  }
  await button(desk, "Show details").click();
  assert.equal(await fact(desk, "Transaction").innerText(), `${hostile.html} ${users.length - 1}`);
  await desk.look("billing-user-details");
}

// --- grants

export async function grantAndRevoke({ desk, place, products }) {
  const { userId, email } = place.members.user;
  await findUser(desk, email);
  await button(desk, "Grant access").click();
  const form = dialog(desk, "Grant access");
  await form.getByText(email).waitFor();
  await choose(desk, "Product", products.html.name, form);
  await form.getByText(`Features: ${products.html.features.join(", ")}`).waitFor();
  await pick(form, "Until a date");
  await form.getByLabel("Last day").fill("2020-01-01");
  await form.getByText("Choose today or a later day").first().waitFor();
  assert.ok(await button(form, "Grant access").isDisabled());
  const day = new Date(Date.now() + 10 * dayMs).toISOString().slice(0, 10);
  await form.getByLabel("Last day").fill(day);
  await form.getByLabel("Reason").fill(`${hostile.html} ${hostile.rtl}`);
  await desk.look("billing-grant");
  await says(desk, `${products.html.name} granted`, () => button(form, "Grant access").click());
  const granted = async () => (await entitlementsOf(place, userId)).find(({ source }) => source === "manual");
  const first = await granted();
  // The last day is included. The time zone of the browser is UTC.
  assert.deepEqual([first.expiresAt, first.reason, first.isActive], [`${day}T23:59:59.000Z`, `${hostile.html} ${hostile.rtl}`, true]);
  assert.equal((await place.billing.checkFeature(userId, hostile.html)).granted, true);
  await desk.page.getByText("Has access to 2 products").waitFor();
  const shown = desk.page.getByRole("article").filter({ hasText: "Granted by your team" });
  await shown.getByText(hostile.html).first().waitFor();
  await desk.page.getByText(`${hostile.html} ${hostile.rtl}`).waitFor();

  // A second grant of the product replaces the first one.
  await button(desk, "Grant access").click();
  await choose(desk, "Product", products.html.name, form);
  await pick(form, "Without end");
  await says(desk, `${products.html.name} granted`, () => button(form, "Grant access").click());
  await shown.getByText("Access without end.").waitFor();
  await timeline(desk).getByText(/without end$/).first().waitFor({ state: "attached" });
  const second = await granted();
  assert.deepEqual([second.entitlementId, second.expiresAt, second.reason], [first.entitlementId, null, null]);
  await desk.look("billing-user-granted");

  // The console asks for the sign-in, because it is older than five minutes.
  await passTime(desk, 6);
  await button(shown, "Revoke").click();
  const revocation = dialog(desk, "Revoke the grant?");
  await button(revocation, "Revoke").click();
  const ask = dialog(desk, "Confirm that it is you");
  await ask.waitFor();
  await button(ask, "Close").click(); // changes nothing
  await ask.waitFor({ state: "detached" });
  assert.equal((await granted()).isActive, true);
  await button(revocation, "Revoke").click();
  assert.ok(await confirmed(desk, isGone(revocation)), "The console did not ask for the sign-in.");
  await shown.getByText(/^The grant was revoked on/).waitFor();
  const ended = await granted();
  assert.deepEqual([ended.status, ended.isActive], ["expired", false]);
  assert.equal((await place.billing.checkFeature(userId, hostile.html)).granted, false);
  await row(desk, "Events", "Grant revoked").waitFor();
  await desk.open(new URL(desk.page.url()).pathname);
  await desk.look("billing-user-revoked");

  // From the list, for a user whom only the app knows.
  await desk.open(`${root}/subscribers`);
  await button(desk, "Grant access").click();
  const choice = dialog(desk, "Choose the user");
  await choice.getByLabel("Email or user id").fill("app-user-1");
  await button(choice, "Use the user id “app-user-1”").click();
  await choose(desk, "Product", products.long.name, form);
  await pick(form, "1 year");
  await form.getByLabel("Reason").fill(hostile.long(200));
  await desk.look("billing-grant-long");
  await says(desk, "granted", () => button(form, "Grant access").click());
  await heading(desk, "app-user-1").waitFor();
  await desk.page.getByText("Has access to 1 product").waitFor();
  await desk.look("billing-user-long");
  const [only] = await entitlementsOf(place, "app-user-1");
  assert.ok(Math.abs(Date.parse(only.expiresAt) - Date.now() - 365 * dayMs) < dayMs);
}

// --- sync and backfill

export async function syncUsers({ desk, place, providers, products }) {
  const { userId, email } = place.members.admin;
  await desk.open(`${root}/sync`);
  await desk.page.getByLabel("Email or user id").fill(email);
  await button(desk.page.getByRole("list", { name: "Matching users" }), startsWith(email)).click();
  const run = button(card(desk, "Sync one user"), "Sync");
  await run.click();
  await desk.page.getByText("Everything was up to date.").waitFor();

  // The webhook of a purchase was lost.
  providers.knowSubscriber(userId, subscriber(Date.now()));
  await pick(desk, "RevenueCat only");
  await run.click();
  await desk.page.getByText("1 entitlement changed.").waitFor();
  await desk.look("billing-synced");
  const [bought] = await entitlementsOf(place, userId);
  assert.deepEqual([bought.productId, bought.isActive, bought.lastEventType], [products.pro.productId, true, "SYNC"]);
  providers.knowObject(subscription("admin", userId, Date.now() - dayMs));
  await pick(desk, "Stripe only");
  await run.click();
  await eventually(async () => (await entitlementsOf(place, userId)).length === 2);
  await desk.page.getByText("1 entitlement changed.").waitFor();

  // The provider fails, and the page says so.
  providers.knowSubscriber(userId, "no JSON");
  desk.allow(/^50[23] POST .*\/v1\/sync\//);
  await pick(desk, "All providers");
  await run.click();
  await desk.page.getByText("The sync failed").waitFor();
  await desk.look("billing-sync-failed");
  await link(desk, "Open the user").click();
  await heading(desk, email).waitFor();
  await desk.page.getByText("Has access to 2 products").waitFor();

  // The refund was lost. The user's page has a sync of its own.
  providers.knowSubscriber(userId, subscriber(Date.now(), { refunded_at: new Date().toISOString() }));
  await button(desk, "Sync").click();
  await says(desk, "1 entitlement changed.", () => desk.page.getByRole("menuitem", { name: "RevenueCat only" }).click());
  await desk.page.getByText("Has access to 1 product").waitFor();
  assert.equal((await entitlementsOf(place, userId)).find(({ source }) => source === "purchases").isActive, false);
}

/** All subscriptions of the account are fetched. The page shows the progress. */
export async function backfill({ desk, place, providers }) {
  const count = 2000;
  const now = Date.now();
  providers.forgetObjects();
  for (let n = 0; n < count; ++n) providers.knowObject(subscription(`bulk_${n}`, `bulk-${String(n).padStart(4, "0")}`, now - (n % 60) * dayMs / 3));
  providers.knowObject({ id: "sub_broken", object: "subscription", livemode: true, metadata: { userId: hostile.html }, created: Math.floor(now / 1000), status: hostile.html });
  await desk.open(`${root}/sync`);
  await desk.page.getByText("No backfills yet").waitFor();
  const start = button(desk, "Start backfill");
  await start.click();
  const item = desk.page.getByRole("list", { name: "Latest backfills" }).getByRole("listitem").first();
  await confirmed(desk, () => item.isVisible());
  await item.getByRole("progressbar").waitFor();
  desk.allow(/^409 POST .*\/v1\/backfills$/);
  await start.click(); // one at a time
  await confirmed(desk, () => desk.page.getByText("The backfill was not started").isVisible());
  const counter = item.locator("dl > div").filter({ hasText: "Processed" }).locator("dd");
  const seen = new Set();
  await eventually(async () => {
    seen.add(Number((await counter.innerText()).replaceAll(",", "")));
    return item.getByText("Done", { exact: true }).isVisible();
  });
  assert.ok([...seen].some((value) => value > 0 && value < count), `no progress was seen: ${[...seen]}`);
  const { items } = await place.billing.listAudit({ action: "backfill.created" });
  const done = await place.billing.getBackfill(items[0].subjectId);
  assert.deepEqual([done.status, done.processed, done.failed], ["done", count + 1, 1]);
  assert.equal(await item.innerText().then((text) => text.includes("2,001")), true);
  assert.equal((await entitlementsOf(place, "bulk-0042"))[0].quantity, 2);
  await desk.look("billing-backfill");

  // Since a day: fewer subscriptions.
  await desk.open(`${root}/sync`);
  const day = new Date(now - 2 * dayMs).toISOString().slice(0, 10);
  await desk.page.getByLabel("Created since").fill(day);
  await start.click();
  await confirmed(desk, () => item.getByText("Subscriptions created since").isVisible());
  await item.getByText("Done", { exact: true }).waitFor();
  const latest = await place.billing.getBackfill((await place.billing.listAudit({ action: "backfill.created" })).items[0].subjectId);
  assert.equal(latest.since, new Date(day).toISOString());
  assert.ok(latest.processed > 0 && latest.processed < count / 2, String(latest.processed));
  providers.forgetObjects();
}

// --- the archive of events

export async function searchEvents({ desk, place, secrets }) {
  const now = Date.now();
  const user = `archive ${hostile.html}`;
  const tells = (event) => tell(place, "purchases", event, { Authorization: secrets.purchases });
  const note = { subscriber_attributes: { $displayName: { value: hostile.script }, note: { value: hostile.long(30_000) } }, rtl: hostile.rtl };
  await tells(purchase("archive-2", user, { type: "RENEWAL", at: now - 10 * dayMs, until: now + 20 * dayMs, ...note }));
  await tells(purchase("archive-1", user, { at: now - 40 * dayMs, until: now - 10 * dayMs }));
  await tells({ event: { id: "archive-3" } });
  await tells(purchase("archive-4", "stranger", { type: hostile.html, at: now - dayMs }));
  await desk.open(`${root}/events`);
  await row(desk, "Events", hostile.html).first().waitFor();
  await desk.look("billing-events", { schemes: ["light", "dark"] });

  // Filters: user, type, result, days. The address keeps them.
  const search = desk.page.getByRole("searchbox", { name: "User id" });
  await search.fill(user);
  await hasRows(desk, "Events", 2);
  await choose(desk, "Event", "Renewal");
  await hasRows(desk, "Events", 1);
  await choose(desk, "Event", "All events");
  await desk.page.getByLabel("First day").fill(new Date(now - 15 * dayMs).toISOString().slice(0, 10));
  await desk.page.getByLabel("Last day").fill(new Date(now - 5 * dayMs).toISOString().slice(0, 10));
  await hasRows(desk, "Events", 1);
  await desk.open(new URL(desk.page.url()).pathname + new URL(desk.page.url()).search);
  await hasRows(desk, "Events", 1);
  const [file] = await exported(desk, "events.csv");
  assert.deepEqual([file["Event id"], file.Event, file.Result], ["archive-2", "RENEWAL", "applied"]);

  // The payload, which is long and hostile.
  await row(desk, "Events", "Renewal").press("Enter");
  const event = dialog(desk, "Renewal");
  const payload = event.getByRole("region", { name: "Payload" });
  await payload.getByText(user).first().waitFor();
  await desk.look("billing-event-hostile");
  await button(event, "Show all").click();
  assert.equal(await button(event, "Show all").count(), 0);
  const stored = (await place.billing.listEvents({ userId: user, type: "RENEWAL" })).items[0].payload;
  assert.deepEqual(JSON.parse(await payload.innerText()), stored);
  assert.deepEqual(JSON.parse(await copied(desk, button(event.locator(".json"), "Copy"))), stored);

  // Replays: of the event that decides, and of an older one.
  const outcomes = { duplicate: "The event already decides the state.", stale: "A later event decides the state." };
  await button(event, "Replay").click();
  await event.getByText(outcomes.duplicate).waitFor();
  assert.equal((await place.billing.replayEvent("archive-2")).result, "duplicate");
  await desk.look("billing-replayed");
  await desk.page.keyboard.press("Escape");
  await button(desk, "Clear filters").first().click();
  await search.fill(user);
  await hasRows(desk, "Events", 2);
  await row(desk, "Events", "Purchase").press("Enter");
  await button(dialog(desk, "Purchase"), "Replay").click();
  await dialog(desk, "Purchase").getByText(outcomes.stale).waitFor();
  await desk.page.keyboard.press("Escape");

  await search.fill("");
  await choose(desk, "Result", "Rejected");
  await row(desk, "Events", "Unreadable event").press("Enter");
  await dialog(desk, "Unreadable event").getByRole("region", { name: "Payload" }).getByText("archive-3").waitFor();
  await desk.page.keyboard.press("Escape");
  await search.fill("nobody at all");
  await desk.page.getByText("No matching events").waitFor();

  // Of an erased user, the archive has no payload.
  await place.billing.eraseUser(user);
  const erased = (await place.billing.listEvents({ limit: 100 })).items.find(({ eventId }) => eventId === "archive-2");
  await desk.open(`${root}/events?user=${encodeURIComponent(erased.userId)}`);
  await row(desk, "Events", "Renewal").press("Enter");
  await dialog(desk, "Renewal").getByText("The user was erased").waitFor();
  assert.equal(await button(dialog(desk, "Renewal"), "Replay").count(), 0);
  await desk.look("billing-event-erased");
  await desk.page.keyboard.press("Escape");
}

// --- subscribers

export async function listSubscribers({ desk, place, products }) {
  await desk.open(root);
  await link(tabs(desk), "Subscribers").click();
  await table(desk, "Subscribers").waitFor();
  await desk.look("billing-subscribers", { schemes: ["light", "dark"] });

  // Scrolling loads further pages.
  const top = await table(desk, "Subscribers").getByRole("row").nth(1).innerText();
  await eventually(async () => {
    await desk.page.mouse.wheel(0, 4000);
    return Number(await table(desk, "Subscribers").getByRole("row").last().getAttribute("aria-rowindex")) > 120;
  });
  await desk.page.evaluate(() => scrollTo(0, 0));
  await eventually(async () => (await table(desk, "Subscribers").getByRole("row").nth(1).innerText()) === top);

  const all = async (query) => (await collected(place.billing.listSubscribers({ limit: 100, ...query }))).length;
  const csvName = "subscribers.csv";
  await choose(desk, "Product", products.html.name);
  await choose(desk, "Access", "Has access");
  await desk.settled();
  const hostileRows = await exported(desk, csvName);
  assert.equal(hostileRows.length, await all({ product: products.html.providerProductId, active: true }));
  const users = hostileRows.map((one) => one.User);
  for (const user of [hostile.html, hostile.rtl, hostile.emoji, `'${hostile.formula}`, hostile.long(255)]) assert.ok(users.includes(user), user);
  await choose(desk, "Status", "Paused");
  await desk.page.getByText("No matching subscribers").waitFor();
  await button(desk, "Clear filters").click();
  await choose(desk, "Access", "No access");
  await desk.settled();
  assert.equal((await exported(desk, csvName)).length, await all({ active: false }));

  // The whole list, with all pages.
  await choose(desk, "Access", "Any access");
  await choose(desk, "Product", "Team");
  await desk.settled();
  const rows = await exported(desk, csvName);
  assert.equal(rows.length, await all({ product: products.team.providerProductId }));
  assert.ok(rows.length >= 2000);
  const one = rows.find(({ User }) => User === "bulk-0042");
  assert.deepEqual([one.Product, one.Access, one.Price, one.Currency, one.Quantity], ["Team", "true", "2500", "USD", "2"]);
  await row(desk, "Subscribers", "2 × $25.00").first().waitFor();
  await link(table(desk, "Subscribers").getByRole("row").nth(1), /./).click();
  await arrive(desk, /\/billing\/users\//);
}

// --- revenue

const dayText = (ms) => new Date(ms).toISOString().slice(0, 10);
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** The numbers, the charts and their tables agree with the service. */
export async function readStatistics({ desk, place, secrets, products }) {
  const now = Date.now();
  const tells = (event) => tell(place, "purchases", event, { Authorization: secrets.purchases });
  for (let n = 0; n < 8; ++n) await tells(purchase(`trial-${n}`, `trial-${n}`, { at: now - (n + 1) * dayMs, until: now + 20 * dayMs, period_type: "TRIAL", price_in_purchased_currency: 0 }));
  for (let n = 0; n < 12; ++n) {
    await tells(purchase(`old-${n}`, `old-${n}`, { at: now - (80 - n) * dayMs, until: now + 20 * dayMs }));
    if (n % 3 === 0) await tells(purchase(`old-end-${n}`, `old-${n}`, { type: "EXPIRATION", at: now - (30 - n) * dayMs, until: now - (30 - n) * dayMs }));
  }
  await desk.open(root);
  await desk.page.getByRole("figure", { name: "Active subscriptions by day" }).waitFor();
  await desk.look("billing-revenue", { schemes: ["light", "dark"] });

  const money = (minor, currency) => new Intl.NumberFormat("en-US", { style: "currency", currency }).format(minor / 100);
  const number = new Intl.NumberFormat("en-US");
  const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  for (const [range, days] of [["30 days", 30], ["12 months", 364], ["90 days", 91]]) {
    await pick(desk, range);
    await desk.settled();
    const stats = await place.billing.getStats({ from: dayText(today - (days - 1) * dayMs), to: dayText(today) });
    const on = (ms) => stats.days.filter(({ date }) => date === dayText(ms));
    const first = sum(on(today - (days - 1) * dayMs).map(({ active }) => active));
    const ended = sum(stats.days.map(({ churned }) => churned));
    assert.equal(await stat(desk, "Active subscriptions").innerText(), number.format(sum(on(today).map(({ active }) => active))), range);
    assert.equal(await stat(desk, "Trials").innerText(), number.format(sum(on(today).map(({ trials }) => trials))), range);
    assert.equal(await stat(desk, "Churn").innerText(), first === 0 ? "—" : percent.format(Math.min(1, ended / first)), range);
    const [greatest, ...others] = [...stats.mrr].sort((a, b) => b.amount - a.amount);
    assert.equal(await stat(desk, "Monthly recurring revenue").innerText(), money(greatest.amount, greatest.currency));
    for (const { amount, currency } of others) await desk.page.getByText(money(amount, currency)).first().waitFor();
  }

  // The text alternative of each chart.
  const stats = await place.billing.getStats({ from: dayText(today - 90 * dayMs), to: dayText(today) });
  const lines = async (name) => {
    const figure = desk.page.getByRole("figure", { name, exact: true });
    assert.equal(await figure.locator("canvas").count(), 1, name);
    await button(figure, "Show as table").click();
    const rows = await figure.getByRole("row").all();
    const cells = await Promise.all(rows.slice(1).map((line) => line.getByRole("cell").allInnerTexts()));
    return cells.map((one) => one.map((cell) => (cell === "—" ? null : Number(cell.replace(/[,%]/g, "")))));
  };
  const activeRows = await lines("Active subscriptions by day");
  assert.equal(activeRows.length, 91);
  for (const [index, [total]] of activeRows.entries()) {
    const date = dayText(today - (90 - index) * dayMs);
    assert.equal(total, sum(stats.days.filter((one) => one.date === date).map(({ active }) => active)), date);
  }
  const trialRows = await lines("Trials");
  assert.equal(trialRows.at(-1)[0], sum(stats.days.filter((one) => one.date === dayText(today)).map(({ trials }) => trials)));
  const flow = await lines("New and ended");
  assert.equal(flow.length, 13);
  assert.equal(sum(flow.map(([started]) => started)), sum(stats.days.map((one) => one.new)));
  assert.equal(sum(flow.map(([, ended]) => ended)), sum(stats.days.map((one) => one.churned)));
  const churn = await lines("Churn rate");
  assert.ok(churn.some(([rate]) => rate > 0));
  await desk.look("billing-revenue-tables");

  // One product only. Its row leads to its subscribers.
  await choose(desk, "Product", products.pro.name);
  await desk.settled();
  const active = sum(stats.days.filter((one) => one.date === dayText(today) && one.product === products.pro.providerProductId).map((one) => one.active));
  assert.equal(await stat(desk, "Active subscriptions").innerText(), number.format(active));
  await link(table(desk, "Products"), products.pro.name).click();
  await arrive(desk, /\/billing\/subscribers$/);
  assert.equal(new URL(desk.page.url()).searchParams.get("product"), products.pro.providerProductId);
  await desk.settled();
  assert.equal((await exported(desk, "subscribers.csv")).length, active);
}

// --- the other environment

/** The sandbox shows none of production's users. Catalog and settings are shared, and only production changes them. */
export async function separateEnvironments({ desk, place, sandbox, secrets, products }) {
  const now = Date.now();
  const own = await tell(sandbox, "purchases", purchase("sandbox-1", sandbox.mark, { at: now - dayMs, until: now + 20 * dayMs, environment: "SANDBOX" }), { Authorization: secrets.purchases });
  assert.equal(own.result, "applied");
  await place.billing.grantEntitlement(place.mark, { productId: products.pro.productId, reason: place.mark });
  const other = await openConsole(sandbox.members.owner, `${root}/subscribers`);
  other.allow(/^404 GET .*\/v1\/members\//); // production's user has no account in the sandbox
  await hasRows(other, "Subscribers", 1);
  await row(other, "Subscribers", sandbox.mark).waitFor();
  await other.look("billing-sandbox-subscribers");
  for (const part of ["", "/subscribers", "/events", "/products", "/sync", "/settings", `/users/${place.mark}`, `/users/${place.members.user.userId}`]) {
    await other.open(root + part);
    const shown = (await other.text()).replaceAll(sandbox.mark, "");
    const foreign = ["bulk-0", "trial-", "app-user-1", place.members.user.email, ...(part.includes(place.mark) ? [] : [place.mark])];
    for (const text of foreign) assert.ok(!shown.includes(text), `${part} shows ${text}`);
    if (part.startsWith("/users/")) await other.page.getByText("No purchases and no grants").waitFor();
  }
  assert.deepEqual((await sandbox.billing.listSubscribers()).items.map(({ userId }) => userId), [sandbox.mark]);
  await other.open(root);
  assert.equal(await stat(other, "Active subscriptions").innerText(), "1");
  await other.look("billing-sandbox-revenue", { schemes: ["light", "dark"] });

  // Read only: products, settings, backfills.
  await other.open(`${root}/products`);
  await other.page.getByText("Production and sandbox share the catalog.").waitFor();
  await hasRows(other, "Products", Object.keys(products).length);
  assert.equal(await button(other, "New product").count(), 0);
  await row(other, "Products", "Team").press("Enter");
  await dialog(other, "Team").getByText("price_team").first().waitFor();
  await other.look("billing-sandbox-product");
  await other.page.keyboard.press("Escape");
  await other.open(`${root}/settings`);
  await other.page.getByText("Production and sandbox share the settings.").waitFor();
  assert.equal(await button(other, /^(Add|Replace): /).count(), 0);
  await other.look("billing-sandbox-settings");
  await other.open(`${root}/sync`);
  await other.page.getByText("A backfill is started in production.").waitFor();
  assert.equal(await button(other, "Start backfill").count(), 0);
  await other.look("billing-sandbox-sync");

  // A grant in the sandbox stays there.
  await other.open(`${root}/users/${encodeURIComponent(place.mark)}`);
  await button(other, "Grant access").click();
  const form = dialog(other, "Grant access");
  await form.getByText("In the sandbox, for").waitFor();
  await choose(other, "Product", "Team", form);
  await says(other, "Team granted", () => button(form, "Grant access").click());
  assert.deepEqual((await entitlementsOf(sandbox, place.mark)).map(({ providerProductId }) => providerProductId), ["price_team"]);
  assert.deepEqual((await entitlementsOf(place, place.mark)).map(({ providerProductId }) => providerProductId), ["com.example.pro.monthly"]);
  await other.close();
  await desk.open(`${root}/subscribers`);
  assert.ok(!(await desk.text()).includes(sandbox.mark));
}

/** Card payments: a signed event of Stripe becomes an entitlement with a price, and a past due one is explained. */
export async function receivePayments({ desk, place, secrets }) {
  const now = Date.now();
  const user = `card ${hostile.emoji}`;
  const active = subscription("card", user, now - 5 * dayMs);
  const signed = (event) => tell(place, "payments", event, { "Stripe-Signature": signature(JSON.stringify(event), secrets.signing) });
  assert.equal((await signed(payment("evt_1", "customer.subscription.created", active, now - 5 * dayMs))).result, "applied");
  assert.equal((await signed(payment("evt_sandbox", "customer.subscription.created", { ...active, livemode: false }, now))).status, 401); // the secret is that of production
  await findUser(desk, user, { byId: true });
  await desk.page.getByText(/^Renews on/).waitFor();
  await button(desk, "Show details").click();
  assert.equal(await fact(desk, "Price").innerText(), "2 × $25.00");

  // The next payment fails. By the rules of access, the user keeps it, until staff change the rules.
  await signed(payment("evt_2", "customer.subscription.updated", { ...active, status: "past_due" }, now - dayMs));
  await row(desk, "Events", "Subscription updated").waitFor(); // the page reads the events again by itself
  assert.equal((await entitlementsOf(place, user))[0].isActive, true);
  const address = new URL(desk.page.url()).pathname;
  await desk.open(`${root}/settings`);
  await toggle(desk, "Access while a card payment is past due", false);
  await says(desk, "Saved", () => button(card(desk, "Rules of access"), "Save").click());
  await desk.open(address);
  await desk.page.getByText("No entitlement is active now.").waitFor();
  assert.equal((await entitlementsOf(place, user))[0].isActive, false);
  await desk.look("billing-user-past-due");
}
