// Takes screenshots of every hosted page on a phone and on a desktop, in light and dark mode. By hand, in the folder
// build/dev/npm/auth_mfa, which has the packages:
//
//     node screenshots.mjs '{"origin": "http://demo-sandbox.auth.localhost:8102", "screenshots": "/tmp/pages"}'
//
// Other members: `language` (a language tag), `part` (of the tour), and `folder` with the outbox of text messages as its file `sms`.
import { mkdirSync } from "node:fs";
import { browser, input, phone, takeScreenshots } from "./browser.mjs";
import { parts } from "./tour.mjs";

mkdirSync(input.screenshots, { recursive: true });
for (const [name, part] of Object.entries(parts))
  if (name === (input.part ?? name)) await part(takeScreenshots, { ...phone, locale: input.language ?? "en-GB" });
await browser.close();
