// The data of the pictures of docs/console.md: a company that sells an app for notes, its users and its support team.
//
// The services take most times from their clock. So this file moves them into the past with SQL, in the private databases of scripts/run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { Auth, eventually, localhostFetch, Place, serviceNames } from "./stack.mjs";

const hour = 3_600_000;
const dayMs = 24 * hour;
const slug = "teapots";
const secret = "Bearer a violet teapot";
export const app = { appName: "Teapot Notes", appVersion: "5.2.0" };

/** Numbers from 0 to 1 that are the same in each run. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Runs `work` for each item, several at once. */
async function forAll(items, work) {
  const left = [...items];
  const next = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 12 }, next));
}

/** Runs statements in the database of a service, as the superuser of the private server. */
function sql(stack, service, statements) {
  const url = new URL(stack.env[`${service.toUpperCase()}_DATABASE_URL`].replace("@/", "@localhost/"));
  execFileSync("psql", ["-qX", "-v", "ON_ERROR_STOP=1", "-h", url.searchParams.get("host"), "-U", "postgres", "-d", url.pathname.slice(1)], { input: statements.join("\n") });
}
const ago = (hours) => `now() - interval '${Math.round(hours * 60)} minutes'`;

/** What the accounts show of the past: the user has the app for some months. Call it after the last sign-in of the user. */
export function ageAccount({ place, userId }) {
  const mine = `WHERE user_id = '${userId}'`;
  const spread = (table, time) => `UPDATE ${table} SET ${time} = now() - (age + 0.4) * interval '70 minutes' FROM (SELECT ctid AS row, rank() OVER (ORDER BY ${time} DESC) - 1 AS age FROM ${table} ${mine}) aged WHERE ${table}.ctid = aged.row;`;
  sql(place.stack, "auth", [
    `UPDATE users SET created_at = ${ago(3_200)}, updated_at = ${ago(200)} ${mine};`,
    `UPDATE sessions SET created_at = created_at - interval '26 hours', rotated_at = rotated_at - interval '28 minutes' ${mine};`,
    spread("activity", "at"),
  ]);
}

/** The tenant, its team and its users, with the data of all services. */
export async function fillTeapots(stack) {
  for (const service of serviceNames) await stack.client(service, "admin").putTenant(slug, { displayName: "Teapot Notes", limits: { requestsPerMinute: 100_000, sendsPer5Minutes: 10_000 } });
  const place = new Place(stack, slug, "production");
  const people = await addPeople(place);
  const threads = await addThreads(place, people);
  await addNotifications(place, people);
  await addPurchases(place, people);
  return { place, people, threads };
}

// --- people ------------------------------------------------------------------------------------------------------------------------

const team = { ann: "owner", jon: "admin", max: "admin" };
const users = ["lena.hoffmann", "tomas.silva", "aiko.tanaka", "noah.clark", "ines.moreau", "sam.okafor", "grace.liu", "marek.nowak", "fatima.zahra", "oscar.berg"];

/** Accounts by their first name. `as("feedback")` is a client of the service with the token of the person. */
async function addPeople(place) {
  const people = {};
  const add = async (name, role, email) => {
    const member = await place.newMember(role, email, { totp: false });
    const token = await member.token();
    people[name] = Object.assign(member, { as: (service) => place.client(service, token) });
  };
  for (const [name, role] of Object.entries(team)) await add(name, role, `${name}@pot.example`);
  for (const name of users) await add(name.split(".")[0], "user", `${name}@example.com`);
  for (const name of Object.keys(team)) await people[name].enrol();
  await signInOnLaptop(place, people.lena);
  return people;
}

/** A user signs in on a laptop, at the second attempt. */
async function signInOnLaptop(place, { email, password }) {
  const headers = { "user-agent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 15_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15", "x-forwarded-for": "203.0.113.24" };
  const auth = new Auth({ baseUrl: place.url("auth"), fetch: (request) => localhostFetch(new Request(request, { headers: { ...Object.fromEntries(request.headers), ...headers } })) });
  await auth.login({ email, password: "a violet kettle" }).catch(() => undefined);
  await auth.login({ email, password });
}

// --- feedback ----------------------------------------------------------------------------------------------------------------------

const iphone = { ...app, os: "iOS", osVersion: "26.1" };
const pixel = { ...app, os: "Android", osVersion: "16" };
const web = { ...app, os: "macOS", osVersion: "15.6" };

// Hours since the creation, user, title, text, and further facts. A reply has the hours, the person and the text; `true`: an internal note.
const threads = [
  [0.6, "lena", "Sync stops when the phone is locked", "Since 5.2 my notes arrive on the laptop only after I unlock the phone. Before, they were there at once. Battery saving is off.", {
    category: "bug", priority: "high", assignee: "ann", votes: 3, tags: ["sync", "android"], app: pixel, status: "in-progress",
    replies: [[0.4, "ann", "Thank you, Lena. I can reproduce this on a Pixel 9. Is the app excluded from battery optimisation on your phone?"],
      [0.3, "jon", "The new push library wakes the app only with high priority. Fix is in review, planned for 5.2.1.", true], [0.15, "lena", "No, it is not excluded. When I exclude it, sync works again."]],
  }],
  [1.7, "noah", "I was charged twice for Pro", "My card statement has two payments of 4.99 € on the same day. I only have one account.", { category: "support", priority: "critical", assignee: "max", votes: 0, tags: ["billing"], app: iphone }],
  [3.2, "tomas", "Dark mode for the editor", "The list is dark, but the editor stays white. At night it blinds me.", { category: "feature", votes: 58, tags: ["editor"], public: true, status: "in-progress", assignee: "jon", app: web, replies: [[2.5, "jon", "We are working on it. The first version comes with 5.3."]] }],
  [5.5, "ines", "La recherche ignore les accents", "Je cherche « été » et je ne trouve pas ma note « Projets d’été ». Sur le web, cela fonctionne.", { category: "bug", priority: "medium", votes: 6, tags: ["search"], app: iphone, replies: [[4.2, "ann", "Merci beaucoup ! C’est corrigé dans la version 5.2.1."]] }],
  [9, "aiko", "Import from other apps", "I have ten years of notes in another app. I can export them as Markdown.", { category: "feature", votes: 41, public: true, tags: ["import"], app: web }],
  [14, "sam", "Export a notebook as PDF", "I hand notes to colleagues who do not use the app. One file for each notebook would be perfect.", { category: "feature", priority: "medium", votes: 73, public: true, assignee: "jon", tags: ["export"], status: "in-progress", app: web, replies: [[12, "jon", "We have started. Which paper do you use, A4 or Letter?"], [11, "sam", "A4, please."]] }],
  [20, "grace", "The widget shows yesterday's list", "The shopping list on my home screen is a day old until I open the app.", { category: "bug", priority: "medium", votes: 9, tags: ["widget", "ios"], app: iphone }],
  [26, "marek", "How do I move my account to another email?", "I leave my company soon, and the account has my work address.", { category: "support", votes: 0, assignee: "max", tags: ["account"], app: web, replies: [[22, "max", "Open Settings, Account, Change email. You get a link at the new address."]] }],
  [31, "fatima", "Share a folder with my team", "We keep notes of our meetings, and all of us should be able to edit them.", { category: "feature", votes: 44, public: true, tags: ["teams"], app: iphone }],
  [47, "oscar", "Keyboard shortcut for a new note", "Something like Ctrl+N would save me a lot of clicks.", { category: "feature", priority: "low", votes: 19, public: true, tags: ["editor"], app: web }],
  [52, "lena", "Photos are turned by 90 degrees", "Pictures that I take in portrait are shown in landscape.", { category: "bug", votes: 4, tags: ["android"], app: pixel, status: "resolved", replies: [[40, "jon", "Fixed in 5.1.3. Thank you for the sample picture!"]] }],
  [120, "lena", "Offline notebooks", "I would like to choose notebooks that are always on my phone.", { category: "feature", votes: 27, public: true, tags: ["sync"], app: pixel }],
];

async function addThreads(place, people) {
  const { feedback } = place;
  await feedback.updateSettings({ publicBoard: true, boardName: "Teapot Notes", boardColor: "#7c3aed" });
  const changes = [];
  const ids = {};
  for (const [hours, user, title, body, more] of [...threads].reverse()) {
    const { feedbackId: id } = await people[user].as("feedback").createFeedback({ title, body, category: more.category, appContext: more.app });
    ids[title] = id;
    for (let voter = 0; voter < more.votes; ++voter) await feedback.voteForUser(id, `voter-${voter}`);
    const assignee = people[more.assignee];
    const status = more.status ?? "open";
    const staff = people[more.assignee ?? "jon"].as("feedback");
    const set = { tags: more.tags, ...(more.priority && { priority: more.priority }), ...(more.public && { visibility: "public" }), ...(assignee && { assigneeId: assignee.userId, assigneeEmail: assignee.email }) };
    await staff.updateFeedback(id, set);
    if (status !== "open") await staff.updateFeedback(id, { status });
    changes.push(`UPDATE feedbacks SET created_at = ${ago(hours)}, updated_at = ${ago(hours)} WHERE feedback_id = '${id}';`);
    const replies = more.replies ?? [];
    for (const [at, who, text, internal = false] of replies) {
      const { replyId } = await people[who].as("feedback").postReply(id, { body: text, ...(internal && { internal }) });
      changes.push(`UPDATE replies SET created_at = ${ago(at)} WHERE reply_id = '${replyId}';`);
    }
    const [last] = replies.at(-1) ?? [];
    if (last !== undefined) changes.push(`UPDATE feedbacks SET last_reply_at = ${ago(last)}, updated_at = ${ago(last)} WHERE feedback_id = '${id}';`);
    changes.push(`UPDATE status_moves SET at = ${ago((replies[0]?.[0] ?? hours) - 0.01)} WHERE feedback_id = '${id}';`);
  }
  sql(place.stack, "feedback", changes);
  return ids;
}

// --- notify ------------------------------------------------------------------------------------------------------------------------

const templates = [
  { name: "welcome", channel: "email", subject: "Welcome to Teapot Notes, {{name}}", body: "<p>Hello {{name}},</p><p>your notes are ready on all your devices.</p>" },
  { name: "receipt", channel: "email", subject: "Your receipt for {{product}}", body: "<p>Thank you for {{product}}.</p>" },
  { name: "shared-note", channel: "push", subject: "{{from}} shared a note", body: "{{title}}" },
  { name: "release-5.3", channel: "push", subject: "Dark mode is here", body: "Teapot Notes 5.3 turns the lights off: the editor, the list and the widgets. Tap to see what is new." },
];

export const devices = { android: 21_350, ios: 18_420, web: 2_260 };

async function addNotifications(place, { lena }) {
  const { notify } = place;
  for (const template of templates) await notify.createTemplate(template);
  const pem = { publicKeyEncoding: { type: "spki", format: "pem" }, privateKeyEncoding: { type: "pkcs8", format: "pem" } };
  const account = { type: "service_account", project_id: "teapot-notes", private_key_id: "5f2b8c1d", private_key: generateKeyPairSync("rsa", { modulusLength: 2048, ...pem }).privateKey, client_email: "push@teapot-notes.iam.gserviceaccount.com" };
  await notify.putPlatform("fcm", { serviceAccountKey: account });
  await notify.putPlatform("apns", { bundleId: "example.teapots.notes", keyId: "T3APOT5K3Y", teamId: "N0T3S5TEAM", environment: "production", privateKey: generateKeyPairSync("ec", { namedCurve: "P-256", ...pem }).privateKey });
  await notify.registerDevice({ userId: lena.userId, token: "cV9kR2mTQ5yBd0xS4uEw7N:APA91bH3v8Jq2LrT6yXo", platform: "android" });
  await notify.registerDevice({ userId: lena.userId, token: "fM1pZ8wKS3iGa6tY2cRq5L:APA91bG7n4Dx9VhB1sUe", platform: "web" });

  const changes = [];
  const send = async (hours, templateName, channel, to, variables, steps) => {
    const { notificationId: id } = await notify.sendNotification({ templateName, channel, to, variables });
    await eventually(async () => (await notify.getNotification(id)).status === "sent");
    if (steps.includes("delivered")) await notify.ackNotifications({ notifications: [{ id }] });
    if (steps.includes("opened")) await notify.openNotification(id);
    const columns = ["created_at", "queued_at", "sent_at", ...steps.map((step) => `${step}_at`)];
    changes.push(`UPDATE notifications SET ${columns.map((name) => `${name} = ${ago(hours)}`).join(", ")} WHERE notification_id = '${id}';`);
  };
  await send(3200, "welcome", "email", lena.email, { name: "Lena" }, []);
  await send(150, "receipt", "email", lena.email, { product: "Notes Pro, monthly" }, []);
  await send(30, "shared-note", "push", lena.userId, { from: "Oscar", title: "Packing list for Norway" }, ["delivered", "opened"]);
  await send(5, "shared-note", "push", lena.userId, { from: "Grace", title: "Agenda for Monday" }, ["delivered"]);
  sql(place.stack, "notify", changes);
  addDevices(place);
}

/** Devices of many users. Some are gone, and the stand-ins of the push providers say so. */
function addDevices({ stack }) {
  const rows = ([platform, count]) => `
    INSERT INTO devices (scope_id, token, user_id, platform, created_at, updated_at)
    SELECT scope_id, CASE WHEN n % 61 = 0 THEN 'gone-' WHEN n % 997 = 0 THEN 'refused-' ELSE '' END || md5('${platform}' || n), 'user-' || n, '${platform}', now(), now()
    FROM (SELECT DISTINCT scope_id FROM devices WHERE token LIKE '%APA91b%') scope, generate_series(1, ${count}) n;`;
  sql(stack, "notify", [...Object.entries(devices).map(rows), "ANALYZE devices;"]);
}

/** Starts the broadcast about a new version. Returns its id. */
export async function startBroadcast(place) {
  const { broadcastId } = await place.notify.startBroadcast({ templateName: "release-5.3", channel: "push", variables: {}, dedupeKey: "release-5.3" });
  return broadcastId;
}

// --- billing -----------------------------------------------------------------------------------------------------------------------

const products = {
  monthly: { providerProductId: "teapots.pro.monthly", name: "Notes Pro, monthly", kind: "subscription", features: ["sync", "export", "themes"], grants: [{ name: "GB of storage", quantity: 20 }] },
  yearly: { providerProductId: "teapots.pro.yearly", name: "Notes Pro, yearly", kind: "subscription", features: ["sync", "export", "themes"], grants: [{ name: "GB of storage", quantity: 20 }] },
  team: { providerProductId: "teapots.team.monthly", name: "Team", kind: "subscription", features: ["sync", "export", "themes", "sharing"], grants: [{ name: "seats", quantity: 5 }] },
  early: { providerProductId: "teapots.early", name: "Early access", kind: "lifetime", features: ["labs"], grants: [] },
};
const plans = { monthly: [30, 4.99], yearly: [365, 39.99], team: [30, 24] };

/** An event of RevenueCat. Times are in milliseconds since 1970. */
const event = (id, userId, plan, type, at, until, more = {}) => ({
  api_version: "1.0",
  event: {
    id, type, event_timestamp_ms: at, app_user_id: userId, product_id: products[plan].providerProductId, environment: "PRODUCTION", store: "APP_STORE", transaction_id: `${userId}-1`, period_type: "NORMAL",
    price_in_purchased_currency: plans[plan][1], currency: "EUR", purchased_at_ms: at, expiration_at_ms: until, ...more,
  },
});

/**
 * The events of a subscription that begins at `start`. A subscriber leaves at the end of a period with the probability `leaving`. `count` gets the
 * changes of the statistics.
 */
function subscriptionOf(userId, plan, start, now, { trial, leaving, random, store, count }) {
  const events = [];
  const length = plans[plan][0] * dayMs;
  const add = (type, at, until, more) => events.push(event(`${userId}-${events.length}`, userId, plan, type, at, until, { store, ...more }));
  let end = start + (trial ? 7 * dayMs : length);
  add("INITIAL_PURCHASE", start, end, trial ? { period_type: "TRIAL", price_in_purchased_currency: 0 } : {});
  count(start, plan, { active: 1, started: 1, trials: trial ? 1 : 0 });
  for (let isTrial = trial; end < now; isTrial = false) {
    const leaves = random() < (isTrial ? 0.24 : leaving);
    count(end, plan, { trials: isTrial ? -1 : 0, ...(leaves && { active: -1, churned: 1 }) });
    if (leaves) {
      add("EXPIRATION", end, end, { expiration_reason: "UNSUBSCRIBE" });
      return events;
    }
    add("RENEWAL", end, end + length);
    end += length;
  }
  return events;
}

/** The statistics by day and product. The service counts when events arrive, so old events would count as new. */
class Counts {
  #rows = new Map();

  add = (at, plan, change) => {
    const key = `date '${new Date(at).toISOString().slice(0, 10)}', '${products[plan].providerProductId}'`;
    const row = this.#rows.get(key) ?? { active: 0, trials: 0, started: 0, churned: 0 };
    this.#rows.set(key, row);
    for (const [name, value] of Object.entries(change)) row[name] += value;
  };

  /** Replaces the statistics of the only environment with entitlements. */
  get statements() {
    const rows = [...this.#rows].map(([key, { active, trials, started, churned }]) => `(${key}, ${active}, ${trials}, ${started}, ${churned})`);
    return [
      "DELETE FROM stats_days; DELETE FROM stats_months;",
      `INSERT INTO stats_days SELECT DISTINCT scope_id, v.* FROM entitlements, (VALUES ${rows.join(", ")}) v;`,
      "INSERT INTO stats_months SELECT scope_id, date_trunc('month', date), provider_product_id, sum(active), sum(trials) FROM stats_days GROUP BY 1, 2, 3;",
    ];
  }
}

async function addPurchases(place, { ann, lena }) {
  const { billing } = place;
  for (const product of Object.values(products)) await billing.createProduct(product);
  await billing.updateSettings({ purchasesSecret: secret });
  const now = Date.now();
  const random = numbers(7);
  const counts = new Counts();
  const events = [];
  for (let user = 0; user < 640; ++user) {
    // More users begin later, so that the number grows.
    const start = now - Math.floor(240 * (1 - random() ** 0.7)) * dayMs - Math.floor(random() * dayMs);
    const plan = ["monthly", "monthly", "monthly", "yearly", "yearly", "team"][Math.floor(random() * 6)];
    events.push(...subscriptionOf(`user-${user}`, plan, start, now, { trial: plan !== "team" && random() < 0.4, leaving: plan === "monthly" ? 0.045 : 0.02, random, store: random() < 0.45 ? "PLAY_STORE" : "APP_STORE", count: counts.add }));
  }
  // Lena: a trial, renewals, and a payment that failed at first.
  const day = (count) => now + count * dayMs;
  const play = { store: "PLAY_STORE" };
  const hers = (id, type, at, until, more) => events.push(event(`lena-${id}`, lena.userId, "monthly", type, day(at), day(until), { ...play, ...more }));
  hers(1, "INITIAL_PURCHASE", -133, -126, { period_type: "TRIAL", price_in_purchased_currency: 0 });
  for (const [index, at] of [-126, -96, -66].entries()) hers(2 + index, "RENEWAL", at, at + 30);
  hers(5, "BILLING_ISSUE", -36, -36, { grace_period_expiration_at_ms: day(-30) });
  hers(6, "RENEWAL", -32.5, -6);
  hers(7, "RENEWAL", -6.2, 24);
  counts.add(day(-133), "monthly", { active: 1, started: 1, trials: 1 });
  counts.add(day(-126), "monthly", { trials: -1 });
  counts.add(now, "early", { active: 1, started: 1 });
  await forAll(events, async (body) => {
    const request = new Request(`${place.url("billing")}/webhooks/purchases`, { method: "POST", headers: { "Content-Type": "application/json", Authorization: secret }, body: JSON.stringify(body) });
    const response = await localhostFetch(request);
    assert.equal(response.status, 200, await response.text());
  });
  const { items } = await billing.listProducts({ limit: 100 });
  const early = items.find(({ name }) => name === products.early.name);
  await ann.as("billing").grantEntitlement(lena.userId, { productId: early.productId, expiresAt: null, reason: "Tested the sync of 5.2 with us" });
  sql(place.stack, "billing", counts.statements);
}
