// A user of the example app, from the sign-up to the end of the account. The steps depend on each other: after a failure, the rest is
// skipped. The file failure.png in the folder of the run then shows the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { addPasskey, addresses, arrive, button, buyPro, eventually, openPage, script, signInWithPasskey, signOut, signUp, writeNote } from "./app.mjs";
import { browser, desktop, findTooNarrow, findViolations, phone } from "./browser.mjs";

const { Auth } = await import(path.join(process.env.CLIENT, "dist/esm/index.js"));
const { localhostFetch } = await import(path.join(process.env.CLIENT, "dist/esm/localhost.js"));
const ada = { email: "ada@example.com", password: "a violet teapot" };
let at, auth, page;

before(async () => {
  await script("run", "--detach", "--fresh", "--no-build");
  await script("example", "--detach", "--no-build");
  at = addresses();
  auth = new Auth({ baseUrl: at.auth, apiKey: at.masterKey, fetch: localhostFetch });
  page = await openPage(desktop);
  await page.goto(at.app);
});
after(async () => {
  await browser.close();
  await script("example", "--stop");
  await script("run", "--stop");
});

let hasFailed = false;
function step(name, run) {
  test(name, async (t) => {
    if (hasFailed) return t.skip("an earlier step failed");
    try {
      await run();
    } catch (error) {
      hasFailed = true;
      console.error(page.url(), page.complaints);
      await page.screenshot({ path: path.join(process.env.TETRAD_RUN, "failure.png") });
      throw error;
    }
  });
}

/** axe finds nothing in light and dark mode, on a desktop and on a phone, and nothing is too wide. */
async function assertAccessible(on = page) {
  const own = on.viewportSize();
  for (const { viewport } of [phone, desktop])
    for (const colorScheme of ["light", "dark"]) {
      await on.setViewportSize(viewport);
      await on.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      assert.deepEqual(await findViolations(on), [], `${viewport.width} px, ${colorScheme}`);
    }
  assert.deepEqual(await findTooNarrow(on), []);
  await on.setViewportSize(own);
}

const userId = async () => (await auth.listMembers({ email: ada.email })).items[0].userId;

/** The pushes in the outbox with this title. */
const pushesWith = (title) =>
  readFileSync(at.pushes, "utf8").trim().split("\n").filter(Boolean).map((line) => JSON.parse(line)).filter(({ message }) => message.title === title);

/** Calls the backend as the page does. */
const backend = (method, route, body) =>
  page.evaluate(
    async ([how, address, content]) => {
      const { accessToken } = JSON.parse(localStorage.getItem("tetrad:notes"));
      const response = await fetch(address, { method: how, headers: { Authorization: `Bearer ${accessToken}`, "Content-Type": "application/json" }, body: content });
      return { status: response.status, body: await response.json() };
    },
    [method, `/api/${route}`, body && JSON.stringify(body)],
  );

step("a visitor signs up at the hosted pages and adds a passkey", async () => {
  await page.getByRole("heading", { name: "Write it down. Find it again." }).waitFor();
  await assertAccessible();
  await signUp(page, ada);
  assert.equal(page.url(), `${at.app}/`); // without the code
  await page.getByRole("heading", { name: "Sign in without a password" }).waitFor();
  await assertAccessible();
  await addPasskey(page);
  assert.equal(await page.getByRole("heading", { name: "Sign in without a password" }).count(), 0);
});

step("the user signs out, and signs in again with the passkey alone", async () => {
  await signOut(page);
  assert.equal(await page.evaluate(() => localStorage.getItem("tetrad:notes")), null);
  await signInWithPasskey(page);
  await button(page, /^Account of/).click();
  await page.getByText("With a passkey or a second factor").waitFor();
  await assertAccessible();
  await page.keyboard.press("Escape");
});

step("notes are kept by the backend, which refuses requests without a valid token", async () => {
  await writeNote(page, "Saturday market", "Tomatoes, basil, the good bread.");
  await page.reload();
  await page.getByText("the good bread").waitFor();
  for (const headers of [{}, { Authorization: "Bearer x.y.z" }])
    assert.equal((await fetch(`${at.app}/api/notes`, { headers })).status, 401);
});

step("dialogs take the focus, close with Escape, and give the focus back", async () => {
  const opener = button(page, "New note");
  await opener.focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.getByLabel("Title").evaluate((field) => field === document.activeElement), true);
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.equal(await opener.evaluate((element) => element === document.activeElement), true);
});

step("colours are behind a paywall, in the page and in the backend", async () => {
  await button(page, "Saturday market").first().click();
  await assertAccessible();
  assert.equal(await page.getByRole("radio").count(), 0);
  await button(page, "Colours are part of Notes Pro").click();
  await page.getByRole("heading", { name: "Notes Pro", exact: true }).waitFor();
  await assertAccessible();
  await button(page, "Not now").click();
  const { status, body } = await backend("PUT", "notes/mine", { title: "Free", text: "", colour: "sky" });
  assert.deepEqual([status, body.error], [402, "FEATURE_NOT_GRANTED"]);
});

step("a purchase event unlocks the colours without a reload, and the user gets a push", async () => {
  await page.evaluate(() => (window.sameLoad = true));
  await buyPro(page);
  await page.locator("h1").getByText("Pro").waitFor();
  await writeNote(page, "Ideas for the talk", "Begin with the broken clock.", "Sky");
  assert.equal(await page.locator("article", { hasText: "Ideas for the talk" }).getAttribute("data-colour"), "sky");
  assert.equal(await page.evaluate(() => window.sameLoad), true);
  // billing's webhook tells the backend, which sends a push with the event's id as idempotency key.
  await eventually(() => pushesWith("Notes Pro is yours").length > 0);
  await page.getByText("1 unread").waitFor();
});

step("a reminder is in the outbox and in the inbox", async () => {
  await button(page, "Remind me of Saturday market").click();
  await page.getByText("Reminder sent to your devices.").waitFor();
  const [push] = await eventually(() => {
    const found = pushesWith("Saturday market");
    return found.length > 0 && found;
  });
  assert.deepEqual([push.tenant, push.env, push.platform], ["demo", "sandbox", "web"]);
  await button(page, /^Inbox/).click();
  const items = page.locator(".inbox li");
  await items.nth(1).waitFor();
  assert.deepEqual(await items.locator("h3").allInnerTexts(), ["Saturday market", "Notes Pro is yours"]);
  await assertAccessible();
  await button(page, "Mark as read: Saturday market").click();
  await page.locator('.inbox li[data-unread="false"]').waitFor();
  await page.keyboard.press("Escape");
});

step("the user posts in the widget and votes, and the public board shows both", async () => {
  await button(page, "Feedback").click();
  const widget = page.locator("tetrad-feedback");
  await widget.getByText("Share a note with a friend").first().waitFor();
  await assertAccessible();
  await widget.getByRole("button", { name: "New post" }).click();
  await widget.getByLabel("Title").fill("Folders for my notes");
  await widget.getByLabel("Description").fill("One for work, one for the rest.");
  await widget.getByRole("button", { name: "Post", exact: true }).click();
  const vote = widget.getByRole("button", { name: /^Vote for “Folders for my notes”/ });
  await vote.click();
  await widget.getByText("You voted. The post has 1 vote.").waitFor();

  const board = await openPage(desktop);
  await eventually(async () => {
    await board.goto(`${await page.getByRole("link", { name: "Open the public board" }).getAttribute("href")}?q=folders`);
    return (await board.locator("body").innerText()).includes("Folders for my notes") && (await board.locator("li", { hasText: "Folders for my notes" }).first().innerText()).includes("1");
  });
  await board.context().close();
  await page.keyboard.press("Escape");
});

step("the page reported no error, and called only its backend and the services", () => {
  assert.deepEqual(page.complaints, []);
  const known = [at.app, at.auth, at.feedback, at.notify, at.billing].map((address) => `${address}/`);
  assert.deepEqual(page.requested.filter((url) => !known.some((address) => url.startsWith(address)) && url !== "data:,"), []);
});

step("another start of the app keeps its data and its settings", async () => {
  assert.match(await script("example", "--detach", "--no-build"), /already running/);
  await script("example", "--stop");
  await script("example", "--detach", "--no-build");
  assert.deepEqual(addresses(), at);
  await page.reload();
  await arrive(page);
  assert.deepEqual(await page.locator("article h2").allInnerTexts(), ["Ideas for the talk", "Saturday market"]);
  await signOut(page);
  await signInWithPasskey(page);
});

step("the access token is refreshed, and a session that has ended at auth-mfa ends in the page", async () => {
  /** Lets the access token expire by the clock of the page, and loads the page again. */
  const expire = () =>
    page.evaluate(() => localStorage.setItem("tetrad:notes", JSON.stringify({ ...JSON.parse(localStorage.getItem("tetrad:notes")), expiresAt: 0 })));
  const refreshToken = () => page.evaluate(() => JSON.parse(localStorage.getItem("tetrad:notes")).refreshToken);
  const before = await refreshToken();
  await expire();
  await page.reload();
  await arrive(page);
  assert.notEqual(await refreshToken(), before);
  await auth.endMemberSessions(await userId());
  await expire();
  await page.reload();
  await button(page, "Sign in or create an account").waitFor();
});

step("the backend forgets a user whose account is deleted", async () => {
  const id = await userId();
  assert.ok(readFileSync(at.notes, "utf8").includes(id));
  await auth.deleteMember(id);
  await eventually(() => !readFileSync(at.notes, "utf8").includes(id));
});
