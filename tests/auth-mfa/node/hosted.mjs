// The hosted pages of one environment in Chromium, for the tests. `input` is {origin, folder, now}: `folder` has the emails and
// text messages that the service sent, and `now` is the time of the service in milliseconds, which stands still.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import otplib from "otplib";
import { input, newPage } from "./browser.mjs";

export const password = "correct horse battery";
export const newPassword = "another good password";
let accounts = 0;
export const newEmail = (name = "ada") => `${name}.${process.pid}.${++accounts}@example.com`;

/** The value of `find` as soon as there is one. */
export async function until(find) {
  for (let tries = 0; tries < 2_000; ++tries) {
    const found = await find();
    if (found) return found;
    await sleep(30);
  }
  throw new Error(`nothing came: ${find}`);
}

// --- the clock of the service ----------------------------------------------------------------------------------------------------

let advanced = 0;

/** Moves the clock of the service. */
export async function advance(seconds) {
  const file = `${input.folder}/advance`;
  writeFileSync(`${file}.new`, String(seconds));
  renameSync(`${file}.new`, file);
  await until(() => !existsSync(file)); // the test removes it
  advanced += seconds;
}

/** The code of an authenticator app at the time of the service. */
export function codeOf(secret, steps = 0) {
  const now = input.now === undefined ? Date.now() : input.now + advanced * 1000;
  return otplib.authenticator.clone({ epoch: now + steps * 30_000 }).generate(secret);
}

export const anotherCode = (code) => code.replace(/.$/, (digit) => (Number(digit) + 1) % 10);

// --- emails and text messages ----------------------------------------------------------------------------------------------------

const decode = (text) =>
  text.replace(/=\r\n/g, "").replace(/=([0-9A-F]{2})/g, (_, digits) => String.fromCharCode(parseInt(digits, 16)));

/** The path and query of the link to the page `path` in the latest email to `address`, which may be on its way. */
export function linkMailedTo(address, path) {
  const folder = `${input.folder}/mails`;
  return until(() => {
    const mails = readdirSync(folder)
      .filter((name) => name.endsWith(".eml"))
      .sort()
      .map((name) => decode(readFileSync(`${folder}/${name}`, "utf8")));
    const links = mails
      .filter((mail) => new RegExp(`^To: .*${address}`, "mi").test(mail))
      .map((mail) => new RegExp(`${path}\\?token=[\\w-]+`).exec(mail)?.[0]);
    return links.filter(Boolean).at(-1);
  });
}

/** All text messages to a number, oldest first. */
export const messagesTo = (number) =>
  readFileSync(`${input.folder}/sms`, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ to }) => to === number);

export const codeSentTo = (number) => /: (\d{6}) is your/.exec(messagesTo(number).at(-1).body)[1];

// --- pages -----------------------------------------------------------------------------------------------------------------------

export async function open(path, options) {
  const page = await newPage(options);
  await page.goto(input.origin + path);
  return page;
}

export const go = (page, path) => page.goto(input.origin + path);
export const pathOf = (page) => page.url().replace(input.origin, "");
export const titleOf = (page) => page.locator("h1").innerText();
export const textOf = async (page) => (await page.locator("body").innerText()).replace(/\s+/g, " ");
export const says = async (page, words) => assert.match(await textOf(page), words);
export const errorOf = (page, field) => page.locator(`#${field}-error`).innerText();
/** The content of a file of the service. */
export const read = (page, url) => page.evaluate((file) => fetch(file).then((response) => response.text()), url);
export const focused = (page) => page.evaluate("document.activeElement.id");

/** The recovery codes that the page shows. */
export const codesOn = (page) => page.locator("#codes li").allInnerTexts();
/** The secret that the page shows for an authenticator app. */
export const secretOn = (page) => page.locator("#secret").getAttribute("data-text");

/** Clicks the element, and waits for the next page. */
export const clickThrough = (page, element) => Promise.all([page.waitForNavigation(), element.click()]);

/** Fills in the fields of the page's form with this action, sends it, and waits for the next page. */
export async function submit(page, action, fields = {}) {
  const form = page.locator(`form[action="${action}"]`).first();
  for (const [name, value] of Object.entries(fields)) await form.locator(`[name="${name}"]`).fill(value);
  await clickThrough(page, form.locator('button[type="submit"]'));
}

/** Follows the page's link to this path. */
export const follow = (page, path) => clickThrough(page, page.locator(`a[href="${path}"]`));

/** A new account, signed in on the page. */
export async function register(page, email = newEmail()) {
  await go(page, "/register");
  await submit(page, "/register", { email, password });
  assert.equal(pathOf(page), "/account");
  return email;
}

export async function signOut(page) {
  await go(page, "/account");
  await submit(page, "/logout");
  assert.equal(pathOf(page), "/login?notice=signed_out");
}

/** The first step of a sign-in. */
export async function enterPassword(page, email, secret = password) {
  await go(page, "/login");
  await submit(page, "/login", { email, password: secret });
}

/** Goes on after new recovery codes. */
export const leaveCodes = (page) => follow(page, "/account");

/** Adds an authenticator app to the account that is signed in. Returns its secret, and the recovery codes if they are new. */
export async function addApp(page) {
  await go(page, "/enroll/totp");
  await submit(page, "/enroll/totp");
  const secret = await secretOn(page);
  await submit(page, "/enroll/totp/code", { code: codeOf(secret, -1) });
  const codes = await codesOn(page);
  if (codes.length > 0) await leaveCodes(page);
  return { secret, codes };
}

/** The page used only its own host, reported no error, and stored nothing that scripts can read. Closes its context. */
export async function close(page) {
  assert.deepEqual(page.complaints, []);
  const isOwn = (url) => url.replace(/^blob:/, "").startsWith(`${input.origin}/`) || url === "data:,";
  assert.deepEqual(page.requested.filter((url) => !isOwn(url)), []);
  const stored = "JSON.stringify([localStorage.length, sessionStorage.length, document.cookie])";
  assert.equal(await page.evaluate(stored), '[0,0,""]');
  await page.context().close();
}

// --- passkeys --------------------------------------------------------------------------------------------------------------------

/** An authenticator in software for this page: a platform authenticator that verifies its user. */
export async function addAuthenticator(page, options = {}) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable", { enableUI: false });
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      ...options,
    },
  });
  const send = (method, more) => devtools.send(`WebAuthn.${method}`, { authenticatorId, ...more });
  return {
    credentials: async () => (await send("getCredentials")).credentials,
    add: (credential) => send("addCredential", { credential }),
    clear: () => send("clearCredentials"),
    verifyUser: (isUserVerified) => send("setUserVerified", { isUserVerified }),
    respond: (enabled) => send("setAutomaticPresenceSimulation", { enabled }),
  };
}
