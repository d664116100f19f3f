import { ApiError, AuthenticationError, ConnectionError } from "../errors.js";
import type { Texts } from "./texts.js";

/** Whether the user must sign in before the request can succeed. */
export const needsSignIn = (error: unknown): boolean => error instanceof AuthenticationError;

/** Says in the reader's language what has failed and what to do. */
export function failureText(error: unknown, texts: Texts, action: "list" | "vote" | "post"): string {
  const { failures } = texts;
  if (error instanceof ConnectionError) return failures.offline;
  if (!(error instanceof ApiError)) return failures.other;
  switch (error.status) {
    case 400:
      return action === "post" ? failures.invalid : failures.other;
    case 401:
      return failures.signIn;
    case 403:
      return failures.forbidden;
    case 404:
      return action === "list" ? failures.noBoard : failures.gone;
    case 409:
      return failures.conflict;
    case 429:
      return failures.tooFast(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 60)));
    default:
      return error.status >= 500 ? failures.unavailable : failures.other;
  }
}
