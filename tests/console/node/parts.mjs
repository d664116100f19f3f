// Parts of the console's pages as a person finds them, by role and name: dialogs, choices, tables, messages.
import assert from "node:assert/strict";
import { eventually } from "./stack.mjs";

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
/** A pattern for names that begin with the text. */
export const startsWith = (text) => new RegExp(`^\\s*${escaped(text)}`);
const whole = (text) => new RegExp(`^\\s*${escaped(text)}\\s*$`);
/** A console stands for its page. */
const within = (scope) => (scope.place ? scope.page : scope);

export const button = (scope, name) => within(scope).getByRole("button", { name, exact: typeof name === "string" });
export const link = (scope, name) => within(scope).getByRole("link", { name, exact: typeof name === "string" });
export const heading = (scope, name) => within(scope).getByRole("heading", { name, exact: typeof name === "string" });
export const dialog = (desk, name) => desk.page.getByRole("dialog", { name, exact: true }).or(desk.page.getByRole("alertdialog", { name, exact: true }));

/** Runs `action`, and waits until the page has shown a new short message that contains the text. If the console asks, the member confirms the sign-in. */
export async function says(desk, text, action) {
  await desk.page.evaluate(() => (globalThis.shownToasts.length = 0));
  await action();
  await confirmed(desk, () => desk.page.evaluate((part) => globalThis.shownToasts.some((shown) => shown.includes(part)), text));
}

/** The button of a choice. Its name has the chosen option, then the label, and a star if a choice is required. */
export const chooser = (scope, label) => within(scope).getByRole("button", { name: new RegExp(`(^|\\s)${escaped(label)}( \\*)?$`) });

/** Chooses the option whose text begins with `option`. */
export async function choose(desk, label, option, scope = desk.page) {
  await chooser(scope, label).click();
  await desk.page.getByRole("option", { name: startsWith(option) }).first().click();
  await desk.page.getByRole("listbox").waitFor({ state: "detached" });
}

/** Chooses one of several radio buttons with the keyboard, because their circles are drawn beside the fields. */
export async function pick(scope, name) {
  const radio = within(scope).getByRole("radio", { name, exact: typeof name === "string" });
  await radio.press("Space");
  await eventually(() => radio.isChecked());
}

/** Turns a switch on or off. */
export async function toggle(scope, name, on) {
  const box = within(scope).getByRole("switch", { name });
  if ((await box.isChecked()) !== on) await box.press("Space");
  await eventually(async () => (await box.isChecked()) === on);
}

/** A table of the console, and one of its rows with this text. */
export const table = (desk, name) => desk.page.getByRole("table", { name, exact: true });
export const row = (desk, name, text) => table(desk, name).getByRole("row").filter({ hasText: text });

/** Waits until the table has this number of rows with data. */
export const hasRows = (desk, name, count) => eventually(async () => (await table(desk, name).getByRole("row").count()) === count + 1);

/** The value beside a label in a list of names and values. */
export const fact = (desk, label, scope = desk.page) =>
  scope.locator("dl > div").filter({ has: desk.page.locator("dt").filter({ hasText: whole(label) }) }).locator("dd");

/** The number of an overview, for example "Active subscriptions". */
export const stat = (desk, label) => desk.page.locator(".stat").filter({ has: desk.page.locator(".stat-label").filter({ hasText: whole(label) }) }).locator(".stat-value");

/** A framed part of the page with this title. */
export const card = (desk, title) => desk.page.locator("section.card").filter({ has: desk.page.getByRole("heading", { name: title, exact: true }) });

/** The rows of a CSV file (RFC 4180) as arrays of texts. Checks the mark of UTF-8 at its begin. */
export function csvRows({ content }) {
  const text = content.toString("utf8");
  assert.ok(text.startsWith("\ufeff"), "The file has no mark of UTF-8.");
  const rows = [[]];
  for (const [, quoted, plain, end] of text.slice(1).matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
    if (end === "") break;
  }
  rows.pop(); // after the last line
  return rows;
}

/** Exports the table of the page. Returns one object for each row, with the headers as names. No cell begins like a formula. */
export async function exported(desk, file) {
  const stored = await desk.download(() => button(desk, "Export CSV").click());
  assert.equal(stored.name, file);
  const [headers, ...rows] = csvRows(stored);
  const formulas = rows.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell));
  assert.deepEqual(formulas, []);
  return rows.map((cells) => Object.fromEntries(headers.map((header, index) => [header, cells[index]])));
}

/** Copies with this button. Returns the text in the clipboard. The console needs the permissions `clipboard-read` and `clipboard-write`. */
export async function copied(desk, copy) {
  await desk.page.evaluate(() => navigator.clipboard.writeText(""));
  await copy.click();
  return eventually(() => desk.page.evaluate(() => navigator.clipboard.readText()));
}

/** The page sees a time that is `minutes` later, until it is loaded again. So the console finds the sign-in too old for erasures, exports and new keys. */
export const passTime = (desk, minutes) => desk.page.evaluate((ms) => { const now = Date.now; Date.now = () => now() + ms; }, minutes * 60_000);

/** Waits until `isDone()`. If the console asks for a confirmation of the sign-in meanwhile, the member gives a code. Returns whether it asked. */
export async function confirmed(desk, isDone) {
  const ask = dialog(desk, "Confirm that it is you");
  let asked = false;
  await eventually(async () => {
    const done = await isDone(); // first, because the dialog hides the page from `isDone`
    if (!(await ask.isVisible())) return done;
    asked = true;
    await ask.getByLabel("Code of the authenticator app").fill(await desk.member.code());
    await button(ask, "Confirm").click();
    await ask.waitFor({ state: "detached" });
    return false;
  });
  return asked;
}

/** Follows everything that the browser receives. The returned function resolves with the texts. */
export function tap(desk) {
  const bodies = [];
  desk.page.on("response", (response) => bodies.push(response.text().catch(() => ""))); // a redirection has no body
  return async () => (await Promise.all(bodies)).join("\n");
}

/** The browser has not received the secret, and the page does not show or keep it. */
export async function assertUnknown({ desk, received }, secret) {
  assert.ok(secret.length > 20);
  const kept = await desk.page.evaluate(() => {
    const fields = [...document.querySelectorAll("input, textarea")].map((field) => field.value);
    return [document.documentElement.outerHTML, ...fields, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })].join("\n");
  });
  assert.ok(!kept.includes(secret), "the page has the secret");
  assert.ok(!(await received()).includes(secret), "a response has the secret");
}
