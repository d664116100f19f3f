// Tests the pages to which the links in mails lead, in Chromium. The responses of the API are stubs. Checks the requests of
// the pages, all errors, the keyboard, and accessibility at the widths of a phone and a desktop in light and dark mode.
// argv[2] names a JSON file: {origin, brand, screenshots}.
import assert from "node:assert/strict";
import { browser, desktop, focused, input, look, newPage, phone, press, says, shows, small, storesNothing } from "./browser.mjs";

const token = "vY3kq0Zt6mXn2aJ8bS4wE1cR7uH5dL9pG0fT3iK6oQ8";
const password = "correct horse battery";
const email = "ada@example.com";

/**
 * A loaded page. Its requests to the API get `page.response` ({status, json, headers}, or null for a failure of the network) and
 * are recorded in `page.sent`.
 */
async function open(path, options = phone) {
  const page = await newPage(options);
  Object.assign(page, { sent: [], response: { status: 200, json: {} } });
  await page.route("**/v1/**", (route) => {
    page.sent.push([new URL(route.request().url()).pathname, route.request().postDataJSON()]);
    assert.equal(route.request().method(), "POST");
    assert.equal(route.request().headers().referer, undefined);
    return page.response === null ? route.abort() : route.fulfill(page.response);
  });
  await page.goto(input.origin + path);
  return page;
}

const problem = (status, error, rest = {}) => ({
  status,
  contentType: "application/problem+json",
  headers: { "Retry-After": "600" },
  body: JSON.stringify({ error, status, ...rest }),
});
const invalid = (pointer, detail) =>
  problem(400, "VALIDATION_ERROR", { errors: [{ pointer, code: "too_weak", detail }] });

async function close(page) {
  assert.deepEqual(page.complaints, []);
  for (const url of page.requested)
    assert.ok(url.startsWith(`${input.origin}/`) || url === "data:,", url);
  await storesNothing(page);
  assert.ok(!(await page.evaluate("location.href")).includes(token));
  const text = await page.locator("main").innerText();
  assert.ok(!/undefined|null|NaN|[A-Z]+_[A-Z]/.test(text), text);
  await page.context().close();
}

// Pages with a button: opening the link calls nothing, and the button uses the token up.
const buttons = {
  "verify-email": ["/v1/auth/email/verify", { emailVerified: true }, /is confirmed/, /close this page/],
  "confirm-email": ["/v1/auth/email/confirm", { email }, /is changed/, /sign in with ada@example\.com/],
  "revert-email": ["/v1/auth/email/revert", { email }, /is restored/, /uses ada@example\.com again/],
};
for (const [name, [path, json, title, text]] of Object.entries(buttons)) {
  for (const options of name === "verify-email" ? [phone, desktop] : [phone]) {
    const page = await open(`/${name}?token=${token}`, options);
    await shows(page, "confirm");
    assert.equal(await page.evaluate("location.href"), `${input.origin}/${name}`);
    assert.equal(await focused(page), "title");
    assert.ok((await page.title()).includes(input.brand));
    await look(page, `link-${name}-${options.viewport.width}`);
    assert.deepEqual(page.sent, []);
    page.response = { json };
    await press(page, "Tab", "Enter");
    await says(page, "title", title);
    await says(page, "done-text", text);
    assert.equal(await focused(page), "title");
    assert.match(await page.title(), title);
    assert.deepEqual(page.sent, [[path, { token }]]);
    assert.equal(await page.locator("#done-reset").isVisible(), name === "revert-email");
    await look(page, `link-${name}-done-${options.viewport.width}`);
    await close(page);
  }
}

// A new password, with the keyboard only.
{
  const page = await open(`/reset?token=${token}&utm_source=mail#x`);
  await shows(page, "password");
  assert.equal(await page.evaluate("location.href"), `${input.origin}/reset`);
  assert.equal(await focused(page), "password-input");
  await look(page, "link-reset-375");
  await press(page, "Enter");
  await says(page, "password-error", "Enter a password.");
  await page.keyboard.type("short");
  await press(page, "Enter");
  await says(page, "password-error", /at least 8 characters/);
  assert.equal(await page.getAttribute("#password-input", "aria-invalid"), "true");
  assert.equal(await focused(page), "password-input");
  assert.deepEqual(page.sent, []);
  await look(page, "link-reset-short-375");
  await press(page, "Control+A");
  await page.keyboard.type("password");
  page.response = invalid("/newPassword", "is one of the most common passwords; choose another password");
  await press(page, "Enter");
  await says(page, "password-error", "The password is one of the most common passwords; choose another password.");
  await press(page, "Tab");
  assert.equal(await focused(page), "reveal");
  await press(page, "Enter");
  assert.equal(await page.getAttribute("#password-input", "type"), "text");
  assert.equal(await page.getAttribute("#reveal", "aria-label"), "Hide password");
  assert.equal(await focused(page), "password-input");
  await press(page, "Control+A");
  await page.keyboard.type(password);
  await look(page, "link-reset-shown-375");
  page.response = { json: { reset: true } };
  await press(page, "Enter");
  await says(page, "title", "Your password is changed");
  assert.equal(await page.getAttribute("#password-input", "type"), "password");
  assert.equal(await page.inputValue("#password-input"), "");
  assert.deepEqual(page.sent, [
    ["/v1/auth/password/reset", { token, newPassword: "password" }],
    ["/v1/auth/password/reset", { token, newPassword: password }],
  ]);
  await look(page, "link-reset-done-375");
  await close(page);
}

// A used link offers to request a new one.
{
  const page = await open(`/reset?token=${token}`, desktop);
  page.response = problem(410, "TOKEN_EXPIRED");
  await page.fill("#password-input", password);
  await press(page, "Enter");
  await says(page, "title", "This link no longer works");
  await look(page, "link-reset-expired-1280");
  await page.click("#request");
  assert.equal(await focused(page), "forgot-input");
  await look(page, "link-forgot-1280");
  await press(page, "Enter");
  await says(page, "forgot-error", /Enter an email address/);
  assert.equal(page.sent.length, 1);
  await page.keyboard.type(` ${email} `);
  page.response = { status: 202, json: {} };
  await press(page, "Enter");
  await says(page, "title", "Check your email");
  await says(page, "sent-email", email);
  assert.deepEqual(page.sent.at(-1), ["/v1/auth/password/forgot", { email }]);
  await look(page, "link-sent-1280");
  await page.click("#again");
  page.response = invalid("/email", "must be an email address");
  await press(page, "Enter");
  await says(page, "forgot-error", "The email address must be an email address.");
  page.response = problem(429, "RATE_LIMITED");
  await press(page, "Enter");
  await says(page, "forgot-error", /Too many attempts. Try again in 10 minutes/);
  await close(page);
}

// Without a token, only the page for new passwords can go on.
for (const [path, title] of [
  ["/reset", /Reset your password/],
  ["/reset?token=", /Reset your password/],
  ["/invite", /no longer works/],
  ["/verify-email", /no longer works/],
  ["/confirm-email?token=", /no longer works/],
  ["/revert-email", /no longer works/],
]) {
  const page = await open(path, small);
  await says(page, "title", title);
  if (path === "/reset" || path === "/invite") await look(page, `link-${path.slice(1)}-without-token-320-dark`);
  assert.deepEqual(page.sent, []);
  await close(page);
}

// An invitation: the tokens of the response are not kept.
for (const [options, name] of [
  [small, "320-dark"],
  [{ ...desktop, colorScheme: "dark" }, "1280-dark"],
]) {
  const page = await open(`/invite?token=${token}`, options);
  await says(page, "password-text", `You are invited to ${input.brand}.`);
  await look(page, `link-invite-${name}`);
  page.response = { status: 201, json: { accessToken: "secret-access", refreshToken: "secret-refresh", expiresIn: 900 } };
  await page.fill("#password-input", password);
  await press(page, "Enter");
  await says(page, "title", "Your account is ready");
  assert.deepEqual(page.sent, [["/v1/auth/invitations/accept", { token, password }]]);
  await look(page, `link-invite-done-${name}`);
  for (const secret of [password, token, "secret-"]) assert.ok(!(await page.content()).includes(secret));
  await close(page);
}

// Every problem, on a page with a password and on a page with a button. The other pages share their code.
const problems = [
  [problem(410, "TOKEN_EXPIRED"), /has been used, it has expired/],
  [invalid("/token", "must be at most 128 characters"), /has been used, it has expired/],
  [problem(429, "RATE_LIMITED"), /Too many attempts. Try again in 10 minutes/],
  [problem(503, "UNAVAILABLE"), /not available at the moment. Try again in 10 minutes/],
  [problem(500, "INTERNAL"), /not available at the moment/],
  [problem(400, "VALIDATION_ERROR"), /not available at the moment/],
  [problem(403, "TENANT_SUSPENDED"), /not available at the moment. Try again later/],
  [problem(404, "TENANT_NOT_FOUND"), /does not exist/],
  [problem(403, "ACCOUNT_DISABLED"), /Contact .* support/],
  [problem(409, "CONFLICT"), /Another account uses/],
  [{ status: 200, contentType: "text/html", body: "<html>" }, /not available at the moment/],
  [null, /not available at the moment. Try again in a moment/],
];
for (const name of ["reset", "confirm-email"]) {
  const input = name === "reset" ? "#password-input" : null;
  const page = await open(`/${name}?token=${token}`, small);
  for (const [response, words] of problems) {
    await page.goto(`${new URL(page.url()).origin}/${name}?token=${token}`);
    page.response = response;
    if (input) await page.fill(input, password);
    await press(page, ...(input ? ["Enter"] : ["Tab", "Enter"]));
    await page.locator("main p:visible").filter({ hasText: words }).waitFor();
  }
  await look(page, `link-${name}-error-320-dark`);
  page.response = { json: { email, emailVerified: true, reset: true } }; // the link still works after such a problem
  await press(page, "Enter");
  await shows(page, "done");
  await close(page);
}

// A second factor has to be set up before the first sign-in.
{
  const page = await open(`/invite?token=${token}`);
  page.response = problem(403, "mfa_enrollment_required", { enrollment_token: "secret-enrolment", available_methods: ["sms"] });
  await page.fill("#password-input", password);
  await press(page, "Enter");
  await says(page, "title", "Your account is ready");
  await says(page, "done-text", /second factor/);
  await look(page, "link-invite-second-factor-375");
  await close(page);
}

// A second press while a call is in progress sends nothing.
{
  const page = await open(`/verify-email?token=${token}`);
  let answer;
  const answered = new Promise((resolve) => (answer = resolve));
  await page.route("**/v1/**", async (route) => {
    page.sent.push(route.request().url());
    await answered;
    await route.fulfill({ json: { emailVerified: true } });
  });
  await press(page, "Tab", "Enter", "Enter");
  await page.locator("main[aria-busy=true]").waitFor();
  await press(page, "Enter");
  answer();
  await shows(page, "done");
  assert.equal(page.sent.length, 1);
  await close(page);
}

await browser.close();
console.log("done");
