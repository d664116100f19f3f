// Generated from proto/billing.openapi.yaml by proto/typescript/scripts/generate.mjs.
export interface paths {
    "/v1/sync/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a user's purchases
         * Fetches the user's purchases from the providers, then updates the user's entitlements in both environments. Use
         *     this operation when webhooks may have been lost. Without `source`, the service asks each provider whose API key
         *     is set.
         *
         *     - `purchases`: needs the setting `purchasesApiKey`. The service fetches all purchases of the user. If the
         *       provider no longer lists the purchase of an entitlement, the entitlement becomes `expired`.
         *     - `payments`: needs the setting `paymentsApiKey`. The service fetches all subscriptions whose `metadata.userId`
         *       is the user. It also fetches the user's stored subscriptions. If the account cannot search subscriptions, the
         *       service looks through the 1,000 newest ones. One-time payments do not change. An API key of Stripe reads live
         *       mode or test mode, so the sync updates one environment.
         *
         *     Entitlements of the source `manual` do not change. The provider's answer replaces all events that the service
         *     received before it sent the request. Events that arrive later apply as usual. The service archives what the sync
         *     found as events of the type `SYNC`, so `getUserEntitlements` with `at` and `replayEvent` include it.
         *
         *     - 404 `NOT_FOUND`: the user's account was deleted in the environment of the request.
         *     - 409 `PURCHASES_API_NOT_CONFIGURED`: the setting `purchasesApiKey` is not set. Set it with `updateSettings`.
         *       Without `source`: no API key is set.
         *     - 409 `PAYMENTS_API_NOT_CONFIGURED`: `source` is `payments`, and the setting `paymentsApiKey` is not set. Set it
         *       with `updateSettings`.
         *     - 409 `CONFLICT`: the service has waited 12 seconds for another sync of this user, which is still running.
         *       Repeat the request after the seconds in `Retry-After`.
         *     - 429 `RATE_LIMITED`: the service has waited 12 seconds for other syncs of the tenant, which are still running.
         *       Each replica of the service runs at most 4 syncs of a tenant at once. Repeat the request after the seconds in
         *       `Retry-After`.
         *     - 502 `UPSTREAM_ERROR`: a provider does not know the user, refused the request, failed, or did not send a valid
         *       response within 10 seconds. The sync changed no entitlement. If the provider's response has the header
         *       `Retry-After`, this response has it too.
         */
        post: operations["syncUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backfills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a backfill
         * Fetches all subscriptions of the tenant from the card payment provider, in all statuses, and updates the
         *     entitlements that differ. Use this operation after you have connected an account that already has
         *     subscriptions, or when many webhooks were lost. The backfill runs in the background and continues after a
         *     restart of the service. `getBackfill` shows its progress.
         *
         *     The service archives each subscription that changed as an event of the type `SYNC`. A subscription that did not
         *     change writes nothing. A subscription without `metadata.userId` changes nothing. An API key of Stripe reads live
         *     mode or test mode, so a backfill updates one environment. Requires a production credential or the master key.
         *
         *     - 400 `VALIDATION_ERROR`: a field is invalid, or `since` is in the future.
         *     - 403 `FORBIDDEN`: the credential belongs to the sandbox. Use a credential of production.
         *     - 409 `PAYMENTS_API_NOT_CONFIGURED`: the setting `paymentsApiKey` is not set. Set it with `updateSettings`.
         *     - 409 `CONFLICT`: another backfill of the tenant is `queued` or `running`. Wait until it has ended.
         */
        post: operations["startBackfill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backfills/{backfillId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a backfill
         * Returns the progress of a backfill. Credentials of both environments may read it. The service keeps a backfill
         *     for 90 days after its end.
         *
         *     404 `NOT_FOUND`: the tenant has no backfill with this identifier.
         */
        get: operations["getBackfill"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/subscribers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscribers
         * Lists the entitlements of all users of the environment, with one item per user and product. If a user has
         *     several entitlements to a product, for example from two sources, the item is the best one: the entitlement that
         *     gives access longest. The filters `status` and `active` apply to the best one. The list is ordered by `userId`,
         *     then by `providerProductId`. A product that is not in the catalog is listed, too.
         *
         *     With filters, a page may contain fewer items than `limit`, or none, although more items follow. Continue until
         *     `cursor` is `null`.
         *
         *     429 `RATE_LIMITED`: too many requests with the filter `status` or `active`, or with a `productId`, are running
         *     in the environment now. Repeat the request after the seconds in `Retry-After`.
         */
        get: operations["listSubscribers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get subscription statistics
         * Returns daily numbers for each product of the environment, and the current monthly recurring revenue (MRR). Days
         *     are days in UTC. All sources count, also manual grants. A renewal that arrives within the leeway counts neither
         *     as an end nor as a new beginning. A late event changes the numbers of the day on which it happened. Days in the
         *     future, and days on which all numbers of a product are 0, are left out.
         *
         *     400 `VALIDATION_ERROR`: `from` or `to` is missing or not a date, `to` is before `from`, the range has more than
         *     366 days, or the response would have more than 10,000 products or 100,000 items in `days`. Choose a shorter range.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/entitlements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get my entitlements
         * Returns all entitlements of the user of the token, in the environment of the request. An app calls this
         *     operation directly, with the access token of its user. With `at`, the response is as for `getUserEntitlements`.
         *     Requires a user token, with any role.
         */
        get: operations["getMyEntitlements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/features/{feature}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Name of the feature, percent-encoded.
                 * @example export
                 */
                feature: string;
            };
            cookie?: never;
        };
        /**
         * Check my access to a feature
         * Returns whether the user of the token may use a feature now, and until when. For an unknown feature, `granted`
         *     is `false`. Requires a user token, with any role. An app can show or hide a feature with this response. A
         *     backend that protects data must check the feature itself, with `checkFeature`.
         */
        get: operations["checkMyFeature"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entitlements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List entitlements of a user
         * Returns all entitlements of a user in the environment of the request. For an unknown user, the list is empty.
         *     `getUserEntitlements` returns the same list, but takes the user id in the path.
         */
        get: operations["listEntitlements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}/entitlements": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        /**
         * Get a user's entitlements
         * Returns all entitlements of a user in the environment of the request. For an unknown user, the list is empty. A
         *     caller with the role `user` may read only their own entitlements.
         *
         *     If the request has `at`, the list shows the entitlements that the user had at the time `at`. The service
         *     computes this list from the archived events, including syncs and grants, and from the current entitlements.
         *     `pastDueIsActive` and `renewalLeewaySeconds` are those of the time `at`. The features and quantities come from
         *     the current catalog of products.
         *
         *     404 `NOT_FOUND`: the caller has the role `user`, and `userId` is another user.
         */
        get: operations["getUserEntitlements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}/features/{feature}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
                /**
                 * Name of the feature, percent-encoded.
                 * @example export
                 */
                feature: string;
            };
            cookie?: never;
        };
        /**
         * Check access to a feature
         * Returns whether a user may use a feature now, and until when. For an unknown user or feature, `granted` is
         *     `false`. A caller with the role `user` may check only their own access.
         *
         *     404 `NOT_FOUND`: the caller has the role `user`, and `userId` is another user.
         */
        get: operations["checkFeature"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grant an entitlement to a user
         * Grants a product to a user by hand. The entitlement has the source `manual`, and events of the providers do not
         *     change it. For a subscription or lifetime product, a user has at most one manual entitlement. A second grant of
         *     the same product makes this entitlement active again and replaces `expiresAt` and `reason`. For a consumable
         *     product, each grant adds an entitlement. The service archives the grant as an event of the type `GRANT`.
         *
         *     - 400 `VALIDATION_ERROR`: a field is invalid, `productId` is not in the catalog, or `expiresAt` is not in the
         *       future.
         *     - 404 `NOT_FOUND`: the user's account was deleted.
         */
        post: operations["grantEntitlement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}/grants/{entitlementId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
                /**
                 * Identifier of the entitlement.
                 * @example 019c1347-d280-7bdf-bead-13ae4242af8e
                 */
                entitlementId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a granted entitlement
         * Ends an entitlement of the source `manual`. The response contains `deleted: true`, but the service keeps the
         *     entitlement, with the status `expired`. If the entitlement is already `expired`, the request changes nothing.
         *     The service archives the revocation as an event of the type `REVOKE`.
         *
         *     404 `NOT_FOUND`: the user has no entitlement with this identifier, or its source is not `manual`.
         */
        delete: operations["revokeGrant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List products
         * Lists the products in the catalog of the tenant, newest first. Credentials of both environments may read the
         *     catalog.
         */
        get: operations["listProducts"];
        put?: never;
        /**
         * Create a product
         * Adds a product to the catalog. Entitlements with the same `providerProductId` then show the features and grants
         *     of the product, in both environments. Requires a production credential or the master key.
         *
         *     - 403 `FORBIDDEN`: the credential belongs to the sandbox. Use a credential of production.
         *     - 409 `CONFLICT`: the catalog already has a product with this `providerProductId`.
         */
        post: operations["createProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/products/{productId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the product.
                 * @example 019b7def-6680-7fc9-8414-767fa50242c0
                 */
                productId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /**
         * Get a product
         * Returns one product. Credentials of both environments may read the product.
         *
         *     404 `NOT_FOUND`: the catalog has no product with this identifier.
         */
        get: operations["getProduct"];
        put?: never;
        post?: never;
        /**
         * Delete a product
         * Removes a product from the catalog. The service keeps the entitlements to this product in both environments, but
         *     shows empty `features` and `grants` for them. Requires a production credential or the master key.
         *
         *     - 403 `FORBIDDEN`: the credential belongs to the sandbox. Use a credential of production.
         *     - 404 `NOT_FOUND`: the catalog has no product with this identifier.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the product again, then repeat the
         *       request.
         */
        delete: operations["deleteProduct"];
        options?: never;
        head?: never;
        /**
         * Update a product
         * Changes the fields in the body; other fields keep their values. Entitlements of the product show the change at
         *     once, in both environments. `null` for `features` or `grants` empties the list. Requires a production credential
         *     or the master key.
         *
         *     - 403 `FORBIDDEN`: the credential belongs to the sandbox. Use a credential of production.
         *     - 404 `NOT_FOUND`: the catalog has no product with this identifier.
         *     - 409 `CONFLICT`: the catalog already has another product with this `providerProductId`.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the product again, then repeat the
         *       request.
         */
        patch: operations["updateProduct"];
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List archived events
         * Lists the archived events of the environment, in the order of their receipt, newest first. The operator
         *     configures for how many months the service keeps events. The events of an erased user are in the list, without
         *     the user and without payload. A page ends when its payloads reach 8 MiB, so a page may contain fewer items than
         *     `limit`. If `cursor` is not `null`, more items follow.
         *
         *     Events with the provider `internal` are those of this service: `SYNC` is what a sync or a backfill found,
         *     `GRANT` and `REVOKE` are manual grants and their ends. `SETTINGS` is a change of `pastDueIsActive` or
         *     `renewalLeewaySeconds`. `LINK` names the invoice of a refunded charge.
         *
         *     429 `RATE_LIMITED`: too many requests with the filter `type`, `result`, `eventAfter` or `eventBefore` are
         *     running in the environment now. Repeat the request after the seconds in `Retry-After`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{eventId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay an archived event
         * Applies an archived event of the environment again, with the current settings and the current rules of the
         *     service. Use this operation after a change of the settings, or to repair an entitlement. The result is one of
         *     these:
         *
         *     - `applied`: the event now decides the state of an entitlement, or contributes to it.
         *     - `duplicate`: the event already decided the state before the replay.
         *     - `stale`: a later event was already applied, so the event changes nothing.
         *     - `skipped`: the event changes no entitlement; `reason` contains the cause. An event whose user was erased is
         *       skipped with the reason `user_erased`.
         *     - `rejected`: the event is malformed.
         *
         *     404 `NOT_FOUND`: the environment has no event with this identifier.
         */
        post: operations["replayEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the settings
         * Returns the settings of the tenant. For each secret, the response states only whether the secret is set.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the settings
         * Changes the settings in the body, for both environments of the tenant; other settings keep their values. `null`
         *     deletes a secret. For the other settings, `null` restores the default. A list replaces the previous list. A
         *     change of `pastDueIsActive` or `renewalLeewaySeconds` applies from the next read, to all entitlements, and is
         *     archived as an event of the type `SETTINGS`. If the change ends access, the service sends `entitlement.changed`
         *     with the reason `lapsed`. If the change gives access, the service sends no event. Requires a production
         *     credential or the master key.
         *
         *     To replace `purchasesSecret` without losing events, set `purchasesSecretPrevious` to the old value and
         *     `purchasesSecret` to the new one in the same request. After the provider uses the new value, set
         *     `purchasesSecretPrevious` to `null`.
         *
         *     - 403 `FORBIDDEN`: the credential belongs to the sandbox. Use a credential of production.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the settings again, then repeat the
         *       request.
         */
        patch: operations["updateSettings"];
        trace?: never;
    };
    "/v1/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase a user
         * Deletes the data of one user in this environment. The response is the same for an unknown user, and the request
         *     may be repeated. New data of the user is accepted afterwards, and later events of the user are applied.
         *
         *     - Entitlements and grants are deleted, and also the stored state of the user's subscriptions. The service sends
         *       no `entitlement.changed` for this. Pending webhook deliveries about the user are deleted.
         *     - The user's archived events lose their `payload`. A pseudonym replaces `userId`, and `erasedAt` is set. They do
         *       not count any more: `getUserEntitlements` with `at` and `replayEvent` skip them.
         *     - An event that also names other users, such as a transfer, keeps its payload. A pseudonym replaces the id of
         *       the erased user in it. Ids that are generated before a user signs in (`$RCAnonymousID:…`, `anon:…`) do not
         *       count as other users.
         *     - The audit trail names the user by a pseudonym.
         *
         *     Events about the payments of the user's subscriptions and checkouts, such as invoices, charges and disputes, count
         *     as events of the user. The service cannot find the user in other events without a user id, such as a refund
         *     whose invoice is unknown, or an event about a customer of the card payment provider without `metadata.userId`.
         *
         *     The subscription at the provider continues: cancel it there. If the account itself is deleted, auth-mfa erases
         *     the user in all services (`receiveErasure`).
         *
         *     503 `UNAVAILABLE` with `Retry-After`: the erasure takes long and is not complete. Repeat the request to continue
         *     it.
         */
        delete: operations["eraseUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        /**
         * Export a user's data
         * Streams everything that the service stores of one user in this environment, as newline-delimited JSON. Each line
         *     is an object with a `type`:
         *
         *     - `entitlement`: an entitlement of the source `purchases` or `payments`, with the fields of `Entitlement`.
         *     - `grant`: an entitlement of the source `manual`, with the same fields.
         *     - `subscription`: the stored state of a subscription at the card payment provider: `subscriptionId`, `userId`,
         *       `status`, `cancelsAtPeriodEnd`, `cancelAt`, `cancelReason`, `endedAt`, `trialEndsAt`, `lastEventType`,
         *       `lastEventAt`, `items`, `removedItems`, `lastPaidInvoice`, `paidInvoices` (since the last event that contains
         *       the subscription) and `reversals` (full refunds and lost disputes). If the subscription belongs to another
         *       user now, only `removedItems` has data.
         *     - `event`: an archived event, with the fields of `Event`; the type of the event is in `eventType`. Events of
         *       other users that name this user have no payload.
         *
         *     Within a type, the newest objects come first. For an unknown user, the export is empty. A caller with the role
         *     `user` may export only their own data.
         *
         *     - 404 `NOT_FOUND`: the caller has the role `user`, and `userId` is another user.
         *     - 429 `RATE_LIMITED`: too many exports and searches are running in the environment now. Repeat the request after
         *       the seconds in `Retry-After`.
         */
        get: operations["exportUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit entries
         * Lists the recorded changes in the environment, newest first. Each entry contains the actor, the action, the
         *     object, the time, and the fields that changed. The service keeps entries as long as the tenant exists.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * Lists the webhooks of the environment, newest first. The response does not contain any signing secrets.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * Registers an endpoint that receives the `entitlement.changed` events of this environment. Only this response
         *     contains the signing secret, so store the secret at once.
         *
         *     **Format.** The service sends each event as a POST request with the JSON body `{type, timestamp, data}`. The
         *     request is signed as [Standard Webhooks](https://www.standardwebhooks.com) defines, with the headers
         *     `webhook-id`, `webhook-timestamp` and `webhook-signature`. Verify the signature, and ignore an event whose
         *     `webhook-id` you have already processed.
         *
         *     **Retries.** An endpoint accepts an event by responding with a 2xx status within 15 seconds. After any other
         *     status, a redirect or a timeout, the service retries with backoff for 3 days. After 3 days, the delivery fails.
         *     If the endpoint accepted no other event in these 3 days, the service also disables the webhook. If an endpoint
         *     responds with 410, the service disables its webhook at once.
         *
         *     **Suspension.** While the operator has suspended the tenant, the service sends no events. When the tenant is
         *     active again, the service sends pending deliveries within 5 minutes. The time of the suspension does not count
         *     towards the 3 days.
         *
         *     409 `CONFLICT`: the environment already has 20 webhooks, which is the limit. Delete a webhook first.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the webhook.
                 * @example 019bdb46-aa00-7d04-bf9d-e97421189441
                 */
                webhookId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /**
         * Get a webhook
         * Returns one webhook. The response does not contain the signing secret.
         *
         *     404 `NOT_FOUND`: the environment has no webhook with this identifier.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * Deletes a webhook and the records of its deliveries. The service does not send pending deliveries.
         *
         *     - 404 `NOT_FOUND`: the environment has no webhook with this identifier.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the webhook again, then repeat the
         *       request.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook
         * Changes the fields in the body; other fields keep their values. `null` for `events` selects all types, and
         *     `null` for `description` deletes the text. If the body sets `enabled` to `true` or `false`, `disabledReason`
         *     becomes `null`.
         *
         *     - 404 `NOT_FOUND`: the environment has no webhook with this identifier.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the webhook again, then repeat the
         *       request.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a webhook's secret
         * Replaces the signing secret of a webhook. For 24 hours, the service signs each delivery with both secrets.
         *     Configure your endpoint to use the new secret within this time. Only this response contains the new secret, so
         *     store it at once.
         *
         *     - 404 `NOT_FOUND`: the environment has no webhook with this identifier.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the webhook again, then repeat the
         *       request.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a webhook's deliveries
         * Lists the deliveries of a webhook, newest first, with the result of the last attempt. For each event there is
         *     one delivery, with one or more attempts. Deliveries are kept for 30 days.
         *
         *     404 `NOT_FOUND`: the environment has no webhook with this identifier.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery with its event
         * Returns a delivery with the event that the service sends (`payload`). Use this operation to see what the
         *     endpoint receives.
         *
         *     404 `NOT_FOUND`: the environment has no webhook with this identifier, or the webhook has no delivery with this
         *     `deliveryId`.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver an event
         * Sends the event of a delivery again, and retries for another 3 days. The header `webhook-id` stays the same (the
         *     `deliveryId`). Use this operation after you have repaired the endpoint.
         *
         *     - 404 `NOT_FOUND`: the environment has no webhook with this identifier, or the webhook has no delivery with this
         *       `deliveryId`.
         *     - 409 `CONFLICT`: the webhook is disabled. Enable the webhook first.
         */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook
         * Sends an event of the type `webhook.test` to the webhook at once, and returns the result. Use this operation to
         *     check an endpoint and its verification of signatures. The body of the request to the endpoint is
         *     `{"type": "webhook.test", "timestamp": …, "data": {"webhookId": …}}`. The request is signed like a delivery, and
         *     has the same time limit of 15 s. There are no retries. The test does not appear in `listDeliveries`.
         *
         *     The operation also works while the webhook is disabled, and for a webhook that receives only some types of
         *     events. The result does not change the webhook: a 410 does not disable it. A response other than 2xx, a redirect,
         *     and no response are results with `status` `failed`, not errors.
         *
         *     - 404 `NOT_FOUND`: the environment has no webhook with this identifier.
         *     - 429 `RATE_LIMITED`: the webhook is being tested, or too many tests are running, or the environment has started
         *       10 tests within a minute. Wait for the number of seconds in `Retry-After`.
         *     - 503 `UNAVAILABLE`: the service is being restarted. Send the test again.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys
         * Lists the valid API keys of one environment, newest first. A record contains the first characters of its key,
         *     never the whole key. The list omits revoked keys, and replaced keys whose grace period has ended. Requires the
         *     master key, or a user token with the role `admin` or `owner`.
         *
         *     403 `FORBIDDEN`: the user token belongs to the sandbox, and the keys belong to production. Use a user token of
         *     production.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Mint an API key
         * Creates an API key for the `environment` in the body, which may differ from the environment of the host. Older
         *     keys stay valid. Only this response contains the key, so store the key at once. The service ignores
         *     `Idempotency-Key`: each request creates another key. Requires the master key, or a user token with the role
         *     `admin` or `owner`.
         *
         *     403 `FORBIDDEN`: the user token belongs to the sandbox, and the key would belong to production. Use a user token
         *     of production.
         */
        post: operations["mintKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{environment}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the API key
         * Creates an API key that replaces all other keys of the environment. The replaced keys stay valid for
         *     `gracePeriodSeconds`. If `gracePeriodSeconds` is absent or 0, the replaced keys become invalid at once. Only
         *     this response contains the new key, so store the key at once. The service ignores `Idempotency-Key`: each
         *     request creates another key. Requires the master key, or a user token with the role `admin` or `owner`.
         *
         *     403 `FORBIDDEN`: the user token belongs to the sandbox, and the keys belong to production. Use a user token of
         *     production.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{prefix}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * Revokes an API key of the request's environment. After at most one second, all replicas of the service
         *     refuse the key. Requires the master key, or a user token with the role `admin` or `owner`.
         *
         *     404 `NOT_FOUND`: no valid key of the request's environment has this prefix.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tenants
         * Lists all tenants, newest first. The list includes deleted tenants whose data is not erased yet. Requires the
         *     master key.
         */
        get: operations["listTenants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/tenants/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Slug of the tenant.
                 * @example demo
                 */
                slug: components["schemas"]["Slug"];
            };
            cookie?: never;
        };
        /**
         * Get a tenant
         * Returns one tenant. A deleted tenant can be read until its data is erased. Requires the master key.
         *
         *     404 `TENANT_NOT_FOUND`: no tenant has this slug.
         */
        get: operations["getTenant"];
        /**
         * Create or update a tenant
         * Creates the tenant with both environments, or changes an existing tenant. If the body omits `status` or
         *     `limits`, an existing tenant keeps its current value, and a new tenant is active and has no limits.
         *
         *     If the tenant was deleted but its erasure has not begun, this request cancels the erasure. The tenant then
         *     becomes active, unless `status` is `suspended`.
         *
         *     Each service has its own record of a tenant, so call this operation in every service that the tenant uses.
         *     Requires the master key.
         *
         *     - 400 `VALIDATION_ERROR`: a field is invalid, or the slug ends in `-sandbox` or is reserved. Reserved slugs are
         *       `www`, `api`, `admin`, `auth`, `feedback`, `notify`, `billing`, `static` and `docs`.
         *     - 409 `CONFLICT`: the tenant is being erased. Repeat the request when the erasure is complete.
         */
        put: operations["putTenant"];
        post?: never;
        /**
         * Delete a tenant
         * Suspends the tenant at once, and erases its data after 7 days. During these 7 days, `putTenant` restores the
         *     tenant. With `purge=now`, the service erases the data at once, and status 200 means that the erasure is
         *     complete. Requires the master key.
         *
         *     - 503 `UNAVAILABLE` with `Retry-After`: the tenant has much data, and the erasure continues in the background.
         *       Repeat the request until the response is 200 or 404.
         *     - 404 `TENANT_NOT_FOUND`: no tenant has this slug, or the erasure of the tenant is complete.
         */
        delete: operations["deleteTenant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * What the provider reported last. `isActive` states whether the entitlement gives access: an `active` entitlement
         *     may have ended, and an `expired` or `paused` one may still give access.
         * @example active
         */
        EntitlementStatus: "active" | "expired" | "paused";
        /**
         * `applied`: the event decides the state of an entitlement, or contributes to it. `skipped`: the event changes no
         *     entitlement; `reason` contains the cause. `duplicate`: the event was received before, or already decided the state
         *     before a replay. `stale`: a later event was already applied, so this event changes nothing. `rejected`: the event is
         *     malformed. `deferred`: the tenant was suspended when the event arrived. The service applies the event when the tenant
         *     is active again, and then replaces this result.
         * @example applied
         */
        EventResult: "applied" | "skipped" | "duplicate" | "stale" | "rejected" | "deferred";
        /**
         * `subscription`: a user has at most one entitlement to the product per `source`. `consumable`: each purchase gives the
         *     user a separate entitlement. `lifetime`: the product is bought once, and gives access without end.
         * @example subscription
         */
        Kind: "subscription" | "consumable" | "lifetime";
        /**
         * The provider's identifier of the event.
         * @example 6d1f0c7e-3b52-4a0e-9f65-0c1c6f2f9a11
         */
        EventId: string;
        /**
         * Type of the event, as the provider names it. Events of this service are `SYNC`, `GRANT`, `REVOKE`, `SETTINGS` and `LINK`.
         * @example RENEWAL
         */
        EventType: string;
        /**
         * Stable code of the cause. Examples:
         *
         *     - `unhandled_type`: the service does not handle events of this type. `handled_by_sdk_login`: a `TRANSFER`.
         *     - `no_user`: the event names no user. `user_erased`: the user was erased.
         *     - `awaiting_subscription`: the subscription of the invoice is not known yet. `subscription_ended`: it has ended.
         *     - `unknown_product`, `subscription_product`: the catalog does not have the product of the checkout session, or it
         *       is a subscription.
         *     - `connects_payments`: the event only links a charge to its invoice.
         *     - `unknown_charge`: the service does not know the purchase or the invoice of the charge.
         *     - `partial_refund`, `dispute_open`, `dispute_not_lost`: the event does not end access.
         * @example unhandled_type
         */
        OutcomeReason: string;
        /**
         * Stable code of the cause. `null`: no cause is recorded.
         * @example unhandled_type
         */
        OutcomeReasonOrNull: string | null;
        /**
         * Identifier of the user, which your app passes to the providers.
         * @example 019bb153-8740-7299-952d-a3a6560e239c
         */
        UserId: string;
        /**
         * Name of 1 to 100 characters.
         * @example export
         */
        Name: string;
        /**
         * Reason of a grant. `null`: no reason was given.
         * @example Beta tester
         */
        Reason: string | null;
        /**
         * Identifier of the product at the provider. For a product of an app store, use the product id, or
         *     `product:base-plan`. For Stripe, use the id of a price, or the id of the price's product.
         * @example com.example.pro.monthly
         */
        ProviderProductId: string;
        /**
         * Types of the events to send.
         * @example [
         *       "entitlement.changed"
         *     ]
         */
        WebhookEvents: "entitlement.changed"[] | null;
        /**
         * Currency (ISO 4217).
         * @example EUR
         */
        Currency: string;
        /** A signing secret of the card payment provider's webhooks, with its environment. */
        SigningSecret: {
            /**
             * The secret.
             * @example whsec_live
             */
            secret: string;
            /**
             * Environment of the events that the secret may sign: `production` for `livemode: true`, `sandbox` for `livemode: false`, or `any`. `null` means `any`.
             * @example production
             */
            environment?: "production" | "sandbox" | "any" | null;
        };
        /** Progress of a backfill. */
        Backfill: {
            /** Identifier of the backfill. */
            backfillId: components["schemas"]["Id"];
            /**
             * Provider that is read: `payments` is the card payment provider.
             * @example payments
             */
            source: "payments";
            /** Only subscriptions that were created at or after this time. `null`: all subscriptions. */
            since: components["schemas"]["TimeOrNull"];
            /**
             * `queued`: the backfill has not started. `running`: the service fetches and applies subscriptions. It also waits in
             *     this status, while the provider does not answer, `paymentsApiKey` is not set, or the tenant is suspended. `done`:
             *     all subscriptions were fetched. `failed`: the provider refused a request, or the backfill made no progress for 3
             *     days. Subscriptions that were processed keep their changes.
             * @example running
             */
            status: "queued" | "running" | "done" | "failed";
            /**
             * Number of subscriptions that were fetched and that name a user.
             * @example 1200
             */
            processed: components["schemas"]["Count"];
            /**
             * Number of subscriptions whose stored state changed.
             * @example 37
             */
            changed: components["schemas"]["Count"];
            /**
             * Number of subscriptions that could not be applied because they are malformed.
             * @example 0
             */
            failed: components["schemas"]["Count"];
            /** When the backfill started. `null`: it has not started. */
            startedAt: components["schemas"]["TimeOrNull"];
            /** When the backfill ended, as `done` or `failed`. `null`: it has not ended. */
            completedAt: components["schemas"]["TimeOrNull"];
            /**
             * Why the backfill waits or has failed. `null`: no error.
             * @example null
             */
            lastError: string | null;
        };
        /** Numbers of one product on one day. */
        DayStats: {
            /** The provider's identifier of the product. */
            product: components["schemas"]["ProviderProductId"];
            /** Identifier of the product in the catalog. `null`: the catalog does not contain the product now. */
            productId: components["schemas"]["IdOrNull"];
            /**
             * Format: date
             * Day in UTC.
             * @example 2026-01-31
             */
            date: string;
            /**
             * Number of entitlements that gave access at the end of the day, or now if the day is today.
             * @example 128
             */
            active: components["schemas"]["Count"];
            /**
             * Number of these entitlements that were in a trial.
             * @example 9
             */
            trials: components["schemas"]["Count"];
            /**
             * Number of entitlements whose access began on this day, also if the user had access before.
             * @example 6
             */
            new: components["schemas"]["Count"];
            /**
             * Number of entitlements whose access ended on this day.
             * @example 2
             */
            churned: components["schemas"]["Count"];
        };
        /** Entitlements of the user. */
        Entitlements: components["schemas"]["Entitlement"][];
        /** A quantity that a product gives, such as 5 seats. */
        Grant: {
            /**
             * Name of the quantity.
             * @example seats
             */
            name: components["schemas"]["Name"];
            /**
             * Format: int64
             * Number of units.
             * @example 5
             */
            quantity: number;
        };
        /** A product to create. */
        NewProduct: {
            providerProductId: components["schemas"]["ProviderProductId"];
            /**
             * Display name of the product.
             * @example Pro, monthly
             */
            name: components["schemas"]["Name"];
            kind: components["schemas"]["Kind"];
            /**
             * Features that the product gives.
             * @example [
             *       "export",
             *       "sync"
             *     ]
             */
            features?: components["schemas"]["Name"][] | null;
            /** Quantities that the product gives. */
            grants?: components["schemas"]["Grant"][] | null;
        };
        /** A product of the catalog. */
        Product: {
            /** Identifier of the product. */
            productId: components["schemas"]["Id"];
            providerProductId: components["schemas"]["ProviderProductId"];
            /**
             * Display name of the product.
             * @example Pro, monthly
             */
            name: components["schemas"]["Name"];
            kind: components["schemas"]["Kind"];
            /**
             * Features that the product gives.
             * @example [
             *       "export",
             *       "sync"
             *     ]
             */
            features: components["schemas"]["Name"][];
            /** Quantities that the product gives. */
            grants: components["schemas"]["Grant"][];
            version: components["schemas"]["Version"];
            /** When the product was created. */
            createdAt: components["schemas"]["Time"];
            /** When the product was last changed. */
            updatedAt: components["schemas"]["Time"];
        };
        /** An entitlement of a user to the features and quantities of a product. */
        Entitlement: {
            /** Identifier of the entitlement. */
            entitlementId: components["schemas"]["Id"];
            userId: components["schemas"]["UserId"];
            /**
             * Origin: `purchases` is the in-app purchase provider, `payments` the card payment provider, `manual` a grant.
             * @example purchases
             */
            source: "purchases" | "payments" | "manual";
            /** Identifier of the product in the catalog. `null`: the catalog does not contain the product now. */
            productId: components["schemas"]["IdOrNull"];
            /** Identifier of the product at the provider. */
            providerProductId: components["schemas"]["ProviderProductId"];
            /**
             * Environment of the entitlement.
             * @example sandbox
             */
            environment: components["schemas"]["Environment"];
            status: components["schemas"]["EntitlementStatus"];
            /**
             * Whether the user may use the features now, or at the time `at` if the request has `at`: `true` until
             *     `accessUntil`, then `false`. An event that ends access, such as a refund, makes it `false` at once. The
             *     status does not change it.
             * @example true
             */
            isActive: boolean;
            /**
             * When access ends if no further event arrives: the moment at which `isActive` turns `false`. It includes the
             *     grace period and the leeway for a renewal. If access has ended: when it ended, for example the time of a
             *     refund. `null`: access never ends.
             * @example 2026-02-01T01:00:00.000Z
             */
            accessUntil: components["schemas"]["TimeOrNull"];
            /**
             * Features of the product. Empty if the catalog does not contain the product.
             * @example [
             *       "export",
             *       "sync"
             *     ]
             */
            features: components["schemas"]["Name"][];
            /** Quantities of the product. Empty if the catalog does not contain the product. */
            grants: components["schemas"]["Grant"][];
            /** When the product was bought or granted. `null`: the provider did not state it. */
            purchasedAt: components["schemas"]["TimeOrNull"];
            /** End of the paid period, as the provider states it. Access may end later or earlier: see `accessUntil`. `null`: the period never ends. */
            expiresAt: components["schemas"]["TimeOrNull"];
            /**
             * End of the grace period in which the provider retries a failed payment. `null`: the provider stated no grace period.
             * @example null
             */
            graceUntil: components["schemas"]["TimeOrNull"];
            /**
             * Type of the current period: `trial` is a free trial, `intro` a period with an introductory price, `normal` any other. `null`: not known, because an older version stored the entitlement.
             * @example normal
             */
            periodType: "normal" | "trial" | "intro" | null;
            /**
             * When the current free trial ends. `null`: the current period is not a trial.
             * @example null
             */
            trialEndsAt: components["schemas"]["TimeOrNull"];
            /**
             * Whether the provider will renew the subscription.
             * @example true
             */
            willRenew: boolean;
            /**
             * Store of the purchase, as the in-app purchase provider names it, such as `APP_STORE`, `PLAY_STORE` or
             *     `PROMOTIONAL`. `STRIPE` for the source `payments`. `null`: the provider stated no store, or the source is
             *     `manual`.
             * @example APP_STORE
             */
            store: string | null;
            /**
             * Format: int64
             * Number of units that were bought, such as seats. `null`: unknown, or the source is `manual`.
             * @example 1
             */
            quantity: number | null;
            /** Price of one unit for one period. `null`: the provider stated no price. */
            price: {
                /**
                 * Format: int64
                 * Amount in minor units of the currency, such as cents. A currency without minor units, such as JPY, counts whole units.
                 * @example 999
                 */
                amount: number;
                currency: components["schemas"]["Currency"];
            } | null;
            /**
             * Identifier of the purchase at the provider: the transaction of the store, the subscription at Stripe, or the
             *     payment intent of a one-time payment (without one, the checkout session). `null`: the provider stated none, or
             *     the source is `manual`.
             * @example 510000000000001
             */
            transactionId: string | null;
            /**
             * Why the purchase was cancelled or refunded, as the provider names it, such as `UNSUBSCRIBE` or `CUSTOMER_SUPPORT`. `null`: it was not cancelled, or the provider stated no reason.
             * @example null
             */
            cancelReason: string | null;
            /** Reason of a grant. `null` for other sources. */
            reason: components["schemas"]["Reason"];
            /**
             * Type of the event that decides the state of the entitlement, as the provider names the type. If a sync, a
             *     grant or a revocation decides the state, the type is `SYNC`, `GRANT` or `REVOKE`. `MOVED`: the purchase belongs
             *     to another user id of the same customer.
             * @example INITIAL_PURCHASE
             */
            lastEventType: string;
            /** When the event, sync, grant or revocation of `lastEventType` happened. */
            lastEventAt: components["schemas"]["Time"];
            /** When the service received the first event of the entitlement. */
            createdAt: components["schemas"]["Time"];
            /** When the service received the event, sync, grant or revocation of `lastEventType`. */
            updatedAt: components["schemas"]["Time"];
        };
        /** An archived event. A provider sent it, or this service made it (`internal`). */
        Event: {
            /** The provider's identifier of the event. For a malformed or internal event, the service makes an identifier. */
            eventId: components["schemas"]["EventId"];
            /**
             * Origin: `purchases` is the in-app purchase provider, `payments` the card payment provider, `internal` this service.
             * @example purchases
             */
            provider: "purchases" | "payments" | "internal";
            /**
             * Type of the event, as the provider names it, or `SYNC`, `GRANT`, `REVOKE`, `SETTINGS` or `LINK`. `null`: the type could not be read.
             * @example RENEWAL
             */
            type: string | null;
            result: components["schemas"]["EventResult"];
            /** Why the event was skipped. `null` for other results. */
            reason: components["schemas"]["OutcomeReasonOrNull"];
            /**
             * User of the event. `null`: the event contains no user id. After the erasure of the user: a pseudonym, `deleted:` and a UUID.
             * @example 019bb153-8740-7299-952d-a3a6560e239c
             */
            userId: string | null;
            /** When the event happened, as the provider states it. `null`: the event states no time. */
            eventAt: components["schemas"]["TimeOrNull"];
            /** When the service received the event. */
            receivedAt: components["schemas"]["Time"];
            /** When the user of the event was erased. `null`: the user was not erased. */
            erasedAt: components["schemas"]["TimeOrNull"];
            /**
             * Body of the webhook: the received JSON, or a text if the body is not JSON. For an internal event: an object of
             *     this service. `null` after the erasure of the user. If the event also names other users, the payload stays,
             *     but the ids of erased users are replaced by pseudonyms.
             * @example {
             *       "api_version": "1.0",
             *       "event": {
             *         "id": "6d1f0c7e-3b52-4a0e-9f65-0c1c6f2f9a11",
             *         "type": "RENEWAL"
             *       }
             *     }
             */
            payload: unknown;
        };
        /**
         * Identifier of the request. The header `X-Request-Id` contains the same value.
         * @example 5f2b8c1d9e3a4f60
         */
        RequestId: string;
        /**
         * Format: uri
         * Origin of web pages: scheme, host and, unless it is the default of the scheme, port.
         * @example https://app.example.com
         */
        WebOrigin: string;
        /** Problem details of an error (RFC 9457). */
        Problem: {
            /**
             * Always `about:blank`.
             */
            type: "about:blank";
            /**
             * Reason phrase of the HTTP status.
             * @example Bad Request
             */
            title: string;
            /**
             * Format: int32
             * HTTP status.
             * @example 400
             */
            status: number;
            /**
             * Explanation for people. The text can change, so programs must not depend on it.
             * @example /title is required.
             */
            detail: string;
            /**
             * Stable error code, for programs.
             * @example VALIDATION_ERROR
             */
            error: string;
            requestId: components["schemas"]["RequestId"];
            /** Invalid fields. Present if `error` is `VALIDATION_ERROR`. */
            errors?: {
                /**
                 * Where the error is: a JSON Pointer into the body (RFC 6901), `?name` for a query parameter, `:name` for
                 *     a path parameter, or the name of a header. A name of more than 64 bytes is cut and ends in `…`.
                 * @example /title
                 */
                pointer: string;
                /**
                 * Stable code of the error, for programs.
                 * @example required
                 */
                code: string;
                /**
                 * Explanation for people.
                 * @example is required
                 */
                detail: string;
            }[];
        };
        /**
         * Format: uuid
         * Identifier of the object (UUID).
         * @example 019c1347-d280-7ffb-a9a3-5da82b657381
         */
        Id: string;
        /**
         * Format: uuid
         * Identifier of the object (UUID), or `null`.
         * @example 019c1347-d280-7ffb-a9a3-5da82b657381
         */
        IdOrNull: string | null;
        /**
         * Environment of the tenant. The two environments are isolated from each other.
         * @example sandbox
         */
        Environment: "production" | "sandbox";
        /**
         * Format: date-time
         * Time in UTC with milliseconds (RFC 3339), or `null`.
         * @example 2026-01-31T09:00:00.000Z
         */
        TimeOrNull: string | null;
        /**
         * Format: date-time
         * Time in UTC with milliseconds (RFC 3339).
         * @example 2026-01-31T09:00:00.000Z
         */
        Time: string;
        /**
         * Format: date-time
         * Time with any UTC offset and at most 9 fractional digits of a second (RFC 3339), or `null`.
         * @example 2026-01-31T10:00:00+01:00
         */
        MomentOrNull: string | null;
        /**
         * Format: int64
         * Number of items.
         * @example 42
         */
        Count: number;
        /**
         * Format: date-time
         * Time with any UTC offset and at most 9 fractional digits of a second (RFC 3339).
         * @example 2026-01-31T10:00:00+01:00
         */
        Moment: string;
        /**
         * Format: int64
         * Version of the object. Each change adds 1.
         * @example 3
         */
        Version: number;
        /**
         * Position of the next page. Send this value as `cursor` to get the next page. `null`: this is the last page.
         * @example AAYBm_z0oAABnBNH0oB_-6mjXagrZXOBZpLbX4u3
         */
        Cursor: string | null;
        /**
         * Origins whose web pages may call the API (CORS), in lower case and without repetitions.
         * @example [
         *       "https://app.example.com"
         *     ]
         */
        ShownOrigins: components["schemas"]["WebOrigin"][];
        /**
         * Origins whose web pages may call the API (CORS). The list replaces the current list. `null` empties the list.
         * @example [
         *       "https://app.example.com"
         *     ]
         */
        AllowedOrigins: components["schemas"]["WebOrigin"][] | null;
        /**
         * Identifier of the user: the claim `sub` of the user's token.
         * @example 019bb153-8740-7299-952d-a3a6560e239c
         */
        "schemas-UserId": string;
        /** One recorded change. */
        AuditEntry: {
            /** Identifier of the entry. */
            auditId: components["schemas"]["Id"];
            /** When the change was made. */
            createdAt: components["schemas"]["Time"];
            /**
             * Who made the change: a user id, `key:<prefix>`, `master`, `system:<worker>` or, for an OAuth client, `client:<clientId>`.
             * @example key:fbk_Xk3vR9aQ
             */
            actor: components["schemas"]["schemas-UserId"];
            /**
             * Role of the actor. API keys act as `admin`, the master key as `owner`.
             * @example admin
             */
            actorRole: "user" | "admin" | "owner" | "system";
            /**
             * Name of the action.
             * @example settings.updated
             */
            action: string;
            /**
             * Type of the changed object.
             * @example settings
             */
            subjectType: string;
            /**
             * Identifier of the changed object. Empty if the environment has only one such object, for example its
             *     settings.
             * @example 019c1347-d280-7ffb-a9a3-5da82b657381
             */
            subjectId: string;
            /**
             * Values of the changed fields before the change. `null`: not recorded.
             * @example {
             *       "status": "open"
             *     }
             */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * Values of the changed fields after the change. `null`: not recorded.
             * @example {
             *       "status": "in-progress"
             *     }
             */
            after: {
                [key: string]: unknown;
            } | null;
            /**
             * Identifier of the request that made the change. Empty if no request caused the change, or if the user who made the change was
             *     erased.
             * @example 5f2b8c1d9e3a4f60
             */
            requestId: string;
        };
        /**
         * Format: uri
         * URL of the endpoint. It must begin with `https://` and must not contain a user name or a password. `http://` is
         *     allowed only if the operator allows private addresses.
         * @example https://example.com/hooks
         */
        WebhookUrl: string;
        /**
         * Type of an event, for example `feedback.created` (service feedback), `user.created` (auth-mfa),
         *     `notification.sent` (notify) or `entitlement.changed` (billing).
         * @example feedback.created
         */
        "schemas-EventType": string;
        /**
         * Free text, for example the purpose of the webhook. `null`: no text.
         * @example Support desk
         */
        WebhookDescription: string | null;
        /**
         * Why the service disabled the webhook. `null`: the service has not disabled the webhook.
         * @example a delivery failed for 3 days
         */
        DisabledReason: "the endpoint answered 410 Gone" | "a delivery failed for 3 days" | null;
        /** An endpoint that receives events. */
        Webhook: {
            /** Identifier of the webhook. */
            webhookId: components["schemas"]["Id"];
            url: components["schemas"]["WebhookUrl"];
            /**
             * Types of the events that are sent. If the list is empty, events of all types are sent.
             * @example []
             */
            events: components["schemas"]["schemas-EventType"][];
            description: components["schemas"]["WebhookDescription"];
            /**
             * Whether events are sent to the endpoint.
             * @example true
             */
            enabled: boolean;
            disabledReason: components["schemas"]["DisabledReason"];
            /** When the webhook was created. */
            createdAt: components["schemas"]["Time"];
            /** When the webhook was last changed. */
            updatedAt: components["schemas"]["Time"];
            version: components["schemas"]["Version"];
        };
        /**
         * Secret with which the service signs the deliveries.
         * @example whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=
         */
        WebhookSecret: string;
        /** A webhook with its signing secret. */
        WebhookWithSecret: components["schemas"]["Webhook"] & {
            secret: components["schemas"]["WebhookSecret"];
        };
        /** The delivery of one event to one webhook. */
        Delivery: {
            /** Identifier of the delivery. It is sent as `webhook-id`. */
            deliveryId: components["schemas"]["Id"];
            /** Identifier of the webhook. */
            webhookId: components["schemas"]["Id"];
            eventType: components["schemas"]["schemas-EventType"];
            /**
             * `pending`: the endpoint has not accepted the event yet. `delivered`: the endpoint has accepted the event with a
             *     2xx status. `failed`: the endpoint has not accepted the event, and the service makes no more attempts.
             * @example pending
             */
            status: "pending" | "delivered" | "failed";
            /**
             * Format: int32
             * Number of attempts so far.
             * @example 2
             */
            attempts: number;
            /** When the next attempt is due. `null`: no attempt is planned. */
            nextAttemptAt: components["schemas"]["TimeOrNull"];
            /**
             * Format: int32
             * HTTP status of the last attempt or, if `status` is `failed`, of the last attempt that got a response. `null`:
             *     there was no response.
             * @example 502
             */
            lastStatus: number | null;
            /**
             * Why the last attempt failed, or why the delivery failed without another attempt. `null`: the last attempt did
             *     not fail, or no attempt was made.
             * @example the endpoint answered 502
             */
            lastError: string | null;
            /**
             * Beginning of the last response body, at most 1 KiB. `null`: there was no response, its body was empty, or the
             *     erasure of a user changed the event.
             * @example Bad Gateway
             */
            responseExcerpt: string | null;
            /** When the event happened. */
            createdAt: components["schemas"]["Time"];
            /** When the endpoint accepted the event. `null`: the endpoint has not accepted the event. */
            deliveredAt: components["schemas"]["TimeOrNull"];
        };
        /**
         * The event: the body of the requests to the endpoint. The signature is made over the bytes of this body, so verify
         *     the received body, not this object. After the erasure of a user, identifiers of the user are replaced.
         */
        DeliveryPayload: {
            type: components["schemas"]["schemas-EventType"];
            /** When the event happened. */
            timestamp: components["schemas"]["Time"];
            /**
             * What happened. The members depend on the type of the event.
             * @example {
             *       "userId": "user-42"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
        };
        /** A delivery with the event that it sends. */
        DeliveryWithPayload: components["schemas"]["Delivery"] & {
            payload: components["schemas"]["DeliveryPayload"];
        };
        /** The result of a test of a webhook. */
        WebhookTest: {
            /**
             * `delivered`: the endpoint has accepted the event with a 2xx status. `failed`: the endpoint has not accepted
             *     the event.
             * @example failed
             */
            status: "delivered" | "failed";
            /** Identifier of the test. It was sent as `webhook-id`. */
            messageId: components["schemas"]["Id"];
            /**
             * Format: int32
             * Time in milliseconds until the endpoint had responded or the attempt had failed, including name resolution.
             * @example 182
             */
            durationMs: number;
            /**
             * Format: int32
             * HTTP status of the response. `null`: there was no response.
             * @example 502
             */
            responseCode: number | null;
            /**
             * Why the test failed. `null`: the test did not fail.
             * @example the endpoint answered 502
             */
            error: string | null;
            /**
             * Beginning of the response body, at most 1 KiB. `null`: there was no response, or its body was empty.
             * @example Bad Gateway
             */
            responseExcerpt: string | null;
        };
        /**
         * First 12 characters of the key. They identify the key in lists and in audit entries.
         * @example fbk_Xk3vR9aQ
         */
        KeyPrefix: string;
        /** An API key without its secret part. */
        KeyRecord: {
            prefix: components["schemas"]["KeyPrefix"];
            /**
             * Kind of the key. Present only in the service notify, which has two kinds of keys.
             * @example secret
             */
            kind?: "secret" | "publishable";
            /** Environment that the key belongs to. */
            environment: components["schemas"]["Environment"];
            /** When the key was created. */
            createdAt: components["schemas"]["Time"];
            /** When a request last used the key. `null`: never. */
            lastUsedAt: components["schemas"]["TimeOrNull"];
            /**
             * When the key becomes invalid. Set only if a rotation with a grace period has replaced the key. `null`: the key
             *     does not expire.
             */
            expiresAt: components["schemas"]["TimeOrNull"];
        };
        /** A new API key. */
        NewKey: {
            /**
             * The API key.
             * @example fbk_Xk3vR9aQ7mTz2LcW8yHd5NpJ4uKs6BfG1eVo0iC3rA9tYq
             */
            key: string;
            /**
             * Kind of the key. Present only in the service notify, which has two kinds of keys.
             * @example secret
             */
            kind?: "secret" | "publishable";
            /** Environment that the key belongs to. */
            environment: components["schemas"]["Environment"];
            prefix: components["schemas"]["KeyPrefix"];
            /** When the key was created. */
            createdAt: components["schemas"]["Time"];
        };
        /**
         * Name of the tenant in host names: lower-case letters, digits, and hyphens between them.
         * @example demo
         */
        Slug: string;
        /**
         * Name of the tenant for people.
         * @example Demo Inc.
         */
        DisplayName: string;
        /**
         * `active`: the tenant can use the service. `suspended`: requests for the tenant get 403 `TENANT_SUSPENDED`, except
         *     GET requests with the master key. billing also archives the events of the providers, and applies them when the
         *     tenant is active again.
         * @example active
         */
        TenantStatus: "active" | "suspended";
        /**
         * Limits by name. They apply to each environment separately, except `smsPerDay`. All services use
         *     `requestsPerMinute`. notify also uses `sendsPer5Minutes`, `broadcastsPerMinute` and `testPushesPerMinute`.
         *     auth-mfa and notify use `smsPerDay` and `sandboxSms`. Other names are stored and have no effect. All limits are
         *     integers, except `sandboxSms`.
         * @example {
         *       "requestsPerMinute": 600
         *     }
         */
        Limits: {
            /**
             * Format: int32
             * Maximum number of requests that each user and each API key may make in any minute.
             * @example 600
             */
            requestsPerMinute?: number;
            /**
             * Format: int32
             * Maximum number of text messages in a day (UTC), by default 1,000. The codes of auth-mfa and the notifications
             *     of notify count together, so set the same number in both services. Messages that stay in the sandbox are
             *     counted separately.
             * @example 1000
             */
            smsPerDay?: number;
            /**
             * Whether text messages of the sandbox are sent to phones, like those of production. By default they are not
             *     sent.
             * @example false
             */
            sandboxSms?: boolean;
        } & {
            [key: string]: number | boolean;
        };
        /** A tenant. */
        Tenant: {
            slug: components["schemas"]["Slug"];
            displayName: components["schemas"]["DisplayName"];
            status: components["schemas"]["TenantStatus"];
            limits: components["schemas"]["Limits"];
            /** When the tenant was created. */
            createdAt: components["schemas"]["Time"];
            /** When the tenant was last changed. */
            updatedAt: components["schemas"]["Time"];
            /** Time after which the service erases the tenant's data. `null`: no erasure is planned. */
            eraseAfter: components["schemas"]["TimeOrNull"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    syncUser: {
        parameters: {
            query?: {
                /**
                 * Provider to ask: `purchases` is the in-app purchase provider, `payments` the card payment provider. Default: each provider whose API key is set.
                 * @example payments
                 */
                source?: "purchases" | "payments";
            };
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Entitlements of the user in the environment of the request, and the changes in both environments */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "entitlements": [
                     *         {
                     *           "entitlementId": "019b76da-abe8-7b82-a098-51696e18f37e",
                     *           "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *           "source": "purchases",
                     *           "productId": "019b7def-6680-7fc9-8414-767fa50242c0",
                     *           "providerProductId": "com.example.pro.monthly",
                     *           "environment": "sandbox",
                     *           "status": "active",
                     *           "isActive": true,
                     *           "accessUntil": "2026-02-01T01:00:00.000Z",
                     *           "features": [
                     *             "export",
                     *             "sync"
                     *           ],
                     *           "grants": [
                     *             {
                     *               "name": "seats",
                     *               "quantity": 5
                     *             }
                     *           ],
                     *           "purchasedAt": "2026-01-01T00:00:00.000Z",
                     *           "expiresAt": "2026-02-01T00:00:00.000Z",
                     *           "graceUntil": null,
                     *           "periodType": "normal",
                     *           "trialEndsAt": null,
                     *           "willRenew": true,
                     *           "store": "APP_STORE",
                     *           "quantity": 1,
                     *           "price": {
                     *             "amount": 999,
                     *             "currency": "EUR"
                     *           },
                     *           "transactionId": "510000000000001",
                     *           "cancelReason": null,
                     *           "reason": null,
                     *           "lastEventType": "INITIAL_PURCHASE",
                     *           "lastEventAt": "2026-01-01T00:00:00.000Z",
                     *           "createdAt": "2026-01-01T00:00:01.204Z",
                     *           "updatedAt": "2026-01-01T00:00:01.204Z"
                     *         }
                     *       ],
                     *       "changes": [
                     *         {
                     *           "entitlementId": "019b76da-abe8-7b82-a098-51696e18f37e",
                     *           "from": "expired",
                     *           "to": "active"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        userId: components["schemas"]["UserId"];
                        entitlements: components["schemas"]["Entitlements"];
                        /** Entitlements that the sync changed, in both environments. The status may be the same if another field changed. */
                        changes: {
                            /** Identifier of the entitlement. */
                            entitlementId: components["schemas"]["Id"];
                            /**
                             * Status before the sync. `null`: the entitlement is new.
                             * @example expired
                             */
                            from: "active" | "expired" | "paused" | null;
                            /** Status after the sync. */
                            to: components["schemas"]["EntitlementStatus"];
                        }[];
                    };
                };
            };
        };
    };
    startBackfill: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "source": "payments",
                 *       "since": "2026-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Provider to read: `payments` is the card payment provider.
                     * @example payments
                     */
                    source: "payments";
                    /**
                     * Only subscriptions that were created at or after this time. If `since` is absent or `null`: all subscriptions.
                     * @example 2026-01-01T00:00:00Z
                     */
                    since?: components["schemas"]["MomentOrNull"];
                };
            };
        };
        responses: {
            /** The backfill, which runs in the background */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "backfillId": "019c1347-d1a0-7c55-8e21-6f0a4b9d3c17"
                     *     }
                     */
                    "application/json": {
                        /** Identifier of the backfill. */
                        backfillId: components["schemas"]["Id"];
                    };
                };
            };
        };
    };
    getBackfill: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the backfill.
                 * @example 019c1347-d1a0-7c55-8e21-6f0a4b9d3c17
                 */
                backfillId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The progress of the backfill */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "backfillId": "019c1347-d1a0-7c55-8e21-6f0a4b9d3c17",
                     *       "source": "payments",
                     *       "since": "2026-01-01T00:00:00.000Z",
                     *       "status": "running",
                     *       "processed": 1200,
                     *       "changed": 37,
                     *       "failed": 0,
                     *       "startedAt": "2026-01-31T09:00:00.250Z",
                     *       "completedAt": null,
                     *       "lastError": null
                     *     }
                     */
                    "application/json": components["schemas"]["Backfill"];
                };
            };
        };
    };
    listSubscribers: {
        parameters: {
            query?: {
                /**
                 * Only entitlements to this product: its `productId` or its `providerProductId`.
                 * @example com.example.pro.monthly
                 */
                product?: components["schemas"]["ProviderProductId"];
                /**
                 * Only items whose entitlement has this status.
                 * @example active
                 */
                status?: components["schemas"]["EntitlementStatus"];
                /**
                 * `true`: only users who have access now. `false`: only users who do not have access now.
                 * @example true
                 */
                active?: boolean;
                /**
                 * Number of items per page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * Value of `cursor` in the previous page. Use the same filters for all pages. Omit `cursor` for the first page.
                 * @example AgAAAAAAAAAAACQwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWM
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of entitlements, ordered by user and product */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "entitlementId": "019b76da-abe8-7b82-a098-51696e18f37e",
                     *           "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *           "source": "purchases",
                     *           "productId": "019b7def-6680-7fc9-8414-767fa50242c0",
                     *           "providerProductId": "com.example.pro.monthly",
                     *           "environment": "sandbox",
                     *           "status": "active",
                     *           "isActive": true,
                     *           "accessUntil": "2026-02-01T01:00:00.000Z",
                     *           "features": [
                     *             "export",
                     *             "sync"
                     *           ],
                     *           "grants": [
                     *             {
                     *               "name": "seats",
                     *               "quantity": 5
                     *             }
                     *           ],
                     *           "purchasedAt": "2026-01-01T00:00:00.000Z",
                     *           "expiresAt": "2026-02-01T00:00:00.000Z",
                     *           "graceUntil": null,
                     *           "periodType": "normal",
                     *           "trialEndsAt": null,
                     *           "willRenew": true,
                     *           "store": "APP_STORE",
                     *           "quantity": 1,
                     *           "price": {
                     *             "amount": 999,
                     *             "currency": "EUR"
                     *           },
                     *           "transactionId": "510000000000001",
                     *           "cancelReason": null,
                     *           "reason": null,
                     *           "lastEventType": "INITIAL_PURCHASE",
                     *           "lastEventAt": "2026-01-01T00:00:00.000Z",
                     *           "createdAt": "2026-01-01T00:00:01.204Z",
                     *           "updatedAt": "2026-01-01T00:00:01.204Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Entitlements of this page. */
                        items: components["schemas"]["Entitlement"][];
                        /**
                         * Position of the next page. Send this value as `cursor` to get the next page. `null`: this is the last page.
                         * @example AgAAAAAAAAAAACQwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWM
                         */
                        cursor: string | null;
                    };
                };
            };
        };
    };
    getStats: {
        parameters: {
            query: {
                /**
                 * First day of the range.
                 * @example 2026-01-01
                 */
                from: string;
                /**
                 * Last day of the range, which is included.
                 * @example 2026-01-31
                 */
                to: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The statistics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "days": [
                     *         {
                     *           "product": "com.example.pro.monthly",
                     *           "productId": "019b7def-6680-7fc9-8414-767fa50242c0",
                     *           "date": "2026-01-31",
                     *           "active": 128,
                     *           "trials": 9,
                     *           "new": 6,
                     *           "churned": 2
                     *         }
                     *       ],
                     *       "mrr": [
                     *         {
                     *           "currency": "EUR",
                     *           "amount": 128714
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** Numbers of each product and day, ordered by day, then by product. */
                        days: components["schemas"]["DayStats"][];
                        /** Current monthly recurring revenue, one item per currency: the prices of all subscriptions that give access now, for a month. Trials are left out. */
                        mrr: {
                            currency: components["schemas"]["Currency"];
                            /**
                             * Format: int64
                             * Amount for a month in minor units of the currency, for example cents.
                             * @example 128714
                             */
                            amount: number;
                        }[];
                    };
                };
            };
        };
    };
    getMyEntitlements: {
        parameters: {
            query?: {
                /**
                 * The list shows the entitlements that the user had at this time. An event counts if it happened at or before this
                 *     time, even if the service received it later. Without `at`, the list shows the current entitlements.
                 * @example 2026-01-15T00:00:00Z
                 */
                at?: components["schemas"]["Moment"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** All entitlements of the user in the environment of the request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "entitlements": [
                     *         {
                     *           "entitlementId": "019b76da-abe8-7b82-a098-51696e18f37e",
                     *           "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *           "source": "purchases",
                     *           "productId": "019b7def-6680-7fc9-8414-767fa50242c0",
                     *           "providerProductId": "com.example.pro.monthly",
                     *           "environment": "sandbox",
                     *           "status": "active",
                     *           "isActive": true,
                     *           "accessUntil": "2026-02-01T01:00:00.000Z",
                     *           "features": [
                     *             "export",
                     *             "sync"
                     *           ],
                     *           "grants": [
                     *             {
                     *               "name": "seats",
                     *               "quantity": 5
                     *             }
                     *           ],
                     *           "purchasedAt": "2026-01-01T00:00:00.000Z",
                     *           "expiresAt": "2026-02-01T00:00:00.000Z",
                     *           "graceUntil": null,
                     *           "periodType": "normal",
                     *           "trialEndsAt": null,
                     *           "willRenew": true,
                     *           "store": "APP_STORE",
                     *           "quantity": 1,
                     *           "price": {
                     *             "amount": 999,
                     *             "currency": "EUR"
                     *           },
                     *           "transactionId": "510000000000001",
                     *           "cancelReason": null,
                     *           "reason": null,
                     *           "lastEventType": "INITIAL_PURCHASE",
                     *           "lastEventAt": "2026-01-01T00:00:00.000Z",
                     *           "createdAt": "2026-01-01T00:00:01.204Z",
                     *           "updatedAt": "2026-01-01T00:00:01.204Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        userId: components["schemas"]["UserId"];
                        entitlements: components["schemas"]["Entitlements"];
                    };
                };
            };
        };
    };
    checkMyFeature: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Name of the feature, percent-encoded.
                 * @example export
                 */
                feature: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Whether the user may use the feature, and until when */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "granted": true,
                     *       "until": "2026-02-01T01:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /**
                         * Whether the user may use the feature now.
                         * @example true
                         */
                        granted: boolean;
                        /** When the user's access to the feature ends: the latest `accessUntil` of all active entitlements with this feature. `null`: the access never ends, or `granted` is `false`. */
                        until: components["schemas"]["TimeOrNull"];
                    };
                };
            };
        };
    };
    listEntitlements: {
        parameters: {
            query: {
                /**
                 * Identifier of the user.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** All entitlements of the user in the environment of the request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "entitlements": [
                     *         {
                     *           "entitlementId": "019b76da-abe8-7b82-a098-51696e18f37e",
                     *           "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *           "source": "purchases",
                     *           "productId": "019b7def-6680-7fc9-8414-767fa50242c0",
                     *           "providerProductId": "com.example.pro.monthly",
                     *           "environment": "sandbox",
                     *           "status": "active",
                     *           "isActive": true,
                     *           "accessUntil": "2026-02-01T01:00:00.000Z",
                     *           "features": [
                     *             "export",
                     *             "sync"
                     *           ],
                     *           "grants": [
                     *             {
                     *               "name": "seats",
                     *               "quantity": 5
                     *             }
                     *           ],
                     *           "purchasedAt": "2026-01-01T00:00:00.000Z",
                     *           "expiresAt": "2026-02-01T00:00:00.000Z",
                     *           "graceUntil": null,
                     *           "periodType": "normal",
                     *           "trialEndsAt": null,
                     *           "willRenew": true,
                     *           "store": "APP_STORE",
                     *           "quantity": 1,
                     *           "price": {
                     *             "amount": 999,
                     *             "currency": "EUR"
                     *           },
                     *           "transactionId": "510000000000001",
                     *           "cancelReason": null,
                     *           "reason": null,
                     *           "lastEventType": "INITIAL_PURCHASE",
                     *           "lastEventAt": "2026-01-01T00:00:00.000Z",
                     *           "createdAt": "2026-01-01T00:00:01.204Z",
                     *           "updatedAt": "2026-01-01T00:00:01.204Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        userId: components["schemas"]["UserId"];
                        entitlements: components["schemas"]["Entitlements"];
                    };
                };
            };
        };
    };
    getUserEntitlements: {
        parameters: {
            query?: {
                /**
                 * The list shows the entitlements that the user had at this time. An event counts if it happened at or before this
                 *     time, even if the service received it later. Without `at`, the list shows the current entitlements.
                 * @example 2026-01-15T00:00:00Z
                 */
                at?: components["schemas"]["Moment"];
            };
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** All entitlements of the user in the environment of the request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "entitlements": [
                     *         {
                     *           "entitlementId": "019b76da-abe8-7b82-a098-51696e18f37e",
                     *           "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *           "source": "purchases",
                     *           "productId": "019b7def-6680-7fc9-8414-767fa50242c0",
                     *           "providerProductId": "com.example.pro.monthly",
                     *           "environment": "sandbox",
                     *           "status": "active",
                     *           "isActive": true,
                     *           "accessUntil": "2026-02-01T01:00:00.000Z",
                     *           "features": [
                     *             "export",
                     *             "sync"
                     *           ],
                     *           "grants": [
                     *             {
                     *               "name": "seats",
                     *               "quantity": 5
                     *             }
                     *           ],
                     *           "purchasedAt": "2026-01-01T00:00:00.000Z",
                     *           "expiresAt": "2026-02-01T00:00:00.000Z",
                     *           "graceUntil": null,
                     *           "periodType": "normal",
                     *           "trialEndsAt": null,
                     *           "willRenew": true,
                     *           "store": "APP_STORE",
                     *           "quantity": 1,
                     *           "price": {
                     *             "amount": 999,
                     *             "currency": "EUR"
                     *           },
                     *           "transactionId": "510000000000001",
                     *           "cancelReason": null,
                     *           "reason": null,
                     *           "lastEventType": "INITIAL_PURCHASE",
                     *           "lastEventAt": "2026-01-01T00:00:00.000Z",
                     *           "createdAt": "2026-01-01T00:00:01.204Z",
                     *           "updatedAt": "2026-01-01T00:00:01.204Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        userId: components["schemas"]["UserId"];
                        entitlements: components["schemas"]["Entitlements"];
                    };
                };
            };
        };
    };
    checkFeature: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
                /**
                 * Name of the feature, percent-encoded.
                 * @example export
                 */
                feature: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Whether the user may use the feature, and until when */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "granted": true,
                     *       "until": "2026-02-01T01:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /**
                         * Whether the user may use the feature now.
                         * @example true
                         */
                        granted: boolean;
                        /** When the user's access to the feature ends: the latest `accessUntil` of all active entitlements with this feature. `null`: the access never ends, or `granted` is `false`. */
                        until: components["schemas"]["TimeOrNull"];
                    };
                };
            };
        };
    };
    grantEntitlement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "productId": "019b7def-6680-7fc9-8414-767fa50242c0",
                 *       "expiresAt": "2099-12-31T00:00:00Z",
                 *       "reason": "Beta tester"
                 *     }
                 */
                "application/json": {
                    /**
                     * Identifier of the product in the catalog.
                     * @example 019b7def-6680-7fc9-8414-767fa50242c0
                     */
                    productId: components["schemas"]["Id"];
                    /**
                     * When the entitlement ends: a time in the future. If `expiresAt` is absent or `null`, the entitlement never ends.
                     * @example 2099-12-31T00:00:00Z
                     */
                    expiresAt?: components["schemas"]["MomentOrNull"];
                    /** Why you grant the entitlement. Responses show this text as `reason` of the entitlement. */
                    reason?: components["schemas"]["Reason"];
                };
            };
        };
        responses: {
            /** The granted entitlement */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "entitlementId": "019c1347-d280-7bdf-bead-13ae4242af8e",
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "source": "manual",
                     *       "productId": "019b7def-6680-7fc9-8414-767fa50242c0",
                     *       "providerProductId": "com.example.pro.monthly",
                     *       "environment": "sandbox",
                     *       "status": "active",
                     *       "isActive": true,
                     *       "accessUntil": "2099-12-31T00:00:00.000Z",
                     *       "features": [
                     *         "export",
                     *         "sync"
                     *       ],
                     *       "grants": [
                     *         {
                     *           "name": "seats",
                     *           "quantity": 5
                     *         }
                     *       ],
                     *       "purchasedAt": "2026-01-31T09:00:00.000Z",
                     *       "expiresAt": "2099-12-31T00:00:00.000Z",
                     *       "graceUntil": null,
                     *       "periodType": "normal",
                     *       "trialEndsAt": null,
                     *       "willRenew": false,
                     *       "store": null,
                     *       "quantity": null,
                     *       "price": null,
                     *       "transactionId": null,
                     *       "cancelReason": null,
                     *       "reason": "Beta tester",
                     *       "lastEventType": "GRANT",
                     *       "lastEventAt": "2026-01-31T09:00:00.000Z",
                     *       "createdAt": "2026-01-31T09:00:00.004Z",
                     *       "updatedAt": "2026-01-31T09:00:00.004Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Entitlement"];
                };
            };
        };
    };
    revokeGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
                /**
                 * Identifier of the entitlement.
                 * @example 019c1347-d280-7bdf-bead-13ae4242af8e
                 */
                entitlementId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The object is deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `true`.
                         * @example true
                         */
                        deleted: true;
                    };
                };
            };
        };
    };
    listProducts: {
        parameters: {
            query?: {
                /**
                 * Number of items per page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * Value of `cursor` in the previous page. Use the same filters for all pages. Omit `cursor` for the first page.
                 * @example AAYBm_z0oAABnBNH0oB_-6mjXagrZXOBZpLbX4u3
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of products, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "productId": "019b7def-6680-7fc9-8414-767fa50242c0",
                     *           "providerProductId": "com.example.pro.monthly",
                     *           "name": "Pro, monthly",
                     *           "kind": "subscription",
                     *           "features": [
                     *             "export",
                     *             "sync"
                     *           ],
                     *           "grants": [
                     *             {
                     *               "name": "seats",
                     *               "quantity": 5
                     *             }
                     *           ],
                     *           "version": 1,
                     *           "createdAt": "2026-01-02T09:00:00.000Z",
                     *           "updatedAt": "2026-01-02T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Products of this page. */
                        items: components["schemas"]["Product"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    createProduct: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "providerProductId": "com.example.pro.monthly",
                 *       "name": "Pro, monthly",
                 *       "kind": "subscription",
                 *       "features": [
                 *         "export",
                 *         "sync"
                 *       ],
                 *       "grants": [
                 *         {
                 *           "name": "seats",
                 *           "quantity": 5
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewProduct"];
            };
        };
        responses: {
            /** The new product */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "productId": "019b7def-6680-7fc9-8414-767fa50242c0",
                     *       "providerProductId": "com.example.pro.monthly",
                     *       "name": "Pro, monthly",
                     *       "kind": "subscription",
                     *       "features": [
                     *         "export",
                     *         "sync"
                     *       ],
                     *       "grants": [
                     *         {
                     *           "name": "seats",
                     *           "quantity": 5
                     *         }
                     *       ],
                     *       "version": 1,
                     *       "createdAt": "2026-01-02T09:00:00.000Z",
                     *       "updatedAt": "2026-01-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Product"];
                };
            };
        };
    };
    getProduct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the product.
                 * @example 019b7def-6680-7fc9-8414-767fa50242c0
                 */
                productId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The product */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "productId": "019b7def-6680-7fc9-8414-767fa50242c0",
                     *       "providerProductId": "com.example.pro.monthly",
                     *       "name": "Pro, monthly",
                     *       "kind": "subscription",
                     *       "features": [
                     *         "export",
                     *         "sync"
                     *       ],
                     *       "grants": [
                     *         {
                     *           "name": "seats",
                     *           "quantity": 5
                     *         }
                     *       ],
                     *       "version": 1,
                     *       "createdAt": "2026-01-02T09:00:00.000Z",
                     *       "updatedAt": "2026-01-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Product"];
                };
            };
        };
    };
    deleteProduct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the product.
                 * @example 019b7def-6680-7fc9-8414-767fa50242c0
                 */
                productId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The object is deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `true`.
                         * @example true
                         */
                        deleted: true;
                    };
                };
            };
        };
    };
    updateProduct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the product.
                 * @example 019b7def-6680-7fc9-8414-767fa50242c0
                 */
                productId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "features": [
                 *         "export",
                 *         "sync",
                 *         "offline"
                 *       ]
                 *     }
                 */
                "application/json": {
                    providerProductId?: components["schemas"]["ProviderProductId"];
                    /**
                     * Display name of the product.
                     * @example Pro, monthly
                     */
                    name?: components["schemas"]["Name"];
                    kind?: components["schemas"]["Kind"];
                    /**
                     * Features that replace the current list. `null` empties the list.
                     * @example [
                     *       "export",
                     *       "sync",
                     *       "offline"
                     *     ]
                     */
                    features?: components["schemas"]["Name"][] | null;
                    /** Quantities that replace the current list. `null` empties the list. */
                    grants?: components["schemas"]["Grant"][] | null;
                };
            };
        };
        responses: {
            /** The product */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "productId": "019b7def-6680-7fc9-8414-767fa50242c0",
                     *       "providerProductId": "com.example.pro.monthly",
                     *       "name": "Pro, monthly",
                     *       "kind": "subscription",
                     *       "features": [
                     *         "export",
                     *         "sync"
                     *       ],
                     *       "grants": [
                     *         {
                     *           "name": "seats",
                     *           "quantity": 5
                     *         }
                     *       ],
                     *       "version": 1,
                     *       "createdAt": "2026-01-02T09:00:00.000Z",
                     *       "updatedAt": "2026-01-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Product"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * Only events of this type.
                 * @example RENEWAL
                 */
                type?: components["schemas"]["EventType"];
                /**
                 * Only events with this result.
                 * @example rejected
                 */
                result?: components["schemas"]["EventResult"];
                /**
                 * Only events that name this user.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId?: components["schemas"]["UserId"];
                /**
                 * Only events whose `eventAt` is this time or later.
                 * @example 2026-01-01T00:00:00Z
                 */
                eventAfter?: components["schemas"]["Moment"];
                /**
                 * Only events whose `eventAt` is before this time.
                 * @example 2026-02-01T00:00:00Z
                 */
                eventBefore?: components["schemas"]["Moment"];
                /**
                 * Number of items per page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * Value of `cursor` in the previous page. Use the same filters for all pages. Omit `cursor` for the first page.
                 * @example AAYBm_z0oAABnBNH0oB_-6mjXagrZXOBZpLbX4u3
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of events, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "eventId": "6d1f0c7e-3b52-4a0e-9f65-0c1c6f2f9a11",
                     *           "provider": "purchases",
                     *           "type": "INITIAL_PURCHASE",
                     *           "result": "applied",
                     *           "reason": null,
                     *           "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *           "eventAt": "2026-01-01T00:00:00.000Z",
                     *           "receivedAt": "2026-01-01T00:00:01.204Z",
                     *           "erasedAt": null,
                     *           "payload": {
                     *             "api_version": "1.0",
                     *             "event": {
                     *               "id": "6d1f0c7e-3b52-4a0e-9f65-0c1c6f2f9a11",
                     *               "type": "INITIAL_PURCHASE",
                     *               "event_timestamp_ms": 1767225600000,
                     *               "app_user_id": "019bb153-8740-7299-952d-a3a6560e239c",
                     *               "environment": "SANDBOX",
                     *               "product_id": "com.example.pro.monthly"
                     *             }
                     *           }
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Events of this page. */
                        items: components["schemas"]["Event"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    replayEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * `eventId` of the event, percent-encoded.
                 * @example 6d1f0c7e-3b52-4a0e-9f65-0c1c6f2f9a11
                 */
                eventId: components["schemas"]["EventId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Result of the replay */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "eventId": "6d1f0c7e-3b52-4a0e-9f65-0c1c6f2f9a11",
                     *       "result": "stale",
                     *       "reason": null
                     *     }
                     */
                    "application/json": {
                        /** Identifier of the event. */
                        eventId: components["schemas"]["EventId"];
                        result: components["schemas"]["EventResult"];
                        /** Why the event was skipped. `null` for other results. */
                        reason: components["schemas"]["OutcomeReasonOrNull"];
                    };
                };
            };
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "purchasesSecret": true,
                     *       "purchasesSecretPrevious": false,
                     *       "purchasesSecretSandbox": false,
                     *       "paymentsSigningSecrets": true,
                     *       "purchasesApiKey": false,
                     *       "paymentsApiKey": false,
                     *       "pastDueIsActive": false,
                     *       "renewalLeewaySeconds": 3600,
                     *       "allowedOrigins": [
                     *         "https://app.example.com"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * Whether the webhook secret of the in-app purchase provider is set.
                         * @example true
                         */
                        purchasesSecret: boolean;
                        /**
                         * Whether the former webhook secret of the in-app purchase provider is set.
                         * @example false
                         */
                        purchasesSecretPrevious: boolean;
                        /**
                         * Whether the sandbox has a webhook secret of its own.
                         * @example false
                         */
                        purchasesSecretSandbox: boolean;
                        /**
                         * Whether at least one signing secret is set.
                         * @example true
                         */
                        paymentsSigningSecrets: boolean;
                        /**
                         * Whether the API key for the in-app purchase provider is set.
                         * @example false
                         */
                        purchasesApiKey: boolean;
                        /**
                         * Whether the API key for the card payment provider is set.
                         * @example false
                         */
                        paymentsApiKey: boolean;
                        /**
                         * Whether a `past_due` subscription of the card payment provider gives access until the end of its period. Default: `false`.
                         * @example false
                         */
                        pastDueIsActive: boolean;
                        /**
                         * Format: int32
                         * Seconds for which access lasts after the paid period of a subscription that will renew. Default: 3,600.
                         * @example 3600
                         */
                        renewalLeewaySeconds: number;
                        allowedOrigins: components["schemas"]["ShownOrigins"];
                    };
                };
            };
        };
    };
    updateSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "purchasesSecret": "Bearer 0123456789abcdef",
                 *       "paymentsSigningSecrets": [
                 *         {
                 *           "secret": "whsec_live",
                 *           "environment": "production"
                 *         },
                 *         {
                 *           "secret": "whsec_test",
                 *           "environment": "sandbox"
                 *         }
                 *       ],
                 *       "pastDueIsActive": false,
                 *       "renewalLeewaySeconds": 3600,
                 *       "allowedOrigins": [
                 *         "https://app.example.com"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * Complete value of the `Authorization` header in webhooks of the in-app purchase provider.
                     * @example Bearer 0123456789abcdef
                     */
                    purchasesSecret?: string | null;
                    /**
                     * Former value of `purchasesSecret`, which the service accepts as well while you rotate the secret.
                     * @example Bearer fedcba9876543210
                     */
                    purchasesSecretPrevious?: string | null;
                    /**
                     * Value of the `Authorization` header for events of the sandbox. If it is set, only this value can
                     *     write the sandbox, and it cannot write production. If it is not set, `purchasesSecret` writes both
                     *     environments.
                     * @example Bearer 89abcdef01234567
                     */
                    purchasesSecretSandbox?: string | null;
                    /**
                     * Signing secrets of the card payment provider's webhooks. The service accepts a signature with any of
                     *     these secrets. A secret that belongs to one environment cannot sign events of the other environment.
                     *     A text is a secret of the environment `any`. To replace a secret without losing events, set both
                     *     the old and the new secret for some time.
                     * @example [
                     *       {
                     *         "secret": "whsec_live",
                     *         "environment": "production"
                     *       },
                     *       {
                     *         "secret": "whsec_test",
                     *         "environment": "sandbox"
                     *       }
                     *     ]
                     */
                    paymentsSigningSecrets?: (string | components["schemas"]["SigningSecret"])[] | null;
                    /**
                     * API key for the REST API of the in-app purchase provider. `syncUser` needs it for the source `purchases`.
                     * @example sk_0123456789abcdef
                     */
                    purchasesApiKey?: string | null;
                    /**
                     * API key for the REST API of the card payment provider. `startBackfill` needs it, and `syncUser` for
                     *     the source `payments`. A restricted key that can read subscriptions and invoices is sufficient.
                     * @example rk_live_0123456789abcdef
                     */
                    paymentsApiKey?: string | null;
                    /**
                     * Whether a `past_due` subscription of the card payment provider gives access until the end of its period. `null` means `false`.
                     * @example false
                     */
                    pastDueIsActive?: boolean | null;
                    /**
                     * Format: int32
                     * Seconds for which access lasts after the paid period of a subscription that will renew: 0 to 86,400. `null` means 3,600.
                     * @example 3600
                     */
                    renewalLeewaySeconds?: number | null;
                    allowedOrigins?: components["schemas"]["AllowedOrigins"];
                };
            };
        };
        responses: {
            /** The settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "purchasesSecret": true,
                     *       "purchasesSecretPrevious": false,
                     *       "purchasesSecretSandbox": false,
                     *       "paymentsSigningSecrets": true,
                     *       "purchasesApiKey": false,
                     *       "paymentsApiKey": false,
                     *       "pastDueIsActive": false,
                     *       "renewalLeewaySeconds": 3600,
                     *       "allowedOrigins": [
                     *         "https://app.example.com"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * Whether the webhook secret of the in-app purchase provider is set.
                         * @example true
                         */
                        purchasesSecret: boolean;
                        /**
                         * Whether the former webhook secret of the in-app purchase provider is set.
                         * @example false
                         */
                        purchasesSecretPrevious: boolean;
                        /**
                         * Whether the sandbox has a webhook secret of its own.
                         * @example false
                         */
                        purchasesSecretSandbox: boolean;
                        /**
                         * Whether at least one signing secret is set.
                         * @example true
                         */
                        paymentsSigningSecrets: boolean;
                        /**
                         * Whether the API key for the in-app purchase provider is set.
                         * @example false
                         */
                        purchasesApiKey: boolean;
                        /**
                         * Whether the API key for the card payment provider is set.
                         * @example false
                         */
                        paymentsApiKey: boolean;
                        /**
                         * Whether a `past_due` subscription of the card payment provider gives access until the end of its period. Default: `false`.
                         * @example false
                         */
                        pastDueIsActive: boolean;
                        /**
                         * Format: int32
                         * Seconds for which access lasts after the paid period of a subscription that will renew. Default: 3,600.
                         * @example 3600
                         */
                        renewalLeewaySeconds: number;
                        allowedOrigins: components["schemas"]["ShownOrigins"];
                    };
                };
            };
        };
    };
    eraseUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The object is deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `true`.
                         * @example true
                         */
                        deleted: true;
                    };
                };
            };
        };
    };
    exportUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Newline-delimited JSON, one object per line */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {"type":"entitlement","entitlementId":"019b76da-abe8-7b82-a098-51696e18f37e","userId":"019bb153-8740-7299-952d-a3a6560e239c","source":"purchases","productId":"019b7def-6680-7fc9-8414-767fa50242c0","providerProductId":"com.example.pro.monthly","environment":"sandbox","status":"active","isActive":true,"accessUntil":"2026-02-01T01:00:00.000Z","features":["export","sync"],"grants":[{"name":"seats","quantity":5}],"purchasedAt":"2026-01-01T00:00:00.000Z","expiresAt":"2026-02-01T00:00:00.000Z","graceUntil":null,"periodType":"normal","trialEndsAt":null,"willRenew":true,"store":"APP_STORE","quantity":1,"price":{"amount":999,"currency":"EUR"},"transactionId":"510000000000001","cancelReason":null,"reason":null,"lastEventType":"INITIAL_PURCHASE","lastEventAt":"2026-01-01T00:00:00.000Z","createdAt":"2026-01-01T00:00:01.204Z","updatedAt":"2026-01-01T00:00:01.204Z"}
                     *     {"type":"subscription","subscriptionId":"sub_1SxQ2dLkdIwHu7ixk3nOpQrS","userId":"019bb153-8740-7299-952d-a3a6560e239c","status":"active","cancelsAtPeriodEnd":false,"cancelAt":null,"cancelReason":null,"endedAt":null,"trialEndsAt":null,"lastEventType":"customer.subscription.created","lastEventAt":"2026-01-01T00:00:00.000Z","items":[{"providerProductId":"price_pro_monthly","alternativeProductId":"prod_pro","purchasedAt":"2026-01-01T00:00:00.000Z","expiresAt":"2026-02-01T00:00:00.000Z","quantity":1,"price":{"amount":999,"currency":"EUR"}}],"removedItems":[],"lastPaidInvoice":null,"paidInvoices":[],"reversals":[]}
                     *     {"type":"event","eventId":"6d1f0c7e-3b52-4a0e-9f65-0c1c6f2f9a11","provider":"purchases","eventType":"INITIAL_PURCHASE","result":"applied","reason":null,"userId":"019bb153-8740-7299-952d-a3a6560e239c","eventAt":"2026-01-01T00:00:00.000Z","receivedAt":"2026-01-01T00:00:01.204Z","erasedAt":null,"payload":{"api_version":"1.0","event":{"id":"6d1f0c7e-3b52-4a0e-9f65-0c1c6f2f9a11","type":"INITIAL_PURCHASE"}}}
                     */
                    "application/x-ndjson": unknown;
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /**
                 * Only entries with this action.
                 * @example product.updated
                 */
                action?: string;
                /**
                 * Only entries of this actor: a user id, `key:<prefix>`, `master` or `system:<worker>`.
                 * @example key:bil_Xk3vR9aQ
                 */
                actor?: string;
                /**
                 * Number of items per page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * Value of `cursor` in the previous page. Use the same filters for all pages. Omit `cursor` for the first page.
                 * @example AAYBm_z0oAABnBNH0oB_-6mjXagrZXOBZpLbX4u3
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of audit entries, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "auditId": "019c134c-6660-7c4f-be4f-25c7b5076ce7",
                     *           "createdAt": "2026-01-31T09:05:00.000Z",
                     *           "actor": "019b8d99-6900-7131-a2ae-4aee6d566c39",
                     *           "actorRole": "owner",
                     *           "action": "settings.updated",
                     *           "subjectType": "settings",
                     *           "subjectId": "",
                     *           "before": {
                     *             "allowedOrigins": []
                     *           },
                     *           "after": {
                     *             "allowedOrigins": [
                     *               "https://app.example.com"
                     *             ]
                     *           },
                     *           "requestId": "5f2b8c1d9e3a4f60"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Audit entries of this page. */
                        items: components["schemas"]["AuditEntry"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /**
                 * Number of items per page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * Value of `cursor` in the previous page. Use the same filters for all pages. Omit `cursor` for the first page.
                 * @example AAYBm_z0oAABnBNH0oB_-6mjXagrZXOBZpLbX4u3
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of webhooks, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "webhookId": "019bdb46-aa00-7d04-bf9d-e97421189441",
                     *           "url": "https://example.com/hooks",
                     *           "events": [
                     *             "entitlement.changed"
                     *           ],
                     *           "description": "App backend",
                     *           "enabled": true,
                     *           "disabledReason": null,
                     *           "createdAt": "2026-01-20T12:00:00.000Z",
                     *           "updatedAt": "2026-01-20T12:00:00.000Z",
                     *           "version": 1
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Webhooks of this page. */
                        items: components["schemas"]["Webhook"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hooks",
                 *       "events": [
                 *         "entitlement.changed"
                 *       ],
                 *       "description": "App backend"
                 *     }
                 */
                "application/json": {
                    url: components["schemas"]["WebhookUrl"];
                    /**
                     * Types of the events to send. If the list is empty, `null` or absent, all types are sent.
                     * @example [
                     *       "entitlement.changed"
                     *     ]
                     */
                    events?: components["schemas"]["WebhookEvents"];
                    description?: components["schemas"]["WebhookDescription"];
                    /**
                     * Whether events are sent. `null` means `true`.
                     * @default true
                     * @example true
                     */
                    enabled?: boolean | null;
                };
            };
        };
        responses: {
            /** The webhook with its secret. No later response contains the secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhookId": "019bdb46-aa00-7d04-bf9d-e97421189441",
                     *       "url": "https://example.com/hooks",
                     *       "events": [],
                     *       "description": "Support desk",
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "secret": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
                     *       "createdAt": "2026-01-20T12:00:00.000Z",
                     *       "updatedAt": "2026-01-20T12:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the webhook.
                 * @example 019bdb46-aa00-7d04-bf9d-e97421189441
                 */
                webhookId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhookId": "019bdb46-aa00-7d04-bf9d-e97421189441",
                     *       "url": "https://example.com/hooks",
                     *       "events": [],
                     *       "description": "Support desk",
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-01-20T12:00:00.000Z",
                     *       "updatedAt": "2026-01-20T12:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the webhook.
                 * @example 019bdb46-aa00-7d04-bf9d-e97421189441
                 */
                webhookId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The object is deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `true`.
                         * @example true
                         */
                        deleted: true;
                    };
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the webhook.
                 * @example 019bdb46-aa00-7d04-bf9d-e97421189441
                 */
                webhookId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/json": {
                    url?: components["schemas"]["WebhookUrl"];
                    /**
                     * Types of the events to send, which replace the current list. An empty list or `null` selects all types.
                     * @example [
                     *       "entitlement.changed"
                     *     ]
                     */
                    events?: components["schemas"]["WebhookEvents"];
                    description?: components["schemas"]["WebhookDescription"];
                    /**
                     * Whether events are sent. `null` changes nothing.
                     * @example false
                     */
                    enabled?: boolean | null;
                };
            };
        };
        responses: {
            /** The webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhookId": "019bdb46-aa00-7d04-bf9d-e97421189441",
                     *       "url": "https://example.com/hooks",
                     *       "events": [],
                     *       "description": "Support desk",
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "createdAt": "2026-01-20T12:00:00.000Z",
                     *       "updatedAt": "2026-01-20T12:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the webhook.
                 * @example 019bdb46-aa00-7d04-bf9d-e97421189441
                 */
                webhookId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The webhook with its new secret. No later response contains the secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhookId": "019bdb46-aa00-7d04-bf9d-e97421189441",
                     *       "url": "https://example.com/hooks",
                     *       "events": [],
                     *       "description": "Support desk",
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "secret": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
                     *       "createdAt": "2026-01-20T12:00:00.000Z",
                     *       "updatedAt": "2026-01-20T12:00:00.000Z",
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /**
                 * Only deliveries with this status.
                 * @example failed
                 */
                status?: "pending" | "delivered" | "failed";
                /**
                 * Number of items per page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * Value of `cursor` in the previous page. Use the same filters for all pages. Omit `cursor` for the first page.
                 * @example AAYBm_z0oAABnBNH0oB_-6mjXagrZXOBZpLbX4u3
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * Identifier of the webhook.
                 * @example 019bdb46-aa00-7d04-bf9d-e97421189441
                 */
                webhookId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of deliveries, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "deliveryId": "019c1347-d2f8-79e4-8d68-7723f1b00f33",
                     *           "webhookId": "019bdb46-aa00-7d04-bf9d-e97421189441",
                     *           "eventType": "entitlement.changed",
                     *           "status": "pending",
                     *           "attempts": 2,
                     *           "nextAttemptAt": "2026-01-31T09:00:19.400Z",
                     *           "lastStatus": 502,
                     *           "lastError": "the endpoint answered 502",
                     *           "responseExcerpt": "Bad Gateway",
                     *           "createdAt": "2026-01-31T09:00:00.120Z",
                     *           "deliveredAt": null
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Deliveries of this page. */
                        items: components["schemas"]["Delivery"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the webhook.
                 * @example 019bdb46-aa00-7d04-bf9d-e97421189441
                 */
                webhookId: components["schemas"]["Id"];
                /**
                 * Identifier of the delivery.
                 * @example 019c1347-d2f8-79e4-8d68-7723f1b00f33
                 */
                deliveryId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The delivery with its event */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveryId": "019c1347-d2f8-79e4-8d68-7723f1b00f33",
                     *       "webhookId": "019bdb46-aa00-7d04-bf9d-e97421189441",
                     *       "eventType": "entitlement.changed",
                     *       "status": "pending",
                     *       "attempts": 2,
                     *       "nextAttemptAt": "2026-01-31T09:00:19.400Z",
                     *       "lastStatus": 502,
                     *       "lastError": "the endpoint answered 502",
                     *       "responseExcerpt": "Bad Gateway",
                     *       "createdAt": "2026-01-31T09:00:00.120Z",
                     *       "deliveredAt": null,
                     *       "payload": {
                     *         "type": "entitlement.changed",
                     *         "timestamp": "2026-01-31T09:00:00.120Z",
                     *         "data": {
                     *           "entitlement": {
                     *             "userId": "user-42",
                     *             "entitlement": "pro",
                     *             "active": true
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryWithPayload"];
                };
            };
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the webhook.
                 * @example 019bdb46-aa00-7d04-bf9d-e97421189441
                 */
                webhookId: components["schemas"]["Id"];
                /**
                 * Identifier of the delivery.
                 * @example 019c1347-d2f8-79e4-8d68-7723f1b00f33
                 */
                deliveryId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The delivery, which the service sends again */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveryId": "019c1347-d2f8-79e4-8d68-7723f1b00f33",
                     *       "webhookId": "019bdb46-aa00-7d04-bf9d-e97421189441",
                     *       "eventType": "entitlement.changed",
                     *       "status": "pending",
                     *       "attempts": 2,
                     *       "nextAttemptAt": "2026-01-31T09:00:19.400Z",
                     *       "lastStatus": 502,
                     *       "lastError": "the endpoint answered 502",
                     *       "responseExcerpt": "Bad Gateway",
                     *       "createdAt": "2026-01-31T09:00:00.120Z",
                     *       "deliveredAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the webhook.
                 * @example 019bdb46-aa00-7d04-bf9d-e97421189441
                 */
                webhookId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The result of the test */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failed",
                     *       "messageId": "019c1349-7c30-7b1e-9a55-0c5f1d2e3f40",
                     *       "durationMs": 182,
                     *       "responseCode": 502,
                     *       "error": "the endpoint answered 502",
                     *       "responseExcerpt": "Bad Gateway"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /**
                 * Environment whose keys are listed. Default: the environment of the host.
                 * @example sandbox
                 */
                environment?: components["schemas"]["Environment"];
                /**
                 * Number of items per page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * Value of `cursor` in the previous page. Use the same filters for all pages. Omit `cursor` for the first page.
                 * @example AAYBm_z0oAABnBNH0oB_-6mjXagrZXOBZpLbX4u3
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of key records, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "prefix": "bil_Xk3vR9aQ",
                     *           "environment": "sandbox",
                     *           "createdAt": "2026-01-31T09:00:00.000Z",
                     *           "lastUsedAt": "2026-01-31T09:42:10.000Z",
                     *           "expiresAt": null
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Key records of this page. */
                        items: components["schemas"]["KeyRecord"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    mintKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "environment": "sandbox"
                 *     }
                 */
                "application/json": {
                    /** Environment that the key belongs to. */
                    environment: components["schemas"]["Environment"];
                };
            };
        };
        responses: {
            /** The new key. No later response contains the key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "bil_Xk3vR9aQ7mTz2LcW8yHd5NpJ4uKs6BfG1eVo0iC3rA9tYq",
                     *       "environment": "sandbox",
                     *       "prefix": "bil_Xk3vR9aQ",
                     *       "createdAt": "2026-01-31T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["NewKey"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Environment whose keys are replaced.
                 * @example sandbox
                 */
                environment: components["schemas"]["Environment"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "gracePeriodSeconds": 3600
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int32
                     * Seconds for which the replaced keys stay valid, at most 604,800 (7 days). Default: 0.
                     * @default 0
                     * @example 3600
                     */
                    gracePeriodSeconds?: number;
                };
            };
        };
        responses: {
            /** The new key. No later response contains the key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "bil_Xk3vR9aQ7mTz2LcW8yHd5NpJ4uKs6BfG1eVo0iC3rA9tYq",
                     *       "environment": "sandbox",
                     *       "prefix": "bil_Xk3vR9aQ",
                     *       "createdAt": "2026-01-31T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["NewKey"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * `prefix` of the key record.
                 * @example bil_Xk3vR9aQ
                 */
                prefix: components["schemas"]["KeyPrefix"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The object is deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `true`.
                         * @example true
                         */
                        deleted: true;
                    };
                };
            };
        };
    };
    listTenants: {
        parameters: {
            query?: {
                /**
                 * Number of items per page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * Value of `cursor` in the previous page. Use the same filters for all pages. Omit `cursor` for the first page.
                 * @example AAYBm_z0oAABnBNH0oB_-6mjXagrZXOBZpLbX4u3
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of tenants, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "slug": "demo",
                     *           "displayName": "Demo Inc.",
                     *           "status": "active",
                     *           "limits": {
                     *             "requestsPerMinute": 600
                     *           },
                     *           "createdAt": "2026-01-02T09:00:00.000Z",
                     *           "updatedAt": "2026-01-02T09:00:00.000Z",
                     *           "eraseAfter": null
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Tenants of this page. */
                        items: components["schemas"]["Tenant"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    getTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Slug of the tenant.
                 * @example demo
                 */
                slug: components["schemas"]["Slug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "slug": "demo",
                     *       "displayName": "Demo Inc.",
                     *       "status": "active",
                     *       "limits": {
                     *         "requestsPerMinute": 600
                     *       },
                     *       "createdAt": "2026-01-02T09:00:00.000Z",
                     *       "updatedAt": "2026-01-02T09:00:00.000Z",
                     *       "eraseAfter": null
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    putTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Slug of the tenant.
                 * @example demo
                 */
                slug: components["schemas"]["Slug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "displayName": "Demo Inc.",
                 *       "limits": {
                 *         "requestsPerMinute": 600
                 *       }
                 *     }
                 */
                "application/json": {
                    displayName: components["schemas"]["DisplayName"];
                    /**
                     * Status of the tenant. With `suspended`, requests for the tenant get 403 `TENANT_SUSPENDED`. `null`
                     *     has the same effect as omitting the field.
                     * @example active
                     */
                    status?: components["schemas"]["TenantStatus"] | null;
                    /**
                     * Limits of the tenant. They replace all current limits. `null` has the same effect as omitting the field.
                     * @example {
                     *       "requestsPerMinute": 600
                     *     }
                     */
                    limits?: components["schemas"]["Limits"] | null;
                };
            };
        };
        responses: {
            /** The tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "slug": "demo",
                     *       "displayName": "Demo Inc.",
                     *       "status": "active",
                     *       "limits": {
                     *         "requestsPerMinute": 600
                     *       },
                     *       "createdAt": "2026-01-02T09:00:00.000Z",
                     *       "updatedAt": "2026-01-02T09:00:00.000Z",
                     *       "eraseAfter": null
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            /** The tenant */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "slug": "demo",
                     *       "displayName": "Demo Inc.",
                     *       "status": "active",
                     *       "limits": {
                     *         "requestsPerMinute": 600
                     *       },
                     *       "createdAt": "2026-01-02T09:00:00.000Z",
                     *       "updatedAt": "2026-01-02T09:00:00.000Z",
                     *       "eraseAfter": null
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    deleteTenant: {
        parameters: {
            query?: {
                /**
                 * `now` erases the data at once instead of after 7 days.
                 * @example now
                 */
                purge?: "now";
            };
            header?: never;
            path: {
                /**
                 * Slug of the tenant.
                 * @example demo
                 */
                slug: components["schemas"]["Slug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The object is deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `true`.
                         * @example true
                         */
                        deleted: true;
                    };
                };
            };
        };
    };
}
