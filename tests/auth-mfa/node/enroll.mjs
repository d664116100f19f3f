// Tests the hosted page in Chromium at the width of a phone, in light and dark mode, and all steps with the keyboard
// only. Also checks the requests that the browser sent. argv[2] names a JSON file: {url, accessToken, phone, outbox,
// brand, provider, screenshots}.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { browser, focused, input, look, newPage, phone, press, says, shows, small, storesNothing } from "./browser.mjs";

const { origin } = new URL(input.url);

/** The loaded page, which may use the clipboard. */
async function open(options = phone) {
  const page = await newPage(options);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  await page.goto(`${input.url}#access_token=${input.accessToken}`);
  return page;
}

/** The code in the last message of the outbox. */
const lastCode = () => {
  const lines = readFileSync(input.outbox, "utf8").trim().split("\n");
  return /: (\d{6}) is your/.exec(JSON.parse(lines.at(-1)).body)[1];
};

async function tabTo(page, id) {
  for (let i = 0; i < 30 && (await focused(page)) !== id; ++i) await press(page, "Tab");
  assert.equal(await focused(page), id);
}

// Completes all steps with the keyboard.
{
  const page = await open();
  await shows(page, "phone");
  assert.equal(new URL(page.url()).hash, "");
  await storesNothing(page);
  const consent = (await page.locator("#consent").innerText()).replace(/\s+/g, " ");
  for (const words of [
    input.provider,
    `on behalf of ${input.brand}`,
    "Message frequency varies",
    "Message and data rates may apply",
    "STOP to opt out",
    "HELP for help",
  ])
    assert.ok(consent.includes(words), words);
  assert.ok((await page.title()).includes(input.brand));
  await look(page, "1-phone");

  assert.equal(await focused(page), "phone-input");
  await page.keyboard.type("01512 345");
  await press(page, "Enter");
  await says(page, "phone-error", /country code/);
  assert.equal(await focused(page), "phone-input");
  assert.equal(await page.getAttribute("#phone-input", "aria-invalid"), "true");
  await look(page, "2-phone-wrong");
  await press(page, "Control+A");
  await page.keyboard.type(input.phone.replace(/^(\+\d\d)(\d{3})/, "$1 ($2) "));
  await press(page, "Enter");

  await shows(page, "code");
  assert.equal(await focused(page), "code-input");
  await says(page, "code-phone", input.phone);
  const code = lastCode();
  await page.keyboard.type(code.replace(/.$/, (digit) => (Number(digit) + 1) % 10));
  await press(page, "Enter");
  await says(page, "code-error", /is wrong/);
  assert.equal(await focused(page), "code-input");
  await look(page, "3-code-wrong");
  await tabTo(page, "resend");
  await press(page, "Enter");
  await says(page, "code-status", /on its way/);
  await page.locator("#code-input").focus();
  await page.keyboard.type(lastCode().replace(/^.../, "$& "));
  await press(page, "Enter");

  await shows(page, "recovery");
  assert.equal(await focused(page), "recovery-title");
  const codes = await page.locator("#codes li").allInnerTexts();
  assert.equal(codes.length, 10);
  await look(page, "4-recovery");
  await tabTo(page, "copy");
  await press(page, "Enter");
  await says(page, "recovery-status", "Copied");
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), codes.map((one) => `${one}\n`).join(""));
  await tabTo(page, "download");
  const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Enter")]);
  const saved = readFileSync(await download.path(), "utf8");
  for (const one of codes) assert.ok(saved.includes(one));
  await tabTo(page, "saved");
  await press(page, "Tab", "Enter");
  await says(page, "recovery-error", /tick the box/);
  assert.equal(await focused(page), "saved");
  await press(page, "Space", "Enter");
  await shows(page, "done");
  assert.equal(await focused(page), "done-title");
  await look(page, "5-done");
  const left = await page.content();
  for (const secret of [...codes, input.accessToken]) assert.ok(!left.includes(secret));

  assert.deepEqual(page.complaints, []);
  for (const url of page.requested)
    assert.ok(url.startsWith(`${origin}/`) || url.startsWith("data:") || url.startsWith(`blob:${origin}`), url);
  for (const url of page.requested) assert.ok(!url.includes(input.accessToken));
  await page.reload();
  await says(page, "stopped-text", /Open this page from the app/);
  await look(page, "6-without-token");
  await page.context().close();
}

// The second time the phone is already enrolled.
{
  const page = await open();
  await page.fill("#phone-input", input.phone);
  await page.click("#phone button");
  await says(page, "stopped-text", /already protected/);
  await page.context().close();
}

// Shows every error, in dark mode and at the width of a small phone.
{
  const problems = {
    VALIDATION_ERROR: [400, /not a phone number/],
    MFA_SMS_UNDELIVERABLE: [422, /START/],
    MFA_RATE_LIMITED: [429, /10 minutes/],
    MFA_CHALLENGE_EXPIRED: [410, /too old/],
    MFA_SETUP_REQUIRED: [409, /too old/],
    MFA_INVALID_CODE: [400, /is wrong/],
    RATE_LIMITED: [429, /10 minutes/],
    UNAVAILABLE: [503, /at the moment/],
    INTERNAL: [500, /at the moment/],
    MFA_PASSWORD_REQUIRED: [403, /no password/],
    MFA_ALREADY_ENABLED: [409, /already protected/],
    UNAUTHORIZED: [401, /sign in/],
    FORBIDDEN: [403, /sign in/],
    REAUTHENTICATION_REQUIRED: [403, /sign in again/],
    TENANT_SUSPENDED: [403, /not available/],
  };
  for (const [error, [status, words]] of Object.entries(problems)) {
    const page = await open(small);
    await page.route("**/v1/**", (route) =>
      route.fulfill({
        status,
        contentType: "application/problem+json",
        headers: { "Retry-After": "600" },
        body: JSON.stringify({ error, status }),
      }),
    );
    await page.fill("#phone-input", input.phone);
    await press(page, "Enter");
    await page.locator("[role=alert]").filter({ hasText: words }).waitFor();
    assert.ok(!(await page.locator("main").innerText()).includes(error), error);
    if (error === "UNAVAILABLE" || error === "UNAUTHORIZED") await look(page, `7-dark-${error}`);
    await page.context().close();
  }
  const page = await open(small);
  // One route handles all requests, because Playwright may miss a request while routes change.
  let reachable = false;
  await page.route("**/v1/**", (route) => {
    if (!reachable) return route.abort();
    const setup = route.request().url().endsWith("/setup");
    return route.fulfill({ json: setup ? { message: "", phone: input.phone } : { recoveryCodes: [] } });
  });
  await page.fill("#phone-input", input.phone);
  await press(page, "Enter");
  await says(page, "phone-error", /at the moment/);
  reachable = true;
  await press(page, "Enter");
  await shows(page, "code");
  await look(page, "8-dark-code");
  await page.keyboard.type("123456");
  await press(page, "Enter");
  await says(page, "kept", /stay valid/);
  await look(page, "9-dark-done");
  assert.deepEqual(page.complaints, []);
}

await browser.close();
console.log("done");
