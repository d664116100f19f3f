/** A wait before a request is repeated. */
export interface RetryEvent {
  /** Method of the request. */
  method: string;
  /** URL of the request. It may contain personal data, and the URL of an upload is secret. */
  url: string;
  /** Number of the attempt that failed, from 1. */
  attempt: number;
  /** The wait before the next attempt, in milliseconds. */
  delayMs: number;
  /** Status of the response, if there was one. */
  status?: number;
  /** The error, if there was no response. */
  error?: unknown;
}

const firstDelayMs = 500;
/** A longer `Retry-After` is not waited for: the error is thrown. */
const longestDelayMs = 60_000;
const retriedStatuses = new Set([429, 502, 503, 504]);

/** `Retry-After` in seconds from now: a number, or an HTTP date (RFC 9110, 10.2.3). Undefined if it is missing or invalid. */
export function retryAfterSeconds(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get("Retry-After")?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

/**
 * The wait in milliseconds after a failed attempt; undefined if the request must not be repeated.
 * `failures`: the failed attempts so far. `response` is undefined after a network error or a timeout.
 */
export function delayAfter(failures: number, response: Response | undefined, random = Math.random): number | undefined {
  if (response !== undefined && !retriedStatuses.has(response.status)) return undefined;
  const wanted = response === undefined ? undefined : retryAfterSeconds(response.headers);
  if (wanted !== undefined) return wanted * 1000 > longestDelayMs ? undefined : wanted * 1000;
  return Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1)) * random();
}

/** Waits. Rejects with the signal's reason when the signal aborts. */
export function wait(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** A new idempotency key. Pages without TLS have no `crypto.randomUUID`. */
export function newIdempotencyKey(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
