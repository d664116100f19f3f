import { emptyFilter, readFilter, searchOf, type Filter } from "./model.ts";

/** A filter that the user has saved in this browser. */
export interface View {
  name: string;
  /** Search part of the address. */
  search: string;
}

export const builtInViews = [
  { key: "views.active", filter: readFilter(new URLSearchParams()) },
  { key: "views.mine", filter: { ...readFilter(new URLSearchParams()), assignee: "me" } },
  { key: "views.unassigned", filter: { ...readFilter(new URLSearchParams()), assignee: "none" } },
  { key: "views.urgent", filter: { ...readFilter(new URLSearchParams()), priority: ["critical", "high"] } },
  { key: "views.voted", filter: { ...readFilter(new URLSearchParams()), sort: "votes" } },
  { key: "views.all", filter: emptyFilter },
] as const satisfies { key: string; filter: Filter }[];

const maxViews = 20;

/** Reads saved views. A text of another version or program gives none. */
export function parseViews(text: string | null): View[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(value)) return [];
    return value.filter((one): one is View => typeof one?.name === "string" && typeof one?.search === "string").slice(0, maxViews);
  } catch {
    return [];
  }
}

/** Adds a view, or replaces the one of the same name. */
export function withView(views: readonly View[], name: string, filter: Filter): View[] {
  return [...views.filter((one) => one.name !== name), { name, search: searchOf(filter) }].slice(-maxViews);
}

/** Views belong to a tenant's environment. Hosts differ, so the origin's storage is enough. */
export const viewsKey = "tetrad.console.feedback.views";
