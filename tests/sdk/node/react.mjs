// The React hooks in an app that a server has rendered.
import assert from "node:assert/strict";
import { assertClean, counted, hold, until } from "./site.mjs";

const text = (page, id) => page.locator(`#${id}`).evaluate((element) => element.firstChild.textContent.trim());
const shows = (page, id, wanted) => page.locator(`#${id}`, { hasText: wanted }).waitFor();
const row = (page, title) => page.locator("li", { hasText: title });

export function renderOnServer(site, version) {
  const html = site.markup(version);
  for (const shown of ["loading", "may not export", "has a session"]) assert.ok(html.includes(shown), html);
}

export async function useHooks(site, version) {
  const { credentials, userId } = await site.newUser();
  const name = `React ${version}`;
  const merged = await site.newThread(`${name} first`);
  const thread = await site.newThread(`${name} second`);
  const billing = site.client("billing");
  const { productId } = await billing.createProduct({
    providerProductId: `hooks-${version}`,
    name,
    kind: "subscription",
    features: ["export", "sync"],
  });
  const page = await site.open(`/react${version}.html`);
  const context = page.context();
  const entitlements = counted(context, "GET", "/v1/me/entitlements");
  assert.equal(await text(page, "session"), "loading");
  assert.match(await page.evaluate(`start(${JSON.stringify(site.urls)})`), new RegExp(`^${version}\\.`));

  // A visitor reads the board. There are no features to ask for.
  await shows(page, "session", "signed-out");
  await shows(page, "features", "ready");
  await shows(page, "board", "ready");
  await row(page, `${name} second`).waitFor();
  assert.equal(entitlements.length, 0);
  await page.getByRole("button", { name: `Vote ${name} second` }).click();
  await shows(page, "board", "UNAUTHORIZED");
  await row(page, `${name} second 0 open`).waitFor();

  // The user signs in. Both components share one request for the features, and the board shows the user's votes.
  await page.evaluate(`signIn(${JSON.stringify(credentials)})`);
  await shows(page, "session", `signed-in ${credentials.email}`);
  await shows(page, "features-again", "may not export");
  await until(page, "document.querySelector('#board').textContent.endsWith('fine')");
  assert.equal(entitlements.length, 1);
  await billing.grantEntitlement(userId, { productId });
  await page.locator("#features button").click();
  await shows(page, "features-again", "export,sync may export");

  // A vote is shown before the service answers.
  const release = await hold(context, "**/vote");
  await page.getByRole("button", { name: `Vote ${name} second` }).click();
  await row(page, `${name} second 1 voted`).waitFor();
  assert.equal((await site.client("feedback").getFeedback(thread.feedbackId)).voteCount, 0);
  release();
  await until(page, "document.querySelector('#board').textContent.endsWith('fine')");
  await context.unroute("**/vote");
  await page.locator("#refresh").click();
  await row(page, `${name} second 1 voted`).waitFor();

  // A refused vote is undone.
  const target = await site.newThread(`${name} target`);
  await site.client("feedback").mergeFeedback(merged.feedbackId, { into: target.feedbackId });
  const answer = await hold(context, "**/vote");
  await page.getByRole("button", { name: `Vote ${name} first` }).click();
  await row(page, `${name} first 1 voted`).waitFor();
  answer();
  await row(page, `${name} first 0 open`).waitFor();
  await shows(page, "board", "CONFLICT");
  await context.unroute("**/vote");

  await page.locator("#post").click();
  await row(page, "Posted by a hook").first().waitFor();
  await pages(site, page, name);
  await leave(page, context, entitlements);
  assertClean(page, site);
  await context.close();
}

/** The list has further pages, and another query. */
async function pages(site, page, name) {
  for (let i = 0; i < 22; ++i) await site.newThread(`${name} page ${i}`);
  await page.locator("#refresh").click();
  await shows(page, "board", "ready 20 fine");
  await page.locator("#more").click();
  await until(page, "document.querySelectorAll('li').length > 20");
  const titles = await page.locator("li").allInnerTexts();
  assert.equal(new Set(titles.filter((title) => title.includes(`${name} page`))).size, 22);
  await page.locator("#search").click();
  await until(page, "[...document.querySelectorAll('li')].every(({ textContent }) => textContent.includes('hook'))");
}

/** Components come and go while requests are on their way. The user signs out. */
async function leave(page, context, entitlements) {
  const release = await hold(context, "**/board/threads**");
  await page.locator("#refresh").click();
  await page.locator("#toggle").click();
  release();
  await page.locator("#toggle").click();
  await shows(page, "board", "ready");
  await page.locator("#end").click();
  await shows(page, "session", "signed-out");
  await shows(page, "features", "may not export");
  const before = entitlements.length;
  await page.evaluate("stop()");
  await page.evaluate("dispatchEvent(new Event('focus'))");
  assert.equal(await page.evaluate("document.getElementById('root').textContent"), "");
  assert.equal(entitlements.length, before);
}
