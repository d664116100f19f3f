import { ApiError, ConnectionError } from "@tetrad/client";
import { translate } from "../i18n/index.ts";
import { StepUpCancelled } from "../session/cancelled.ts";

/** Errors of files of the console that did not load: Vite reports them before the import fails. */
const loadErrors = new WeakSet<Error>();
addEventListener("vite:preloadError", (event) => loadErrors.add(event.payload));

export interface Described {
  title: string;
  /** Explanation of the service. */
  detail: string | undefined;
  /** The invalid fields. */
  fields: { pointer: string; detail: string }[];
  requestId: string | undefined;
}

/** What people need to know about an error. */
export function describeError(error: unknown): Described {
  if (error instanceof ApiError) {
    const known = { 401: "error.401", 403: "error.403", 404: "error.404", 409: "error.409", 412: "error.412", 429: "error.429" } as const;
    const key = known[error.status as keyof typeof known] ?? (error.status >= 500 ? "error.500" : "error.other");
    return { title: translate("common", key), detail: error.detail, fields: error.errors ?? [], requestId: error.requestId };
  }
  if (error instanceof ConnectionError) return { title: translate("common", error.timedOut ? "error.timeout" : "error.network"), detail: undefined, fields: [], requestId: undefined };
  if (error instanceof Error && loadErrors.has(error)) return { title: translate("common", "error.load"), detail: translate("common", "error.loadText"), fields: [], requestId: undefined };
  return { title: translate("common", "error.other"), detail: error instanceof Error ? error.message : String(error), fields: [], requestId: undefined };
}

/** The messages of a `VALIDATION_ERROR` by field, for example `{ title: "…" }` for the pointer `/title`. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries((error.errors ?? []).map(({ pointer, detail }) => [pointer.replace(/^[/?:]/, ""), detail]));
}

/** Whether the error is only the user's decision to stop. */
export const isCancelled = (error: unknown): boolean => error instanceof StepUpCancelled || (error instanceof DOMException && error.name === "AbortError");
