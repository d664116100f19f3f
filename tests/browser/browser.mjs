// Chromium for the tests of pages. tetrad_npm copies this file beside the scripts that use it. argv[2] is a JSON text or names a JSON
// file. This is `input`. With `screenshots` it names a folder for them, with `arguments` it has more arguments for Chromium.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const argument = process.argv[2] ?? "{}";
export const input = JSON.parse(argument.startsWith("{") ? argument : readFileSync(argument, "utf8"));
input.screenshots ??= process.env.SCREENSHOTS;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", ...(input.arguments ?? [])],
});
export const phone = { viewport: { width: 390, height: 844 } };
export const desktop = { viewport: { width: 1280, height: 900 } };

let networks = 0;

/**
 * An empty page in a context and a network of its own. `page.requested` has the addresses of its requests, `page.complaints` its
 * errors: those of scripts, of the console, and violations of the Content Security Policy.
 */
export async function newPage(options = {}) {
  const network = `10.${100 + (++networks >> 8)}.${networks & 255}.1`;
  const context = await browser.newContext({ extraHTTPHeaders: { "X-Forwarded-For": network }, ...options });
  context.setDefaultTimeout(90_000);
  await context.addInitScript(() =>
    addEventListener("securitypolicyviolation", (event) => console.error("CSP", event.violatedDirective, event.blockedURI)),
  );
  const page = await context.newPage();
  Object.assign(page, { requested: [], complaints: [] });
  page.on("request", (request) => page.requested.push(request.url()));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("console", (message) => {
    // Chromium reports every response with status 400 or above as an error, but the tests expect such responses.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      page.complaints.push(message.text());
  });
  return page;
}

/** The widths of screens for which the page is too wide. */
export async function findTooNarrow(page) {
  const { width: own, height } = page.viewportSize();
  const found = [];
  for (const width of [320, desktop.viewport.width, own]) {
    await page.setViewportSize({ width, height });
    if ((await page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0) found.push(width);
  }
  return found;
}

/** What axe finds on the page: by all rules, or by those with these names. */
export async function findViolations(page, rules) {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  const { violations } = await page.evaluate(
    (runOnly) => axe.run({ runOnly }),
    rules ?? ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  );
  return violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
}

/** Screenshots on a phone and on a desktop, in light and dark mode, in the folder `input.screenshots`. */
export async function takeScreenshots(page, name) {
  const own = page.viewportSize();
  for (const [device, { viewport }] of Object.entries({ phone, desktop }))
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.screenshot({ path: `${input.screenshots}/${name}-${device}-${colorScheme}.png`, fullPage: true });
    }
  await page.setViewportSize(own);
}
