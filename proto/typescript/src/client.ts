import createClient from "openapi-fetch";
import { Call, type WithResponse } from "./call.js";
import { errorOf, TetradError } from "./errors.js";
import { Lines } from "./lines.js";
import { Pages } from "./pages.js";
import { newIdempotencyKey, type RetryEvent } from "./retry.js";
import { send, type Sending } from "./transport.js";
import { uploader, type UploadOptions } from "./uploads.js";

/** Sends a request. The global `fetch` is one. */
export type Fetch = (request: Request) => Promise<Response>;

/**
 * Returns the credential for the next request, or undefined to send the request without one. After a 401 it is called once more
 * with the rejected credential. If it then returns another one, the request is repeated.
 */
export type TokenProvider = (hint: { rejected?: string }) => string | undefined | Promise<string | undefined>;

/** Options of a client, except the credential. */
export interface CommonOptions {
  /** URL of the service, for example `https://{tenant}.feedback.example.com`. */
  baseUrl: string;
  /** Host label of the tenant's environment, for example `acme` or `acme-sandbox`. It replaces `{tenant}` in `baseUrl`. */
  tenant?: string;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: Fetch;
  /** How often a failed request is repeated at most. Default: 3. */
  retries?: number;
  /** Time limit of each attempt, in milliseconds. Uploads have none. Default: 30,000. */
  timeoutMs?: number;
  /** Whether browsers send and store cookies of the service, for example the cookie of trusted devices. Default: `same-origin`. */
  credentials?: "omit" | "same-origin" | "include";
  /** Is called before each wait for another attempt. */
  onRetry?: (event: RetryEvent) => void;
}

/** Options of a client. Without `apiKey` and `tokenProvider`, requests have no credential. */
export type ClientOptions = CommonOptions &
  (
    | {
        /** An API key or the master key. Use keys only in backends. */
        apiKey?: string;
        tokenProvider?: never;
      }
    | {
        apiKey?: never;
        /** Returns the user's access token. See `Session`. */
        tokenProvider?: TokenProvider;
      }
  );

/** Options of one call. */
export interface CallOptions {
  /** Aborts the request and the waits between attempts. */
  signal?: AbortSignal;
  /** ETag of the version that the request may change (`If-Match`). If the object has another version: `PreconditionError`. */
  ifMatch?: string;
  /** `Idempotency-Key` of the request. By default, the client makes one for each call of an operation that accepts it. */
  idempotencyKey?: string;
  /** Further headers. An `Authorization` header replaces the credential of the client. */
  headers?: Record<string, string>;
  /** Time limit of each attempt, in milliseconds. Default: `timeoutMs` of the client. */
  timeoutMs?: number;
}

/** Bytes of a request. */
export type Binary = Blob | ArrayBuffer | ArrayBufferView;

/** The parts of a request. */
interface Parts {
  path?: Record<string, string>;
  query?: object | undefined;
  body?: unknown;
  data?: Binary;
  /** Whether the operation accepts `Idempotency-Key`. */
  keyed?: boolean;
  /** Whether the operation takes no credential. */
  anonymous?: boolean;
}

type Options = CallOptions & { contentType?: string };
type Answer = { data?: unknown; error?: unknown; response: Response };
type Http = { request(method: string, url: string, init: object): Promise<Answer> };

/** The client of one service: sends the requests of the generated methods. */
export abstract class Area {
  /** URL of the service, with the tenant and without a slash at the end. */
  readonly baseUrl: string;
  readonly #options: ClientOptions;
  readonly #http: Http;

  constructor(options: ClientOptions) {
    this.baseUrl = resolvedUrl(options);
    this.#options = options;
    const { credentials } = options;
    // The generated methods have the types, so that the types of openapi-fetch are not needed.
    this.#http = createClient({ baseUrl: this.baseUrl, ...(credentials && { credentials }) }) as unknown as Http;
  }

  /** Calls an operation that returns JSON. */
  protected call<T>(method: string, url: string, parts: Parts, options?: Options): Call<T> {
    const sent = this.#json<T>(method, url, parts, options);
    return new Call(() => sent);
  }

  /** Calls an operation that returns a list. `items`: name of the member with the items. */
  protected pages<Item, Page>(url: string, parts: Parts, options?: Options, items = "items"): Pages<Item, Page> {
    const request = (cursor?: string): Promise<WithResponse<Page>> => {
      const query = cursor === undefined ? parts.query : { ...parts.query, cursor };
      return this.#json<Page>("GET", url, { ...parts, query }, options);
    };
    return new Pages(request, items);
  }

  /** Calls an operation that returns newline-delimited JSON. */
  protected lines<Line>(url: string, parts: Parts, options?: Options): Lines<Line> {
    return new Lines(async () => (await this.#send("GET", url, parts, options, true)).response, options?.signal);
  }

  /** Sends a file to a signed URL, which needs no credential. */
  protected async put(url: string, file: Blob, contentType: string, options: UploadOptions = {}): Promise<void> {
    const { signal, onProgress } = options;
    const request = new Request(url, { method: "PUT", headers: { "Content-Type": contentType }, ...(signal && { signal }) });
    const sending = this.#sending();
    let isRepeated = false;
    const onRetry = (event: RetryEvent): void => {
      isRepeated = true;
      sending.onRetry?.(event);
    };
    const fetch = uploader(sending.fetch, file, onProgress);
    const response = await send(request, { ...sending, fetch, onRetry, repeatable: true, timeoutMs: undefined });
    // The service has the file: an earlier attempt succeeded, and only its response was lost.
    if (isRepeated && response.status === 409) return;
    if (!response.ok) throw errorOf(response, bodyOf(await response.text()));
  }

  async #json<T>(method: string, url: string, parts: Parts, options?: Options): Promise<WithResponse<T>> {
    const { data, response } = await this.#send(method, url, parts, options, false);
    return { data: data as T, response };
  }

  async #send(method: string, url: string, parts: Parts, options: Options = {}, streamed: boolean): Promise<Answer> {
    const { path, query, body, data } = parts;
    const sending = {
      ...this.#sending(parts.anonymous !== true),
      repeatable: isRepeatable(method, parts, options),
      timeoutMs: options.timeoutMs ?? this.#options.timeoutMs ?? 30_000,
      streamed,
    };
    const answer = await this.#http
      .request(method, url, {
        params: { path, query },
        ...(data === undefined ? { body } : { body: data, bodySerializer: (bytes: Binary) => bytes }),
        headers: headersOf(parts, options),
        fetch: (request: Request) => send(request, sending),
        parseAs: streamed ? "stream" : "json",
        ...(options.signal && { signal: options.signal }),
      })
      .catch(noJson);
    if (!answer.response.ok) throw errorOf(answer.response, answer.error);
    return answer;
  }

  /** How requests are sent. */
  #sending(withCredential = false): Omit<Sending, "repeatable" | "timeoutMs"> {
    const { apiKey, tokenProvider, fetch, retries, onRetry } = this.#options;
    return {
      fetch: fetch ?? ((request) => globalThis.fetch(request)),
      retries: retries ?? 3,
      onRetry,
      ...(withCredential && { token: tokenProvider ?? ((): string | undefined => apiKey) }),
    };
  }
}

function resolvedUrl({ baseUrl, tenant }: ClientOptions): string {
  if (baseUrl.includes("{tenant}") !== (tenant !== undefined))
    throw new TypeError(tenant === undefined ? "Option tenant is missing: baseUrl contains {tenant}." : "Option baseUrl must contain {tenant}.");
  const url = baseUrl.replace("{tenant}", tenant ?? "").replace(/\/+$/, "");
  if (!/^https?:\/\//.test(url)) throw new TypeError(`Option baseUrl must begin with https:// or http://: ${baseUrl}`);
  return url;
}

/** Whether a repetition cannot do harm: an earlier attempt may have reached the service. */
function isRepeatable(method: string, { keyed }: Parts, { ifMatch, idempotencyKey }: Options): boolean {
  if (method === "POST") return keyed === true || idempotencyKey !== undefined;
  return method !== "PATCH" || ifMatch === undefined;
}

function headersOf({ keyed, data }: Parts, { ifMatch, idempotencyKey, headers, contentType }: Options): Record<string, string> {
  const key = idempotencyKey ?? (keyed ? newIdempotencyKey() : undefined);
  const type = data === undefined ? undefined : (contentType ?? ((data instanceof Blob && data.type) || undefined));
  return {
    Accept: "application/json, application/problem+json, */*;q=0.1",
    ...(type !== undefined && { "Content-Type": type }),
    ...(ifMatch !== undefined && { "If-Match": ifMatch }),
    ...(key !== undefined && { "Idempotency-Key": key }),
    ...headers,
  };
}

/** The JSON value of a text, or the text. */
function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function noJson(error: unknown): never {
  if (error instanceof SyntaxError) throw new TetradError("The response is not JSON. Check baseUrl.", { cause: error });
  throw error;
}
