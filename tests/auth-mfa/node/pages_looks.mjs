// The hosted pages fit the screens of phones and desktops, are accessible in light and dark mode, and are small. argv[2] names a JSON
// file: {origin, folder, now, part, language, screenshots}. `part` names the part of the tour. With `screenshots`, pictures of the
// pages are written to this folder.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { browser, findTooNarrow, findViolations, input, phone, takeScreenshots } from "./browser.mjs";
import { close, read } from "./hosted.mjs";
import { parts } from "./tour.mjs";

const maxBytes = 60 * 1024;
const sizes = new Map(); // of the files, by their address

async function sizeOf(page, url) {
  if (!sizes.has(url)) sizes.set(url, gzipSync(await read(page, url)).length);
  return sizes.get(url);
}

async function pageSize(page) {
  let size = gzipSync(await page.content()).length;
  for (const url of await page.evaluate("[document.querySelector('link[rel=stylesheet]').href, document.scripts[0].src]"))
    size += await sizeOf(page, url);
  return size;
}

const problems = [];

async function look(page, name) {
  const size = await pageSize(page);
  if (size > maxBytes) problems.push([name, "bytes", size]);
  for (const width of await findTooNarrow(page)) problems.push([name, "too narrow", width]);
  for (const [colorScheme, rules] of [["light"], ["dark", ["color-contrast"]]]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const found of await findViolations(page, rules)) problems.push([name, colorScheme, ...found]);
  }
  if (input.screenshots) await takeScreenshots(page, name);
  // No text of a program, and no placeholder that was not replaced.
  const text = await page.locator("body").innerText();
  const odd = /undefined|null|NaN|\{\{|\}\}|\[\[|\]\]|[A-Z]+_[A-Z]/.exec(text);
  if (odd) problems.push([name, "text", odd[0]]);
}

await close(await parts[input.part](look, { ...phone, locale: input.language }));
await browser.close();
assert.deepEqual(problems, []);
console.log("done");
