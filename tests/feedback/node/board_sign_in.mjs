// Signs in at auth-mfa from the board, votes and posts. argv[2] names a JSON file: {origin, auth, email, password, post, title, other}.
// `post` and `other` are ids of posts without votes, and `title` is the title of `post`. `publicByDefault` is on.
import assert from "node:assert/strict";
import { browser, findViolations, input, newPage, takeScreenshots } from "./browser.mjs";

const { origin, auth, post, other } = input;
// Without the header that newPage adds to all requests, because requests to another origin need permission for it.
const page = await newPage({ viewport: { width: 1280, height: 900 }, extraHTTPHeaders: {} });
const button = (id) => page.locator(`.vote[data-id="${id}"]`);
const pressed = (id, wanted) => page.locator(`.vote[data-id="${id}"][aria-pressed="${wanted}"]`).waitFor();
const votes = (id) => button(id).locator(".count").innerText();
const look = (name) => (input.screenshots ? takeScreenshots(page, `board-${name}`) : undefined);
const says = (text) => page.locator("#message", { hasText: text }).waitFor();

async function enterPassword() {
  await page.waitForURL(({ href }) => href.startsWith(`${auth}/login`));
  await page.fill('[name="email"]', input.email);
  await page.fill('[name="password"]', input.password);
  await page.click('form[action="/login"] button[type="submit"]');
}

// A vote leads to the sign-in, and then counts.
await page.goto(`${origin}/board/posts/${post}`);
await button(post).click();
await enterPassword();
await page.waitForURL(`${origin}/board/posts/${post}`);
await pressed(post, true);
assert.equal(await votes(post), "1");
await says("You voted. The post has 1 vote.");
assert.equal(await page.locator("#who").innerText(), input.email);
assert.deepEqual(await findViolations(page), []);
await look("voted");

await button(post).click();
await pressed(post, false);
await says("Your vote was taken back. The post has 0 votes.");
assert.equal(await votes(post), "0");

// The pages have no data of the user: the script reads the votes.
await page.goto(`${origin}/board`);
await button(other).click();
await pressed(other, true);
await page.goto(`${origin}/board/roadmap`);
await pressed(other, true);
await page.goto(`${origin}/board?sort=createdAt`);
await pressed(other, true);
assert.equal(await votes(other), "1");

// A new post. While the title is typed, the page suggests similar posts.
await page.goto(`${origin}/board/new`);
await page.locator("#new").waitFor();
await page.fill("#title", input.title);
await page.locator(`#similar-list .vote[data-id="${post}"]`).waitFor();
await look("new-similar");
assert.deepEqual(await findViolations(page), []);
await button(post).click();
await pressed(post, true);
await page.fill("#title", "");
await page.click('#new button[type="submit"]');
assert.equal(await page.locator("#title-error").innerText(), "Enter a title.");
assert.equal(await page.evaluate("document.activeElement.id"), "title");
assert.equal(await page.getAttribute("#body", "aria-invalid"), "true");
await page.fill("#title", "Keyboard shortcuts & <b>more</b>");
await page.fill("#body", "One line.\nAnother line.");
await page.click('#new button[type="submit"]');
await page.waitForURL(({ pathname }) => pathname.startsWith("/board/posts/"));
assert.equal(await page.locator("h1").innerText(), "Keyboard shortcuts & <b>more</b>");
assert.equal(await page.locator("article .text").innerText(), "One line.\nAnother line.");
await says("Your post is on the board.");

// A post that the team has to publish first.
await page.goto(`${origin}/board/new`);
await page.fill("#title", "It crashes");
await page.selectOption("#category", "bug");
await page.fill("#body", "When I open it.");
await page.click('#new button[type="submit"]');
await page.locator("#sent").waitFor();
assert.equal(await page.evaluate("document.activeElement.id"), "sent");

// A token that the API refuses leads to the sign-in again. The auth host still knows the browser, so no password is needed.
await page.evaluate(() => {
  const session = JSON.parse(sessionStorage.getItem("board.session"));
  sessionStorage.setItem("board.session", JSON.stringify({ ...session, token: `${session.token}x` }));
});
await page.goto(`${origin}/board/posts/${other}`);
await button(other).click();
await page.waitForURL(({ href }) => href.startsWith(`${auth}/`) || href === `${origin}/board/posts/${other}`);
await pressed(other, true);

// Sign-out, at the auth host too.
await page.click("#sign-out");
await page.waitForURL(`${origin}/board`);
await page.locator("#sign-in").waitFor();
await page.click("#sign-in");
await page.waitForURL(({ href }) => href.startsWith(`${auth}/login`));

assert.deepEqual(page.complaints, []);
const isOwn = (url) => [origin, auth].some((host) => url.startsWith(`${host}/`)) || url === "data:,";
assert.deepEqual(page.requested.filter((url) => !isOwn(url)), []);
await browser.close();
console.log("done");
