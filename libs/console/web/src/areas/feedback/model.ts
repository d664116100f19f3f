import type { FeedbackComponents } from "@tetrad/client";

type Schemas = FeedbackComponents["schemas"];
export type Thread = Schemas["Feedback"];
export type Reply = Schemas["Reply"];
export type StatusMove = Schemas["StatusMove"];
export type Attachment = Schemas["Attachment"];
export type Changes = Schemas["FeedbackChanges"];
export type Highlight = Schemas["Highlight"];

export const statuses = ["open", "in-progress", "resolved", "closed"] as const;
export type Status = (typeof statuses)[number];
export const categories = ["bug", "feature", "general", "support"] as const;
export type Category = (typeof categories)[number];
export const priorities = ["critical", "high", "medium", "low"] as const;
export type Priority = (typeof priorities)[number];
export const sorts = ["createdAt", "lastReplyAt", "votes", "relevance"] as const;
export type Sort = (typeof sorts)[number];

/** What the inbox shows. The address has it, so that it can be shared. */
export interface Filter {
  status: Status[];
  category: Category[];
  priority: Priority[];
  /** Identifier of the assignee, `me`, `none` for threads without one, or empty for all. */
  assignee: string;
  /** Identifier of the author, or empty for all. */
  user: string;
  tag: string;
  q: string;
  /** Empty: by relevance if there is a search, otherwise by creation. */
  sort: Sort | "";
  deleted: boolean;
}

/** The address of a thread in the console. */
export const threadHref = (id: string): string => `/console/feedback/${id}`;

export const activeStatuses: Status[] = ["open", "in-progress"];
export const emptyFilter: Filter = { status: [], category: [], priority: [], assignee: "", user: "", tag: "", q: "", sort: "", deleted: false };

const listOf = <Value extends string>(text: string | null, known: readonly Value[]): Value[] => {
  const given = new Set((text ?? "").split(","));
  return known.filter((value) => given.has(value));
};

/** The filter of an address. Without `status`, the inbox shows open threads and threads in progress; `status=all` shows all. */
export function readFilter(params: URLSearchParams): Filter {
  const sort = params.get("sort");
  return {
    status: params.has("status") ? listOf(params.get("status"), statuses) : activeStatuses,
    category: listOf(params.get("category"), categories),
    priority: listOf(params.get("priority"), priorities),
    assignee: params.get("assignee") ?? "",
    user: params.get("user") ?? "",
    tag: params.get("tag") ?? "",
    q: params.get("q") ?? "",
    sort: sorts.find((one) => one === sort) ?? "",
    deleted: params.get("deleted") === "true",
  };
}

/** The parameters of an address. Defaults are left out. */
export function writeFilter(filter: Filter): Record<string, string | null> {
  const isActive = filter.status.length === activeStatuses.length && activeStatuses.every((one) => filter.status.includes(one));
  return {
    status: isActive ? null : filter.status.length === 0 ? "all" : filter.status.join(","),
    category: filter.category.join(",") || null,
    priority: filter.priority.join(",") || null,
    assignee: filter.assignee || null,
    user: filter.user || null,
    tag: filter.tag || null,
    q: filter.q || null,
    sort: filter.sort || null,
    deleted: filter.deleted ? "true" : null,
  };
}

/** The search part of an address, for example `?status=all&q=export`; empty for the default filter. */
export function searchOf(filter: Filter): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(writeFilter(filter))) if (value !== null) params.set(name, value);
  const text = params.toString();
  return text && `?${text}`;
}

/** Whether the filter leaves out threads, apart from the status. */
export const isNarrowed = (filter: Filter): boolean =>
  filter.category.length > 0 || filter.priority.length > 0 || filter.assignee !== "" || filter.user !== "" || filter.tag !== "" || filter.q !== "";

/** Query parameters of `listFeedbacks` and `exportFeedbacks`. `me`: identifier of the signed-in user. */
export function queryOf(filter: Filter, me: string): Record<string, string | boolean> {
  const q = filter.q.trim();
  const sort = filter.sort || (q ? "relevance" : "");
  return {
    ...(filter.status.length > 0 && { status: filter.status.join(",") }),
    ...(filter.category.length > 0 && { category: filter.category.join(",") }),
    ...(filter.priority.length > 0 && { priority: filter.priority.join(",") }),
    ...(filter.assignee === "none" ? { assigned: false } : filter.assignee && { assigneeId: filter.assignee === "me" ? me : filter.assignee }),
    ...(filter.user && { userId: filter.user }),
    ...(filter.tag && { tag: filter.tag }),
    ...(q && { q }),
    // The service refuses an order by relevance without a search.
    ...(sort && !(sort === "relevance" && !q) && { sort }),
    ...(filter.deleted && { includeDeleted: true }),
  };
}

export interface Piece {
  text: string;
  marked: boolean;
}

/** A text in pieces, with the parts that the search has found. Positions count code points. */
export function piecesOf(text: string, highlights: readonly Highlight[] | undefined, field: "title" | "body"): Piece[] {
  const marks = (highlights ?? []).filter((one) => one.field === field).sort((a, b) => a.start - b.start);
  if (marks.length === 0) return [{ text, marked: false }];
  const chars = [...text];
  const pieces: Piece[] = [];
  let end = 0;
  for (const { start, length } of marks) {
    if (start < end) continue;
    if (start > end) pieces.push({ text: chars.slice(end, start).join(""), marked: false });
    pieces.push({ text: chars.slice(start, start + length).join(""), marked: true });
    end = start + length;
  }
  if (end < chars.length) pieces.push({ text: chars.slice(end).join(""), marked: false });
  return pieces;
}

const foldedLines = 40;
const foldedLength = 4000;

/** A file name without characters that change the direction of writing: with them, a program could look like a text file. */
export const plainName = (name: string): string => name.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");

/** The beginning of a very long text; a text of usual length as it is. */
export function foldText(text: string): string {
  const lines = text.split("\n");
  const short = lines.length > foldedLines ? lines.slice(0, foldedLines).join("\n") : text;
  // Code points stay whole.
  return short.length > foldedLength ? [...short.slice(0, foldedLength + 1)].slice(0, -1).join("") : short;
}

/** An entry of the conversation. */
export type Entry = { kind: "reply"; at: string; reply: Reply } | { kind: "move"; at: string; move: StatusMove };

/** Replies and changes of the status, oldest first. While replies are missing, later changes are left out, because their place is unknown. */
export function conversationOf(replies: readonly Reply[], moves: readonly StatusMove[], complete: boolean): Entry[] {
  const last = replies.at(-1)?.createdAt ?? "";
  const entries: Entry[] = replies.map((reply) => ({ kind: "reply", at: reply.createdAt, reply }));
  for (const move of moves) {
    const isCreation = move.from === null && !move.mergedInto && !move.mergedFrom;
    if (!isCreation && (complete || move.at <= last)) entries.push({ kind: "move", at: move.at, move });
  }
  return entries.sort((a, b) => a.at.localeCompare(b.at));
}

/** The types that the service accepts, by the ending of the file, for files whose type the browser does not know. */
const typesByEnding: Record<string, string> = { log: "text/plain", txt: "text/plain", md: "text/plain", csv: "text/csv", json: "application/json", gz: "application/gzip", zip: "application/zip", docx: "application/zip", xlsx: "application/zip" };
const acceptedTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "video/mp4", "application/pdf", "application/json", "application/zip", "application/gzip", "text/plain", "text/csv"];
export const maxFileBytes = 26_214_400;
export const maxFiles = 5;

/** The media type with which a file is sent; undefined if the service does not accept it. */
export function contentTypeOf(name: string, type: string): string | undefined {
  const ending = name.split(".").at(-1)?.toLowerCase() ?? "";
  const known = type.split(";")[0]!;
  if (acceptedTypes.includes(known)) return known;
  if (known.startsWith("text/")) return "text/plain";
  return typesByEnding[ending];
}
