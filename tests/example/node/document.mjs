// Takes the screenshots of docs/example-app.md. scripts/screenshots runs it, after scripts/example has started the app. argv[2] is a JSON
// text: {screenshots}, the folder for the images. SOURCE and TETRAD_RUN are as in app.mjs.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { addPasskey, addresses, button, buyPro, openPage, signUp, writeNote } from "./app.mjs";
import { browser, input, phone } from "./browser.mjs";

const notes = [
  ["Books to read", "The Periodic Table\nA Field Guide to Getting Lost\nThe Summer Book", "Violet"],
  ["Call the plumber", "The tap in the kitchen drips again. He is there from 8 to 10.", "None"],
  ["Ideas for the talk", "Begin with the broken clock.\nThree examples, no more.\nEnd with the open question.", "Sky"],
  ["Names for the cat", "Minou, Pepper, Doctor Fluff. Mara says: anything but Tiger.", "Rose"],
  ["Trip to the lake", "Tent, the blue lamp, fishing rod. Ask Jon about the boat.", "Mint"],
  ["Saturday market", "Tomatoes, basil, the good bread. Flowers for Mara.", "Sun"],
];

const page = await openPage({ viewport: { width: 1280, height: 800 }, colorScheme: "light", reducedMotion: "reduce" });
const devtools = await page.context().newCDPSession(page); // Playwright itself writes no WebP
async function take(name) {
  const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 85 });
  writeFileSync(`${input.screenshots}/${name}.webp`, data, "base64");
}
await page.goto(addresses().app);
await signUp(page, { email: "ada@example.com", password: "a violet teapot" });
await addPasskey(page);
await buyPro(page);
for (const note of notes) await writeNote(page, ...note);
await button(page, "Dismiss").click();
await page.getByText("1 unread").waitFor(); // the push about the purchase
await page.evaluate("document.activeElement.blur()");
await take("example-notes");
await page.setViewportSize(phone.viewport);
await page.emulateMedia({ colorScheme: "dark" });
await button(page, "Feedback").click();
await page.locator("tetrad-feedback .post .vote").first().waitFor();
await page.evaluate("document.activeElement.blur()");
await take("example-feedback");
assert.deepEqual(page.complaints, []);
await browser.close();
