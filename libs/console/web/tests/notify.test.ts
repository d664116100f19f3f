import assert from "node:assert/strict";
import test from "node:test";
import { draftOf, newDraft, noPush, pushOf, requestOf } from "../src/areas/notify/draft.ts";
import { decodeEntities, parseHtml, safeStyle, textOf, type HtmlNode } from "../src/areas/notify/html.ts";
import { broadcastState, confirmNameOf, countsOf, fill, isMoving, placeholdersOf, queryOf, readFilter, sampleOf, smsParts, type Broadcast, type Notification, type Template } from "../src/areas/notify/model.ts";

const namesOf = (nodes: readonly HtmlNode[]): string[] => nodes.flatMap((node) => (typeof node === "string" ? [] : [node.name, ...namesOf(node.children)]));

test("the picture of an email has no scripts, style sheets or frames", () => {
  const nodes = parseHtml(`<p>Hello</p><script>alert("</p>")</script><STYLE>p{}</STYLE><iframe src=x></iframe><svg><a xlink:href="javascript:1"></a></svg><p>World</p>`);
  assert.deepEqual(namesOf(nodes), ["p", "p"]);
  assert.equal(textOf(nodes), "Hello\n\nWorld");
});

test("a script that does not end hides the rest of the email", () => {
  assert.deepEqual(namesOf(parseHtml("<p>a</p><script>alert(1)<p>b</p>")), ["p"]);
});

test("attributes and character references are decoded once", () => {
  const [link] = parseHtml(`<a HREF='https://example.com/?a=1&amp;b=2' title="&amp;lt;">1 &lt; 2 &#x1F600; &unknown;</a>`);
  assert.ok(typeof link === "object");
  assert.deepEqual(link.attributes, { href: "https://example.com/?a=1&b=2", title: "&lt;" });
  assert.deepEqual(link.children, ["1 < 2 😀 &unknown;"]);
  assert.equal(decodeEntities("&#0;&#99999999;&#1114112;"), "&#0;&#99999999;&#1114112;");
});

test("elements that are not closed or closed twice keep the order of the text", () => {
  assert.equal(textOf(parseHtml("<ul><li>one<li>two</ul></div>three")), "one\n\ntwo\n\nthree");
  assert.equal(parseHtml("<div>".repeat(5000)).length, 1);
  assert.deepEqual(parseHtml("a < b"), ["a < b"]);
});

test("the time to parse grows with the length of a hostile text, not with its square", () => {
  // Steps for each pair of characters would take hours.
  for (const piece of ["<a ", "<a b='", "<!--", "<script>", "&#", "<p style=\"", "</", "<a", "<a\"", "<a \"", "</a", "</a "]) assert.ok(parseHtml(piece.repeat(2_000_000 / piece.length)));
});

test("styles cannot load files or leave their place", () => {
  assert.deepEqual(safeStyle("color: #123; Background-Color: red !important; position: fixed; top: 0"), { color: "#123", backgroundColor: "red" });
  assert.deepEqual(safeStyle("background: url(https://evil.example/x.png); background: \\75rl(x); width: expression(1); display: grid; margin: -999px; color: var(--x)"), {});
});

test("values are escaped in HTML only", () => {
  assert.equal(fill("<b>{{ name }}</b>{{x}}", { name: `<i>"'&` }, true), "<b>&#60;i&#62;&#34;&#39;&#38;</b>");
  assert.equal(fill("{{name}}", { name: "<i>" }, false), "<i>");
  assert.deepEqual(placeholdersOf("{{b}} {{a.c}}", "{{b}} {{ d_1 }} {{not a name}}"), ["a.c", "b", "d_1"]);
  assert.equal(sampleOf("resetLink"), "https://example.com/");
  assert.equal(sampleOf("user.name"), "name");
});

test("parts of a text message follow its alphabet", () => {
  assert.deepEqual(smsParts("a".repeat(160)), { characters: 160, parts: 1 });
  assert.deepEqual(smsParts("a".repeat(161)), { characters: 161, parts: 2 });
  assert.deepEqual(smsParts("€".repeat(81)), { characters: 81, parts: 2 });
  assert.deepEqual(smsParts("ж".repeat(71)), { characters: 71, parts: 2 });
  assert.deepEqual(smsParts(""), { characters: 0, parts: 0 });
});

test("a filter of the address becomes a query, and unknown values are ignored", () => {
  const filter = readFilter(new URLSearchParams("status=failed&channel=fax&to=+ada@example.com&period=day"));
  assert.deepEqual(queryOf(filter, Date.parse("2026-01-02T00:00:00Z")), { status: "failed", to: "ada@example.com", createdAfter: "2026-01-01T00:00:00.000Z" });
});

const broadcast = { status: "fanned_out", enqueuedDevices: 10, sentCount: 4, failedCount: 1, invalidTokenCount: 2, completedAt: null, cancelledAt: null } as Broadcast;
test("the state of a broadcast follows its times", () => {
  const time = "2026-01-01T00:00:00.000Z";
  assert.equal(broadcastState({ ...broadcast, status: "queued" }), "queued");
  assert.equal(broadcastState({ ...broadcast, status: "fanning_out" }), "enqueuing");
  assert.equal(broadcastState(broadcast), "sending");
  assert.equal(broadcastState({ ...broadcast, completedAt: time }), "completed");
  assert.equal(broadcastState({ ...broadcast, cancelledAt: time }), "cancelling");
  assert.equal(broadcastState({ ...broadcast, cancelledAt: time, completedAt: time }), "cancelled");
  assert.deepEqual(countsOf(broadcast), { done: 7, waiting: 3, total: 10 });
});

test("a notification is read again quickly only while its status can change", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const queued = { status: "queued", sendAt: null, sentAt: null } as Notification;
  assert.equal(isMoving(queued, now), true);
  assert.equal(isMoving({ ...queued, sendAt: "2026-01-01T02:00:00Z" }, now), false);
  assert.equal(isMoving({ ...queued, status: "sent", sentAt: "2025-12-31T23:59:00Z" }, now), true);
  assert.equal(isMoving({ ...queued, status: "sent", sentAt: "2025-12-31T23:00:00Z" }, now), false);
  assert.equal(isMoving({ ...queued, status: "failed" }, now), false);
});

test("a template keeps its options in the editor", () => {
  const template = { name: "news", channel: "push", subject: "News", body: "{{text}}", format: "text", push: { ttlSeconds: 0, badge: 3, link: "app://x", priority: "high", background: true } } as Template;
  const request = requestOf(draftOf(template));
  assert.deepEqual(request.push, template.push);
  assert.equal(pushOf(noPush), null);
  assert.equal(requestOf({ ...newDraft, channel: "sms", subject: "left over" }).subject, null);
  assert.equal(requestOf({ ...newDraft, channel: "sms", format: "html" }).format, "text");
});

test("a long name is confirmed by its beginning, without half characters", () => {
  assert.equal(confirmNameOf(`  ${"😀".repeat(30)}`), "😀".repeat(24));
});
