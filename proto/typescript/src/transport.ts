import type { Fetch, TokenProvider } from "./client.js";
import { ConnectionError } from "./errors.js";
import { delayAfter, wait, type RetryEvent } from "./retry.js";

/** How a request is sent. */
export interface Sending {
  fetch: Fetch;
  /** Returns the credential. Without it, requests have none. */
  token?: TokenProvider;
  /** Whether the request may be repeated although an earlier attempt may have reached the service. */
  repeatable: boolean;
  retries: number;
  /** Time limit of an attempt in milliseconds, if there is one. */
  timeoutMs: number | undefined;
  /** Whether the body of a successful response is left unread. */
  streamed?: boolean;
  onRetry?: ((event: RetryEvent) => void) | undefined;
}

/** Sends a request with the credential, and repeats it if it fails and may be repeated. Returns the last response. */
export async function send(request: Request, sending: Sending): Promise<Response> {
  const token = request.headers.has("Authorization") ? undefined : sending.token;
  const used = await token?.({});
  const response = await sendRepeatedly(request, used, sending);
  if (response.status !== 401 || token === undefined || used === undefined) return response;
  // A refused request has changed nothing, so that each method may be repeated.
  const fresh = await token({ rejected: used });
  return fresh === undefined || fresh === used ? response : sendRepeatedly(request, fresh, sending);
}

async function sendRepeatedly(request: Request, token: string | undefined, sending: Sending): Promise<Response> {
  const { repeatable, retries, onRetry } = sending;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await sendOnce(request, token, sending);
    const response = outcome instanceof Error ? undefined : outcome;
    const delayMs = repeatable && attempt <= retries ? delayAfter(attempt, response) : undefined;
    if (delayMs === undefined) {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    }
    const { method, url } = request;
    onRetry?.({ method, url, attempt, delayMs, ...(response ? { status: response.status } : { error: outcome }) });
    await wait(delayMs, request.signal);
  }
}

/** One attempt. A network error or a timeout is returned. Rejects with the reason of the request's signal if it aborts. */
async function sendOnce(request: Request, token: string | undefined, sending: Sending): Promise<Response | ConnectionError> {
  const { fetch, timeoutMs, streamed } = sending;
  const { signal } = request;
  signal.throwIfAborted();
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  let timedOut = false;
  const stop = (): void => {
    timedOut = true;
    controller.abort(new Error("timeout"));
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs);
  try {
    const attempt = new Request(request.clone(), { signal: controller.signal });
    if (token !== undefined) attempt.headers.set("Authorization", `Bearer ${token}`);
    const response = await fetch(attempt);
    return streamed && response.ok ? response : await withBody(response);
  } catch (cause) {
    signal.throwIfAborted();
    const text = timedOut ? `no response within ${timeoutMs} ms` : String(cause instanceof Error ? cause.message : cause);
    return new ConnectionError(`${request.method} ${new URL(request.url).host}: ${text}`, timedOut, { cause });
  } finally {
    clearTimeout(timer);
    if (!streamed) signal.removeEventListener("abort", abort);
  }
}

/** The response with its body in memory, so that a connection that breaks in the body counts as a failed attempt. */
async function withBody(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
}
