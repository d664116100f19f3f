// Passkeys on the hosted pages, with authenticators in software that Chromium has for tests. argv[2] names a JSON file: {origin,
// folder, now}.
import assert from "node:assert/strict";
import { browser, input } from "./browser.mjs";
import {
  addAuthenticator,
  advance,
  close,
  codesOn,
  enterPassword,
  go,
  leaveCodes,
  open,
  pathOf,
  register,
  says,
  signOut,
  submit,
  textOf,
} from "./hosted.mjs";

const signIn = "/login/passkey";
const refused = /This passkey was not accepted/;
const failed = /The passkey was not used/;

/** Adds a passkey to the account that is signed in. Returns the recovery codes if they are new. */
async function addPasskey(page) {
  await go(page, "/enroll/passkey");
  await submit(page, "/enroll/passkey");
  const codes = await codesOn(page);
  if (codes.length > 0) await leaveCodes(page);
  return codes;
}

/** The authenticator holds only this passkey. */
async function hold(authenticator, credential) {
  await authenticator.clear();
  await authenticator.add(credential);
}

/** Sends the form with a passkey. Waits for the text below its button, because the page stays. */
async function fail(page, action, text) {
  await page.click(`form[action="${action}"] button[type="submit"]`);
  await page.locator(`form[action="${action}"] [role="alert"]`, { hasText: text }).waitFor();
}

/** The page in the browser asks for passkeys with changed options, as an attacker's page would. */
const changeOptions = (page, change) =>
  page.evaluate((changed) => {
    const get = navigator.credentials.get.bind(navigator.credentials);
    navigator.credentials.get = ({ publicKey }) => get({ publicKey: { ...publicKey, ...changed } });
  }, change);

/** A page in a browser that offers no passkeys in the field for the email address, so that only the button uses one. */
async function openOlderBrowser(path) {
  const page = await open(path);
  await page.addInitScript(() => delete window.PublicKeyCredential?.isConditionalMediationAvailable);
  return page;
}

const page = await openOlderBrowser("/register");
const phone = await addAuthenticator(page);
const email = await register(page);

// The passkey is the first factor: there are recovery codes. The authenticator keeps the passkey for sign-ins without email.
await addPasskey(page);
const [passkey] = await phone.credentials();
assert.equal(passkey.isResidentCredential, true);
assert.equal(passkey.rpId, new URL(input.origin).hostname);
await says(page, /Passkey: Chrome \(Linux\).*not used yet/);

// The same authenticator takes no second passkey. The page asks for the first factor before it adds another one.
await go(page, "/enroll/passkey");
assert.equal(pathOf(page), "/account/confirm?next=/enroll/passkey");
await submit(page, "/account/confirm");
await fail(page, "/enroll/passkey", /There already is a passkey/);
assert.equal((await phone.credentials()).length, 1);

// Sign-in with the passkey: no password, no second step.
await signOut(page);
await submit(page, signIn);
assert.equal(pathOf(page), "/account");
await says(page, new RegExp(`Signed in as ${email}`));

// A newer browser offers the passkey in the field for the email address. This authenticator is then used at once.
{
  const newer = await open("/reset");
  const copy = await addAuthenticator(newer);
  await copy.add((await phone.credentials())[0]);
  await newer.goto(`${input.origin}/login`, { waitUntil: "commit" });
  await newer.waitForURL(`${input.origin}/account`);
  await says(newer, new RegExp(`Signed in as ${email}`));
  await hold(phone, (await copy.credentials())[0]); // with its counter
  await close(newer);
}

// The second step after the password takes the passkey, too. An older sign-in is confirmed with it.
await signOut(page);
await enterPassword(page, email);
assert.equal(pathOf(page), "/login/verify");
await submit(page, "/login/verify");
assert.equal(pathOf(page), "/account");
await advance(301);
await go(page, "/account/email");
assert.equal(pathOf(page), "/account/confirm?next=/account/email");
await submit(page, "/account/confirm");
assert.equal(pathOf(page), "/account/email");

// --- refusals --------------------------------------------------------------------------------------------------------------------

// The authenticator does not verify its user: the browser refuses, and so does the service if the browser does not.
await signOut(page);
await go(page, "/login");
await phone.verifyUser(false);
await fail(page, signIn, failed);
await changeOptions(page, { userVerification: "discouraged" });
await submit(page, signIn);
await says(page, refused);
await phone.verifyUser(true);

// The counter went back.
const [current] = await phone.credentials();
assert.ok(current.signCount > 1);
await hold(phone, { ...current, signCount: 0 });
await go(page, "/login");
await submit(page, signIn);
await says(page, refused);

// A copy of the passkey in another browser: the first use with a counter that the service has seen already is refused.
await hold(phone, current);
await go(page, "/login");
await submit(page, signIn);
assert.equal(pathOf(page), "/account");
await says(page, /Refused: the passkey may have been copied/);
const thief = await openOlderBrowser("/reset");
const copy = await addAuthenticator(thief);
await copy.add(current);
await go(thief, "/login");
await submit(thief, signIn);
await says(thief, refused);
await copy.clear();
await thief.context().close();

// The passkey of another account is no second factor, and confirms nothing.
const other = await openOlderBrowser("/register");
const tablet = await addAuthenticator(other);
const othersEmail = await register(other);
await addPasskey(other);
const [foreign] = await phone.credentials();
await advance(301);
await go(other, "/account/email");
await hold(tablet, foreign);
await fail(other, "/account/confirm", failed); // the browser has none of the passkeys that the page asks for
await changeOptions(other, { allowCredentials: [] });
await submit(other, "/account/confirm");
await says(other, refused);
await signOut(other);
await enterPassword(other, othersEmail);
await changeOptions(other, { allowCredentials: [] });
await submit(other, "/login/verify");
assert.equal(await other.locator(".alert, form .error:visible").count() > 0, true);
assert.equal(pathOf(other), "/login/verify");
await close(other);

// --- the end of a passkey --------------------------------------------------------------------------------------------------------

await go(page, "/account");
await page.locator('a[href^="/account/passkeys/"]').click();
await page.waitForURL("**/account/passkeys/*/remove");
const removal = pathOf(page);
await submit(page, removal); // the sign-in is too old
assert.equal(pathOf(page), `/account/confirm?next=${removal}`);
await submit(page, "/account/confirm");
assert.equal(pathOf(page), removal);
await submit(page, removal);
assert.equal(pathOf(page), "/account?notice=factor_removed");
assert.ok(!(await textOf(page)).includes("Passkey:"));
await signOut(page);
await submit(page, signIn);
await says(page, refused);
await enterPassword(page, email);
assert.equal(pathOf(page), "/account"); // without a second factor

await close(page);
await browser.close();
console.log("done");
