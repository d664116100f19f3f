// Reads the board in Chromium, without and with JavaScript. argv[2] names a JSON file: {origin, post, title, body, team, screenshots}.
// `post` is the id of a post with the title `title`, the text `body` of several lines, and a reply `team` of the team. The board has
// more than one page.
import assert from "node:assert/strict";
import RssParser from "rss-parser";
import { SaxesParser } from "saxes";
import { browser, findTooNarrow, findViolations, input, newPage, phone, takeScreenshots } from "./browser.mjs";

const { origin, post, title } = input;
const paths = {
  list: "/board",
  newest: "/board?sort=createdAt",
  search: `/board?q=${encodeURIComponent(title)}`,
  nothing: "/board?q=xyzzy",
  roadmap: "/board/roadmap",
  post: `/board/posts/${post}`,
  new: "/board/new",
  callback: "/board/callback?code=x&state=y",
  missing: "/board/posts/0190a5d2-0000-7000-8000-000000000000",
};
const textOf = async (page) => (await page.locator("body").innerText()).replace(/\s+/g, " ");

// --- without JavaScript ----------------------------------------------------------------------------------------------------------

const plain = await newPage({ javaScriptEnabled: false });
await plain.goto(origin + paths.list);
assert.equal(await plain.locator("h1").innerText(), "Feedback for A tenant");
assert.equal(await plain.locator(".results .post").count(), 20);
assert.equal(await plain.locator(".vote").first().isDisabled(), true);
assert.match(await plain.locator(".vote").first().innerText(), /needs JavaScript/);
assert.match(await textOf(plain), /You can read this board without JavaScript/);
await Promise.all([plain.waitForNavigation(), plain.click('a[rel="next"]')]);
assert.match(plain.url(), /cursor=/);
assert.ok((await plain.locator(".results .post").count()) > 0);
await Promise.all([plain.waitForNavigation(), plain.getByText("First page").click()]);
assert.equal(plain.url(), origin + paths.list);
await plain.fill("#q", title);
await Promise.all([plain.waitForNavigation(), plain.click('form[role="search"] button')]);
assert.equal(await plain.locator(".results .post").count(), 1);
await Promise.all([plain.waitForNavigation(), plain.click(".results .post h2 a")]);
assert.equal(plain.url(), origin + paths.post);
assert.equal(await plain.locator("h1").innerText(), title);
assert.equal(await plain.locator("article .text").innerText(), input.body); // with its line breaks
assert.equal(await plain.locator(".replies .text").innerText(), input.team);
assert.equal(await plain.locator(".replies .badge").innerText(), "Team");
await plain.goto(origin + paths.roadmap);
assert.deepEqual(await plain.locator(".roadmap h2").allInnerTexts(), ["Open", "In progress", "Done", "Closed"]);
await plain.goto(origin + paths.new);
assert.match(await textOf(plain), /signing in needs JavaScript/);
assert.equal(await plain.locator("#gate-sign-in").isDisabled(), true);
await plain.context().close();

// --- the feed --------------------------------------------------------------------------------------------------------------------

const reader = await newPage();
await reader.goto(origin + paths.list);
assert.equal(await reader.getAttribute('link[type="application/atom+xml"]', "href"), "/board/feed.atom");
const feed = await reader.evaluate(() => fetch("/board/feed.atom").then(async (r) => [r.headers.get("content-type"), await r.text()]));
assert.equal(feed[0], "application/atom+xml; charset=utf-8");
const strict = new SaxesParser({ xmlns: true });
strict.on("error", (error) => assert.fail(error));
strict.write(feed[1]).close();
const parsed = await new RssParser().parseString(feed[1]);
assert.equal(parsed.title, "A tenant");
assert.ok(parsed.items.length >= 21);
assert.ok(parsed.items.every(({ id, link, isoDate }) => id && link.startsWith(`${origin}/board/posts/`) && !Number.isNaN(Date.parse(isoDate))));
assert.equal(new Set(parsed.items.map(({ id }) => id)).size, parsed.items.length);
assert.ok(parsed.items.some((item) => item.title === `Done: ${title}`));
assert.deepEqual(reader.complaints, []);
await reader.context().close();

// --- with JavaScript: looks, accessibility, keyboard -----------------------------------------------------------------------------

const problems = [];
const page = await newPage(phone);
for (const [name, path] of Object.entries(paths)) {
  await page.goto(origin + path);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  for (const width of await findTooNarrow(page)) problems.push([name, "too narrow", width]);
  for (const [colorScheme, rules] of [["light"], ["dark", ["color-contrast"]]]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const found of await findViolations(page, rules)) problems.push([name, colorScheme, ...found]);
  }
  if (input.screenshots) await takeScreenshots(page, `board-${name}`);
  const odd = /undefined|null|NaN|\{\{|\}\}|\[\[|\]\]/.exec(await page.locator("body").innerText());
  if (odd) problems.push([name, "text", odd[0]]);
}
assert.deepEqual(problems, []);

await page.goto(origin + paths.callback);
await page.getByText("Not signed in").waitFor();
assert.equal(page.url(), `${origin}/board/callback`); // the code has left the address

await page.goto(origin + paths.list);
await page.keyboard.press("Tab");
assert.equal(await page.evaluate("document.activeElement.className"), "skip");
await page.keyboard.press("Enter");
assert.equal(await page.evaluate("document.activeElement.id"), "main");
await page.keyboard.press("Tab");
assert.equal(await page.evaluate("document.activeElement.getAttribute('href')"), "/board/new");
await page.keyboard.press("Tab");
assert.equal(await page.evaluate("document.activeElement.id"), "q");
await page.locator(".vote").first().focus();
const name = await page.locator(".vote").first().evaluate((button) => button.textContent);
assert.match(name, /^Vote for “.+”\. Votes: \d+$/);
assert.equal(await page.locator(".vote").first().getAttribute("aria-pressed"), "false");

assert.deepEqual(page.complaints, []);
assert.deepEqual(page.requested.filter((url) => !url.startsWith(`${origin}/`) && url !== "data:,"), []);
assert.equal(await page.evaluate("JSON.stringify([localStorage.length, sessionStorage.length, document.cookie])"), '[0,0,""]');
await browser.close();
console.log("done");
