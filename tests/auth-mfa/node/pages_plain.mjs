// The hosted pages in a browser whose JavaScript is off. argv[2] names a JSON file: {origin, folder, now}.
import assert from "node:assert/strict";
import { browser } from "./browser.mjs";
import {
  addApp,
  codeOf,
  codeSentTo,
  codesOn,
  enterPassword,
  errorOf,
  follow,
  go,
  linkMailedTo,
  newEmail,
  newPassword,
  open,
  password,
  pathOf,
  register,
  says,
  signOut,
  submit,
  titleOf,
} from "./hosted.mjs";

const mobile = "+4915112345679";
const page = await open("/login", { javaScriptEnabled: false });
const isVisible = (selector) => page.locator(selector).first().isVisible();

// What needs JavaScript is not shown, or says so.
for (const selector of ['form[action="/login/passkey"]', ".reveal"]) assert.equal(await isVisible(selector), false);
const email = await register(page);
await go(page, await linkMailedTo(email, "/verify-email")); // otherwise, a new password by email removes the factors
await submit(page, "/verify-email");
await go(page, "/enroll/passkey");
await says(page, /Passkeys need JavaScript/);

// Factors
const { secret, codes } = await addApp(page);
assert.equal(codes.length, 10);
await go(page, "/enroll/sms"); // a further factor needs the first one
await submit(page, "/account/confirm", { code: codeOf(secret) });
await submit(page, "/enroll/sms", { phone: mobile });
await submit(page, "/enroll/sms/code", { code: codeSentTo(mobile) });
assert.equal(pathOf(page), "/account?notice=sms_added");

// Sign-ins with each of them
for (const method of ["totp", "recovery_code", "sms"]) {
  await signOut(page);
  await enterPassword(page, email, "wrong");
  await says(page, /is wrong/);
  await enterPassword(page, email);
  assert.equal(pathOf(page), "/login/verify");
  if (method !== "totp") await follow(page, `/login/verify?method=${method}`);
  if (method === "sms") await submit(page, "/login/send");
  await submit(page, "/login/verify", { code: "1" });
  assert.match(await errorOf(page, "code"), /wrong|right form/);
  const code = { totp: () => codeOf(secret, 1), recovery_code: () => codes[0], sms: () => codeSentTo(mobile) }[method]();
  await submit(page, "/login/verify", { code });
  assert.equal(pathOf(page), "/account");
}

// A new password by email
await signOut(page);
await follow(page, "/reset");
await submit(page, "/reset", { email });
await go(page, await linkMailedTo(email, "/reset"));
await submit(page, "/reset", { password: "short" });
assert.match(await errorOf(page, "password"), /too short/);
await submit(page, "/reset", { password: newPassword });
assert.equal(pathOf(page), "/login?notice=reset");
await enterPassword(page, email, newPassword);
await follow(page, "/login/verify?method=recovery_code");
await submit(page, "/login/verify", { code: codes[1] });
assert.equal(pathOf(page), "/account");

// The account
await follow(page, "/account/password");
await submit(page, "/account/password", { currentPassword: "wrong", newPassword: password });
assert.match(await errorOf(page, "currentPassword"), /wrong/);
await submit(page, "/account/password", { currentPassword: newPassword, newPassword: password });
assert.equal(pathOf(page), "/account?notice=password_changed");
await follow(page, "/account/codes");
await submit(page, "/account/codes");
assert.equal(await titleOf(page), "Save your recovery codes");
const newCodes = await codesOn(page);
await follow(page, "/account");
await follow(page, "/account/factor/sms/remove");
await submit(page, "/account/factor/sms/remove", { code: newCodes[0] });
assert.equal(pathOf(page), "/account?notice=factor_removed");
await follow(page, "/account/factor/totp/remove");
await submit(page, "/account/factor/totp/remove", { code: newCodes[1] });
assert.equal(pathOf(page), "/account?notice=factor_removed");
const newAddress = newEmail();
await follow(page, "/account/email");
await submit(page, "/account/email", { newEmail: newAddress });
await go(page, await linkMailedTo(newAddress, "/confirm-email"));
await submit(page, "/confirm-email");
await follow(page, "/account");
await says(page, new RegExp(`Signed in as ${newAddress}`));
await follow(page, "/account/delete");
await submit(page, "/account/delete", { email: newAddress });
assert.equal(pathOf(page), "/login?notice=deleted");

assert.deepEqual(page.complaints, []);
await browser.close();
console.log("done");
