// An account in Chromium from its registration to sign-ins with each kind of code. argv[2] names a JSON file: {origin, folder, now,
// brand, provider}.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import jsqr from "jsqr";
import { PNG } from "pngjs";
import { browser, input } from "./browser.mjs";
import {
  anotherCode,
  close,
  codeOf,
  codeSentTo,
  codesOn,
  enterPassword,
  errorOf,
  focused,
  follow,
  go,
  messagesTo,
  newEmail,
  open,
  password,
  pathOf,
  says,
  secretOn,
  signOut,
  submit,
  titleOf,
} from "./hosted.mjs";

const [mobile, national] = ["+4915112345678", "0151 123 456-78"];
const email = newEmail();

/** The text of the QR code, as a camera sees it. */
async function readQrCode(page) {
  const { data, width, height } = PNG.sync.read(await page.locator(".qr").screenshot());
  return jsqr(new Uint8ClampedArray(data), width, height).data;
}

// Without an account, the page says what the user will agree to.
const page = await open("/enroll");
for (const words of [
  input.provider,
  `on behalf of ${input.brand}`,
  "Message frequency varies",
  "Message and data rates may apply",
  "STOP to opt out",
  "HELP for help",
])
  await says(page, new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));

// Registration
await go(page, "/login");
await follow(page, "/register");
assert.equal(await focused(page), "email");
await submit(page, "/register", { email, password: "password" });
assert.equal(await focused(page), "password");
assert.match(await errorOf(page, "password"), /easy to guess|breach/);
assert.equal(await page.inputValue("#email"), email);
assert.equal(await page.inputValue("#password"), "");
await page.fill("#password", password);
await page.click(".reveal");
assert.equal(await page.getAttribute("#password", "type"), "text");
await submit(page, "/register");
assert.equal(pathOf(page), "/account");
await says(page, new RegExp(`Signed in as ${email}.*is not confirmed yet`));

// An authenticator app: the camera reads the same secret as the page shows, also in dark mode.
await follow(page, "/enroll/totp");
await submit(page, "/enroll/totp");
const secret = await secretOn(page);
for (const colorScheme of ["dark", "light"]) {
  await page.emulateMedia({ colorScheme });
  const url = new URL(await readQrCode(page));
  assert.equal(url.protocol + url.host, "otpauth:totp");
  assert.equal(decodeURIComponent(url.pathname), `/${input.brand}:${email}`);
  assert.equal(url.searchParams.get("secret"), secret);
  assert.equal(url.searchParams.get("issuer"), input.brand);
  assert.equal(await page.locator(".on-phone a").getAttribute("href"), url.href);
}
await page.click("summary");
assert.equal((await page.locator("#secret").innerText()).replaceAll(" ", ""), secret);
await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: input.origin });
await page.click('[data-copy="secret"]');
await page.locator(".status", { hasText: "Copied." }).waitFor();
assert.equal(await page.evaluate("navigator.clipboard.readText()"), secret);
await submit(page, "/enroll/totp/code", { code: anotherCode(codeOf(secret, -1)) });
assert.match(await errorOf(page, "code"), /is wrong/);
assert.equal(await focused(page), "code");
assert.equal(new URL(await readQrCode(page)).searchParams.get("secret"), secret);
await submit(page, "/enroll/totp/code", { code: codeOf(secret, -1).replace(/^.../, "$& ") });

// Recovery codes are shown once. The browser warns a user who leaves without them.
assert.equal(await titleOf(page), "Save your recovery codes");
const codes = await codesOn(page);
assert.equal(new Set(codes).size, 10);
await page.click("h1"); // the browser asks only after an action of the user
const question = page.waitForEvent("dialog").then(async (dialog) => {
  await dialog.dismiss();
  return dialog.type();
});
await page.evaluate("location.assign('/account')");
assert.equal(await question, "beforeunload");
await page.click('[data-copy="codes"]');
await page.locator(".status", { hasText: "Copied." }).waitFor();
assert.equal(await page.evaluate("navigator.clipboard.readText()"), codes.map((code) => `${code}\n`).join(""));
const [download] = await Promise.all([page.waitForEvent("download"), page.click("[data-download]")]);
assert.equal(download.suggestedFilename(), "recovery-codes.txt");
assert.equal(
  readFileSync(await download.path(), "utf8"),
  `Recovery codes for ${input.brand}, ${email}\n\n${codes.map((code) => `${code}\n`).join("")}`,
);
await follow(page, "/account");
await says(page, /authenticator app.*Codes left: 10/);
for (const code of codes) assert.ok(!(await page.content()).includes(code));

// Sign-in with a code from the app
await signOut(page);
await enterPassword(page, email, "wrong");
await says(page, /The email address or the password is wrong/);
assert.equal(await page.inputValue("#email"), email);
await enterPassword(page, email);
assert.equal(pathOf(page), "/login/verify");
await says(page, new RegExp(`Signing in as ${email}.*that your authenticator app shows`));
assert.equal(await focused(page), "code");
await submit(page, "/login/verify", { code: anotherCode(codeOf(secret)) });
assert.match(await errorOf(page, "code"), /is wrong/);
await submit(page, "/login/verify", { code: codeOf(secret) });
assert.equal(pathOf(page), "/account");

// Sign-in with a recovery code
await signOut(page);
await enterPassword(page, email);
await follow(page, "/login/verify?method=recovery_code");
await submit(page, "/login/verify", { code: codes[0] });
await says(page, /Codes left: 9/);

// A phone
await follow(page, "/enroll/sms");
await page.selectOption("#country", "DE");
await submit(page, "/enroll/sms", { phone: "12" });
assert.match(await errorOf(page, "phone"), /not a phone number/);
assert.equal(await page.inputValue("#country"), "DE");
await submit(page, "/enroll/sms", { phone: national });
assert.equal(pathOf(page), "/enroll/sms/code");
assert.equal(await page.locator("bdi").innerText(), mobile);
await submit(page, "/enroll/sms/code", { code: anotherCode(codeSentTo(mobile)) });
assert.match(await errorOf(page, "code"), /is wrong/);
await submit(page, "/enroll/sms/resend");
await says(page, /A new code is on its way/);
assert.equal(messagesTo(mobile).length, 2);
await submit(page, "/enroll/sms/code", { code: codeSentTo(mobile) });
assert.equal(pathOf(page), "/account?notice=sms_added");
await says(page, /\*+78/);

// Sign-in with a code by SMS
await signOut(page);
await enterPassword(page, email);
await follow(page, "/login/verify?method=sms");
assert.equal(messagesTo(mobile).length, 2); // only the button sends one
await submit(page, "/login/send");
await says(page, /We sent a 6-digit code/);
await submit(page, "/login/verify", { code: anotherCode(codeSentTo(mobile)) });
assert.match(await errorOf(page, "code"), /is wrong/);
await submit(page, "/login/verify", { code: codeSentTo(mobile) });
assert.equal(pathOf(page), "/account");

await close(page);
await browser.close();
console.log("done");
