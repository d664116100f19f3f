// Chromium for the tests of pages. argv[2] names a JSON file, which is `input`; with `screenshots` it names a folder for them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

export const input = JSON.parse(readFileSync(process.argv[2], "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
export const phone = { viewport: { width: 375, height: 667 } };
export const small = { viewport: { width: 320, height: 568 }, colorScheme: "dark", reducedMotion: "reduce" };
export const desktop = { viewport: { width: 1280, height: 800 } };

/** An empty page in a context of its own. `page.requested` has its requests, `page.complaints` its errors. */
export async function newPage(options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(90_000);
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

/** Checks that the page fits the screen and is accessible. Takes a screenshot if `input.screenshots` is set. */
export async function look(page, name) {
  if (input.screenshots) await page.screenshot({ path: `${input.screenshots}/${name}.png`, fullPage: true });
  const width = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.ok(width <= 0, `${name} is wider than the screen`);
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
  );
  assert.deepEqual(
    found.violations.map((violation) => [name, violation.id, violation.nodes.map((node) => node.html)]),
    [],
  );
}

/** The page has stored nothing in the browser. */
export async function storesNothing(page) {
  assert.equal(
    await page.evaluate("JSON.stringify([localStorage.length, sessionStorage.length, document.cookie])"),
    '[0,0,""]',
  );
}

export const focused = (page) => page.evaluate("document.activeElement.id");
export const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};
export const shows = (page, section) => page.locator(`#${section}`).waitFor({ state: "visible" });
export const says = (page, id, pattern) => page.locator(`#${id}`).filter({ hasText: pattern }).waitFor();
