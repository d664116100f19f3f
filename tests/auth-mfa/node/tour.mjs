// A tour of the hosted pages, in every state that looks different. A part of the tour calls `look(page, name)` on each page, and
// returns the page in the browser. `options` are those of the browser's context. Without `input.folder`, which has the text messages,
// the accounts get no phone.
import { input } from "./browser.mjs";
import {
  addApp,
  addAuthenticator,
  advance,
  anotherCode,
  codeOf,
  codeSentTo,
  enterPassword,
  go,
  leaveCodes,
  newEmail,
  newPassword,
  open,
  password,
  register,
  secretOn,
  submit,
} from "./hosted.mjs";

const token = "vY3kq0Zt6mXn2aJ8bS4wE1cR7uH5dL9pG0fT3iK6oQ8";
const phone = "+4915112345678";

/** Goes to a path and looks at the page there. */
const visitor = (page, look) => async (path, name) => {
  await go(page, path);
  await look(page, name);
};

async function addPhone(page) {
  await go(page, "/enroll/sms");
  await submit(page, "/enroll/sms", { phone });
  await submit(page, "/enroll/sms/code", { code: codeSentTo(phone) });
}

/** Sign-in, registration, and the pages of mail links. */
async function entry(look, options) {
  const page = await open("/login", options);
  const email = newEmail("an.unusually.long.name.for.an.email.address");
  const visit = visitor(page, look);
  await look(page, "login");
  await submit(page, "/login", { email, password: "wrong" });
  await look(page, "login-wrong");
  await visit("/reset", "reset-request");
  await submit(page, "/reset", { email });
  await look(page, "reset-sent");
  await submit(page, "/reset");
  await look(page, "reset-sent-again");
  await visit(`/reset?token=${token}`, "reset");
  await submit(page, "/reset", { password });
  await look(page, "link-expired");
  await visit(`/invite?token=${token}`, "invite");
  await submit(page, "/invite", { password: "password" });
  await look(page, "invite-expired");
  for (const path of ["verify-email", "confirm-email", "revert-email"]) await visit(`/${path}?token=${token}`, path);
  await visit("/verify-email", "link-incomplete");
  await visit("/verify-email/send", "verify-email-request");
  await visit("/enroll", "enroll-public");
  await visit("/register", "register");
  await submit(page, "/register", { email, password: "short" });
  await look(page, "register-short");
  await register(page, email);
  await look(page, "account-new");
  await visit("/account/factor/none/remove", "error");
  await go(page, "/account");
  await submit(page, "/logout");
  await look(page, "login-notice");
  return page;
}

/** An account gets second factors. */
async function enrolment(look, options) {
  const page = await open("/register", options);
  const visit = visitor(page, look);
  const authenticator = await addAuthenticator(page);
  await register(page);
  await visit("/enroll", "enroll");
  await visit("/enroll/totp", "enroll-totp");
  await submit(page, "/enroll/totp");
  await look(page, "enroll-totp-code");
  const secret = await secretOn(page);
  await page.click("summary");
  await look(page, "enroll-totp-secret");
  await submit(page, "/enroll/totp/code", { code: anotherCode(codeOf(secret, -1)) });
  await look(page, "enroll-totp-wrong");
  await submit(page, "/enroll/totp/code", { code: codeOf(secret, -1) });
  await look(page, "recovery-codes");
  await leaveCodes(page);
  await visit("/enroll/sms", "confirm-before-sms"); // a further factor needs the first one
  await submit(page, "/account/confirm", { code: codeOf(secret) });
  await look(page, "enroll-sms");
  await submit(page, "/enroll/sms", { phone: "12" });
  await look(page, "enroll-sms-wrong");
  if (input.folder) {
    await submit(page, "/enroll/sms", { phone });
    await look(page, "enroll-sms-code");
    await submit(page, "/enroll/sms/resend");
    await look(page, "enroll-sms-resent");
    await submit(page, "/enroll/sms/code", { code: codeSentTo(phone) });
    await look(page, "account-after-sms");
  }
  await authenticator.respond(false);
  await visit("/enroll/passkey", "enroll-passkey");
  await page.click('form[action="/enroll/passkey"] button[type="submit"]');
  await page.locator('form[aria-busy="true"]').waitFor();
  await look(page, "enroll-passkey-busy");
  await go(page, "/enroll/passkey");
  await authenticator.respond(true);
  await submit(page, "/enroll/passkey");
  await look(page, "account-after-passkey");
  await visit("/enroll", "enroll-further");
  return page;
}

/** An account with all kinds of second factors. */
async function account(look, options) {
  const page = await open("/register", options);
  const visit = visitor(page, look);
  const authenticator = await addAuthenticator(page);
  const email = await register(page);
  const { secret, codes } = await addApp(page);
  await go(page, "/enroll/passkey");
  await submit(page, "/account/confirm", { code: codeOf(secret) });
  await submit(page, "/enroll/passkey");
  if (input.folder) await addPhone(page);
  await authenticator.respond(false); // so that the sign-in page does not use it by itself
  const methods = ["passkey", "totp", "sms", "recovery_code"].filter((method) => method !== "sms" || input.folder);

  await go(page, "/account");
  await submit(page, "/logout");
  await enterPassword(page, email);
  for (const method of methods) await visit(`/login/verify?method=${method}`, `verify-${method}`);
  await submit(page, "/login/verify", { code: "AAAA-AAAA-AAAA" });
  await look(page, "verify-wrong");
  if (input.folder) {
    await go(page, "/login/verify?method=sms");
    await submit(page, "/login/send");
    await look(page, "verify-sms-sent");
  }
  await go(page, "/login/verify?method=totp");
  await page.check('[name="trust"]');
  await submit(page, "/login/verify", { code: codeOf(secret, 1) });

  const other = await open("/login", options); // another session
  await enterPassword(other, email);
  await go(other, "/login/verify?method=recovery_code");
  await submit(other, "/login/verify", { code: codes[0] });
  await other.context().close();
  await visit("/account?notice=email_requested", "account");
  await visit("/account/activity", "account-activity");
  await visit("/account/password", "account-password");
  await submit(page, "/account/password", { currentPassword: "wrong", newPassword: newPassword });
  await look(page, "account-password-wrong");
  await visit("/account/email", "account-email");
  await visit("/account/codes", "account-codes");
  await visit("/account/factor/totp/remove", "account-remove-totp");
  await go(page, "/account");
  await page.locator('a[href^="/account/passkeys/"]').click();
  await look(page, "account-remove-passkey");
  await visit("/account/delete", "account-delete");
  for (const method of methods) await visit(`/account/confirm?next=/account/email&method=${method}`, `confirm-${method}`);
  return page;
}

/** Pages that clients and providers lead to. `input.client` is the id of a client whose redirect URI is `input.redirectUri`. */
async function authorization(look, options) {
  const page = await open("/register", options);
  const visit = visitor(page, look);
  const request = (more = {}) =>
    `/oauth/authorize?${new URLSearchParams({
      client_id: input.client,
      redirect_uri: input.redirectUri,
      response_type: "code",
      scope: "openid",
      state: "s",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
      ...more,
    })}`;
  await visit(request(), "authorize-login");
  await page.locator('a[href^="/register?next="]').click();
  await look(page, "authorize-register");
  await visit(request({ redirect_uri: "https://elsewhere.example" }), "authorize-error");
  await visit("/oauth/external/callback?state=x&code=y", "external-failed");
  await register(page);
  if (input.folder) await advance(60); // the sign-in is older than the requests
  await visit(request({ prompt: "select_account" }), "authorize-select");
  await visit(request({ prompt: "login" }), "authorize-confirm");
  await visit(request({ acr_values: "aal2" }), "authorize-enroll");
  await visit(`/oauth/logout?client_id=${input.client}`, "logout-question");
  await submit(page, "/oauth/logout/confirm");
  await look(page, "logout-done");
  return page;
}

export const parts = { entry, enrolment, account, authorization };
