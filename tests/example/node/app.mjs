// The example app and its services, started by the scripts, and a user's steps in it.
// Environment variables: SOURCE is the checkout, BUILD the build folder with the services, TETRAD_RUN the folder for all data.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { newPage } from "./browser.mjs";

const { SOURCE, TETRAD_RUN } = process.env;
const prefixes = ["FEEDBACK", "AUTH", "NOTIFY", "BILLING"];

/** The values of KEY=VALUE lines. */
const valuesOf = (file) =>
  Object.fromEntries(readFileSync(path.join(TETRAD_RUN, file), "utf8").trim().split("\n").map((line) => /^([^=]*)=(.*)$/s.exec(line).slice(1)));

/** Ports that nothing listens on. The ports of an earlier start are in the environment. */
function portSettings() {
  const names = [...prefixes.flatMap((prefix) => [`${prefix}_PORT`, `${prefix}_OPS_PORT`]), "EXAMPLE_PORT"];
  const ports = execFileSync("bash", ["-c", `source "$SOURCE/scripts/common.sh" && free_ports ${names.length}`], { encoding: "utf8" });
  return Object.fromEntries(names.map((name, i) => [name, ports.trim().split(" ")[i]]));
}

const settings = process.env.EXAMPLE_PORT ? {} : portSettings();

/** Runs a script of scripts/. Returns its output. Fails unless it exits with 0. */
export async function script(name, ...args) {
  const child = spawn(path.join(SOURCE, "scripts", name), args, { env: { ...process.env, ...settings }, stdio: ["ignore", "pipe", "pipe"] });
  const [out, log, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  assert.equal(status, 0, `scripts/${name} ${args.join(" ")}\n${log}`);
  return out + log;
}

/** The addresses and the files of the running app. */
export function addresses() {
  const { PUSH_OUTBOX, MASTER_KEY } = valuesOf("env");
  const { APP_URL, AUTH_URL, FEEDBACK_URL, NOTIFY_URL, BILLING_URL, NOTES_FILE } = valuesOf("example/env");
  return { app: APP_URL, auth: AUTH_URL, feedback: FEEDBACK_URL, notify: NOTIFY_URL, billing: BILLING_URL, notes: NOTES_FILE, pushes: PUSH_OUTBOX, masterKey: MASTER_KEY };
}

/** Waits for up to two minutes until `look` returns a value. The limit is long, because the machine may be busy. */
export async function eventually(look) {
  for (const end = Date.now() + 120_000; ; await new Promise((go) => setTimeout(go, 50))) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, `not within 120 s: ${look}`);
  }
}

/** An empty page with an authenticator in software, which verifies its user. Passkeys are used only after a click. */
export async function openPage(options = {}) {
  const page = await newPage({ extraHTTPHeaders: {}, ...options }); // a header more would need the permission of the services
  await page.addInitScript(() => delete window.PublicKeyCredential?.isConditionalMediationAvailable);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable", { enableUI: false });
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  });
  return page;
}

export const button = (page, name) => page.getByRole("button", { name });

/** Waits until the page shows the notes of the user. */
export const arrive = (page) => page.locator('main[aria-busy="false"] h1', { hasText: "Your notes" }).waitFor();

/** Creates an account on the hosted page, and comes back to the app. */
export async function signUp(page, credentials) {
  await button(page, "Sign in or create an account").click();
  await page.locator('a[href^="/register"]').click();
  await page.locator('[name="email"]').fill(credentials.email);
  await page.locator('[name="password"]').fill(credentials.password);
  await page.locator('form[action="/register"] button[type="submit"]').click();
  await arrive(page);
}

/** Adds a passkey on the hosted pages, confirms the sign-in with it, and comes back to the app. */
export async function addPasskey(page) {
  await button(page, "Add a passkey").click();
  await page.locator('a[href^="/enroll/passkey"]').click();
  await page.locator('form[action="/enroll/passkey"] button[type="submit"]').click();
  await page.locator("#codes").waitFor();
  await page.getByRole("link", { name: "Continue" }).click();
  await page.locator('form[action="/account/confirm"] button[type="submit"]').first().click();
  await arrive(page);
}

export async function signInWithPasskey(page) {
  await button(page, "Sign in or create an account").click();
  await button(page, "Sign in with a passkey").click();
  await arrive(page);
}

export async function signOut(page) {
  await button(page, /^Account of/).click();
  // The browser goes to auth-mfa, which leads it back.
  await Promise.all([page.waitForNavigation(), button(page, "Sign out").click()]);
  await button(page, "Sign in or create an account").waitFor();
}

/** Writes a note, with a colour if its name is given. */
export async function writeNote(page, title, body, colour) {
  await button(page, "New note").click();
  await page.getByLabel("Title").fill(title);
  await page.getByLabel("Text").fill(body);
  if (colour) await page.getByRole("radio", { name: colour }).check({ force: true }); // the swatch covers it
  await button(page, "Save").click();
  await page.locator("article", { hasText: title }).waitFor();
}

/** Buys Notes Pro at the stand-in of the card provider. */
export async function buyPro(page) {
  await button(page, "See Notes Pro").click();
  await button(page, "Buy Notes Pro").click();
  await button(page, /^Pay/).click();
  await page.getByText("Welcome to Notes Pro").waitFor();
}
