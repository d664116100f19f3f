// The client in Chromium, against the running services: calls from another origin, sessions, React hooks, the web component.
import { after, before, test } from "node:test";
import * as calls from "./calls.mjs";
import * as react from "./react.mjs";
import * as session from "./session.mjs";
import { Site } from "./site.mjs";
import * as widget from "./widget.mjs";

const site = new Site();
before(() => site.start());
after(() => site.stop());

test("an empty board invites to post, and the form opens after the sign-in", () => widget.startEmpty(site));

test("a page of another origin calls the operations that browsers use, of all services", () => calls.callServices(site));
test("a page of an origin that is not allowed gets a ConnectionError", () => calls.callFromElsewhere(site));

test("two tabs whose token expires refresh it once, and both go on", () => session.shareRefresh(site));
test("a refused refresh signs out both tabs", () => session.refuseRefresh(site));
test("a network error signs out no tab", () => session.loseNetwork(site));
test("a lost response to a refresh signs out no tab", () => session.loseResponse(site));
test("a sign-out reaches the other tab, also without a network", () => session.signOut(site));

for (const version of [18, 19]) {
  test(`React ${version} renders the hooks on a server`, () => react.renderOnServer(site, version));
  test(`React ${version} runs the hooks in StrictMode`, () => react.useHooks(site, version));
}

test("the element lists threads, votes after the sign-in, and undoes refused votes", () => widget.listAndVote(site));
test("the element takes tokens and a sign-in page from its page", () => widget.useOwnTokens(site));
test("the element is used by keyboard only", () => widget.useKeyboard(site));
test("the element shows hostile texts as text", () => widget.showHostileTexts(site));
test("the element loads further pages", () => widget.loadPages(site));
test("the element says what has failed and what to do", () => widget.showErrors(site));
test("the element speaks German and takes the colours of the page", () => widget.speakGerman(site));
test("the element says that the board is switched off", () => widget.showSwitchedOff(site));
