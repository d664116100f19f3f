import type { ErrorCode } from "./generated/error-codes.js";
import { retryAfterSeconds } from "./retry.js";

export type { ErrorCode };

/** The base class of all errors of this package. */
export class TetradError extends Error {
  override name = "TetradError";
}

/** No complete response arrived: the network failed, or the time limit of an attempt passed. `cause` is the error of `fetch`. */
export class ConnectionError extends TetradError {
  override name = "ConnectionError";

  constructor(
    message: string,
    /** Whether the time limit (`timeoutMs`) passed. */
    readonly timedOut: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An invalid field of a request. */
export interface FieldError {
  /** JSON Pointer into the body (RFC 6901), `?name` for a query parameter, `:name` for a path parameter, or the name of a header. */
  pointer: string;
  /** Stable code, for example `required`. */
  code: string;
  /** Explanation for people. */
  detail: string;
}

/** The body of an error response: problem details, and members that only some errors have. */
export interface ErrorBody {
  /** Of `mfa_required`: the token for `verifyChallenge`. */
  mfa_token?: string;
  /** Of `mfa_enrollment_required`: the token for the operations that set up a factor. */
  enrollment_token?: string;
  /** Of `mfa_required`, `mfa_enrollment_required` and `REAUTHENTICATION_REQUIRED`: the methods that the user can choose. */
  available_methods?: string[];
  /** Of `MFA_INVALID_CODE`: the number of attempts that are left. */
  attemptsRemaining?: number;
  [member: string]: unknown;
}

/** A refusal of the service. It answered with a status of 400 or more (problem details, RFC 9457). */
export class ApiError extends TetradError {
  override name = "ApiError";
  /** HTTP status. */
  readonly status: number;
  /** Stable code for programs, in the member `error` of the problem. If the response is no problem: `HTTP_` and the status. */
  readonly code: ErrorCode | (string & {});
  /** Identifier of the request, for the operator of the installation. */
  readonly requestId: string | undefined;
  /** Short text of the status, for example `Not Found`. */
  readonly title: string;
  /** Explanation for people. The text can change, so programs must not depend on it. */
  readonly detail: string;
  /** The invalid fields of a `VALIDATION_ERROR`. */
  readonly errors: FieldError[] | undefined;
  /** Seconds to wait before another request, from `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** The parsed body; empty if it is not a JSON object. */
  readonly body: ErrorBody;

  constructor(
    /** The response. Its body has been read. */
    readonly response: Response,
    body: unknown,
  ) {
    const problem = isObject(body) ? body : {};
    const text = (name: string): string | undefined => (typeof problem[name] === "string" ? (problem[name] as string) : undefined);
    const code = text("error") ?? `HTTP_${response.status}`;
    const detail = text("detail") ?? text("error_description") ?? `The response has the status ${response.status}.`;
    super(`${response.status} ${code}: ${detail}`);
    this.status = response.status;
    this.code = code;
    this.requestId = text("requestId") ?? response.headers.get("X-Request-Id") ?? undefined;
    this.title = text("title") ?? response.statusText;
    this.detail = detail;
    this.errors = Array.isArray(problem["errors"]) ? (problem["errors"] as FieldError[]) : undefined;
    this.retryAfterSeconds = retryAfterSeconds(response.headers);
    this.body = problem;
  }

  /** Whether the error has this code. */
  is<Code extends ErrorCode>(code: Code): this is this & { readonly code: Code } {
    return this.code === code;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** 400 `VALIDATION_ERROR`: fields of the request are invalid. `errors` lists them. */
export class ValidationError extends ApiError {
  override name = "ValidationError";
}

/** 401: the credential is missing, wrong or expired. */
export class AuthenticationError extends ApiError {
  override name = "AuthenticationError";
}

/** 403: the credential does not permit this operation, or a further step of the sign-in is needed (`mfa_required`). */
export class PermissionError extends ApiError {
  override name = "PermissionError";
}

/** 404: the object does not exist, or the caller may not see it. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}

/** 409: the state of the object does not allow this operation. */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}

/** 412: the object has another ETag than `ifMatch`. Read the object again. */
export class PreconditionError extends ApiError {
  override name = "PreconditionError";
}

/** 429: too many requests. `retryAfterSeconds` tells when the next one can succeed. */
export class RateLimitError extends ApiError {
  override name = "RateLimitError";
}

/** A status of 500 or more: the service, or a proxy before it, could not answer. */
export class UnavailableError extends ApiError {
  override name = "UnavailableError";
}

const classes: Record<number, typeof ApiError> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionError,
  429: RateLimitError,
};

/** The error of a response with a status of 400 or more. `body`: the parsed body, or its text. */
export function errorOf(response: Response, body: unknown): ApiError {
  if (isObject(body) && body["error"] === "VALIDATION_ERROR") return new ValidationError(response, body);
  const kind = classes[response.status] ?? (response.status >= 500 ? UnavailableError : ApiError);
  return new kind(response, body);
}
