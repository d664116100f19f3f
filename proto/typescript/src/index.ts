/**
 * Client of Tetrad's services. Each service has a class: {@link Feedback}, {@link Auth}, {@link Notify} and {@link Billing}.
 *
 * @packageDocumentation
 */
export { Auth } from "./auth.js";
export { Billing } from "./billing.js";
export { Call, type WithResponse } from "./call.js";
export type { Area, Binary, CallOptions, ClientOptions, CommonOptions, Fetch, TokenProvider } from "./client.js";
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  PreconditionError,
  RateLimitError,
  TetradError,
  UnavailableError,
  ValidationError,
  type ErrorBody,
  type ErrorCode,
  type FieldError,
} from "./errors.js";
export type { WebhookEvent, WebhookEvents } from "./events.js";
export { Feedback } from "./feedback.js";
export type { components as AuthComponents } from "./generated/auth.js";
export type { components as BillingComponents } from "./generated/billing.js";
export type { components as FeedbackComponents } from "./generated/feedback.js";
export type { components as NotifyComponents } from "./generated/notify.js";
export { Lines, type ExportLine } from "./lines.js";
export { Notify } from "./notify.js";
export { Pages } from "./pages.js";
export type { RetryEvent } from "./retry.js";
export * from "./session.js";
export type { Body, Items, Query, Result } from "./types.js";
export type { UploadFields, UploadOptions } from "./uploads.js";
export { verifyWebhook, WebhookVerificationError, type WebhookFault, type WebhookRequest } from "./webhooks.js";
