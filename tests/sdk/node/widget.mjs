// The web component on a page with a strict Content Security Policy and Trusted Types.
import assert from "node:assert/strict";
import { assertClean, chromium, hold, until } from "./site.mjs";

const { findTooNarrow, findViolations, input, phone, takeScreenshots } = chromium;
const hostile = {
  html: {
    title: `<img src=x onerror="pwned=1"><script>pwned=2</script> & <b>bold</b>`,
    body: `<svg onload="pwned=3"></svg> {{constructor}} \${7*7}`,
  },
  rtl: { title: "\u202eمرحبا <b>بالعالم</b> evil\u202c", body: "שלום\u202e\u2066 text" },
  emoji: { title: "👩‍👩‍👧‍👦 Z̸̢͠a̴l̵g̶o̵ 🏳️‍🌈 𝕋itle", body: "👩‍👩‍👧‍👦".repeat(200) },
  long: { title: "W".repeat(200), body: `${"x".repeat(9_999)} ${"y".repeat(10_000)}` },
};

/** The page with the element. `query`: attributes. */
async function open(site, { auth = site.urls["auth-mfa"], ...query } = {}, options = {}) {
  const address = new URLSearchParams({ "base-url": site.urls.feedback, ...(auth && { auth }), ...query });
  const page = await site.open(`/widget.html?${address}`, options);
  await page.locator("tetrad-feedback").waitFor();
  return page;
}
const signIn = async (site, page) => {
  const user = await site.newUser();
  await page.evaluate(`signIn(${JSON.stringify(user.credentials)})`);
  return user;
};
const card = (page, title) => page.locator(".post").filter({ has: page.getByRole("button", { name: title, exact: true }) });
const voteOf = (page, title) => card(page, title).locator(".vote");
const says = (page, text) => page.locator(".toast", { hasText: text }).waitFor();
const search = async (page, text) => {
  await page.getByRole("searchbox").fill(text);
  await page.keyboard.press("Enter");
};
/** The text of the focused element, also within the element's shadow root. */
const focused = (page) =>
  page.evaluate(`(() => { let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at.name || at.getAttribute("aria-label") || at.textContent; })()`);
const events = (page, type) => page.evaluate(`events.filter((event) => event.type === "${type}").map(({ detail }) => detail)`);

/** Looks at the page as it is: on a phone and on a desktop, in light and dark mode. */
async function look(page, name) {
  const problems = [];
  await page.mouse.move(0, 0);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  for (const width of await findTooNarrow(page)) problems.push([name, "too narrow", width]);
  for (const [colorScheme, rules] of [["light"], ["dark", ["color-contrast"]]]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const found of await findViolations(page, rules)) problems.push([name, colorScheme, ...found]);
  }
  if (input.screenshots) await takeScreenshots(page, `widget-${name}`);
  const shown = await page.locator("tetrad-feedback").innerText();
  const odd = /undefined|null|NaN|\[object/.exec(shown);
  if (odd) problems.push([name, "text", odd[0]]);
  assert.deepEqual(problems, []);
}

/** An empty board, on which the first user posts. This runs before other tests post. */
export async function startEmpty(site) {
  const page = await open(site);
  await page.getByText("No posts yet").waitFor();
  await look(page, "empty");
  await page.getByRole("button", { name: "New post" }).click();
  assert.deepEqual(await events(page, "tetrad-sign-in"), [{ reason: "post" }]);
  await says(page, "Sign in to post.");
  await signIn(site, page);

  // After the sign-in the form opens by itself.
  const title = page.getByLabel("Title");
  await title.waitFor();
  assert.equal(await focused(page), "title");
  await page.getByRole("button", { name: "Post", exact: true }).click();
  await page.getByText("Enter a title.").waitFor();
  assert.equal(await title.getAttribute("aria-invalid"), "true");
  assert.equal(await focused(page), "title");
  await look(page, "form-errors");
  await title.fill("Export as PDF");
  await page.getByLabel("Description").fill("One line.\nAnother line.");
  await page.getByRole("button", { name: "Post", exact: true }).click();
  await says(page, "Your post is on the board.");
  assert.equal(await focused(page), "Export as PDF");
  const [{ feedback }] = await events(page, "tetrad-posted");
  assert.deepEqual([feedback.title, feedback.body, feedback.category], ["Export as PDF", "One line.\nAnother line.", "feature"]);

  // A report that the team has to publish first is not listed.
  await page.getByRole("button", { name: "New post" }).click();
  await page.getByRole("radio", { name: "Bug" }).check();
  await title.fill("It crashes");
  await page.getByLabel("Description").fill("When I open it.");
  await page.getByRole("button", { name: "Post", exact: true }).click();
  await says(page, "after the team has published it");
  assert.equal(await page.locator(".post").count(), 1);
  assertClean(page, site);
  await page.context().close();
}

export async function listAndVote(site) {
  const threads = [
    ["Dark mode", "My eyes hurt at night.", "in-progress"],
    ["Share a folder with my team", "We keep notes of our meetings, and everyone of us should be able to edit them.", "in-progress"],
    ["Import notes from other apps", "I have ten years of notes in another app. I can export them as Markdown.", "open"],
    ["Print one note for each page", "I want to print my notes, and hand them to colleagues who do not use the app.", "resolved"],
  ];
  for (const [i, [title, body, status]] of threads.entries()) {
    const { feedbackId } = await site.newThread(title, body);
    await site.client("feedback").updateFeedback(feedbackId, { status });
    for (let voter = 0; voter < 9 - 2 * i; ++voter) await site.client("feedback").voteForUser(feedbackId, `voter-${voter}`);
    if (i === 0) {
      await site.client("feedback").postReply(feedbackId, { body: "We are working on it. A first version comes in June." });
      await site.client("feedback").postReply(feedbackId, { body: "<b>Not</b> for everyone.", internal: true });
    }
  }
  const page = await open(site);
  await voteOf(page, "Dark mode").waitFor();
  await look(page, "visitor");
  assert.match(await voteOf(page, "Dark mode").innerText(), /^Vote for “Dark mode”\. 9 votes/);
  assert.deepEqual((await page.locator(".post .title").allInnerTexts()).slice(0, 2), ["Dark mode", "Share a folder with my team"]);

  // The replies of the team, without internal notes.
  await page.getByRole("button", { name: "Dark mode", exact: true }).click();
  await page.getByText("We are working on it.").waitFor();
  assert.equal(await card(page, "Dark mode").locator(".replies li").count(), 1);
  await look(page, "replies");

  // A vote leads to the sign-in, and is cast after it.
  await voteOf(page, "Dark mode").click();
  const [asked] = await events(page, "tetrad-sign-in");
  assert.equal(asked.reason, "vote");
  await signIn(site, page);
  await says(page, "You voted. The post has 10 votes.");
  assert.equal(await voteOf(page, "Dark mode").getAttribute("aria-pressed"), "true");
  assert.deepEqual(await events(page, "tetrad-voted"), [{ feedbackId: asked.feedbackId, voteCount: 10, voted: true }]);
  await look(page, "list");

  // A vote is shown at once.
  const release = await hold(page.context(), "**/vote");
  const button = voteOf(page, "Import notes from other apps");
  await button.click();
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  assert.match(await button.innerText(), /6 votes/);
  // The user changes the decision before the service has answered.
  await button.click();
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  release();
  await says(page, "Your vote was taken back. The post has 5 votes.");
  await page.context().unroute("**/vote");

  // A refused vote is undone, and the message says why.
  const source = await site.newThread("Merged in the meantime");
  await search(page, "meantime");
  const merged = voteOf(page, "Merged in the meantime");
  await merged.waitFor();
  await site.client("feedback").mergeFeedback(source.feedbackId, { into: asked.feedbackId });
  await merged.click();
  await says(page, "This post was closed or merged");
  assert.equal(await merged.getAttribute("aria-pressed"), "false");
  assert.match(await merged.innerText(), /0 votes/);
  await look(page, "refused");
  await page.getByRole("button", { name: "Close", exact: true }).click();

  await search(page, "xyzzy");
  await page.getByRole("heading", { name: "No posts found" }).waitFor();
  await look(page, "nothing");
  await page.getByRole("button", { name: "Show all posts" }).click();
  await voteOf(page, "Dark mode").waitFor();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await until(page, `document.querySelector("tetrad-feedback").shadowRoot.querySelectorAll(".post").length === 1`);
  assert.deepEqual(await page.locator(".post .title").allInnerTexts(), ["Print one note for each page"]);

  // The sign-out of another tab.
  await page.evaluate("signOut()");
  await page.locator(".sign-in").waitFor();
  assertClean(page, site);
  await page.context().close();
}

/** The page has its own sign-in and its own tokens. */
export async function useOwnTokens(site) {
  const address = { tenant: "demo-sandbox", "base-url": site.urls.feedback.replace("demo-sandbox", "{tenant}") };
  const page = await open(site, { auth: null, ...address, "sign-in-url": "javascript:pwned=1" });
  const element = page.locator("tetrad-feedback");
  await voteOf(page, "Dark mode").waitFor();
  await page.getByRole("button", { name: "Sign in" }).click();
  assert.deepEqual(await events(page, "tetrad-sign-in"), [{ reason: "button" }]);
  assert.equal(await page.evaluate("typeof pwned"), "undefined"); // a script is no address of a page

  // An expired token leads to the sign-in, too.
  const { token } = await site.newUser();
  await page.evaluate(`token = ${JSON.stringify(`${token}x`)}`);
  await element.evaluate((widget) => widget.refresh());
  await page.getByText("Your sign-in has ended. Sign in, then try again.").waitFor();
  await page.evaluate(`token = ${JSON.stringify(token)}`);
  await element.evaluate((widget) => widget.refresh());
  await page.locator(".sign-in").waitFor({ state: "hidden" });
  await voteOf(page, "Dark mode").click();
  await says(page, "You voted.");

  // The default action opens the page for the sign-in, unless a listener prevents it.
  await page.evaluate("token = undefined");
  await element.evaluate((widget) => widget.refresh());
  await page.locator(".sign-in").waitFor();
  await element.evaluate((widget) => widget.setAttribute("sign-in-url", "/calls.html"));
  await element.evaluate((widget) => widget.addEventListener("tetrad-sign-in", (event) => event.preventDefault(), { once: true }));
  await page.getByRole("button", { name: "New post" }).click();
  await says(page, "Sign in to post.");
  assertClean(page, site);
  await page.getByRole("button", { name: "New post" }).click();
  await page.waitForURL(`${site.origin}/calls.html`);
  await page.context().close();
}

/** Everything works without a pointer. */
export async function useKeyboard(site) {
  const page = await open(site, { "board-sort": "createdAt" });
  await signIn(site, page);
  await voteOf(page, "Dark mode").waitFor();
  await page.locator(".sign-in").waitFor({ state: "hidden" });
  const press = async (key, times = 1) => {
    for (let i = 0; i < times; ++i) await page.keyboard.press(key);
    return focused(page);
  };
  assert.equal(await press("Tab"), "New post");
  assert.equal(await press("Enter"), "title");
  await page.keyboard.type("Share a folder with my team");
  await page.getByRole("heading", { name: "Similar posts" }).waitFor();
  await look(page, "form");
  assert.match(await press("Tab"), /^Vote for “Share a folder with my team”/);
  await press("Space");
  await says(page, "You voted.");
  assert.equal(await page.locator(".similar .vote").first().getAttribute("aria-pressed"), "true");
  assert.equal(await press("Escape"), "New post");
  assert.equal(await page.locator("form.composer").count(), 0);

  // The draft is kept.
  await press("Enter");
  assert.equal(await page.getByLabel("Title").inputValue(), "Share a folder with my team");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Zebra crossing");
  await page.locator(".similar").waitFor({ state: "hidden" });
  assert.equal(await press("Tab"), "body");
  await page.keyboard.type("By keyboard.");
  assert.equal(await press("Tab"), "Cancel");
  assert.equal(await press("Tab"), "Post");
  await press("Enter");
  await says(page, "Your post is on the board.");
  assert.equal(await focused(page), "Zebra crossing");
  await press("Enter");
  await page.getByText("By keyboard.", { exact: true }).last().waitFor();
  assert.equal(await page.getByRole("button", { name: "Zebra crossing", exact: true }).getAttribute("aria-expanded"), "true");
  assert.match(await press("Shift+Tab"), /^Vote for “Zebra crossing”/);
  await press("Space");
  await says(page, "You voted. The post has 1 vote.");
  assert.match(await focused(page), /^Vote for “Zebra crossing”/);
  assertClean(page, site);
  await page.context().close();
}

export async function showHostileTexts(site) {
  for (const { title, body } of Object.values(hostile)) await site.newThread(title, body);
  const page = await open(site, { "board-sort": "createdAt" }, phone);
  for (const { title, body } of Object.values(hostile)) {
    const button = page.locator(".title").filter({ hasText: title });
    await button.waitFor();
    assert.equal(await button.evaluate((element) => element.textContent), title);
    await button.click();
    const shown = page.locator(".post").filter({ has: button }).locator(".details > .text");
    assert.equal(await shown.evaluate((element) => element.textContent), body);
  }
  assert.equal(await page.evaluate("typeof pwned"), "undefined");
  assert.equal(await page.locator(".post img, .post script, .post b").count(), 0);
  assert.equal(
    await page
      .locator(".title")
      .filter({ hasText: "مرحبا" })
      .evaluate((element) => getComputedStyle(element).direction),
    "rtl",
  );
  await look(page, "hostile");
  assertClean(page, site);
  await page.context().close();
}

export async function loadPages(site) {
  for (let i = 0; i < 25; ++i) await site.newThread(`A numbered wish ${i}`);
  const page = await open(site, { "board-sort": "createdAt", heading: "Ideas" });
  await page.getByRole("heading", { name: "Ideas" }).waitFor();
  await search(page, "numbered wish");
  const more = page.getByRole("button", { name: "Load more" });
  await page.getByText("A numbered wish 24", { exact: true }).waitFor();
  await until(page, `document.querySelector("tetrad-feedback").shadowRoot.querySelectorAll(".post").length === 20`);
  await look(page, "more");

  // A failed page is told, and can be read again.
  await page.context().route("**/board/threads**", (route) => route.abort("internetdisconnected"));
  await more.click();
  await says(page, "The board cannot be reached.");
  await page.context().unroute("**/board/threads**");
  await more.click();
  await until(page, `document.querySelector("tetrad-feedback").shadowRoot.querySelectorAll(".post").length === 25`);
  assert.equal(await more.count(), 0);
  assert.equal(await focused(page), "A numbered wish 4"); // the first one of the page, because the button is gone
  assertClean(page, site);
  await page.context().close();
}

export async function showErrors(site) {
  const page = await open(site);
  await voteOf(page, "Dark mode").waitFor();
  await page.context().route("**/board/threads**", (route) => route.abort("internetdisconnected"));
  await page.getByRole("button", { name: "Newest" }).click();
  await page.getByText("Check your connection, then try again.").waitFor();
  await look(page, "offline");
  await page.context().unroute("**/board/threads**");
  await page.getByRole("button", { name: "Try again" }).click();
  await voteOf(page, "A numbered wish 24").waitFor();
  await page.context().close();

  const nowhere = await open(site, { "base-url": "" });
  await nowhere.getByText("The attribute base-url is missing.").waitFor();
  await nowhere.context().close();
}

export async function speakGerman(site) {
  const page = await open(site, { lang: "de", theme: "dark" });
  await page.getByRole("button", { name: "Neuer Beitrag" }).waitFor();
  await voteOf(page, "Dark mode").waitFor();
  assert.match(await voteOf(page, "Dark mode").innerText(), /^Für „Dark mode“ stimmen\. \d+ Stimmen/);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const root = page.locator(".root");
  const colour = () => root.evaluate((element) => getComputedStyle(element).backgroundColor);
  assert.equal(await root.getAttribute("lang"), "de");
  assert.equal(await colour(), "rgb(20, 22, 27)");
  await page.locator("tetrad-feedback").evaluate((element) => element.setAttribute("theme", "light"));
  assert.equal(await colour(), "rgb(255, 255, 255)");
  await page.locator("tetrad-feedback").evaluate((element) => element.removeAttribute("theme"));

  // The page's own look.
  await page.locator("tetrad-feedback").evaluate((element) => element.style.setProperty("--tetrad-accent", "#f5c518"));
  const primary = page.locator(".primary").first();
  assert.equal(await primary.evaluate((element) => getComputedStyle(element).backgroundColor), "rgb(245, 197, 24)");
  assert.match(await primary.evaluate((element) => getComputedStyle(element).color), /^oklch\(0 /); // black text on yellow
  await page.locator("tetrad-feedback").evaluate((element) => element.style.removeProperty("--tetrad-accent"));
  await look(page, "german");
  await page.locator("tetrad-feedback").evaluate((element) => element.setAttribute("lang", "en"));
  await page.getByRole("button", { name: "New post" }).waitFor();
  assertClean(page, site);
  await page.context().close();
}

/** The board is switched off. This runs after the other tests. */
export async function showSwitchedOff(site) {
  await site.client("feedback").updateSettings({ publicBoard: false });
  await until(
    await site.open("/calls.html"),
    `fetch(${JSON.stringify(`${site.urls.feedback}/board/threads`)}).then(({ status }) => status === 404)`,
  );
  const page = await open(site);
  await page.getByText("This board is switched off").waitFor();
  await look(page, "off");
  await page.context().close();
}
