// The hosted pages with the keyboard only, and in other languages. argv[2] names a JSON file: {origin, folder, now}.
import assert from "node:assert/strict";
import { browser, input } from "./browser.mjs";
import {
  addApp,
  clickThrough,
  close,
  codeOf,
  enterPassword,
  focused,
  go,
  newEmail,
  open,
  password,
  pathOf,
  signOut,
  submit,
} from "./hosted.mjs";

const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

const submitByKey = (page, key = "Enter") => Promise.all([page.waitForNavigation(), press(page, key)]);

/** The elements that a user can operate, in the order of the page. */
const operable = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")]
      .filter((element) => element.checkVisibility())
      .map((element) => element.outerHTML.slice(0, 200)),
  );

/** What has the focus, and whether the user sees it. */
const focus = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === document.body) return null;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { top, bottom, width, height } = element.getBoundingClientRect();
    const target = (element.closest("label") ?? element).getBoundingClientRect();
    return {
      html: element.outerHTML.slice(0, 200),
      visible: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && width > 0 && height > 0,
      onScreen: top >= 4 && bottom <= innerHeight - 4, // with the outline
      tall: target.height >= 23.9 || getComputedStyle(element).display === "inline", // WCAG 2.2, 2.5.8
    };
  });

/** The Tab key visits everything in order, forwards and backwards, and shows where it is. */
async function checkTabs(page, path) {
  await go(page, path);
  const expected = await operable(page);
  await page.evaluate(async () => {
    await new Promise(requestAnimationFrame); // the browser has moved the focus to the first field
    const start = document.createElement("a"); // the Tab key begins here
    start.tabIndex = -1;
    document.body.prepend(start);
    start.focus();
    start.remove();
  });
  for (const [key, order] of [
    ["Tab", expected],
    ["Shift+Tab", expected.slice(0, -1).reverse()],
  ])
    for (const html of order) {
      await press(page, key);
      const now = await focus(page);
      assert.deepEqual(now, { html, visible: true, onScreen: true, tall: true }, `${path} ${key}`);
    }
}

const page = await open("/login");
const email = newEmail();

// An account, from its registration to the sign-in with a second step, without a mouse
await go(page, "/register");
await page.keyboard.type(email);
await press(page, "Tab");
await page.keyboard.type(password);
await submitByKey(page);
assert.equal(pathOf(page), "/account");
const { secret } = await addApp(page);
await signOut(page);
assert.equal(await focused(page), "email");
await page.keyboard.type(email);
await press(page, "Tab");
await page.keyboard.type(password);
await press(page, "Tab"); // the button that shows the password
await press(page, "Space");
assert.equal(await page.getAttribute("#password", "type"), "text");
await press(page, "Shift+Tab");
await submitByKey(page);
assert.equal(pathOf(page), "/login/verify");
assert.equal(await focused(page), "code");

// The way back: the form is not busy any more, and the sign-in begins again.
await page.goBack();
assert.equal(pathOf(page), "/login?notice=signed_out");
assert.equal(await page.locator("[aria-busy], button:disabled").count(), 0);
await page.goForward();
assert.equal(pathOf(page), "/login");
await enterPassword(page, email);
assert.equal(await focused(page), "code");
await page.keyboard.type("000000");
await submitByKey(page);
assert.equal(await focused(page), "code");
await page.keyboard.type(codeOf(secret)); // it replaces the wrong code
await press(page, "Tab", "Space");
assert.equal(await page.isChecked('[name="trust"]'), true);
await submitByKey(page);
assert.equal(pathOf(page), "/account");

for (const path of ["/account", "/account/password", "/account/delete", "/enroll", "/enroll/sms", "/enroll/passkey"])
  await checkTabs(page, path);
await go(page, "/enroll/totp");

// Other languages: the choice stays, and Arabic is written from right to left.
for (const [name, language, direction] of [
  ["Deutsch", "de", "ltr"],
  ["العربية", "ar", "rtl"],
]) {
  await go(page, "/enroll");
  const link = page.locator(`a[hreflang="${language}"]`);
  if (input.translated) assert.equal(await link.innerText(), name);
  await clickThrough(page, link);
  for (const path of ["/account", "/account/email", "/enroll/sms"]) {
    await go(page, path);
    assert.deepEqual(await page.evaluate("[document.documentElement.lang, document.documentElement.dir]"), [
      language,
      direction,
    ]);
    assert.equal(await page.getAttribute('[aria-current="true"]', "hreflang"), language);
    const [label, field] = [page.locator("main").first(), page.locator("main h1")];
    const [outer, inner] = [await label.boundingBox(), await field.boundingBox()];
    assert.ok(Math.abs(outer.x + outer.width / 2 - (inner.x + inner.width / 2)) < 2);
  }
  const reveal = async () => {
    await go(page, "/account/password");
    const [button, box] = [await page.locator(".reveal").first().boundingBox(), await page.locator("main").boundingBox()];
    return button.x < box.x + box.width / 2 ? "rtl" : "ltr";
  };
  assert.equal(await reveal(), direction);
}
await clickThrough(page, page.locator('a[hreflang="en"]'));

await go(page, "/account");
await submit(page, "/logout");
await page.context().clearCookies();
for (const path of ["/login", "/register", "/reset", "/enroll"]) await checkTabs(page, path);
await enterPassword(page, email);
for (const method of ["totp", "recovery_code"]) await checkTabs(page, `/login/verify?method=${method}`);

await close(page);
await browser.close();
console.log("done");
