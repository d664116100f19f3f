// Generated from proto/billing.openapi.yaml by proto/typescript/scripts/generate.mjs.
import type { Call } from "../call.js";
import { Area, type CallOptions } from "../client.js";
import type { ExportLine, Lines } from "../lines.js";
import type { Pages } from "../pages.js";
import type { Body, Items, Query, Result } from "../types.js";
import type { operations } from "./billing.js";

/** One method for each operation of the service's contract. */
export class BillingMethods extends Area {
  /**
   * Sync a user's purchases.
   *
   * Fetches the user's purchases from the providers, then updates the user's entitlements in both environments. Use
   * this operation when webhooks may have been lost. Without `source`, the service asks each provider whose API key
   * is set.
   *
   * - `purchases`: needs the setting `purchasesApiKey`. The service fetches all purchases of the user. If the
   *   provider no longer lists the purchase of an entitlement, the entitlement becomes `expired`.
   * - `payments`: needs the setting `paymentsApiKey`. The service fetches all subscriptions whose `metadata.userId`
   *   is the user. It also fetches the user's stored subscriptions. If the account cannot search subscriptions, the
   *   service looks through the 1,000 newest ones. One-time payments do not change. An API key of Stripe reads live
   *   mode or test mode, so the sync updates one environment.
   *
   * Entitlements of the source `manual` do not change. The provider's answer replaces all events that the service
   * received before it sent the request. Events that arrive later apply as usual. The service archives what the sync
   * found as events of the type `SYNC`, so `getUserEntitlements` with `at` and `replayEvent` include it.
   *
   * - 404 `NOT_FOUND`: the user's account was deleted in the environment of the request.
   * - 409 `PURCHASES_API_NOT_CONFIGURED`: the setting `purchasesApiKey` is not set. Set it with `updateSettings`.
   *   Without `source`: no API key is set.
   * - 409 `PAYMENTS_API_NOT_CONFIGURED`: `source` is `payments`, and the setting `paymentsApiKey` is not set. Set it
   *   with `updateSettings`.
   * - 409 `CONFLICT`: the service has waited 12 seconds for another sync of this user, which is still running.
   *   Repeat the request after the seconds in `Retry-After`.
   * - 429 `RATE_LIMITED`: the service has waited 12 seconds for other syncs of the tenant, which are still running.
   *   Each replica of the service runs at most 4 syncs of a tenant at once. Repeat the request after the seconds in
   *   `Retry-After`.
   * - 502 `UPSTREAM_ERROR`: a provider does not know the user, refused the request, failed, or did not send a valid
   *   response within 10 seconds. The sync changed no entitlement. If the provider's response has the header
   *   `Retry-After`, this response has it too.
   *
   * @param userId - Identifier of the user, percent-encoded.
   * @param query - Query parameters: `source`.
   * @param options - Options of this call.
   * @returns Entitlements of the user in the environment of the request, and the changes in both environments.
   * @throws ApiError 404 `NOT_FOUND`, 409 `PURCHASES_API_NOT_CONFIGURED`, 409 `PAYMENTS_API_NOT_CONFIGURED`, 409 `CONFLICT`, 429 `RATE_LIMITED`, 502 `UPSTREAM_ERROR`
   */
  syncUser(
    userId: string,
    query?: Query<operations["syncUser"]>,
    options?: CallOptions,
  ): Call<Result<operations["syncUser"]>> {
    return this.call("POST", "/v1/sync/{userId}", { path: { userId }, query }, options);
  }

  /**
   * Start a backfill.
   *
   * Fetches all subscriptions of the tenant from the card payment provider, in all statuses, and updates the
   * entitlements that differ. Use this operation after you have connected an account that already has
   * subscriptions, or when many webhooks were lost. The backfill runs in the background and continues after a
   * restart of the service. `getBackfill` shows its progress.
   *
   * The service archives each subscription that changed as an event of the type `SYNC`. A subscription that did not
   * change writes nothing. A subscription without `metadata.userId` changes nothing. An API key of Stripe reads live
   * mode or test mode, so a backfill updates one environment. Requires a production credential or the master key.
   *
   * - 400 `VALIDATION_ERROR`: a field is invalid, or `since` is in the future.
   * - 403 `FORBIDDEN`: the credential belongs to the sandbox. Use a credential of production.
   * - 409 `PAYMENTS_API_NOT_CONFIGURED`: the setting `paymentsApiKey` is not set. Set it with `updateSettings`.
   * - 409 `CONFLICT`: another backfill of the tenant is `queued` or `running`. Wait until it has ended.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The backfill, which runs in the background.
   * @throws ApiError 400 `VALIDATION_ERROR`, 403 `FORBIDDEN`, 409 `PAYMENTS_API_NOT_CONFIGURED`, 409 `CONFLICT`
   */
  startBackfill(
    body: Body<operations["startBackfill"]>,
    options?: CallOptions,
  ): Call<Result<operations["startBackfill"]>> {
    return this.call("POST", "/v1/backfills", { body, keyed: true }, options);
  }

  /**
   * Get a backfill.
   *
   * Returns the progress of a backfill. Credentials of both environments may read it. The service keeps a backfill
   * for 90 days after its end.
   *
   * 404 `NOT_FOUND`: the tenant has no backfill with this identifier.
   *
   * @param backfillId - Identifier of the backfill.
   * @param options - Options of this call.
   * @returns The progress of the backfill.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getBackfill(backfillId: string, options?: CallOptions): Call<Result<operations["getBackfill"]>> {
    return this.call("GET", "/v1/backfills/{backfillId}", { path: { backfillId } }, options);
  }

  /**
   * List subscribers.
   *
   * Lists the entitlements of all users of the environment, with one item per user and product. If a user has
   * several entitlements to a product, for example from two sources, the item is the best one: the entitlement that
   * gives access longest. The filters `status` and `active` apply to the best one. The list is ordered by `userId`,
   * then by `providerProductId`. A product that is not in the catalog is listed, too.
   *
   * With filters, a page may contain fewer items than `limit`, or none, although more items follow. Continue until
   * `cursor` is `null`.
   *
   * 429 `RATE_LIMITED`: too many requests with the filter `status` or `active`, or with a `productId`, are running
   * in the environment now. Repeat the request after the seconds in `Retry-After`.
   *
   * @param query - Query parameters: `product`, `status`, `active`, `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of entitlements, ordered by user and product.
   * @throws ApiError 429 `RATE_LIMITED`
   */
  listSubscribers(
    query?: Query<operations["listSubscribers"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listSubscribers"]>, "items">, Result<operations["listSubscribers"]>> {
    return this.pages("/v1/subscribers", { query }, options);
  }

  /**
   * Get subscription statistics.
   *
   * Returns daily numbers for each product of the environment, and the current monthly recurring revenue (MRR). Days
   * are days in UTC. All sources count, also manual grants. A renewal that arrives within the leeway counts neither
   * as an end nor as a new beginning. A late event changes the numbers of the day on which it happened. Days in the
   * future, and days on which all numbers of a product are 0, are left out.
   *
   * 400 `VALIDATION_ERROR`: `from` or `to` is missing or not a date, `to` is before `from`, the range has more than
   * 366 days, or the response would have more than 10,000 products or 100,000 items in `days`. Choose a shorter range.
   *
   * @param query - Query parameters: `from`, `to`.
   * @param options - Options of this call.
   * @returns The statistics.
   * @throws ApiError 400 `VALIDATION_ERROR`
   */
  getStats(query: Query<operations["getStats"]>, options?: CallOptions): Call<Result<operations["getStats"]>> {
    return this.call("GET", "/v1/stats", { query }, options);
  }

  /**
   * Get my entitlements.
   *
   * Returns all entitlements of the user of the token, in the environment of the request. An app calls this
   * operation directly, with the access token of its user. With `at`, the response is as for `getUserEntitlements`.
   * Requires a user token, with any role.
   *
   * @param query - Query parameters: `at`.
   * @param options - Options of this call.
   * @returns All entitlements of the user in the environment of the request.
   */
  getMyEntitlements(
    query?: Query<operations["getMyEntitlements"]>,
    options?: CallOptions,
  ): Call<Result<operations["getMyEntitlements"]>> {
    return this.call("GET", "/v1/me/entitlements", { query }, options);
  }

  /**
   * Check my access to a feature.
   *
   * Returns whether the user of the token may use a feature now, and until when. For an unknown feature, `granted`
   * is `false`. Requires a user token, with any role. An app can show or hide a feature with this response. A
   * backend that protects data must check the feature itself, with `checkFeature`.
   *
   * @param feature - Name of the feature, percent-encoded.
   * @param options - Options of this call.
   * @returns Whether the user may use the feature, and until when.
   */
  checkMyFeature(feature: string, options?: CallOptions): Call<Result<operations["checkMyFeature"]>> {
    return this.call("GET", "/v1/me/features/{feature}", { path: { feature } }, options);
  }

  /**
   * List entitlements of a user.
   *
   * Returns all entitlements of a user in the environment of the request. For an unknown user, the list is empty.
   * `getUserEntitlements` returns the same list, but takes the user id in the path.
   *
   * @param query - Query parameters: `userId`.
   * @param options - Options of this call.
   * @returns All entitlements of the user in the environment of the request.
   */
  listEntitlements(
    query: Query<operations["listEntitlements"]>,
    options?: CallOptions,
  ): Call<Result<operations["listEntitlements"]>> {
    return this.call("GET", "/v1/entitlements", { query }, options);
  }

  /**
   * Get a user's entitlements.
   *
   * Returns all entitlements of a user in the environment of the request. For an unknown user, the list is empty. A
   * caller with the role `user` may read only their own entitlements.
   *
   * If the request has `at`, the list shows the entitlements that the user had at the time `at`. The service
   * computes this list from the archived events, including syncs and grants, and from the current entitlements.
   * `pastDueIsActive` and `renewalLeewaySeconds` are those of the time `at`. The features and quantities come from
   * the current catalog of products.
   *
   * 404 `NOT_FOUND`: the caller has the role `user`, and `userId` is another user.
   *
   * @param userId - Identifier of the user, percent-encoded.
   * @param query - Query parameters: `at`.
   * @param options - Options of this call.
   * @returns All entitlements of the user in the environment of the request.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getUserEntitlements(
    userId: string,
    query?: Query<operations["getUserEntitlements"]>,
    options?: CallOptions,
  ): Call<Result<operations["getUserEntitlements"]>> {
    return this.call("GET", "/v1/users/{userId}/entitlements", { path: { userId }, query }, options);
  }

  /**
   * Check access to a feature.
   *
   * Returns whether a user may use a feature now, and until when. For an unknown user or feature, `granted` is
   * `false`. A caller with the role `user` may check only their own access.
   *
   * 404 `NOT_FOUND`: the caller has the role `user`, and `userId` is another user.
   *
   * @param userId - Identifier of the user, percent-encoded.
   * @param feature - Name of the feature, percent-encoded.
   * @param options - Options of this call.
   * @returns Whether the user may use the feature, and until when.
   * @throws ApiError 404 `NOT_FOUND`
   */
  checkFeature(userId: string, feature: string, options?: CallOptions): Call<Result<operations["checkFeature"]>> {
    return this.call("GET", "/v1/users/{userId}/features/{feature}", { path: { userId, feature } }, options);
  }

  /**
   * Grant an entitlement to a user.
   *
   * Grants a product to a user by hand. The entitlement has the source `manual`, and events of the providers do not
   * change it. For a subscription or lifetime product, a user has at most one manual entitlement. A second grant of
   * the same product makes this entitlement active again and replaces `expiresAt` and `reason`. For a consumable
   * product, each grant adds an entitlement. The service archives the grant as an event of the type `GRANT`.
   *
   * - 400 `VALIDATION_ERROR`: a field is invalid, `productId` is not in the catalog, or `expiresAt` is not in the
   *   future.
   * - 404 `NOT_FOUND`: the user's account was deleted.
   *
   * @param userId - Identifier of the user, percent-encoded.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The granted entitlement.
   * @throws ApiError 400 `VALIDATION_ERROR`, 404 `NOT_FOUND`
   */
  grantEntitlement(
    userId: string,
    body: Body<operations["grantEntitlement"]>,
    options?: CallOptions,
  ): Call<Result<operations["grantEntitlement"]>> {
    return this.call("POST", "/v1/users/{userId}/grants", { path: { userId }, body, keyed: true }, options);
  }

  /**
   * Revoke a granted entitlement.
   *
   * Ends an entitlement of the source `manual`. The response contains `deleted: true`, but the service keeps the
   * entitlement, with the status `expired`. If the entitlement is already `expired`, the request changes nothing.
   * The service archives the revocation as an event of the type `REVOKE`.
   *
   * 404 `NOT_FOUND`: the user has no entitlement with this identifier, or its source is not `manual`.
   *
   * @param userId - Identifier of the user, percent-encoded.
   * @param entitlementId - Identifier of the entitlement.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 404 `NOT_FOUND`
   */
  revokeGrant(userId: string, entitlementId: string, options?: CallOptions): Call<Result<operations["revokeGrant"]>> {
    return this.call("DELETE", "/v1/users/{userId}/grants/{entitlementId}", { path: { userId, entitlementId } }, options);
  }

  /**
   * List products.
   *
   * Lists the products in the catalog of the tenant, newest first. Credentials of both environments may read the
   * catalog.
   *
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of products, newest first.
   */
  listProducts(
    query?: Query<operations["listProducts"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listProducts"]>, "items">, Result<operations["listProducts"]>> {
    return this.pages("/v1/products", { query }, options);
  }

  /**
   * Create a product.
   *
   * Adds a product to the catalog. Entitlements with the same `providerProductId` then show the features and grants
   * of the product, in both environments. Requires a production credential or the master key.
   *
   * - 403 `FORBIDDEN`: the credential belongs to the sandbox. Use a credential of production.
   * - 409 `CONFLICT`: the catalog already has a product with this `providerProductId`.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new product.
   * @throws ApiError 403 `FORBIDDEN`, 409 `CONFLICT`
   */
  createProduct(
    body: Body<operations["createProduct"]>,
    options?: CallOptions,
  ): Call<Result<operations["createProduct"]>> {
    return this.call("POST", "/v1/products", { body, keyed: true }, options);
  }

  /**
   * Get a product.
   *
   * Returns one product. Credentials of both environments may read the product.
   *
   * 404 `NOT_FOUND`: the catalog has no product with this identifier.
   *
   * @param productId - Identifier of the product.
   * @param options - Options of this call.
   * @returns The product.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getProduct(productId: string, options?: CallOptions): Call<Result<operations["getProduct"]>> {
    return this.call("GET", "/v1/products/{productId}", { path: { productId } }, options);
  }

  /**
   * Update a product.
   *
   * Changes the fields in the body; other fields keep their values. Entitlements of the product show the change at
   * once, in both environments. `null` for `features` or `grants` empties the list. Requires a production credential
   * or the master key.
   *
   * - 403 `FORBIDDEN`: the credential belongs to the sandbox. Use a credential of production.
   * - 404 `NOT_FOUND`: the catalog has no product with this identifier.
   * - 409 `CONFLICT`: the catalog already has another product with this `providerProductId`.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the product again, then repeat the
   *   request.
   *
   * @param productId - Identifier of the product.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The product.
   * @throws ApiError 403 `FORBIDDEN`, 404 `NOT_FOUND`, 409 `CONFLICT`, 412 `PRECONDITION_FAILED`
   */
  updateProduct(
    productId: string,
    body: Body<operations["updateProduct"]>,
    options?: CallOptions,
  ): Call<Result<operations["updateProduct"]>> {
    return this.call("PATCH", "/v1/products/{productId}", { path: { productId }, body }, options);
  }

  /**
   * Delete a product.
   *
   * Removes a product from the catalog. The service keeps the entitlements to this product in both environments, but
   * shows empty `features` and `grants` for them. Requires a production credential or the master key.
   *
   * - 403 `FORBIDDEN`: the credential belongs to the sandbox. Use a credential of production.
   * - 404 `NOT_FOUND`: the catalog has no product with this identifier.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the product again, then repeat the
   *   request.
   *
   * @param productId - Identifier of the product.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 403 `FORBIDDEN`, 404 `NOT_FOUND`, 412 `PRECONDITION_FAILED`
   */
  deleteProduct(productId: string, options?: CallOptions): Call<Result<operations["deleteProduct"]>> {
    return this.call("DELETE", "/v1/products/{productId}", { path: { productId } }, options);
  }

  /**
   * List archived events.
   *
   * Lists the archived events of the environment, in the order of their receipt, newest first. The operator
   * configures for how many months the service keeps events. The events of an erased user are in the list, without
   * the user and without payload. A page ends when its payloads reach 8 MiB, so a page may contain fewer items than
   * `limit`. If `cursor` is not `null`, more items follow.
   *
   * Events with the provider `internal` are those of this service: `SYNC` is what a sync or a backfill found,
   * `GRANT` and `REVOKE` are manual grants and their ends. `SETTINGS` is a change of `pastDueIsActive` or
   * `renewalLeewaySeconds`. `LINK` names the invoice of a refunded charge.
   *
   * 429 `RATE_LIMITED`: too many requests with the filter `type`, `result`, `eventAfter` or `eventBefore` are
   * running in the environment now. Repeat the request after the seconds in `Retry-After`.
   *
   * @param query - Query parameters: `type`, `result`, `userId`, `eventAfter`, `eventBefore`, `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of events, newest first.
   * @throws ApiError 429 `RATE_LIMITED`
   */
  listEvents(
    query?: Query<operations["listEvents"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listEvents"]>, "items">, Result<operations["listEvents"]>> {
    return this.pages("/v1/events", { query }, options);
  }

  /**
   * Replay an archived event.
   *
   * Applies an archived event of the environment again, with the current settings and the current rules of the
   * service. Use this operation after a change of the settings, or to repair an entitlement. The result is one of
   * these:
   *
   * - `applied`: the event now decides the state of an entitlement, or contributes to it.
   * - `duplicate`: the event already decided the state before the replay.
   * - `stale`: a later event was already applied, so the event changes nothing.
   * - `skipped`: the event changes no entitlement; `reason` contains the cause. An event whose user was erased is
   *   skipped with the reason `user_erased`.
   * - `rejected`: the event is malformed.
   *
   * 404 `NOT_FOUND`: the environment has no event with this identifier.
   *
   * @param eventId - `eventId` of the event, percent-encoded.
   * @param options - Options of this call.
   * @returns Result of the replay.
   * @throws ApiError 404 `NOT_FOUND`
   */
  replayEvent(eventId: string, options?: CallOptions): Call<Result<operations["replayEvent"]>> {
    return this.call("POST", "/v1/events/{eventId}/replay", { path: { eventId } }, options);
  }

  /**
   * Get the settings.
   *
   * Returns the settings of the tenant. For each secret, the response states only whether the secret is set.
   *
   * @param options - Options of this call.
   * @returns The settings.
   */
  getSettings(options?: CallOptions): Call<Result<operations["getSettings"]>> {
    return this.call("GET", "/v1/settings", {}, options);
  }

  /**
   * Update the settings.
   *
   * Changes the settings in the body, for both environments of the tenant; other settings keep their values. `null`
   * deletes a secret. For the other settings, `null` restores the default. A list replaces the previous list. A
   * change of `pastDueIsActive` or `renewalLeewaySeconds` applies from the next read, to all entitlements, and is
   * archived as an event of the type `SETTINGS`. If the change ends access, the service sends `entitlement.changed`
   * with the reason `lapsed`. If the change gives access, the service sends no event. Requires a production
   * credential or the master key.
   *
   * To replace `purchasesSecret` without losing events, set `purchasesSecretPrevious` to the old value and
   * `purchasesSecret` to the new one in the same request. After the provider uses the new value, set
   * `purchasesSecretPrevious` to `null`.
   *
   * - 403 `FORBIDDEN`: the credential belongs to the sandbox. Use a credential of production.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the settings again, then repeat the
   *   request.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The settings.
   * @throws ApiError 403 `FORBIDDEN`, 412 `PRECONDITION_FAILED`
   */
  updateSettings(
    body: Body<operations["updateSettings"]>,
    options?: CallOptions,
  ): Call<Result<operations["updateSettings"]>> {
    return this.call("PATCH", "/v1/settings", { body }, options);
  }

  /**
   * Erase a user.
   *
   * Deletes the data of one user in this environment. The response is the same for an unknown user, and the request
   * may be repeated. New data of the user is accepted afterwards, and later events of the user are applied.
   *
   * - Entitlements and grants are deleted, and also the stored state of the user's subscriptions. The service sends
   *   no `entitlement.changed` for this. Pending webhook deliveries about the user are deleted.
   * - The user's archived events lose their `payload`. A pseudonym replaces `userId`, and `erasedAt` is set. They do
   *   not count any more: `getUserEntitlements` with `at` and `replayEvent` skip them.
   * - An event that also names other users, such as a transfer, keeps its payload. A pseudonym replaces the id of
   *   the erased user in it. Ids that are generated before a user signs in (`$RCAnonymousID:…`, `anon:…`) do not
   *   count as other users.
   * - The audit trail names the user by a pseudonym.
   *
   * Events about the payments of the user's subscriptions and checkouts, such as invoices, charges and disputes, count
   * as events of the user. The service cannot find the user in other events without a user id, such as a refund
   * whose invoice is unknown, or an event about a customer of the card payment provider without `metadata.userId`.
   *
   * The subscription at the provider continues: cancel it there. If the account itself is deleted, auth-mfa erases
   * the user in all services (`receiveErasure`).
   *
   * 503 `UNAVAILABLE` with `Retry-After`: the erasure takes long and is not complete. Repeat the request to continue
   * it.
   *
   * @param userId - Identifier of the user, percent-encoded.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 503 `UNAVAILABLE`
   */
  eraseUser(userId: string, options?: CallOptions): Call<Result<operations["eraseUser"]>> {
    return this.call("DELETE", "/v1/users/{userId}", { path: { userId } }, options);
  }

  /**
   * Export a user's data.
   *
   * Streams everything that the service stores of one user in this environment, as newline-delimited JSON. Each line
   * is an object with a `type`:
   *
   * - `entitlement`: an entitlement of the source `purchases` or `payments`, with the fields of `Entitlement`.
   * - `grant`: an entitlement of the source `manual`, with the same fields.
   * - `subscription`: the stored state of a subscription at the card payment provider: `subscriptionId`, `userId`,
   *   `status`, `cancelsAtPeriodEnd`, `cancelAt`, `cancelReason`, `endedAt`, `trialEndsAt`, `lastEventType`,
   *   `lastEventAt`, `items`, `removedItems`, `lastPaidInvoice`, `paidInvoices` (since the last event that contains
   *   the subscription) and `reversals` (full refunds and lost disputes). If the subscription belongs to another
   *   user now, only `removedItems` has data.
   * - `event`: an archived event, with the fields of `Event`; the type of the event is in `eventType`. Events of
   *   other users that name this user have no payload.
   *
   * Within a type, the newest objects come first. For an unknown user, the export is empty. A caller with the role
   * `user` may export only their own data.
   *
   * - 404 `NOT_FOUND`: the caller has the role `user`, and `userId` is another user.
   * - 429 `RATE_LIMITED`: too many exports and searches are running in the environment now. Repeat the request after
   *   the seconds in `Retry-After`.
   *
   * @param userId - Identifier of the user, percent-encoded.
   * @param options - Options of this call.
   * @returns Newline-delimited JSON, one object per line.
   * @throws ApiError 404 `NOT_FOUND`, 429 `RATE_LIMITED`
   */
  exportUser<Line = ExportLine>(userId: string, options?: CallOptions): Lines<Line> {
    return this.lines("/v1/users/{userId}/export", { path: { userId } }, options);
  }

  /**
   * List audit entries.
   *
   * Lists the recorded changes in the environment, newest first. Each entry contains the actor, the action, the
   * object, the time, and the fields that changed. The service keeps entries as long as the tenant exists.
   *
   * @param query - Query parameters: `action`, `actor`, `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of audit entries, newest first.
   */
  listAudit(
    query?: Query<operations["listAudit"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listAudit"]>, "items">, Result<operations["listAudit"]>> {
    return this.pages("/v1/audit", { query }, options);
  }

  /**
   * List webhooks.
   *
   * Lists the webhooks of the environment, newest first. The response does not contain any signing secrets.
   *
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of webhooks, newest first.
   */
  listWebhooks(
    query?: Query<operations["listWebhooks"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listWebhooks"]>, "items">, Result<operations["listWebhooks"]>> {
    return this.pages("/v1/webhooks", { query }, options);
  }

  /**
   * Create a webhook.
   *
   * Registers an endpoint that receives the `entitlement.changed` events of this environment. Only this response
   * contains the signing secret, so store the secret at once.
   *
   * **Format.** The service sends each event as a POST request with the JSON body `{type, timestamp, data}`. The
   * request is signed as [Standard Webhooks](https://www.standardwebhooks.com) defines, with the headers
   * `webhook-id`, `webhook-timestamp` and `webhook-signature`. Verify the signature, and ignore an event whose
   * `webhook-id` you have already processed.
   *
   * **Retries.** An endpoint accepts an event by responding with a 2xx status within 15 seconds. After any other
   * status, a redirect or a timeout, the service retries with backoff for 3 days. After 3 days, the delivery fails.
   * If the endpoint accepted no other event in these 3 days, the service also disables the webhook. If an endpoint
   * responds with 410, the service disables its webhook at once.
   *
   * **Suspension.** While the operator has suspended the tenant, the service sends no events. When the tenant is
   * active again, the service sends pending deliveries within 5 minutes. The time of the suspension does not count
   * towards the 3 days.
   *
   * 409 `CONFLICT`: the environment already has 20 webhooks, which is the limit. Delete a webhook first.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The webhook with its secret. No later response contains the secret.
   * @throws ApiError 409 `CONFLICT`
   */
  createWebhook(
    body: Body<operations["createWebhook"]>,
    options?: CallOptions,
  ): Call<Result<operations["createWebhook"]>> {
    return this.call("POST", "/v1/webhooks", { body, keyed: true }, options);
  }

  /**
   * Get a webhook.
   *
   * Returns one webhook. The response does not contain the signing secret.
   *
   * 404 `NOT_FOUND`: the environment has no webhook with this identifier.
   *
   * @param webhookId - Identifier of the webhook.
   * @param options - Options of this call.
   * @returns The webhook.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getWebhook(webhookId: string, options?: CallOptions): Call<Result<operations["getWebhook"]>> {
    return this.call("GET", "/v1/webhooks/{webhookId}", { path: { webhookId } }, options);
  }

  /**
   * Update a webhook.
   *
   * Changes the fields in the body; other fields keep their values. `null` for `events` selects all types, and
   * `null` for `description` deletes the text. If the body sets `enabled` to `true` or `false`, `disabledReason`
   * becomes `null`.
   *
   * - 404 `NOT_FOUND`: the environment has no webhook with this identifier.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the webhook again, then repeat the
   *   request.
   *
   * @param webhookId - Identifier of the webhook.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The webhook.
   * @throws ApiError 404 `NOT_FOUND`, 412 `PRECONDITION_FAILED`
   */
  updateWebhook(
    webhookId: string,
    body: Body<operations["updateWebhook"]>,
    options?: CallOptions,
  ): Call<Result<operations["updateWebhook"]>> {
    return this.call("PATCH", "/v1/webhooks/{webhookId}", { path: { webhookId }, body }, options);
  }

  /**
   * Delete a webhook.
   *
   * Deletes a webhook and the records of its deliveries. The service does not send pending deliveries.
   *
   * - 404 `NOT_FOUND`: the environment has no webhook with this identifier.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the webhook again, then repeat the
   *   request.
   *
   * @param webhookId - Identifier of the webhook.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 404 `NOT_FOUND`, 412 `PRECONDITION_FAILED`
   */
  deleteWebhook(webhookId: string, options?: CallOptions): Call<Result<operations["deleteWebhook"]>> {
    return this.call("DELETE", "/v1/webhooks/{webhookId}", { path: { webhookId } }, options);
  }

  /**
   * Rotate a webhook's secret.
   *
   * Replaces the signing secret of a webhook. For 24 hours, the service signs each delivery with both secrets.
   * Configure your endpoint to use the new secret within this time. Only this response contains the new secret, so
   * store it at once.
   *
   * - 404 `NOT_FOUND`: the environment has no webhook with this identifier.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the webhook again, then repeat the
   *   request.
   *
   * @param webhookId - Identifier of the webhook.
   * @param options - Options of this call.
   * @returns The webhook with its new secret. No later response contains the secret.
   * @throws ApiError 404 `NOT_FOUND`, 412 `PRECONDITION_FAILED`
   */
  rotateWebhookSecret(webhookId: string, options?: CallOptions): Call<Result<operations["rotateWebhookSecret"]>> {
    return this.call("POST", "/v1/webhooks/{webhookId}/rotate-secret", { path: { webhookId } }, options);
  }

  /**
   * List a webhook's deliveries.
   *
   * Lists the deliveries of a webhook, newest first, with the result of the last attempt. For each event there is
   * one delivery, with one or more attempts. Deliveries are kept for 30 days.
   *
   * 404 `NOT_FOUND`: the environment has no webhook with this identifier.
   *
   * @param webhookId - Identifier of the webhook.
   * @param query - Query parameters: `status`, `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of deliveries, newest first.
   * @throws ApiError 404 `NOT_FOUND`
   */
  listDeliveries(
    webhookId: string,
    query?: Query<operations["listDeliveries"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listDeliveries"]>, "items">, Result<operations["listDeliveries"]>> {
    return this.pages("/v1/webhooks/{webhookId}/deliveries", { path: { webhookId }, query }, options);
  }

  /**
   * Get a delivery with its event.
   *
   * Returns a delivery with the event that the service sends (`payload`). Use this operation to see what the
   * endpoint receives.
   *
   * 404 `NOT_FOUND`: the environment has no webhook with this identifier, or the webhook has no delivery with this
   * `deliveryId`.
   *
   * @param webhookId - Identifier of the webhook.
   * @param deliveryId - Identifier of the delivery.
   * @param options - Options of this call.
   * @returns The delivery with its event.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getDelivery(webhookId: string, deliveryId: string, options?: CallOptions): Call<Result<operations["getDelivery"]>> {
    return this.call("GET", "/v1/webhooks/{webhookId}/deliveries/{deliveryId}", { path: { webhookId, deliveryId } }, options);
  }

  /**
   * Redeliver an event.
   *
   * Sends the event of a delivery again, and retries for another 3 days. The header `webhook-id` stays the same (the
   * `deliveryId`). Use this operation after you have repaired the endpoint.
   *
   * - 404 `NOT_FOUND`: the environment has no webhook with this identifier, or the webhook has no delivery with this
   *   `deliveryId`.
   * - 409 `CONFLICT`: the webhook is disabled. Enable the webhook first.
   *
   * @param webhookId - Identifier of the webhook.
   * @param deliveryId - Identifier of the delivery.
   * @param options - Options of this call.
   * @returns The delivery, which the service sends again.
   * @throws ApiError 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  redeliver(webhookId: string, deliveryId: string, options?: CallOptions): Call<Result<operations["redeliver"]>> {
    return this.call("POST", "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", { path: { webhookId, deliveryId } }, options);
  }

  /**
   * Test a webhook.
   *
   * Sends an event of the type `webhook.test` to the webhook at once, and returns the result. Use this operation to
   * check an endpoint and its verification of signatures. The body of the request to the endpoint is
   * `{"type": "webhook.test", "timestamp": …, "data": {"webhookId": …}}`. The request is signed like a delivery, and
   * has the same time limit of 15 s. There are no retries. The test does not appear in `listDeliveries`.
   *
   * The operation also works while the webhook is disabled, and for a webhook that receives only some types of
   * events. The result does not change the webhook: a 410 does not disable it. A response other than 2xx, a redirect,
   * and no response are results with `status` `failed`, not errors.
   *
   * - 404 `NOT_FOUND`: the environment has no webhook with this identifier.
   * - 429 `RATE_LIMITED`: the webhook is being tested, or too many tests are running, or the environment has started
   *   10 tests within a minute. Wait for the number of seconds in `Retry-After`.
   * - 503 `UNAVAILABLE`: the service is being restarted. Send the test again.
   *
   * @param webhookId - Identifier of the webhook.
   * @param options - Options of this call.
   * @returns The result of the test.
   * @throws ApiError 404 `NOT_FOUND`, 429 `RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  testWebhook(webhookId: string, options?: CallOptions): Call<Result<operations["testWebhook"]>> {
    return this.call("POST", "/v1/webhooks/{webhookId}/test", { path: { webhookId } }, options);
  }

  /**
   * List the API keys.
   *
   * Lists the valid API keys of one environment, newest first. A record contains the first characters of its key,
   * never the whole key. The list omits revoked keys, and replaced keys whose grace period has ended. Requires the
   * master key, or a user token with the role `admin` or `owner`.
   *
   * 403 `FORBIDDEN`: the user token belongs to the sandbox, and the keys belong to production. Use a user token of
   * production.
   *
   * @param query - Query parameters: `environment`, `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of key records, newest first.
   * @throws ApiError 403 `FORBIDDEN`
   */
  listKeys(
    query?: Query<operations["listKeys"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listKeys"]>, "items">, Result<operations["listKeys"]>> {
    return this.pages("/v1/keys", { query }, options);
  }

  /**
   * Mint an API key.
   *
   * Creates an API key for the `environment` in the body, which may differ from the environment of the host. Older
   * keys stay valid. Only this response contains the key, so store the key at once. The service ignores
   * `Idempotency-Key`: each request creates another key. Requires the master key, or a user token with the role
   * `admin` or `owner`.
   *
   * 403 `FORBIDDEN`: the user token belongs to the sandbox, and the key would belong to production. Use a user token
   * of production.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new key. No later response contains the key.
   * @throws ApiError 403 `FORBIDDEN`
   */
  mintKey(body: Body<operations["mintKey"]>, options?: CallOptions): Call<Result<operations["mintKey"]>> {
    return this.call("POST", "/v1/keys", { body }, options);
  }

  /**
   * Rotate the API key.
   *
   * Creates an API key that replaces all other keys of the environment. The replaced keys stay valid for
   * `gracePeriodSeconds`. If `gracePeriodSeconds` is absent or 0, the replaced keys become invalid at once. Only
   * this response contains the new key, so store the key at once. The service ignores `Idempotency-Key`: each
   * request creates another key. Requires the master key, or a user token with the role `admin` or `owner`.
   *
   * 403 `FORBIDDEN`: the user token belongs to the sandbox, and the keys belong to production. Use a user token of
   * production.
   *
   * @param environment - Environment whose keys are replaced.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new key. No later response contains the key.
   * @throws ApiError 403 `FORBIDDEN`
   */
  rotateKey(
    environment: string,
    body?: Body<operations["rotateKey"]>,
    options?: CallOptions,
  ): Call<Result<operations["rotateKey"]>> {
    return this.call("POST", "/v1/keys/{environment}/rotate", { path: { environment }, body }, options);
  }

  /**
   * Revoke an API key.
   *
   * Revokes an API key of the request's environment. After at most one second, all replicas of the service
   * refuse the key. Requires the master key, or a user token with the role `admin` or `owner`.
   *
   * 404 `NOT_FOUND`: no valid key of the request's environment has this prefix.
   *
   * @param prefix - `prefix` of the key record.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 404 `NOT_FOUND`
   */
  revokeKey(prefix: string, options?: CallOptions): Call<Result<operations["revokeKey"]>> {
    return this.call("DELETE", "/v1/keys/{prefix}", { path: { prefix } }, options);
  }

  /**
   * List tenants.
   *
   * Lists all tenants, newest first. The list includes deleted tenants whose data is not erased yet. Requires the
   * master key.
   *
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of tenants, newest first.
   */
  listTenants(
    query?: Query<operations["listTenants"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listTenants"]>, "items">, Result<operations["listTenants"]>> {
    return this.pages("/v1/admin/tenants", { query }, options);
  }

  /**
   * Get a tenant.
   *
   * Returns one tenant. A deleted tenant can be read until its data is erased. Requires the master key.
   *
   * 404 `TENANT_NOT_FOUND`: no tenant has this slug.
   *
   * @param slug - Slug of the tenant.
   * @param options - Options of this call.
   * @returns The tenant.
   * @throws ApiError 404 `TENANT_NOT_FOUND`
   */
  getTenant(slug: string, options?: CallOptions): Call<Result<operations["getTenant"]>> {
    return this.call("GET", "/v1/admin/tenants/{slug}", { path: { slug } }, options);
  }

  /**
   * Create or update a tenant.
   *
   * Creates the tenant with both environments, or changes an existing tenant. If the body omits `status` or
   * `limits`, an existing tenant keeps its current value, and a new tenant is active and has no limits.
   *
   * If the tenant was deleted but its erasure has not begun, this request cancels the erasure. The tenant then
   * becomes active, unless `status` is `suspended`.
   *
   * Each service has its own record of a tenant, so call this operation in every service that the tenant uses.
   * Requires the master key.
   *
   * - 400 `VALIDATION_ERROR`: a field is invalid, or the slug ends in `-sandbox` or is reserved. Reserved slugs are
   *   `www`, `api`, `admin`, `auth`, `feedback`, `notify`, `billing`, `static` and `docs`.
   * - 409 `CONFLICT`: the tenant is being erased. Repeat the request when the erasure is complete.
   *
   * @param slug - Slug of the tenant.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The tenant.
   * @throws ApiError 400 `VALIDATION_ERROR`, 409 `CONFLICT`
   */
  putTenant(
    slug: string,
    body: Body<operations["putTenant"]>,
    options?: CallOptions,
  ): Call<Result<operations["putTenant"]>> {
    return this.call("PUT", "/v1/admin/tenants/{slug}", { path: { slug }, body }, options);
  }

  /**
   * Delete a tenant.
   *
   * Suspends the tenant at once, and erases its data after 7 days. During these 7 days, `putTenant` restores the
   * tenant. With `purge=now`, the service erases the data at once, and status 200 means that the erasure is
   * complete. Requires the master key.
   *
   * - 503 `UNAVAILABLE` with `Retry-After`: the tenant has much data, and the erasure continues in the background.
   *   Repeat the request until the response is 200 or 404.
   * - 404 `TENANT_NOT_FOUND`: no tenant has this slug, or the erasure of the tenant is complete.
   *
   * @param slug - Slug of the tenant.
   * @param query - Query parameters: `purge`.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 503 `UNAVAILABLE`, 404 `TENANT_NOT_FOUND`
   */
  deleteTenant(
    slug: string,
    query?: Query<operations["deleteTenant"]>,
    options?: CallOptions,
  ): Call<Result<operations["deleteTenant"]>> {
    return this.call("DELETE", "/v1/admin/tenants/{slug}", { path: { slug }, query }, options);
  }
}
