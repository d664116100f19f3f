// Staff in the console: the sign-in through the hosted pages, and the checks that hold for every page.
//
//     import { closeAll, openConsole, step } from "./session.mjs";
//     const desk = await openConsole(place.members.owner, "/console/notify"); // signs in with password and authenticator app
//     await desk.page.getByRole("link", { name: "Templates" }).click();       // desk.page is the page of Playwright
//     await desk.open("/console/notify/templates");                          // loads the address and waits until its data are shown
//     await desk.look("notify-templates");                                   // at 1440 and 390 pixels: see `look`
//     desk.allow(/^409 PUT .*\/v1\/templates/);                              // the next steps provoke this response
//     step("staff edit a template", async () => { … });                      // a test; after a failure, the rest of the file is skipped
//     after(closeAll);                                                       // checks all consoles that are open, and ends Chromium
//
// A member signs in with the forms once. Later consoles of the member begin with the cookies of that browser, so they renew the session
// with `prompt=none`. `signIn: true` uses the forms again. With the environment variable SCREENSHOTS, `look` writes pictures to this
// folder. Pictures of failures are in TETRAD_RUN.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { browser, findViolations, newPage } from "./browser.mjs";
import { eventually, serviceNames } from "./stack.mjs";

const { SCREENSHOTS, TETRAD_RUN } = process.env;
if (SCREENSHOTS) mkdirSync(SCREENSHOTS, { recursive: true });

export const wide = { width: 1440, height: 900 };
export const narrow = { width: 390, height: 844 };
const sizes = { wide, narrow };

/** The consoles that are open. */
const desks = new Set();

/** Fills in the form of a hosted page, sends it, and waits until the browser has left the page. */
async function submit(page, action, fields) {
  const form = page.locator(`form[action="${action}"]`).first();
  for (const [name, value] of Object.entries(fields)) await form.locator(`[name="${name}"]`).fill(value);
  await Promise.all([page.waitForNavigation(), form.locator('button[type="submit"]').click()]);
}

/** Signs the member in on the hosted pages, which the browser shows. */
export async function fillInSignIn(page, member) {
  await page.locator('form[action="/login"]').waitFor();
  await submit(page, "/login", { email: member.email, password: member.password });
  if (member.secret) await submit(page, "/login/verify", { code: await member.code() });
}

/**
 * The console of a member in a browser of its own, at this address. Options: `signIn`, whether the member uses the forms although the
 * browser has a session; `size`; further ones are those of the browser's context.
 */
export async function openConsole(member, address = "/console", { signIn = false, size = wide, ...options } = {}) {
  const known = signIn ? undefined : member.storageState;
  const page = await newPage({ viewport: size, reducedMotion: "reduce", colorScheme: "light", locale: "en-US", timezoneId: "UTC", extraHTTPHeaders: {}, storageState: known, acceptDownloads: true, ...options });
  const desk = new Desk(page, member);
  await page.addInitScript(keepToasts);
  await page.goto(member.place.origin + address);
  if (!known) {
    await fillInSignIn(page, member);
    await page.waitForURL(({ origin, pathname }) => origin === member.place.origin && pathname.startsWith("/console") && pathname !== "/console/callback");
    member.storageState = await page.context().storageState();
  }
  await desk.settled();
  return desk;
}

/** A console that is open. */
export class Desk {
  /** Responses with status 400 or above that no `allow` names: `404 GET https://…`. */
  refused = [];
  /** The access token of the latest request. */
  token = undefined;
  #allowed = [];
  /** Requests under way, with the number of the document that has sent them. */
  #pending = new Map();
  #dialogs = [];

  constructor(page, member) {
    Object.assign(this, { page, member, place: member.place });
    desks.add(this);
    let documents = 0;
    page.on("request", (request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) documents += 1;
      if (!isStream(request)) this.#pending.set(request, documents);
      const authorization = request.headers()["authorization"];
      if (authorization) this.token = authorization.replace("Bearer ", "");
    });
    for (const event of ["requestfinished", "requestfailed"]) page.on(event, (request) => this.#pending.delete(request));
    // Requests of the previous document have no end.
    page.on("domcontentloaded", () => {
      for (const [request, document] of this.#pending) if (document < documents) this.#pending.delete(request);
    });
    page.on("response", (response) => {
      const text = `${response.status()} ${response.request().method()} ${response.url()}`;
      if (response.status() >= 400 && !this.#allowed.some((pattern) => pattern.test(text))) this.refused.push(text);
    });
    // Only a script that came with the data opens a dialog of the browser.
    page.on("dialog", (dialog) => {
      if (dialog.type() === "beforeunload") return dialog.accept();
      this.#dialogs.push(dialog.message());
      return dialog.dismiss();
    });
  }

  /** Expects responses whose text, such as `404 GET https://…`, matches the pattern. */
  allow(pattern) {
    this.#allowed.push(pattern);
  }

  /** Loads an address of the console, and waits until the data are shown. */
  async open(address) {
    await this.page.goto(this.place.origin + address);
    await this.settled();
  }

  /** Waits until the page shows no sign of loading and no request is under way, twice in a row. `busy`: signs of loading do not count. */
  async settled({ busy = false } = {}) {
    let quiet = 0;
    let sign;
    await eventually(async () => {
      sign = !busy && await this.page.evaluate(findLoading).catch(() => "a navigation"); // which ends the evaluation
      quiet = this.#pending.size > 0 || sign ? 0 : quiet + 1;
      return quiet > 2;
    }).catch((error) => assert.fail(`The page is still loading: ${sign} ${[...this.#pending.keys()].map((request) => `${request.method()} ${request.url()}`).join(" ")} ${error.message}`));
  }

  /** The button, link or heading with exactly this name, or a name that matches a pattern. */
  button = (name) => this.page.getByRole("button", { name, exact: true });
  link = (name) => this.page.getByRole("link", { name, exact: true });
  heading = (name) => this.page.getByRole("heading", { name, exact: true });
  dialog = () => this.page.locator('[role="dialog"].dialog, [role="alertdialog"].dialog');

  /** Chooses an option of a list that opens (`Select`). The name of its button has the value and the label. */
  async choose(label, option, within = this.page) {
    await within.getByRole("button", { name: label, exact: true }).click();
    await this.page.getByRole("option", { name: option, exact: true }).click();
  }

  /** Chooses an entry of a menu that this button opens. */
  async pick(button, entry, within = this.page) {
    await within.getByRole("button", { name: button, exact: true }).click();
    await this.page.getByRole("menuitem", { name: entry, exact: true }).click();
  }

  /** The whole text of a short message that contains `text`, if the page has shown one since the last call. Messages of success disappear after seconds. */
  async said(text) {
    const found = await this.page.evaluate((part) => {
      const index = globalThis.shownToasts.findIndex((shown) => shown.includes(part));
      return index < 0 ? undefined : globalThis.shownToasts.splice(index, 1)[0];
    }, text);
    const close = this.page.locator(".toast", { hasText: text }).getByRole("button", { name: "Close" }).last();
    if (found !== undefined) await close.click({ timeout: 2000 }).catch(() => undefined); // it may have disappeared, or be below a dialog
    return found;
  }

  /** Waits for a short message that contains the text, and returns the whole text. */
  message(text) {
    return eventually(() => this.said(text));
  }

  /** The text that the page shows, without repeated white space. */
  async text() {
    return (await this.page.locator("body").innerText()).replace(/\s+/g, " ");
  }

  /**
   * Checks the page at both widths: axe finds nothing (`axe: false` leaves this out), the page is not wider than the screen, the bar with the environment is
   * visible, and `assertClean` holds. `schemes`: the colour schemes. `bar: false`: the page has no bar, because it is a notice.
   * `busy: true`: the page shows that an action waits for something.
   */
  async look(name, { axe = true, schemes = ["light"], bar = true, busy = false } = {}) {
    const own = this.page.viewportSize();
    for (const [size, viewport] of Object.entries(sizes)) {
      await this.page.setViewportSize(viewport);
      for (const colorScheme of schemes) {
        await this.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await this.settled({ busy });
        const where = `${name}, ${viewport.width} px, ${colorScheme}`;
        if (SCREENSHOTS) await this.page.screenshot({ path: path.join(SCREENSHOTS, `${name}-${size}-${colorScheme}.png`), fullPage: true });
        assert.deepEqual(await this.page.evaluate(findOverflow), [], where);
        if (bar) await this.assertBar(where);
        if (axe) assert.deepEqual(await findViolations(this.page), [], where);
      }
    }
    await this.page.setViewportSize(own);
    await this.page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await this.settled({ busy });
    await this.assertClean(name);
  }

  /** The bar with the environment is at the top of the screen, over its whole width, and names the environment. */
  async assertBar(where) {
    const bar = this.page.locator(".environment");
    assert.match(await bar.innerText(), this.place.environment === "sandbox" ? /^Sandbox/i : /^Production/i, where);
    const { x, width } = await bar.boundingBox();
    assert.deepEqual([x, width], [0, this.page.viewportSize().width], where);
  }

  /**
   * No script has failed, the page's policy was not violated, no text was taken as HTML, no response was refused unexpectedly, and the page
   * has called only the four services of its environment.
   */
  async assertClean(where) {
    assert.deepEqual(this.page.complaints, [], where);
    assert.deepEqual(this.#dialogs, [], where);
    assert.deepEqual(this.refused, [], where);
    assert.equal(await this.page.locator('img[src="x"], script:not([src])').count(), 0, where);
    const known = serviceNames.map((service) => `${this.place.url(service)}/`);
    const isKnown = (url) => url === "data:," || url.startsWith("data:image/") || known.some((origin) => url.replace(/^blob:/, "").startsWith(origin));
    assert.deepEqual(this.page.requested.filter((url) => !isKnown(url)), [], where);
  }

  /** Runs `action`, and returns the file that the browser stores meanwhile: `{name, content}`. */
  async download(action) {
    const [download] = await Promise.all([this.page.waitForEvent("download"), action()]);
    const parts = [];
    for await (const part of await download.createReadStream()) parts.push(part);
    return { name: download.suggestedFilename(), content: Buffer.concat(parts) };
  }

  /** Checks the page a last time, and closes its browser context. */
  async close() {
    await this.assertClean("at the end");
    await this.discard();
  }

  /** Closes the browser context of the page without a check. */
  async discard() {
    desks.delete(this);
    await this.page.context().close();
  }
}

const isStream = (request) => request.headers()["accept"] === "text/event-stream";

/** In the page: keeps the texts of short messages in `shownToasts`. */
function keepToasts() {
  const known = new WeakSet();
  globalThis.shownToasts = [];
  new MutationObserver(() => {
    for (const toast of document.querySelectorAll(".toast"))
      if (!known.has(toast)) {
        known.add(toast);
        globalThis.shownToasts.push(toast.innerText);
      }
  }).observe(document, { childList: true, subtree: true });
}

/** In the page: a sign that something is still loading. */
function findLoading() {
  if (!document.querySelector("#root > *, body > main, form")) return "an empty page";
  return document.querySelector(".spinner, .skeleton, [aria-busy='true'], .table-stale, [data-pending]")?.outerHTML;
}

/** In the page: elements that make it wider than the screen, if it is wider. */
function findOverflow() {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const found = [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > clientWidth + 1);
  return [`${scrollWidth} px`, ...found.slice(0, 5).map((element) => element.outerHTML.slice(0, 200))];
}

/** Checks and closes all consoles, and ends Chromium. */
export async function closeAll() {
  try {
    for (const desk of [...desks]) await desk.close();
  } finally {
    await browser.close();
  }
}

let hasFailed = false;
/** A test of which later ones depend: after a failure, they are skipped. Pictures of the open consoles show the failure. */
export function step(name, run) {
  test(name, async (t) => {
    if (hasFailed) return t.skip("an earlier step failed");
    try {
      await run();
    } catch (error) {
      hasFailed = true;
      for (const [index, { page }] of [...desks].entries()) {
        console.error(page.url(), page.complaints);
        await page.screenshot({ path: path.join(TETRAD_RUN, `failure-${name.replace(/\W+/g, "-").slice(0, 60)}-${index}.png`) }).catch(() => undefined);
      }
      throw error;
    }
  });
}
