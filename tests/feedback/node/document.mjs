// Takes the screenshots of the board for docs/board.md and docs/tutorials/feedback.md. scripts/screenshots runs it. argv[2] is a JSON text:
// {origin, port, key, screenshots}. `origin` is that of the board, `port` the port of feedback on 127.0.0.1, `key` the master key, and
// `screenshots` the folder for the images.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import http from "node:http";
import { text } from "node:stream/consumers";
import { browser, input, newPage, phone } from "./browser.mjs";

const { host } = new URL(input.origin);

/** Sends a request to the API, and returns the JSON of the response. */
async function call(method, path, body) {
  const request = http.request({
    host: "127.0.0.1",
    port: input.port,
    method,
    path,
    headers: { Host: host, Authorization: `Bearer ${input.key}`, "Content-Type": "application/json" },
  });
  request.end(body && JSON.stringify(body));
  const response = await new Promise((done, fail) => request.on("response", done).on("error", fail));
  const answer = await text(response);
  assert.ok(response.statusCode < 300, `${method} ${path}: ${answer}`);
  return JSON.parse(answer);
}

// Title, text, category, status, number of votes, replies of the team.
const threads = [
  ["Import notes from other apps", "I have ten years of notes in another app. I can export them as Markdown.", "feature", "open", 31, []],
  ["Dark mode", "My eyes hurt at night.", "feature", "in-progress", 58, ["Thank you, we are working on it."]],
  ["Share a folder with my team", "We keep notes of our meetings, and everyone of us should be able to edit them.", "feature", "in-progress", 44, []],
  ["Search finds no umlauts on Android", "A search for Müller finds nothing on my phone. On the web it works.", "bug", "resolved", 12, ["Fixed in version 5.1."]],
  ["Widget for the home screen", "I want to see my shopping list without opening the app.", "feature", "open", 27, []],
  ["Keyboard shortcuts", "One for a new note, one for search.", "feature", "resolved", 19, ["Press ? to see all of them."]],
  ["Handwriting", "I would like to draw into my notes with a pen.", "feature", "closed", 6, ["This does not fit what we plan. Photos of drawings can be attached."]],
  ["Export notes as PDF", "I want to print my notes, and hand them to colleagues who do not use the app.\n\nOne note for each page would be enough.", "feature", "resolved",
    73, ["We have started. Which paper do you use?", "Notes have a menu item Export as PDF now, on A4 and Letter."]],
];

await call("PATCH", "/v1/settings", { publicBoard: true, boardName: "Teapot Notes", boardColor: "#7c3aed" });
let post;
for (const [title, body, category, status, votes, replies] of threads) {
  const { feedbackId } = await call("POST", "/v1/feedbacks", { title, body, category });
  post = feedbackId;
  for (const reply of replies) await call("POST", `/v1/feedbacks/${feedbackId}/replies`, { body: reply });
  await call("PATCH", `/v1/feedbacks/${feedbackId}`, { visibility: "public", status });
  for (let user = 0; user < votes; user++) await call("PUT", `/v1/feedbacks/${feedbackId}/votes/user-${user}`);
}
await new Promise((done) => setTimeout(done, 4000)); // by then the pages have the settings and the votes

const page = await newPage();
const devtools = await page.context().newCDPSession(page); // Playwright itself writes no WebP
async function take(name, path, { viewport }, colorScheme) {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.goto(input.origin + path, { waitUntil: "networkidle" });
  const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 85 });
  writeFileSync(`${input.screenshots}/feedback-${name}.webp`, data, "base64");
}
const wide = { viewport: { width: 1100, height: 720 } };
await take("board", "/board", wide, "light");
await take("roadmap", "/board/roadmap", wide, "light");
await take("post", `/board/posts/${post}`, wide, "light");
await take("phone", "/board", phone, "dark");
assert.deepEqual(page.complaints, []);
await browser.close();
