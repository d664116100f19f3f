import assert from "node:assert/strict";
import { test } from "node:test";
import { contentTypeOf, conversationOf, emptyFilter, foldText, isNarrowed, piecesOf, plainName, queryOf, readFilter, searchOf, type Filter, type Reply, type StatusMove } from "../src/areas/feedback/model.ts";
import { parseViews, withView } from "../src/areas/feedback/views.ts";
import { lastSpans } from "../src/areas/feedback/weeks.ts";

const of = (search: string): Filter => readFilter(new URLSearchParams(search));

test("without parameters the inbox shows open threads and threads in progress", () => {
  assert.deepEqual(of("").status, ["open", "in-progress"]);
  assert.equal(searchOf(of("")), "");
  assert.deepEqual(of("status=all").status, []);
  assert.equal(searchOf(emptyFilter), "?status=all");
});

test("a filter survives its address, and unknown values are left out", () => {
  const filter: Filter = { status: ["open", "resolved"], category: ["bug"], priority: ["critical", "low"], assignee: "me", user: "u 1", tag: "a,b&c", q: "café \"dark mode\"", sort: "votes", deleted: true };
  assert.deepEqual(of(searchOf(filter)), filter);
  assert.deepEqual(of("status=open,nonsense&sort=nonsense&priority=").status, ["open"]);
});

test("the query names the user for `me`, and sorts by relevance only with a search", () => {
  assert.deepEqual(queryOf(of("assignee=me&sort=relevance"), "u1"), { status: "open,in-progress", assigneeId: "u1" });
  assert.deepEqual(queryOf(of("assignee=none"), "u1"), { status: "open,in-progress", assigned: false });
  assert.deepEqual(queryOf(of("status=all&q=%20x%20"), "u1"), { q: "x", sort: "relevance" });
  assert.deepEqual(queryOf(of("status=all&q=x&sort=votes"), "u1"), { q: "x", sort: "votes" });
  assert.equal(isNarrowed(of("status=resolved")), false);
  assert.equal(isNarrowed(of("tag=a")), true);
});

test("found parts are marked by code points, and overlapping ones once", () => {
  const marks = [
    { field: "title" as const, start: 2, length: 2 },
    { field: "title" as const, start: 3, length: 2 },
    { field: "body" as const, start: 0, length: 1 },
  ];
  assert.deepEqual(piecesOf("😀 ab😀c", marks, "title"), [{ text: "😀 ", marked: false }, { text: "ab", marked: true }, { text: "😀c", marked: false }]);
  assert.deepEqual(piecesOf("x", undefined, "title"), [{ text: "x", marked: false }]);
});

const reply = (createdAt: string): Reply => ({ replyId: createdAt, createdAt }) as Reply;
const move = (at: string, from: string | null): StatusMove => ({ at, from, to: "open" }) as StatusMove;

test("the conversation has replies and changes of the status in the order of time, without the creation", () => {
  const moves = [move("2026-01-05", "open"), move("2026-01-03", "open"), move("2026-01-01", null)];
  const kinds = (complete: boolean): string[] => conversationOf([reply("2026-01-02"), reply("2026-01-04")], moves, complete).map(({ kind, at }) => `${kind} ${at.slice(-2)}`);
  assert.deepEqual(kinds(true), ["reply 02", "move 03", "reply 04", "move 05"]);
  // Replies before the last change may still be missing.
  assert.deepEqual(kinds(false), ["reply 02", "move 03", "reply 04"]);
});

test("the media type of a file comes from the browser, otherwise from its name", () => {
  assert.equal(contentTypeOf("a.png", "image/png"), "image/png");
  assert.equal(contentTypeOf("a.md", "text/markdown"), "text/plain");
  assert.equal(contentTypeOf("a.LOG", ""), "text/plain");
  assert.equal(contentTypeOf("a.csv", "application/vnd.ms-excel"), "text/csv");
  assert.equal(contentTypeOf("a.exe", "application/x-msdownload"), undefined);
});

test("saved views are read carefully, and a name is used once", () => {
  assert.deepEqual(parseViews("nonsense"), []);
  assert.deepEqual(parseViews('[{"name":1},{"name":"a","search":"?q=a"},null]'), [{ name: "a", search: "?q=a" }]);
  const once = withView([], "Mine", of("assignee=me"));
  assert.deepEqual(withView(once, "Mine", of("q=x")), [{ name: "Mine", search: "?q=x" }]);
});

test("the spans of a chart are whole days, and end with today", () => {
  const spans = lastSpans(2, 7, Date.UTC(2026, 0, 15, 13));
  assert.deepEqual(spans.map(({ start, end }) => [start, end].map((at) => new Date(at).toISOString().slice(0, 10))), [["2026-01-02", "2026-01-09"], ["2026-01-09", "2026-01-16"]]);
});

test("very long texts are folded by lines and by length, and characters stay whole", () => {
  assert.equal(foldText("a\n".repeat(20)), "a\n".repeat(20));
  assert.equal(foldText("a\n".repeat(100)).split("\n").length, 40);
  const folded = foldText("😀".repeat(5000));
  assert.ok(folded.length <= 4000 && !/\p{Surrogate}/u.test(folded));
});

test("a file name has no characters that change the direction of writing", () => {
  assert.equal(plainName("report\u202etxt.exe"), "reporttxt.exe");
  assert.equal(plainName("תמונה.png"), "תמונה.png");
});
