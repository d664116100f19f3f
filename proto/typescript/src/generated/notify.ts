// Generated from proto/notify.openapi.yaml by proto/typescript/scripts/generate.mjs.
export interface paths {
    "/v1/notifications/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a notification
         * Renders a template and queues the rendered message for one recipient. The response 202 means that the service
         *     has stored the notification, but has not sent it yet. To learn the result, read the status with
         *     `getNotification`, or use a webhook. `to` is an email address, a phone number (E.164), or, for a push, a user
         *     id. A push goes to all devices that the user has at the time of the first attempt. After a temporary failure,
         *     the service retries with backoff, at most 8 times within one hour.
         *
         *     If the account of the user was deleted, a push to the user fails with `NO_DEVICES`, like every push to a user
         *     without devices. The service then stores neither the user id nor the content: `to` of the notification is
         *     `deleted:` and the identifier of the notification.
         *
         *     A text message is never sent twice. If Twilio's answer does not say whether the message was created, the
         *     message fails, and is sent again only by `retryNotification`.
         *
         *     All tenants share one sender of text messages. A text message beyond the share of notifications waits for up to 24
         *     hours, then it fails with the reason `SMS_SENDER_LIMIT`. A text message beyond the tenant's messages of the day
         *     fails with the reason `SMS_DAILY_LIMIT`. By default a tenant may send 1,000 messages in a day (UTC), together with
         *     the codes of auth-mfa; the operator can set another number (`smsPerDay`). In the sandbox, text messages do not go
         *     to phones, unless the operator allows it (`sandboxSms`).
         *
         *     - 400 `VALIDATION_ERROR`: a field is invalid, the template has another channel, a placeholder has no value, a
         *       value gives a URL in HTML that is not permitted, the HTML body of an older template has a placeholder where no
         *       value is safe (the error names `/templateName`; correct the template), `to` is not valid for the channel, an
         *       attachment is not uploaded, or the push is larger than 4,096 bytes. The texts, `data` and the options in `push`
         *       count.
         *     - 404 `TEMPLATE_NOT_FOUND`: the tenant has no template with this name.
         *     - 409 `PUSH_CHANNEL_DISABLED`: the environment has no push credentials, or `pushEnabled` is `false` in its
         *       settings.
         *     - 413 `PAYLOAD_TOO_LARGE`: the body is larger than 15 MiB.
         *     - 429 `RATE_LIMITED`: the environment may send only 10 notifications in any 5 minutes. The operator can set
         *       another number (`sendsPer5Minutes`). Refused requests, and repetitions with the same `Idempotency-Key`, do not
         *       count.
         *     - 503 `UNAVAILABLE` with `Retry-After`: the service cannot check the rate limit now, or it is already reading
         *       too many request bodies of more than 256 KiB. Repeat the request after the seconds in `Retry-After`.
         */
        post: operations["sendNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/ack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge delivered notifications
         * Marks notifications as `delivered`. Call this operation from your backend when devices report which
         *     notifications they have received. If a notification is still queued, the service also marks it, and does not
         *     send it any more. The service stores `timestamp` as `deliveredAt`. If `timestamp` is before `createdAt`, the
         *     service stores `createdAt` instead. If `timestamp` is in the future, the service stores the current time.
         *     `listNotificationEvents` shows `context` as `detail`.
         */
        post: operations["ackNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notifications
         * Lists the notifications of the environment that match all filters of the request, newest first. For a push, the
         *     list does not contain the result for each device (`deliveries`). To read these results, use `getNotification`.
         */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/{notificationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a notification
         * Returns one notification. If the notification is a push, `deliveries` contains the result for each device.
         *
         *     404 `NOT_FOUND`: no notification of the environment has this `notificationId`.
         */
        get: operations["getNotification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/{notificationId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a notification's status events
         * Lists the status changes of a notification, newest first. The last entry has the status `queued` and the time at
         *     which the notification was accepted. Each call of `retryNotification` adds another entry with the status
         *     `queued`.
         *
         *     404 `NOT_FOUND`: no notification of the environment has this `notificationId`.
         */
        get: operations["listNotificationEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/{notificationId}/opened": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a notification
         * Marks a notification as `opened`. If the notification is not `delivered` yet, the service first marks it as
         *     `delivered`. Call this operation when the app reports that the user has opened the notification. If the
         *     notification is still queued, the service does not send it any more. A repeated request changes nothing.
         *
         *     404 `NOT_FOUND`: no notification of the environment has this `notificationId`.
         */
        post: operations["openNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/{notificationId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a queued notification
         * Cancels a queued notification. Its status becomes `failed` with the reason `CANCELLED`, and the notification is
         *     not sent any more. A cancelled notification can still arrive: the provider may have accepted an earlier attempt,
         *     although the service did not receive the provider's answer.
         *
         *     - 404 `NOT_FOUND`: no notification of the environment has this `notificationId`.
         *     - 409 `CONFLICT`: the notification is being sent, is already sent, or has failed.
         */
        post: operations["cancelNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/{notificationId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a failed notification
         * Queues a failed notification again, with retries for another hour. The rendered text stays the same. A push goes
         *     to the devices that the user has at the time of the first new attempt.
         *
         *     - 404 `NOT_FOUND`: no notification of the environment has this `notificationId`.
         *     - 409 `CONFLICT`: the notification has not failed, or it failed more than 7 days ago and its content was erased. In
         *       the second case, send a new notification.
         *     - 429 `RATE_LIMITED`: retries and calls of `sendNotification` share one limit: 10 in any 5 minutes for the
         *       environment. The operator can set another number (`sendsPer5Minutes`).
         */
        post: operations["retryNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/broadcast": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a broadcast
         * Renders a push template and queues a push to every device that is registered in the environment at this time.
         *     The pushes have the push options that the template has at this time. The response 202 means that the service has
         *     stored the broadcast. Read its counters with `getBroadcast`. If pushes to single recipients and pushes of
         *     broadcasts wait at the same time, the service sends the pushes to single recipients first. After a temporary
         *     failure, the service retries the push to a device at most 3 times within a minute. If the push provider asks for
         *     a longer wait (`Retry-After`), the service retries after this wait, but only within an hour. If the provider
         *     reports the token of a device as gone (no longer valid), the service unregisters the device.
         *
         *     **Duplicates.** After a request with a `dedupeKey` has started a broadcast, other requests with the same
         *     `dedupeKey` start no broadcast for 24 hours. The response to such a request contains the id of the first
         *     broadcast and the status `duplicate`, even if other fields of the body differ. If several requests with the same
         *     key arrive at the same time, only one of them starts a broadcast.
         *
         *     - 400 `TEMPLATE_NOT_PUSH`: the channel of the template is not `push`.
         *     - 400 `VALIDATION_ERROR`: a field is invalid, a placeholder has no value, or the push is larger than 4,096
         *       bytes.
         *     - 404 `TEMPLATE_NOT_FOUND`: the tenant has no template with this name.
         *     - 409 `PUSH_CHANNEL_DISABLED`: the environment has no push credentials, or `pushEnabled` is `false` in its
         *       settings.
         *     - 429 `RATE_LIMITED`: the environment may start only 10 broadcasts in any minute. The operator can set another
         *       number (`broadcastsPerMinute`). Duplicates, and repetitions with the same `Idempotency-Key`, do not count.
         *     - 503 `UNAVAILABLE`: the service cannot check the rate limit now. Repeat the request after the seconds in
         *       `Retry-After`.
         *
         *     A refused request does not count towards the limit, and does not reserve its `dedupeKey`.
         */
        post: operations["startBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/broadcasts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List broadcasts
         * Lists the broadcasts of the environment with their current counters, newest first.
         */
        get: operations["listBroadcasts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/broadcasts/{broadcastId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a broadcast
         * Returns one broadcast with its current counters. The counters never decrease.
         *
         *     `carriers` shows whether each configured push carrier takes pushes now. While a carrier is `down`, the service
         *     sends it one push at a time as a probe: after 2 seconds at first, then after up to 30 seconds. While a carrier
         *     throttles the credential, the service sends nothing. The remaining devices keep their place for one hour.
         *
         *     404 `NOT_FOUND`: no broadcast of the environment has this `broadcastId`.
         */
        get: operations["getBroadcast"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/broadcasts/{broadcastId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a broadcast
         * Stops a broadcast. Devices that are not enqueued yet get no push, and no counter includes them. The service
         *     sends pushes to the enqueued devices in chunks of about a hundred devices. A chunk that is being sent when you
         *     cancel the broadcast continues until all its pushes have a result, but for at most about half a minute. These
         *     results are counted. All other enqueued devices count as failed.
         *
         *     - 404 `NOT_FOUND`: no broadcast of the environment has this `broadcastId`.
         *     - 409 `CONFLICT`: the broadcast is already complete or cancelled.
         */
        post: operations["cancelBroadcast"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attachments/presign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Presign an attachment upload
         * Returns an upload URL for one file. Upload the bytes with a PUT request to `uploadUrl`, with the declared type
         *     as `Content-Type`. The file must have exactly the declared length and type. Then name `attachmentId` in the
         *     `attachments` of one or more emails (`sendNotification`). The upload URL is valid for 15 minutes, and the upload
         *     must be complete within this time.
         *
         *     If the file is not uploaded within one hour after this request, the attachment is deleted. If the file is not
         *     attached within 24 hours after this request, the attachment and its file are deleted. Otherwise they are deleted
         *     with the last notification that uses them, after the days of the setting `notificationRetentionDays`.
         *
         *     429 `TOO_MANY_UPLOADS` with `Retry-After`: the files that are not attached to an email are too large in total.
         *     Attach uploaded files, or wait until older files are deleted. The limits are 102 MiB for each user and 1 GiB for
         *     the environment, unless the operator sets other limits. Before the upload, a file counts with its declared size
         *     for 15 minutes. After the upload, the file counts until it is attached or deleted. Each file counts as at least
         *     64 KiB. Files that are presigned with an API key or the master key count only towards the limit of the
         *     environment.
         */
        post: operations["presignAttachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/attachments/{attachmentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an attachment
         * Returns the metadata of a file. If the file is uploaded, the response contains a download URL, which is valid
         *     for 5 minutes.
         *
         *     404 `NOT_FOUND`: no attachment of the environment has this `attachmentId`.
         */
        get: operations["getAttachment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List templates
         * Lists the templates of the tenant, newest first. If the request has neither `limit` nor `cursor`, the service
         *     streams all templates in one response (chunked transfer coding). If this response ends without its final chunk,
         *     the list is incomplete, and you must repeat the request.
         */
        get: operations["listTemplates"];
        put?: never;
        /**
         * Create a template
         * Creates a template for one channel. Templates belong to the tenant: both environments read and change the same
         *     templates. Subject and body may contain placeholders such as `{{name}}`. The name of a placeholder consists of
         *     letters, digits, `_` and `.`. An email needs a subject. The subject of a push is its title. A text message has
         *     no subject.
         *
         *     - 400 `VALIDATION_ERROR`: a field is invalid, a placeholder is malformed, a `}}` has no matching `{{`, or an HTML
         *       body has a placeholder where no value is safe (see "Placeholders in HTML"). In `errors`, the `detail` of the
         *       field states the line and the column. In the style sheet of an HTML body, a `}}` without `{{` is
         *       allowed. `push` is allowed only if the channel is `push`.
         *     - 409 `CONFLICT`: the tenant already has a template with this name.
         */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{templateId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the template.
                 * @example 019ba86b-dd80-7a93-8e99-6d3f8184d3ba
                 */
                templateId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /**
         * Get a template
         * Returns one template. Credentials of both environments can read the template.
         *
         *     404 `NOT_FOUND`: no template of the tenant has this `templateId`.
         */
        get: operations["getTemplate"];
        put?: never;
        post?: never;
        /**
         * Delete a template
         * Deletes a template in both environments. Notifications that were accepted before the deletion are still sent.
         *
         *     - 404 `NOT_FOUND`: no template of the tenant has this `templateId`.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the template again, then repeat the
         *       request.
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        /**
         * Update a template
         * Changes the fields in the body, for both environments; other fields of the template stay unchanged. The changed
         *     template must follow the rules of `createTemplate`, also in fields that stay unchanged. If the body changes `channel` and has no `format`, the
         *     template gets the default format of the new channel. `subject: null` removes the subject, and `format: null`
         *     restores the default format. `push` replaces all push options, and `push: null` removes them. Remove them also
         *     if you change the channel of a push template. Notifications that were accepted before the change keep their text
         *     and their options.
         *
         *     - 404 `NOT_FOUND`: no template of the tenant has this `templateId`.
         *     - 409 `CONFLICT`: the tenant has another template with this name.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the template again, then repeat the
         *       request.
         */
        patch: operations["updateTemplate"];
        trace?: never;
    };
    "/v1/templates/{templateId}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a template
         * Renders a template with the values in `variables`, without sending a notification. The service escapes the
         *     values only in the body of an HTML email (see "Placeholders in HTML").
         *
         *     - 400 `VALIDATION_ERROR`: a field is invalid, a placeholder has no value, a value gives a URL in HTML that is not
         *       permitted, the rendered subject contains a line break, or the rendered text is too long. The limits are 1,000 characters for a subject, 1,600 characters for a
         *       text message, and 1 MiB for other bodies.
         *     - 404 `NOT_FOUND`: no template of the tenant has this `templateId`.
         */
        post: operations["previewTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user's devices
         * Lists the devices of one user, newest first. For an unknown user, the list is empty. Publishable keys get 403
         *     `FORBIDDEN`.
         */
        get: operations["listDevices"];
        put?: never;
        /**
         * Register a device
         * Registers the push token of a user's device. If the token is already registered for another user, the device
         *     moves to the user in the request. The response is 201 even if the token was already registered. iOS devices get
         *     pushes through APNs, Android devices through FCM. A web browser has either a token of FCM, or a `subscription`
         *     of the Push API, which gets pushes through Web Push (RFC 8030). A user has at most 100 devices. If a user
         *     already has 100 devices, a new device replaces the device that was registered longest ago.
         *
         *     With a `subscription`, the `token` of the device is the SHA-256 of the subscription's `endpoint`, in lower-case
         *     hexadecimal. The browser must have subscribed with the key of `getWebPushKey`. The device keeps this key when
         *     it is registered again.
         *
         *     404 `NOT_FOUND`: the account of the user was deleted, so nothing is stored. Sign the user out in the app, and
         *     register the device again for the next user.
         *
         *     409 `PUSH_CHANNEL_DISABLED`: there is a `subscription`, but the environment has no keys for Web Push. Make them
         *     with `putPlatform`.
         *
         *     A caller with a publishable key can register a device for any user id, and the device then receives the pushes
         *     of this user. Therefore, use user ids that cannot be guessed.
         */
        post: operations["registerDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{token}": {
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
         * Unregister a device
         * Removes a device. Pushes that are being sent now may still reach the device.
         *
         *     404 `NOT_FOUND`: no device of the environment has this token.
         */
        delete: operations["unregisterDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{token}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test push delivery to a device
         * Sends a test push to one device and waits for the answer of the push provider. The test creates no notification.
         *     If the provider reports the token of the device as gone (no longer valid), the service unregisters the device.
         *
         *     - 404 `NOT_FOUND`: no device of the environment has this token.
         *     - 409 `PUSH_CHANNEL_DISABLED`: `pushEnabled` is `false` in the settings, or the environment has no credentials
         *       of the device's push provider.
         *     - 429 `RATE_LIMITED`: the environment may send only 60 test pushes in any minute. The operator can set another
         *       number (`testPushesPerMinute`).
         */
        post: operations["testDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platforms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List push credentials
         * Returns the push credentials of the environment without their secrets. If the push provider has refused the
         *     credentials, `pausedUntil` and `pausedReason` show until when sending pauses, and why.
         */
        get: operations["listPlatforms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platforms/webpush": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the key for Web Push
         * Returns the public key with which browsers subscribe to pushes: the `applicationServerKey` of
         *     `PushManager.subscribe()`. If a browser has subscribed with another key, let it unsubscribe, subscribe with this
         *     key, and register the new subscription.
         *
         *     404 `NOT_FOUND`: the environment has no keys for Web Push. Make them with `putPlatform`.
         */
        get: operations["getWebPushKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platforms/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Push provider: `apns` for iOS, `fcm` for Android and for web browsers with a token, `webpush` for web browsers with a subscription.
                 * @example apns
                 */
                kind: components["schemas"]["PlatformKind"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Create or update push credentials
         * Stores push credentials of the environment. The new credentials replace the stored credentials of the same kind.
         *     For `apns`, the body contains `keyId`, `teamId`, `privateKey`, `bundleId` and `environment`. For `fcm`, the body
         *     contains `serviceAccountKey`, the JSON file of a Google service account. Keys are stored encrypted, and no
         *     response contains them.
         *
         *     For `webpush`, the service makes the key pair itself (RFC 8292). The body contains `subject`, a contact for the
         *     push services. The first request needs it; later requests without it keep it. Later requests keep the key, unless
         *     `rotate` is `true`: then the service makes a new key for new subscriptions. Registered devices keep the key that
         *     they registered under. If the keys are deleted, these devices get no more pushes.
         *
         *     If the push provider refuses the credentials, the service pauses sending through this provider for at most one
         *     hour. New credentials of this kind end the pause at once. `pausedUntil` and `pausedReason` show the pause. If
         *     the provider reports too many tokens as gone (no longer valid), the service stops unregistering devices of this
         *     provider until you store new credentials of this kind. `pruningStoppedAt` shows when the service stopped.
         *
         *     - 400 `VALIDATION_ERROR`: a field is invalid, or the private key cannot be parsed.
         *     - 404 `NOT_FOUND`: `kind` is not `fcm`, `apns` or `webpush`.
         *     - 409 `CONFLICT`: `rotate` is `true`, and devices use 10 keys of the environment already.
         */
        put: operations["putPlatform"];
        post?: never;
        /**
         * Delete push credentials
         * Deletes push credentials of the environment. Pending deliveries through this push provider fail with the reason
         *     `PLATFORM_NOT_CONFIGURED`.
         *
         *     404 `NOT_FOUND`: the environment has no credentials of this kind.
         */
        delete: operations["deletePlatform"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/domains/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a custom email domain
         * Sets the domain from which the environment sends email, and returns DNS records. Add the records to the DNS of
         *     the domain. The domain becomes `verified` when `getDomainStatus` or a daily check finds the required records.
         *     While the domain is `verified`, the service sends email from `fromName <fromEmail>` and signs it with DKIM.
         *     While the domain is `pending`, the service sends email from the default sender address that the operator has
         *     configured.
         *
         *     A request with the same domain changes only `fromEmail` and `fromName`, and keeps the DNS records and the
         *     status. A request with another domain replaces the current domain.
         *
         *     409 `CONFLICT`: another tenant has verified this domain. Use another domain, or delete the domain in the other tenant
         *     first.
         */
        post: operations["verifyDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/domains/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the email domain's status
         * Checks the DNS records of the domain now and returns the result. If all required records are found, the domain
         *     becomes `verified`. If a required record of a verified domain is missing or differs, `failingSince` is the time of
         *     the first such check, and webhooks receive the event `domain.failing`. The service then checks the domain once an
         *     hour and still sends email from it. When the records have been wrong for 72 hours, the domain becomes `pending`,
         *     and the service sends email from the default sender address that the operator has configured. If the DNS server
         *     does not answer, the status stays unchanged.
         *
         *     - 404 `NOT_FOUND`: the environment has no custom domain.
         *     - 409 `CONFLICT`: another tenant has verified this domain, or another request replaced or deleted the domain
         *       during the check. In the second case, repeat the request.
         */
        get: operations["getDomainStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/domains": {
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
         * Delete the custom email domain
         * Deletes the custom domain of the environment. After the deletion, the service sends email from the default
         *     sender address that the operator has configured.
         *
         *     404 `NOT_FOUND`: the environment has no custom domain.
         */
        delete: operations["deleteDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List suppressed phone numbers
         * Lists the phone numbers whose owners have opted out of text messages by replying STOP, newest first. The service
         *     adds a number to the list when Twilio reports the opt-out (code 21610) for a message to this number. Later
         *     messages to the number fail at once with the reason `SUPPRESSED`. When the owner of the number replies START, the
         *     service removes the number from the lists of all environments.
         *
         *     If the address belonged to a user who was erased (`eraseUser`), the service stores only a hash of it. The
         *     suppression stays in effect, and `address` is the beginning of the hash: `hash:` and 12 hexadecimal digits.
         */
        get: operations["listSuppressions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/suppressions/{address}": {
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
         * Delete a suppression
         * Removes a phone number from the suppressions, so that the service sends text messages to the number again.
         *     Twilio may still refuse the messages until the owner of the number replies START. For a suppression that is
         *     listed as a hash, send the address itself.
         *
         *     404 `NOT_FOUND`: the phone number is not in the list of `listSuppressions`.
         */
        delete: operations["deleteSuppression"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019c12d9-f580-7f18-9847-b17e0b9dbd0d
                 */
                userId: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase a user
         * Deletes the data of one user in this environment: the devices, and the notifications whose recipient (`to`) is
         *     the user id, with their content, deliveries and history. Queued pushes to the user are not sent any more. A push
         *     that a provider is receiving now may still reach a device. Pending webhook deliveries about these notifications
         *     are deleted, too. The audit trail names the user by a pseudonym.
         *
         *     The service does not know the email addresses and phone numbers of a user. Therefore, emails and text messages
         *     stay, except those whose recipient is the user id itself. Suppressions of the user's addresses stay, as hashes.
         *
         *     The response is the same for an unknown user. The request may be repeated. New data of the user is accepted
         *     afterwards. If the account itself is deleted, auth-mfa erases the user in all services (`receiveErasure`).
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
                 * @example 019c12d9-f580-7f18-9847-b17e0b9dbd0d
                 */
                userId: string;
            };
            cookie?: never;
        };
        /**
         * Export a user's data
         * Streams everything that the service stores of one user in this environment, as newline-delimited JSON. Each line
         *     is an object with a `type`:
         *
         *     - `device`: a device, with the fields of `Device` and also `subscription`, which is `null` for a device with a
         *       token. A subscription has `endpoint` and `keys`, without the secret `auth`.
         *     - `notification`: a notification whose recipient (`to`) is the user id, with the fields of `Notification` and
         *       also `subject` (the title of a push), `body`, `format` (`text` or `html`), `data`, `push` (the push options),
         *       `events` (the history after the acceptance, oldest first), `attachments` (`attachmentId`, `filename`,
         *       `contentType`, `sizeBytes`) and the provider's message id, `providerId`.
         *
         *     Each of the `deliveries` of a push has a `providerId`, too. The newest devices and notifications come first. For
         *     an unknown user, the export is empty. Emails and text messages are not part of the export, unless their recipient
         *     is the user id itself. If the response ends before the final chunk (chunked transfer coding), the export is
         *     incomplete. In this case, repeat the request. A caller with the role `user` may export only the own data.
         *
         *     404 `NOT_FOUND`: the caller has the role `user`, and `userId` is another user.
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
    "/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the settings
         * Returns the settings of the environment.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the settings
         * Changes the settings in the body; other settings of the environment stay unchanged. `null` restores the default
         *     of a setting.
         *
         *     412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the settings again, then repeat the
         *     request.
         */
        patch: operations["updateSettings"];
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
         * Lists the recorded changes in the environment, newest first. Each entry states the actor, the action, the
         *     changed object and, if recorded, the old and new values of the changed fields. Entries are kept as long as the
         *     tenant exists. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
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
         * Lists the webhooks of the environment, newest first, without their secrets. Requires an API key, the master key,
         *     or a user token with the role `admin` or `owner`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * Registers an endpoint that receives the events of this environment. Only this response contains the signing
         *     secret, so store the secret at once.
         *
         *     **Format.** The service sends each event as a POST request with the JSON body `{type, timestamp, data}`. The
         *     request is signed according to [Standard Webhooks](https://www.standardwebhooks.com), with the headers
         *     `webhook-id`, `webhook-timestamp` and `webhook-signature`. Verify the signature, so that you process only
         *     requests of this service. The service may send an event more than once, always with the same `webhook-id`. If
         *     you have already processed a request with this `webhook-id`, answer with a 2xx status and ignore the request.
         *     The header `traceparent` (W3C Trace Context), if present, identifies the trace of the request that caused the
         *     event.
         *
         *     **Retries.** An endpoint accepts an event by answering with any 2xx status within 15 seconds. After any other
         *     status except 410 (also after a redirect), and if no response arrives in time, the service retries with backoff
         *     for 3 days. If the last attempt fails too, the delivery fails. If the endpoint accepted no other event in these
         *     3 days, the service also disables the webhook. If the endpoint answers 410, the delivery fails and the service
         *     disables the webhook at once.
         *
         *     **Suspension.** The service sends no events while the tenant is suspended. After the tenant becomes active
         *     again, the service sends the deliveries that became due during the suspension within about 5 minutes. The
         *     duration of the suspension does not count towards their 3 days.
         *
         *     Requires an API key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     409 `CONFLICT`: the environment already has 20 webhooks, the maximum. Delete a webhook first.
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
         * Returns one webhook without its secret. Requires an API key, the master key, or a user token with the role `admin`
         *     or `owner`.
         *
         *     404 `NOT_FOUND`: no webhook of the environment has this `webhookId`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * Deletes a webhook and the records of its deliveries. Pending deliveries are not sent. Requires an API key, the
         *     master key, or a user token with the role `admin` or `owner`.
         *
         *     - 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the webhook again, then repeat the
         *       request.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook
         * Changes the fields in the body; other fields of the webhook stay unchanged. `events: null` selects all types,
         *     and `description: null` removes the description. If `enabled` is `true` or `false`, `disabledReason` becomes
         *     `null`.
         *
         *     While a webhook is disabled, the service does not store new events for the webhook, and pending deliveries fail
         *     when their next attempt is due. To send a failed delivery again, use `redeliver`.
         *
         *     Requires an API key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     - 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`.
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
         * Replaces the signing secret of a webhook. For 24 hours, each delivery is signed with both secrets, so that
         *     receivers can switch to the new secret. Only this response contains the new secret, so store the new secret at
         *     once. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     - 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`.
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
         * Lists the deliveries of a webhook, newest first, each with the result of its last attempt. A delivery sends one
         *     event to the webhook, in one or more attempts. Deliveries are kept for 30 days. Requires an API key, the master
         *     key, or a user token with the role `admin` or `owner`.
         *
         *     404 `NOT_FOUND`: no webhook of the environment has this `webhookId`.
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
         *     endpoint receives. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     404 `NOT_FOUND`: no webhook of the environment has this `webhookId`, or no delivery of the webhook has this
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
         * Queues a delivery again, whether it was delivered or not. The service sends the event with the same
         *     `webhook-id` (the `deliveryId`) and retries for another 3 days. Use this operation after you have repaired the
         *     endpoint. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     - 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`, or no delivery of the webhook has this
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
         * Sends an event of the type `webhook.test` to the webhook at once, and returns the result. Use this operation
         *     to check an endpoint and its verification of signatures. The body of the request to the endpoint is
         *     `{"type": "webhook.test", "timestamp": …, "data": {"webhookId": …}}`. The request is signed like a delivery,
         *     and has the same time limit of 15 s. There are no retries. The test does not appear in `listDeliveries`.
         *
         *     The operation also works while the webhook is disabled, and for a webhook that receives only some types of
         *     events. The result does not change the webhook: a 410 does not disable it. A response other than 2xx, a
         *     redirect, and no response are results with `status` `failed`, not errors. Requires an API key, the master
         *     key, or a user token with the role `admin` or `owner`.
         *
         *     - 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`.
         *     - 429 `RATE_LIMITED`: the webhook is being tested, or too many tests are running, or the environment has
         *       started 10 tests within a minute. Wait for the number of seconds in `Retry-After`.
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
         * Creates an API key for the `environment` in the body, which may differ from the environment of the host. Only
         *     this response contains the key, so store it at once. Older keys stay valid. `Idempotency-Key` is ignored: each
         *     request creates another key. Requires the master key, or a user token with the role `admin` or `owner`.
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
         * Rotate the secret key
         * Creates a secret key that replaces all other secret keys of the environment. The replaced keys stay valid for
         *     `gracePeriodSeconds`. If `gracePeriodSeconds` is absent or 0, the replaced keys become invalid at once. Only
         *     this response contains the new key, so store it at once. `Idempotency-Key` is ignored: each request creates
         *     another key. Requires the master key, or a user token with the role `admin` or `owner`.
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
    "/v1/keys/{environment}/rotate-publishable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the publishable key
         * Creates a publishable key that replaces all other publishable keys of the environment. The replaced keys stay
         *     valid for `gracePeriodSeconds`. If `gracePeriodSeconds` is absent or 0, the replaced keys become invalid at
         *     once. Only this response contains the new key, so store it at once. `Idempotency-Key` is ignored: each request
         *     creates another key. Requires the master key, or a user token with the role `admin` or `owner`.
         *
         *     403 `FORBIDDEN`: the user token belongs to the sandbox, and the keys belong to production. Use a user token of
         *     production.
         */
        post: operations["rotatePublishableKey"];
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
         * Revokes a secret or publishable key of the request's environment. After at most one second, all replicas
         *     of the service refuse the key. Requires the master key, or a user token with the role `admin` or `owner`.
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
         * Channel of the message.
         * @example email
         */
        Channel: "email" | "push" | "sms";
        /**
         * Status of the notification. The introduction explains each status.
         * @example sent
         */
        Status: "queued" | "sent" | "delivered" | "opened" | "failed";
        /**
         * Format of the body. Only an email may be `html`.
         * @example html
         */
        Format: "html" | "text";
        /**
         * Platform of the device. `ios` devices get pushes through APNs, `android` devices through FCM, `web` devices through
         *     Web Push if they have a subscription, else through FCM.
         * @example android
         */
        DevicePlatform: "ios" | "android" | "web";
        /**
         * Push provider: `apns` for iOS, `fcm` for Android and for web browsers with a token, `webpush` for web browsers with a subscription.
         * @example apns
         */
        PlatformKind: "fcm" | "apns" | "webpush";
        /**
         * Values of the placeholders, by name, at most 1,000. The service ignores values whose name is no placeholder of the template.
         * @example {
         *       "name": "Ada",
         *       "link": "https://app.example.com/start"
         *     }
         */
        Variables: {
            [key: string]: string;
        } | null;
        /**
         * Name of the file, without path separators, control characters or direction marks. The names `.` and `..` are refused.
         * @example invoice.pdf
         */
        Filename: string;
        /**
         * Format: int32
         * Length of the file in bytes, at most 10 MiB.
         * @example 48213
         */
        SizeBytes: number;
        /**
         * Token of an upload or download URL.
         * @example n6oeApNNJVmnuQOLvHKUkP4exmHPCcsat4mfxK1Vb1JfHQ
         */
        AddressToken: string;
        /**
         * Format: uri
         * URL of an upload or a download. Keep the URL secret: a request to it needs no other credential.
         * @example https://demo-sandbox.notify.example.com/uploads/n6oeApNNJVmnuQOLvHKUkP4exmHPCcsat4mfxK1Vb1JfHQ
         */
        SignedUrl: string;
        /**
         * Name of the template, unique for the tenant.
         * @example welcome
         */
        TemplateName: string;
        /**
         * Subject of an email or title of a push, on one line. The text may contain placeholders.
         * @example Welcome, {{name}}
         */
        Subject: string;
        /**
         * Subject of an email or title of a push, on one line. The text may contain placeholders. `null`: no subject.
         * @example Welcome, {{name}}
         */
        SubjectOrNull: string | null;
        /**
         * Text of the message. The text may contain placeholders. In HTML, a placeholder must be where a value can be escaped:
         *     in the text of an element or in the quoted value of an attribute (see "Placeholders in HTML").
         * @example <p>Dear {{name}},</p><p><a href="{{link}}">Start here</a>.</p>
         */
        TemplateBody: string;
        /** Options of a push. An option that is absent or `null` has its default value. */
        Push: {
            /**
             * Format: int32
             * How many seconds the provider keeps the push while the device is offline. `0`: the provider delivers the push
             *     now or never. Default: 2,419,200 (four weeks). APNs counts from the acceptance, or from `sendAt`. FCM and Web
             *     Push count from the attempt.
             * @example 3600
             */
            ttlSeconds?: number | null;
            /**
             * `high`: the device shows the push at once. `normal`: the device may wait, to save energy. Default: `high`,
             *     for a background push `normal`. To APNs, a background push always has normal priority.
             * @example normal
             */
            priority?: "high" | "normal" | null;
            /**
             * A push replaces earlier pushes with the same key. Visible ASCII characters without spaces. Default: the
             *     identifier of the notification or broadcast. FCM gets the key as the `tag` of the notification. For a
             *     background push, FCM gets it as `collapse_key`, and keeps at most four different keys for an offline device.
             * @example thread-42
             */
            collapseKey?: string | null;
            /**
             * Format: uri
             * URL of an image in the push. It must begin with `https://`. On iOS, a notification service extension of the
             *     app must attach the image: the push has `mutable-content`, and the extension reads the value `image`.
             * @example https://app.example.com/images/42.png
             */
            image?: string | null;
            /**
             * Format: uri
             * What the app opens when the user selects the push: an absolute URL, or a URI with a scheme of the app, such as
             *     `myapp://threads/42`. The schemes `data`, `file`, `javascript` and `vbscript` are refused. The app reads the
             *     value `link`. A browser that uses FCM opens an https link by itself.
             * @example https://app.example.com/threads/42
             */
            link?: string | null;
            /**
             * Format: int32
             * Number on the icon of the app. On iOS, `0` removes the number. On Android, `0` is the same as no value.
             * @example 3
             */
            badge?: number | null;
            /**
             * Name of a sound file in the app, or `default`. Default: `default` on iOS, and the sound of the notification
             *     channel on Android. Browsers ignore this option.
             * @example bell.caf
             */
            sound?: string | null;
            /**
             * Identifier of a notification channel that the Android app has created. If the app has no such channel, FCM uses
             *     the default channel of the app. Other devices ignore this option.
             * @example replies
             */
            channelId?: string | null;
            /**
             * Whether the app receives the push in the background, and the device shows nothing. The app then receives
             *     `title`, `body` and `badge` as values, and `sound` and `channelId` have no effect. Default: `false`.
             * @example false
             */
            background?: boolean | null;
        };
        /**
         * Options of pushes. Only a template whose channel is `push` may have options. `null`: no options.
         * @example {
         *       "priority": "normal",
         *       "collapseKey": "news"
         *     }
         */
        PushOrNull: components["schemas"]["Push"] | null;
        /**
         * Key that prevents a second broadcast within 24 hours. `null`: no key.
         * @example news-2026-01-31
         */
        DedupeKey: string | null;
        /**
         * Recipient: email address, phone number (E.164), or for a push a user id.
         * @example ada@example.com
         */
        Recipient: string;
        /**
         * Identifier of the user: any text, or `anon:` and a UUID for a user who has not signed in.
         * @example anon:019c12d9-f580-7f18-9847-b17e0b9dbd0d
         */
        DeviceUserId: string;
        /**
         * Push token that FCM or APNs issued for the device. For a device with a subscription, the SHA-256 of its endpoint in
         *     lower-case hexadecimal.
         * @example fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx
         */
        Token: string;
        /**
         * Format: int32
         * Number of attempts.
         * @example 1
         */
        Attempts: number;
        /**
         * Code in the provider's answer, or the first line of the answer.
         * @example UNREGISTERED
         */
        Reason: string | null;
        /**
         * Identifier of the Google Cloud project.
         * @example demo-project
         */
        ProjectId: string;
        /**
         * Identifier in Apple's developer account. It consists of 10 upper-case letters and digits.
         * @example ABCDE12345
         */
        AppleId: string;
        /**
         * Bundle identifier of the iOS app.
         * @example com.example.app
         */
        BundleId: string;
        /**
         * Private key in PEM form.
         * @example -----BEGIN PRIVATE KEY-----
         *     MIGH...
         *     -----END PRIVATE KEY-----
         */
        PrivateKey: string;
        /**
         * Domain name. Write an internationalised domain name in its `xn--` form. Responses use lower case.
         * @example mail.example.com
         */
        DomainName: string;
        /**
         * Name of the sender, on one line.
         * @example Example
         */
        FromName: string;
        /**
         * Media type of the file. The content must have this type, which the service detects from the first 64 KiB of the
         *     file. `text/plain`, `text/csv` and `application/json` accept every text, in UTF-8, in an 8-bit encoding, or in UTF-16
         *     with a byte order mark. `application/zip` also accepts formats that are ZIP archives, such as docx.
         * @example application/pdf
         */
        UploadType: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "video/mp4" | "application/pdf" | "application/json" | "application/zip" | "application/gzip" | "text/plain" | "text/csv";
        /** A notification to send. */
        Send: {
            templateName: components["schemas"]["TemplateName"];
            channel: components["schemas"]["Channel"];
            to: components["schemas"]["Recipient"];
            variables?: components["schemas"]["Variables"];
            /** When to send the notification, at most 30 days in the future. A time in the past or `null` means now. */
            sendAt?: components["schemas"]["MomentOrNull"];
            /**
             * Values that the app receives with the push. This field is allowed only for a push. Names and values together
             *     may have at most 4,096 bytes. The service adds `notificationId` to the values. The service refuses these
             *     reserved names: `notificationId`, `broadcastId`, `from`, `message_type`, `collapse_key`, `aps`, and names
             *     that begin with `google` or `gcm`.
             * @example {
             *       "thread": "42"
             *     }
             */
            data?: {
                [key: string]: string;
            } | null;
            /**
             * Options of the push. This field is allowed only for a push. An option in this field replaces the option of
             *     the template. An option that is absent or `null` keeps the value of the template.
             * @example {
             *       "link": "https://app.example.com/threads/42",
             *       "badge": 3
             *     }
             */
            push?: components["schemas"]["Push"] | null;
            /**
             * Files of the email: at most 10 files, and in total at most 10 MiB after base64 decoding. This field is
             *     allowed only for an email.
             */
            attachments?: (components["schemas"]["InlineAttachment"] | components["schemas"]["UploadedAttachment"])[] | null;
        };
        /** A file whose bytes are in the request. */
        InlineAttachment: {
            filename: components["schemas"]["Filename"];
            /**
             * Media type of the file, without parameters.
             * @example text/plain
             */
            contentType: string;
            /**
             * Bytes of the file in base64.
             * @example QmUga2luZC4=
             */
            content: string;
        };
        /** A file that was uploaded before this request (`presignAttachment`). */
        UploadedAttachment: {
            /** The `attachmentId` that `presignAttachment` returned. */
            attachmentId: components["schemas"]["Id"];
        };
        /** A message to one recipient. */
        Notification: {
            /** Identifier of the notification. */
            notificationId: components["schemas"]["Id"];
            status: components["schemas"]["Status"];
            channel: components["schemas"]["Channel"];
            /** Template from which the notification was rendered. */
            templateName: components["schemas"]["TemplateName"];
            to: components["schemas"]["Recipient"];
            /** When the notification was accepted. */
            createdAt: components["schemas"]["Time"];
            /** When the notification is to be sent. `null`: at once. */
            sendAt: components["schemas"]["TimeOrNull"];
            /**
             * When the provider accepted the notification. For a push: when the provider accepted it for the first device.
             *     `null`: not yet.
             */
            sentAt: components["schemas"]["TimeOrNull"];
            /** When the notification arrived, as the provider or the app reported. `null`: not reported. */
            deliveredAt: components["schemas"]["TimeOrNull"];
            /** When the app reported that the recipient opened the notification. `null`: not reported. */
            openedAt: components["schemas"]["TimeOrNull"];
            /** When the notification failed or was cancelled. `null`: the status is not `failed`. */
            failedAt: components["schemas"]["TimeOrNull"];
            /**
             * Why the notification failed: the code in the provider's answer, the first line of the provider's answer, or
             *     a reason of the service. Examples of reasons of the service: `CANCELLED`, `NO_DEVICES`, `SUPPRESSED` (the
             *     recipient has opted out), `ATTACHMENT_MISSING`, `PLATFORM_NOT_CONFIGURED`, `DEVICE_REMOVED`,
             *     `SMS_DAILY_LIMIT`, `SMS_SENDER_LIMIT`, `CONNECT_FAILED` (Twilio was not reached) and `INTERNAL`. A text
             *     message that may have been sent, and is not sent again, has the reason `NO_ANSWER`, `UNEXPECTED_ANSWER`,
             *     `HTTP_` and the status of Twilio's answer, or Twilio's code `20500`. `21610` is Twilio's code for a recipient
             *     who has opted out. `null`: the status is not `failed`.
             * @example NO_DEVICES
             */
            failureReason: string | null;
            /** Number of attempts since the notification was accepted, or since the last `retryNotification`. */
            attempts: components["schemas"]["Attempts"];
            /** Result for each device, at most 100. Only a push has this field. Lists and webhook events omit it. */
            deliveries?: components["schemas"]["Delivery"][];
        };
        /** A push to every device of the environment. */
        Broadcast: {
            /** Identifier of the broadcast. */
            broadcastId: components["schemas"]["Id"];
            /**
             * `queued`: the broadcast has not started. `fanning_out`: devices are being enqueued. `fanned_out`: all
             *     devices are enqueued, or the broadcast was cancelled. The counters can still grow until every enqueued
             *     device has a result (`completedAt`).
             * @example fanned_out
             */
            status: "queued" | "fanning_out" | "fanned_out";
            /** Template from which the broadcast was rendered. */
            templateName: components["schemas"]["TemplateName"];
            /**
             * Always `push`.
             */
            channel: "push";
            dedupeKey: components["schemas"]["DedupeKey"];
            /**
             * Number of devices enqueued so far. When the broadcast is complete, this number equals `sentCount` +
             *     `failedCount` + `invalidTokenCount`.
             * @example 1000000
             */
            enqueuedDevices: components["schemas"]["Count"];
            /**
             * Number of devices whose push the provider accepted.
             * @example 640000
             */
            sentCount: components["schemas"]["Count"];
            /**
             * Number of devices whose push was refused by the provider, failed after all retries, or was cancelled.
             * @example 12
             */
            failedCount: components["schemas"]["Count"];
            /**
             * Number of devices whose token was no longer valid, or that were unregistered before the service sent the
             *     push.
             * @example 2400
             */
            invalidTokenCount: components["schemas"]["Count"];
            /** When the broadcast was accepted. */
            createdAt: components["schemas"]["Time"];
            /** When the first devices were enqueued. `null`: not started. */
            startedAt: components["schemas"]["TimeOrNull"];
            /** When all devices were enqueued, or when the broadcast was cancelled before all devices were enqueued. `null`: the service still has to enqueue devices. */
            fannedOutAt: components["schemas"]["TimeOrNull"];
            /** When every enqueued device had a result. `null`: not complete. */
            completedAt: components["schemas"]["TimeOrNull"];
            /** When the broadcast was cancelled. `null`: not cancelled. */
            cancelledAt: components["schemas"]["TimeOrNull"];
        };
        /** A broadcast with the states of its carriers. */
        BroadcastStatus: components["schemas"]["Broadcast"] & {
            /** The push carriers for which the environment has credentials. */
            carriers: components["schemas"]["CarrierState"][];
        };
        /** Whether a push carrier takes the pushes of the environment now. */
        CarrierState: {
            /**
             * The push carrier.
             * @example fcm
             */
            kind: "fcm" | "apns" | "webpush";
            /**
             * `ok`: the carrier takes pushes. `throttled`: the carrier has answered that there are too many requests, and
             *     the service waits. `down`: the carrier does not connect, does not respond, or responds to everything with a
             *     server error.
             * @example ok
             */
            state: "ok" | "throttled" | "down";
            /** When the state `throttled` or `down` began. `null`: the state is `ok`. */
            since: components["schemas"]["TimeOrNull"];
        };
        /** Result of a push for one device. */
        Delivery: {
            token: components["schemas"]["Token"];
            platform: components["schemas"]["DevicePlatform"];
            /**
             * `pending`: the provider has not accepted the push yet. `sent`: the provider has accepted the push.
             *     `invalid`: the token is no longer valid. `failed`: the provider has not accepted the push, and the service
             *     makes no more attempts.
             * @example sent
             */
            status: "pending" | "sent" | "invalid" | "failed";
            /** Number of attempts for this device. */
            attempts: components["schemas"]["Attempts"];
            /**
             * Code of the provider for the last attempt that the provider did not accept, or a reason of the service.
             *     `null`: no attempt has failed.
             */
            reason: components["schemas"]["Reason"];
            /** When the result last changed. */
            updatedAt: components["schemas"]["Time"];
        };
        /** A change of a notification's status. */
        Event: {
            /** Status after the change. */
            status: components["schemas"]["Status"];
            /** When the change happened. */
            at: components["schemas"]["Time"];
            /**
             * Reason of the failure, or the `context` that `ackNotifications` has received. `null`: no detail.
             * @example foreground
             */
            detail: string | null;
        };
        /** A text with placeholders. */
        Template: {
            /** Identifier of the template. */
            templateId: components["schemas"]["Id"];
            name: components["schemas"]["TemplateName"];
            channel: components["schemas"]["Channel"];
            subject: components["schemas"]["Subject"];
            body: components["schemas"]["TemplateBody"];
            format: components["schemas"]["Format"];
            push: components["schemas"]["PushOrNull"];
            /**
             * Names of the placeholders. `variables` of a notification must have a value for each name.
             * @example [
             *       "link",
             *       "name"
             *     ]
             */
            placeholders: string[];
            version: components["schemas"]["Version"];
            /** When the template was created. */
            createdAt: components["schemas"]["Time"];
            /** When the template was last changed. */
            updatedAt: components["schemas"]["Time"];
        };
        /** A device that receives pushes. */
        Device: {
            userId: components["schemas"]["DeviceUserId"];
            token: components["schemas"]["Token"];
            platform: components["schemas"]["DevicePlatform"];
            /** When the token was first registered. */
            createdAt: components["schemas"]["Time"];
            /** When the token was last registered. */
            updatedAt: components["schemas"]["Time"];
        };
        /**
         * Subscription of a web browser (`PushSubscription.toJSON()`), for the platform `web` only. Other members are ignored.
         *     `null`: the device has a `token`.
         */
        WebSubscription: ({
            /**
             * Format: uri
             * URL of the push service: an https URL on a host that the operator allows (`WEB_PUSH_HOSTS`). By default, these
             *     are the push services of Google, Mozilla, Apple and Microsoft.
             * @example https://updates.push.services.mozilla.com/wpush/v2/gAAAAABl7xQ2
             */
            endpoint: string;
            /** Keys for the encryption of pushes (RFC 8291). */
            keys: {
                /**
                 * Public key of the browser: an uncompressed point on P-256 (65 bytes), in base64url without padding.
                 * @example BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4
                 */
                p256dh: string;
                /**
                 * Secret of the browser, 16 bytes in base64url without padding.
                 * @example BTBZMqHH6r4Tts7J_aSIgg
                 */
                auth: string;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        }) | null;
        /**
         * Public key for Web Push (VAPID): an uncompressed point on P-256, in base64url without padding.
         * @example BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8
         */
        VapidPublicKey: string;
        /**
         * Contact that push services get with each push (RFC 8292): `mailto:` with an email address, or an https URL.
         * @example mailto:push@example.com
         */
        VapidSubject: string;
        /** Request for keys for Web Push. The service makes the keys itself. */
        WebPushCredential: {
            /** Contact that push services get with each push: `mailto:` with an email address, or an https URL. Required in the first request. */
            subject?: components["schemas"]["VapidSubject"];
            /**
             * Whether to make a new key for new subscriptions. `null` is `false`.
             * @example true
             */
            rotate?: boolean | null;
        };
        /** Credentials of Firebase Cloud Messaging. */
        FcmCredential: {
            /** JSON file of a Google service account. */
            serviceAccountKey: {
                /**
                 * Always `service_account`.
                 */
                type: "service_account";
                project_id: components["schemas"]["ProjectId"];
                /** Private key: RSA with at least 2048 bits, in PEM form. */
                private_key: components["schemas"]["PrivateKey"];
                /**
                 * Identifier of the private key.
                 * @example 5f2b8c1d9e3a4f60b7c8d9e0f1a2b3c4d5e6f708
                 */
                private_key_id?: string | null;
                /**
                 * Email address of the service account.
                 * @example push@demo-project.iam.gserviceaccount.com
                 */
                client_email: components["schemas"]["Email"];
            } & {
                [key: string]: unknown;
            };
        };
        /** Credentials of the Apple Push Notification service. */
        ApnsCredential: {
            /** Identifier of the key. */
            keyId: components["schemas"]["AppleId"];
            /**
             * Identifier of the team.
             * @example TEAM123456
             */
            teamId: components["schemas"]["AppleId"];
            /** Content of Apple's `.p8` file: a P-256 key in PEM form. */
            privateKey: components["schemas"]["PrivateKey"];
            bundleId: components["schemas"]["BundleId"];
            /**
             * Environment of Apple's service.
             * @example production
             */
            environment: "production" | "sandbox";
        };
        /** Push credentials without their secrets. */
        Platform: components["schemas"]["FcmPlatform"] | components["schemas"]["ApnsPlatform"] | components["schemas"]["WebPushPlatform"];
        /**
         * Format: date-time
         * When the service stopped unregistering devices whose tokens the provider reports as gone (no longer valid). The
         *     service stops if the provider reports more than half of the tokens of at least 50 pushes as gone, because the
         *     credentials then probably belong to another app. The next `putPlatform` of this kind sets the value to `null`.
         *     `null`: the service unregisters devices whose tokens are gone.
         * @example 2026-01-31T09:00:00.000Z
         */
        PruningStoppedAt: string | null;
        /** Credentials of Firebase Cloud Messaging, without secrets. */
        FcmPlatform: {
            /**
             * Always `fcm`.
             */
            kind: "fcm";
            /**
             * Environment of the tenant.
             * @example sandbox
             */
            environment: "production" | "sandbox";
            projectId: components["schemas"]["ProjectId"];
            /** When the credentials were stored. */
            updatedAt: components["schemas"]["Time"];
            /**
             * End of the pause in sending. Sending pauses after the provider has refused the credentials. `null`: sending
             *     is not paused.
             */
            pausedUntil: components["schemas"]["TimeOrNull"];
            /**
             * Why the provider has refused the credentials. `null`: sending is not paused.
             * @example PERMISSION_DENIED
             */
            pausedReason: components["schemas"]["Reason"];
            pruningStoppedAt: components["schemas"]["PruningStoppedAt"];
        };
        /** Credentials of the Apple Push Notification service, without secrets. */
        ApnsPlatform: {
            /**
             * Always `apns`.
             */
            kind: "apns";
            /**
             * Environment of Apple's service.
             * @example production
             */
            environment: "production" | "sandbox";
            /** Identifier of the key. */
            keyId: components["schemas"]["AppleId"];
            /**
             * Identifier of the team.
             * @example TEAM123456
             */
            teamId: components["schemas"]["AppleId"];
            bundleId: components["schemas"]["BundleId"];
            /** When the credentials were stored. */
            updatedAt: components["schemas"]["Time"];
            /**
             * End of the pause in sending. Sending pauses after the provider has refused the credentials. `null`: sending
             *     is not paused.
             */
            pausedUntil: components["schemas"]["TimeOrNull"];
            /**
             * Why the provider has refused the credentials. `null`: sending is not paused.
             * @example InvalidProviderToken
             */
            pausedReason: components["schemas"]["Reason"];
            pruningStoppedAt: components["schemas"]["PruningStoppedAt"];
        };
        /** Keys for Web Push, without private keys. */
        WebPushPlatform: {
            /**
             * Always `webpush`.
             */
            kind: "webpush";
            /**
             * Environment of the tenant.
             * @example sandbox
             */
            environment: "production" | "sandbox";
            subject: components["schemas"]["VapidSubject"];
            /** Current public key, with which browsers subscribe. */
            publicKey: components["schemas"]["VapidPublicKey"];
            /** When the keys or the subject were last changed. */
            updatedAt: components["schemas"]["Time"];
            /** End of the pause in sending. Always `null` for Web Push. */
            pausedUntil: components["schemas"]["TimeOrNull"];
            /**
             * Why sending is paused. Always `null` for Web Push.
             * @example null
             */
            pausedReason: components["schemas"]["Reason"];
            pruningStoppedAt: components["schemas"]["PruningStoppedAt"];
        };
        /** The sender domain of an environment. */
        Domain: {
            domain: components["schemas"]["DomainName"];
            /**
             * Email address of the sender. It must be an address in `domain`.
             * @example hello@mail.example.com
             */
            fromEmail: components["schemas"]["Email"];
            fromName: components["schemas"]["FromName"];
            /**
             * `pending`: a required DNS record is missing, differs, or is not checked yet. `verified`: the service sends
             *     email from the domain.
             * @example pending
             */
            status: "pending" | "verified";
            /** When the domain was set. */
            createdAt: components["schemas"]["Time"];
            /** When the DNS records were last checked. `null`: not checked yet. */
            checkedAt: components["schemas"]["TimeOrNull"];
            /** When the domain became `verified`. `null`: the domain is not verified. */
            verifiedAt: components["schemas"]["TimeOrNull"];
            /**
             * When a required DNS record of the verified domain was first found missing or wrong. The domain becomes
             *     `pending` 72 hours later, unless the records are right before. `null`: the records were right at the last
             *     answer of DNS, or the domain is not verified.
             */
            failingSince: components["schemas"]["TimeOrNull"];
            /** Records to add to the DNS of the domain. */
            dnsRecords: components["schemas"]["DnsRecord"][];
        };
        /** A record to add to the DNS of the domain. */
        DnsRecord: {
            /**
             * Always `TXT`.
             */
            type: "TXT";
            /**
             * Name of the record.
             * @example _notify.mail.example.com
             */
            name: string;
            /**
             * Value of the record.
             * @example notify-verification=7Kd0vXq2LmN8sTfYb3Rw5ZgHcJ1pUaE4
             */
            value: string;
            /**
             * Purpose of the record.
             * @example ownership
             */
            purpose: "ownership" | "dkim" | "spf" | "dmarc";
            /**
             * Result of the last check. `pending`: not checked yet. `verified`: the record was found. `missing`: no such
             *     record exists. `mismatch`: the record exists, but has another value. `unknown`: the DNS server did not
             *     answer.
             * @example pending
             */
            status: "pending" | "verified" | "missing" | "mismatch" | "unknown";
            /**
             * Whether the domain needs this record to become `verified`. `false`: the record is only recommended.
             * @example true
             */
            required: boolean;
            /**
             * The value that was found instead of `value`, or why the DNS server gave no answer. `null`: no detail.
             * @example found: v=spf1 -all
             */
            detail: components["schemas"]["Reason"];
        };
        /** A phone number that gets no text messages. */
        Suppression: {
            channel: components["schemas"]["Channel"];
            /**
             * Suppressed phone number, or the beginning of its hash after an erasure.
             * @example +4915112345678
             */
            address: components["schemas"]["Recipient"];
            /**
             * Twilio's error code for the opt-out.
             * @example 21610
             */
            reason: string;
            /** When the phone number was suppressed. */
            createdAt: components["schemas"]["Time"];
        };
        /** A file for emails. */
        Attachment: {
            /** Identifier of the attachment. */
            attachmentId: components["schemas"]["Id"];
            filename: components["schemas"]["Filename"];
            contentType: components["schemas"]["UploadType"];
            sizeBytes: components["schemas"]["SizeBytes"];
            /**
             * `presigned`: the file is not uploaded yet. `uploaded`: the file is uploaded, but not attached to an email
             *     yet. `attached`: the file is attached to an email.
             * @example attached
             */
            status: "presigned" | "uploaded" | "attached";
            /** When the attachment was presigned. */
            createdAt: components["schemas"]["Time"];
            /** When the file was uploaded. `null`: the file is not uploaded yet. */
            uploadedAt: components["schemas"]["TimeOrNull"];
            /**
             * Format: uri
             * URL to download the bytes from with a GET request. Keep the URL secret: a download needs no other
             *     credential. `null`: the file is not uploaded yet.
             * @example https://demo-sandbox.notify.example.com/downloads/YM6qeeWP7eATl441aBzexo5ltFSzQdSeSdLxaQcj_F8R-Q
             */
            downloadUrl: string | null;
            /** When `downloadUrl` expires. `null`: the file is not uploaded yet. */
            expiresAt: components["schemas"]["TimeOrNull"];
        };
        /**
         * Name of the tenant in host names: lower-case letters, digits, and hyphens between them.
         * @example demo
         */
        Slug: string;
        /**
         * Environment of the tenant. The two environments are isolated from each other.
         * @example sandbox
         */
        Environment: "production" | "sandbox";
        /**
         * Format: date-time
         * Time with any UTC offset and at most 9 fractional digits of a second (RFC 3339), or `null`.
         * @example 2026-01-31T10:00:00+01:00
         */
        MomentOrNull: string | null;
        /**
         * Format: uuid
         * Identifier of the object (UUID).
         * @example 019c1347-d280-7ffb-a9a3-5da82b657381
         */
        Id: string;
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
         * Format: date-time
         * Time with any UTC offset and at most 9 fractional digits of a second (RFC 3339).
         * @example 2026-01-31T10:00:00+01:00
         */
        Moment: string;
        /**
         * Format: date-time
         * Time in UTC with milliseconds (RFC 3339).
         * @example 2026-01-31T09:00:00.000Z
         */
        Time: string;
        /**
         * Format: date-time
         * Time in UTC with milliseconds (RFC 3339), or `null`.
         * @example 2026-01-31T09:00:00.000Z
         */
        TimeOrNull: string | null;
        /**
         * Position of the next page. Send this value as `cursor` to get the next page. `null`: this is the last page.
         * @example AAYBm_z0oAABnBNH0oB_-6mjXagrZXOBZpLbX4u3
         */
        Cursor: string | null;
        /**
         * Format: int64
         * Number of items.
         * @example 42
         */
        Count: number;
        /**
         * Format: int64
         * Version of the object. Each change adds 1.
         * @example 3
         */
        Version: number;
        /**
         * Format: email
         * Valid email address by the definition of the HTML standard (WHATWG).
         * @example ada@example.com
         */
        Email: string;
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
        UserId: string;
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
            actor: components["schemas"]["UserId"];
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
        EventType: string;
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
            events: components["schemas"]["EventType"][];
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
        "schemas-Delivery": {
            /** Identifier of the delivery. It is sent as `webhook-id`. */
            deliveryId: components["schemas"]["Id"];
            /** Identifier of the webhook. */
            webhookId: components["schemas"]["Id"];
            eventType: components["schemas"]["EventType"];
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
            type: components["schemas"]["EventType"];
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
        DeliveryWithPayload: components["schemas"]["schemas-Delivery"] & {
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
    sendNotification: {
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
                 *       "templateName": "welcome",
                 *       "channel": "email",
                 *       "to": "ada@example.com",
                 *       "variables": {
                 *         "name": "Ada",
                 *         "link": "https://app.example.com/start"
                 *       },
                 *       "attachments": [
                 *         {
                 *           "filename": "terms.txt",
                 *           "contentType": "text/plain",
                 *           "content": "QmUga2luZC4="
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Send"];
            };
        };
        responses: {
            /** The stored notification, which will be sent */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notificationId": "019c1347-d280-73f4-8d5a-b8e41514e5d4",
                     *       "status": "queued"
                     *     }
                     */
                    "application/json": {
                        /** Identifier of the notification. */
                        notificationId: components["schemas"]["Id"];
                        /**
                         * Always `queued`.
                         */
                        status: "queued";
                    };
                };
            };
        };
    };
    ackNotifications: {
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
                 *       "notifications": [
                 *         {
                 *           "id": "019c1347-d280-73f4-8d5a-b8e41514e5d4",
                 *           "context": "foreground",
                 *           "timestamp": "2026-01-31T09:00:01.500Z"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** Notifications that have arrived, 1 to 100. */
                    notifications: {
                        /**
                         * `notificationId`, as the device received it.
                         * @example 019c1347-d280-73f4-8d5a-b8e41514e5d4
                         */
                        id: string;
                        /**
                         * Note of your choice about the delivery, for example the state of the app.
                         * @example foreground
                         */
                        context?: string | null;
                        /** When the device received the notification. Default: now. */
                        timestamp?: components["schemas"]["MomentOrNull"];
                    }[];
                };
            };
        };
        responses: {
            /** Result for each notification, in the order of the request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "acknowledged": 1,
                     *       "results": [
                     *         {
                     *           "id": "019c1347-d280-73f4-8d5a-b8e41514e5d4",
                     *           "result": "delivered"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * Format: int32
                         * Number of notifications that this request has marked as delivered.
                         * @example 1
                         */
                        acknowledged: number;
                        /** Results in the order of the request. */
                        results: {
                            /**
                             * `id` of the notification, as in the request.
                             * @example 019c1347-d280-73f4-8d5a-b8e41514e5d4
                             */
                            id: string;
                            /**
                             * `delivered`: this request has marked the notification. `already`: the notification was
                             *     delivered or opened before, or is listed more than once in this request. `unknown`: no
                             *     notification of the environment has this id.
                             * @example delivered
                             */
                            result: "delivered" | "already" | "unknown";
                        }[];
                    };
                };
            };
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                /**
                 * Only notifications with this status.
                 * @example failed
                 */
                status?: components["schemas"]["Status"];
                /**
                 * Only notifications of this channel.
                 * @example email
                 */
                channel?: components["schemas"]["Channel"];
                /**
                 * Only notifications to this recipient. Use the value of `to` from your `sendNotification` request. The case
                 *     of letters in the domain of an email address does not matter.
                 * @example ada@example.com
                 */
                to?: components["schemas"]["Recipient"];
                /**
                 * Only notifications accepted after this time (exclusive).
                 * @example 2026-01-01T00:00:00Z
                 */
                createdAfter?: components["schemas"]["Moment"];
                /**
                 * Number of items per page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * Value of `nextCursor` in the previous page, sent with the same filters. For the first page, omit this parameter.
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
            /** A page of notifications, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notifications": [
                     *         {
                     *           "notificationId": "019c1347-d280-73f4-8d5a-b8e41514e5d4",
                     *           "status": "sent",
                     *           "channel": "email",
                     *           "templateName": "welcome",
                     *           "to": "ada@example.com",
                     *           "createdAt": "2026-01-31T09:00:00.000Z",
                     *           "sendAt": null,
                     *           "sentAt": "2026-01-31T09:00:00.120Z",
                     *           "deliveredAt": null,
                     *           "openedAt": null,
                     *           "failedAt": null,
                     *           "failureReason": null,
                     *           "attempts": 1
                     *         }
                     *       ],
                     *       "nextCursor": "AAYBm_z0oAABnBNH0oB_-6mjXagrZXOBZpLbX4u3"
                     *     }
                     */
                    "application/json": {
                        /** Notifications of this page. */
                        notifications: components["schemas"]["Notification"][];
                        nextCursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    getNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the notification.
                 * @example 019c1347-d280-73f4-8d5a-b8e41514e5d4
                 */
                notificationId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The notification */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notificationId": "019c1347-d280-73f4-8d5a-b8e41514e5d4",
                     *       "status": "sent",
                     *       "channel": "push",
                     *       "templateName": "answer",
                     *       "to": "anon:019c12d9-f580-7f18-9847-b17e0b9dbd0d",
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "sendAt": null,
                     *       "sentAt": "2026-01-31T09:00:00.120Z",
                     *       "deliveredAt": null,
                     *       "openedAt": null,
                     *       "failedAt": null,
                     *       "failureReason": null,
                     *       "attempts": 1,
                     *       "deliveries": [
                     *         {
                     *           "token": "fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx",
                     *           "platform": "android",
                     *           "status": "sent",
                     *           "attempts": 1,
                     *           "reason": null,
                     *           "updatedAt": "2026-01-31T09:00:00.120Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Notification"];
                };
            };
        };
    };
    listNotificationEvents: {
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
            path: {
                /**
                 * Identifier of the notification.
                 * @example 019c1347-d280-73f4-8d5a-b8e41514e5d4
                 */
                notificationId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of status changes, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "status": "sent",
                     *           "at": "2026-01-31T09:00:00.120Z",
                     *           "detail": null
                     *         },
                     *         {
                     *           "status": "queued",
                     *           "at": "2026-01-31T09:00:00.000Z",
                     *           "detail": null
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Status changes of this page. */
                        items: components["schemas"]["Event"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    openNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the notification.
                 * @example 019c1347-d280-73f4-8d5a-b8e41514e5d4
                 */
                notificationId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The notification */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notificationId": "019c1347-d280-73f4-8d5a-b8e41514e5d4",
                     *       "status": "sent",
                     *       "channel": "push",
                     *       "templateName": "answer",
                     *       "to": "anon:019c12d9-f580-7f18-9847-b17e0b9dbd0d",
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "sendAt": null,
                     *       "sentAt": "2026-01-31T09:00:00.120Z",
                     *       "deliveredAt": null,
                     *       "openedAt": null,
                     *       "failedAt": null,
                     *       "failureReason": null,
                     *       "attempts": 1,
                     *       "deliveries": [
                     *         {
                     *           "token": "fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx",
                     *           "platform": "android",
                     *           "status": "sent",
                     *           "attempts": 1,
                     *           "reason": null,
                     *           "updatedAt": "2026-01-31T09:00:00.120Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Notification"];
                };
            };
        };
    };
    cancelNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the notification.
                 * @example 019c1347-d280-73f4-8d5a-b8e41514e5d4
                 */
                notificationId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The notification */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notificationId": "019c1347-d280-73f4-8d5a-b8e41514e5d4",
                     *       "status": "sent",
                     *       "channel": "push",
                     *       "templateName": "answer",
                     *       "to": "anon:019c12d9-f580-7f18-9847-b17e0b9dbd0d",
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "sendAt": null,
                     *       "sentAt": "2026-01-31T09:00:00.120Z",
                     *       "deliveredAt": null,
                     *       "openedAt": null,
                     *       "failedAt": null,
                     *       "failureReason": null,
                     *       "attempts": 1,
                     *       "deliveries": [
                     *         {
                     *           "token": "fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx",
                     *           "platform": "android",
                     *           "status": "sent",
                     *           "attempts": 1,
                     *           "reason": null,
                     *           "updatedAt": "2026-01-31T09:00:00.120Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Notification"];
                };
            };
        };
    };
    retryNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the notification.
                 * @example 019c1347-d280-73f4-8d5a-b8e41514e5d4
                 */
                notificationId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The notification */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notificationId": "019c1347-d280-73f4-8d5a-b8e41514e5d4",
                     *       "status": "sent",
                     *       "channel": "push",
                     *       "templateName": "answer",
                     *       "to": "anon:019c12d9-f580-7f18-9847-b17e0b9dbd0d",
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "sendAt": null,
                     *       "sentAt": "2026-01-31T09:00:00.120Z",
                     *       "deliveredAt": null,
                     *       "openedAt": null,
                     *       "failedAt": null,
                     *       "failureReason": null,
                     *       "attempts": 1,
                     *       "deliveries": [
                     *         {
                     *           "token": "fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx",
                     *           "platform": "android",
                     *           "status": "sent",
                     *           "attempts": 1,
                     *           "reason": null,
                     *           "updatedAt": "2026-01-31T09:00:00.120Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Notification"];
                };
            };
        };
    };
    startBroadcast: {
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
                 *       "templateName": "news",
                 *       "channel": "push",
                 *       "dedupeKey": "news-2026-01-31"
                 *     }
                 */
                "application/json": {
                    templateName: components["schemas"]["TemplateName"];
                    /**
                     * Always `push`.
                     */
                    channel: "push";
                    /** Key of your choice that prevents a second broadcast within 24 hours. `null`: no key. */
                    dedupeKey?: components["schemas"]["DedupeKey"];
                    variables?: components["schemas"]["Variables"];
                };
            };
        };
        responses: {
            /** The new broadcast, or the first broadcast if the request is a duplicate */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "broadcastId": "019c137e-c100-710f-9181-362859df464f",
                     *       "status": "queued"
                     *     }
                     */
                    "application/json": {
                        /** Identifier of the new broadcast, or of the first broadcast if the request is a duplicate. */
                        broadcastId: components["schemas"]["Id"];
                        /**
                         * `queued`: this request has started the broadcast. `duplicate`: another broadcast has used the
                         *     `dedupeKey` within the last 24 hours.
                         * @example queued
                         */
                        status: "queued" | "duplicate";
                    };
                };
            };
        };
    };
    listBroadcasts: {
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
            /** A page of broadcasts, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "broadcastId": "019c137e-c100-710f-9181-362859df464f",
                     *           "status": "fanned_out",
                     *           "templateName": "news",
                     *           "channel": "push",
                     *           "dedupeKey": "news-2026-01-31",
                     *           "enqueuedDevices": 1000000,
                     *           "sentCount": 640000,
                     *           "failedCount": 12,
                     *           "invalidTokenCount": 2400,
                     *           "createdAt": "2026-01-31T10:00:00.000Z",
                     *           "startedAt": "2026-01-31T10:00:00.020Z",
                     *           "fannedOutAt": "2026-01-31T10:00:01.100Z",
                     *           "completedAt": null,
                     *           "cancelledAt": null
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Broadcasts of this page. */
                        items: components["schemas"]["Broadcast"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    getBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the broadcast.
                 * @example 019c137e-c100-710f-9181-362859df464f
                 */
                broadcastId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The broadcast with the states of its carriers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "broadcastId": "019c137e-c100-710f-9181-362859df464f",
                     *       "status": "fanned_out",
                     *       "templateName": "news",
                     *       "channel": "push",
                     *       "dedupeKey": "news-2026-01-31",
                     *       "enqueuedDevices": 1000000,
                     *       "sentCount": 640000,
                     *       "failedCount": 12,
                     *       "invalidTokenCount": 2400,
                     *       "createdAt": "2026-01-31T10:00:00.000Z",
                     *       "startedAt": "2026-01-31T10:00:00.020Z",
                     *       "fannedOutAt": "2026-01-31T10:00:01.100Z",
                     *       "completedAt": null,
                     *       "cancelledAt": null,
                     *       "carriers": [
                     *         {
                     *           "kind": "fcm",
                     *           "state": "ok",
                     *           "since": null
                     *         },
                     *         {
                     *           "kind": "apns",
                     *           "state": "down",
                     *           "since": "2026-01-31T10:04:12.300Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BroadcastStatus"];
                };
            };
        };
    };
    cancelBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the broadcast.
                 * @example 019c137e-c100-710f-9181-362859df464f
                 */
                broadcastId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The broadcast */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "broadcastId": "019c137e-c100-710f-9181-362859df464f",
                     *       "status": "fanned_out",
                     *       "templateName": "news",
                     *       "channel": "push",
                     *       "dedupeKey": "news-2026-01-31",
                     *       "enqueuedDevices": 1000000,
                     *       "sentCount": 640000,
                     *       "failedCount": 12,
                     *       "invalidTokenCount": 2400,
                     *       "createdAt": "2026-01-31T10:00:00.000Z",
                     *       "startedAt": "2026-01-31T10:00:00.020Z",
                     *       "fannedOutAt": "2026-01-31T10:00:01.100Z",
                     *       "completedAt": null,
                     *       "cancelledAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Broadcast"];
                };
            };
        };
    };
    presignAttachment: {
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
                 *       "filename": "invoice.pdf",
                 *       "contentType": "application/pdf",
                 *       "sizeBytes": 48213
                 *     }
                 */
                "application/json": {
                    filename: components["schemas"]["Filename"];
                    contentType: components["schemas"]["UploadType"];
                    sizeBytes: components["schemas"]["SizeBytes"];
                };
            };
        };
        responses: {
            /** The upload URL of the file */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attachmentId": "019c1345-fdc0-767f-b254-ca88eba57edc",
                     *       "uploadUrl": "https://demo-sandbox.notify.example.com/uploads/n6oeApNNJVmnuQOLvHKUkP4exmHPCcsat4mfxK1Vb1JfHQ",
                     *       "filename": "invoice.pdf",
                     *       "contentType": "application/pdf",
                     *       "expiresAt": "2026-01-31T09:13:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /** Identifier of the attachment. */
                        attachmentId: components["schemas"]["Id"];
                        /** URL to upload the bytes to with a PUT request. Keep the URL secret: an upload needs no other credential. */
                        uploadUrl: components["schemas"]["SignedUrl"];
                        filename: components["schemas"]["Filename"];
                        contentType: components["schemas"]["UploadType"];
                        /** When `uploadUrl` expires. */
                        expiresAt: components["schemas"]["Time"];
                    };
                };
            };
        };
    };
    getAttachment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the attachment.
                 * @example 019c1345-fdc0-767f-b254-ca88eba57edc
                 */
                attachmentId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The attachment */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attachmentId": "019c1345-fdc0-767f-b254-ca88eba57edc",
                     *       "filename": "invoice.pdf",
                     *       "contentType": "application/pdf",
                     *       "sizeBytes": 48213,
                     *       "status": "attached",
                     *       "createdAt": "2026-01-31T08:58:00.000Z",
                     *       "uploadedAt": "2026-01-31T08:58:03.000Z",
                     *       "downloadUrl": "https://demo-sandbox.notify.example.com/downloads/YM6qeeWP7eATl441aBzexo5ltFSzQdSeSdLxaQcj_F8R-Q",
                     *       "expiresAt": "2026-01-31T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Attachment"];
                };
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /**
                 * Number of templates per page. Default: 20 if the request has `cursor`, otherwise all templates.
                 * @example 20
                 */
                limit?: number;
                /**
                 * Value of `nextCursor` in the previous page, sent with the same filters. For the first page, omit this parameter.
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
            /** Templates, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templates": [
                     *         {
                     *           "templateId": "019ba86b-dd80-7a93-8e99-6d3f8184d3ba",
                     *           "name": "welcome",
                     *           "channel": "email",
                     *           "subject": "Welcome, {{name}}",
                     *           "body": "<p>Dear {{name}},</p><p><a href=\"{{link}}\">Start here</a>.</p>",
                     *           "format": "html",
                     *           "push": null,
                     *           "placeholders": [
                     *             "link",
                     *             "name"
                     *           ],
                     *           "version": 1,
                     *           "createdAt": "2026-01-10T15:00:00.000Z",
                     *           "updatedAt": "2026-01-10T15:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        /** Templates of this page, or all templates. */
                        templates: components["schemas"]["Template"][];
                        /**
                         * Position of the next page. Send this value as `cursor` to get the next page. `null`: this is the
                         *     last page. If the response contains all templates, it has no `nextCursor`.
                         */
                        nextCursor?: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    createTemplate: {
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
                 *       "name": "welcome",
                 *       "channel": "email",
                 *       "subject": "Welcome, {{name}}",
                 *       "body": "<p>Dear {{name}},</p><p><a href=\"{{link}}\">Start here</a>.</p>"
                 *     }
                 */
                "application/json": {
                    name: components["schemas"]["TemplateName"];
                    channel: components["schemas"]["Channel"];
                    subject?: components["schemas"]["SubjectOrNull"];
                    body: components["schemas"]["TemplateBody"];
                    /**
                     * Format of the body. Default: `html` for an email, otherwise `text`. Only an email may be `html`.
                     * @example html
                     */
                    format?: components["schemas"]["Format"] | null;
                    push?: components["schemas"]["PushOrNull"];
                };
            };
        };
        responses: {
            /** The new template */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templateId": "019ba86b-dd80-7a93-8e99-6d3f8184d3ba",
                     *       "name": "welcome",
                     *       "channel": "email",
                     *       "subject": "Welcome, {{name}}",
                     *       "body": "<p>Dear {{name}},</p><p><a href=\"{{link}}\">Start here</a>.</p>",
                     *       "format": "html",
                     *       "push": null,
                     *       "placeholders": [
                     *         "link",
                     *         "name"
                     *       ],
                     *       "version": 1,
                     *       "createdAt": "2026-01-10T15:00:00.000Z",
                     *       "updatedAt": "2026-01-10T15:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    getTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the template.
                 * @example 019ba86b-dd80-7a93-8e99-6d3f8184d3ba
                 */
                templateId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The template */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templateId": "019ba86b-dd80-7a93-8e99-6d3f8184d3ba",
                     *       "name": "welcome",
                     *       "channel": "email",
                     *       "subject": "Welcome, {{name}}",
                     *       "body": "<p>Dear {{name}},</p><p><a href=\"{{link}}\">Start here</a>.</p>",
                     *       "format": "html",
                     *       "push": null,
                     *       "placeholders": [
                     *         "link",
                     *         "name"
                     *       ],
                     *       "version": 1,
                     *       "createdAt": "2026-01-10T15:00:00.000Z",
                     *       "updatedAt": "2026-01-10T15:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the template.
                 * @example 019ba86b-dd80-7a93-8e99-6d3f8184d3ba
                 */
                templateId: components["schemas"]["Id"];
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
    updateTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the template.
                 * @example 019ba86b-dd80-7a93-8e99-6d3f8184d3ba
                 */
                templateId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": "Hello, {{name}}"
                 *     }
                 */
                "application/json": {
                    name?: components["schemas"]["TemplateName"];
                    channel?: components["schemas"]["Channel"];
                    subject?: components["schemas"]["SubjectOrNull"];
                    body?: components["schemas"]["TemplateBody"];
                    /**
                     * Format of the body. `null` restores the default of the channel.
                     * @example html
                     */
                    format?: components["schemas"]["Format"] | null;
                    push?: components["schemas"]["PushOrNull"];
                };
            };
        };
        responses: {
            /** The template */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templateId": "019ba86b-dd80-7a93-8e99-6d3f8184d3ba",
                     *       "name": "welcome",
                     *       "channel": "email",
                     *       "subject": "Welcome, {{name}}",
                     *       "body": "<p>Dear {{name}},</p><p><a href=\"{{link}}\">Start here</a>.</p>",
                     *       "format": "html",
                     *       "push": null,
                     *       "placeholders": [
                     *         "link",
                     *         "name"
                     *       ],
                     *       "version": 1,
                     *       "createdAt": "2026-01-10T15:00:00.000Z",
                     *       "updatedAt": "2026-01-10T15:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
        };
    };
    previewTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the template.
                 * @example 019ba86b-dd80-7a93-8e99-6d3f8184d3ba
                 */
                templateId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "variables": {
                 *         "name": "Ada & Bob",
                 *         "link": "https://app.example.com/start"
                 *       }
                 *     }
                 */
                "application/json": {
                    variables?: components["schemas"]["Variables"];
                };
            };
        };
        responses: {
            /** The rendered texts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "channel": "email",
                     *       "subject": "Welcome, Ada & Bob",
                     *       "body": "<p>Dear Ada &amp; Bob,</p><p><a href=\"https://app.example.com/start\">Start here</a>.</p>",
                     *       "format": "html",
                     *       "push": null
                     *     }
                     */
                    "application/json": {
                        channel: components["schemas"]["Channel"];
                        /**
                         * Rendered subject.
                         * @example Welcome, Ada & Bob
                         */
                        subject: string;
                        /**
                         * Rendered body.
                         * @example <p>Dear Ada &amp; Bob,</p>
                         */
                        body: string;
                        format: components["schemas"]["Format"];
                        push: components["schemas"]["PushOrNull"];
                    };
                };
            };
        };
    };
    listDevices: {
        parameters: {
            query: {
                /**
                 * Identifier of the user: any text, or `anon:` and a UUID for a user who has not signed in.
                 * @example anon:019c12d9-f580-7f18-9847-b17e0b9dbd0d
                 */
                userId: string;
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
            /** A page of devices, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "userId": "anon:019c12d9-f580-7f18-9847-b17e0b9dbd0d",
                     *           "token": "fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx",
                     *           "platform": "android",
                     *           "createdAt": "2026-01-31T07:00:00.000Z",
                     *           "updatedAt": "2026-01-31T07:00:00.000Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Devices of this page. */
                        items: components["schemas"]["Device"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    registerDevice: {
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
                 *       "userId": "anon:019c12d9-f580-7f18-9847-b17e0b9dbd0d",
                 *       "token": "fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx",
                 *       "platform": "android"
                 *     }
                 */
                "application/json": {
                    userId: components["schemas"]["DeviceUserId"];
                    /** Push token that FCM or APNs issued for the device. Required without a `subscription`, and not allowed with one. */
                    token?: components["schemas"]["Token"];
                    platform: components["schemas"]["DevicePlatform"];
                    subscription?: components["schemas"]["WebSubscription"];
                };
            };
        };
        responses: {
            /** The device */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "anon:019c12d9-f580-7f18-9847-b17e0b9dbd0d",
                     *       "token": "fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx",
                     *       "platform": "android",
                     *       "createdAt": "2026-01-31T07:00:00.000Z",
                     *       "updatedAt": "2026-01-31T07:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    unregisterDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Push token of the device, percent-encoded.
                 * @example fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx
                 */
                token: components["schemas"]["Token"];
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
    testDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Push token of the device, percent-encoded.
                 * @example fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx
                 */
                token: components["schemas"]["Token"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The answer of the push provider */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx",
                     *       "result": "invalid",
                     *       "reason": "UNREGISTERED"
                     *     }
                     */
                    "application/json": {
                        token: components["schemas"]["Token"];
                        /**
                         * `sent`: the provider accepted the push. `invalid`: the provider reported that the token is no
                         *     longer valid. `failed`: the provider refused the push or did not answer.
                         * @example invalid
                         */
                        result: "sent" | "invalid" | "failed";
                        /**
                         * Code of the push provider. `null`: the result is `sent`.
                         * @example UNREGISTERED
                         */
                        reason: components["schemas"]["Reason"];
                    };
                };
            };
        };
    };
    listPlatforms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The push credentials, in the order `fcm`, `apns`, `webpush` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "platforms": [
                     *         {
                     *           "kind": "fcm",
                     *           "environment": "sandbox",
                     *           "projectId": "demo-project",
                     *           "updatedAt": "2026-01-31T09:00:00.000Z",
                     *           "pausedUntil": null,
                     *           "pausedReason": null,
                     *           "pruningStoppedAt": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** Push credentials, at most one entry of each kind. */
                        platforms: components["schemas"]["Platform"][];
                    };
                };
            };
        };
    };
    getWebPushKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The current public key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "publicKey": "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
                     *     }
                     */
                    "application/json": {
                        publicKey: components["schemas"]["VapidPublicKey"];
                    };
                };
            };
        };
    };
    putPlatform: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Push provider: `apns` for iOS, `fcm` for Android and for web browsers with a token, `webpush` for web browsers with a subscription.
                 * @example apns
                 */
                kind: components["schemas"]["PlatformKind"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "keyId": "ABCDE12345",
                 *       "teamId": "TEAM123456",
                 *       "bundleId": "com.example.app",
                 *       "environment": "production",
                 *       "privateKey": "-----BEGIN PRIVATE KEY-----\nMIGH...\n-----END PRIVATE KEY-----\n"
                 *     }
                 */
                "application/json": components["schemas"]["FcmCredential"] | components["schemas"]["ApnsCredential"] | components["schemas"]["WebPushCredential"];
            };
        };
        responses: {
            /** The stored credentials without their secrets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "apns",
                     *       "environment": "production",
                     *       "keyId": "ABCDE12345",
                     *       "teamId": "TEAM123456",
                     *       "bundleId": "com.example.app",
                     *       "updatedAt": "2026-01-31T09:00:00.000Z",
                     *       "pausedUntil": null,
                     *       "pausedReason": null,
                     *       "pruningStoppedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Platform"];
                };
            };
        };
    };
    deletePlatform: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Push provider: `apns` for iOS, `fcm` for Android and for web browsers with a token, `webpush` for web browsers with a subscription.
                 * @example apns
                 */
                kind: components["schemas"]["PlatformKind"];
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
    verifyDomain: {
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
                 *       "domain": "mail.example.com",
                 *       "fromEmail": "hello@mail.example.com",
                 *       "fromName": "Example"
                 *     }
                 */
                "application/json": {
                    domain: components["schemas"]["DomainName"];
                    /**
                     * Email address of the sender. It must be an address in `domain`.
                     * @example hello@mail.example.com
                     */
                    fromEmail: components["schemas"]["Email"];
                    fromName: components["schemas"]["FromName"];
                };
            };
        };
        responses: {
            /** The domain with its DNS records */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": "mail.example.com",
                     *       "fromEmail": "hello@mail.example.com",
                     *       "fromName": "Example",
                     *       "status": "pending",
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "checkedAt": null,
                     *       "verifiedAt": null,
                     *       "failingSince": null,
                     *       "dnsRecords": [
                     *         {
                     *           "type": "TXT",
                     *           "name": "_notify.mail.example.com",
                     *           "value": "notify-verification=7Kd0vXq2LmN8sTfYb3Rw5ZgHcJ1pUaE4",
                     *           "purpose": "ownership",
                     *           "status": "pending",
                     *           "required": true,
                     *           "detail": null
                     *         },
                     *         {
                     *           "type": "TXT",
                     *           "name": "nd41d8cd9._domainkey.mail.example.com",
                     *           "value": "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo",
                     *           "purpose": "dkim",
                     *           "status": "pending",
                     *           "required": true,
                     *           "detail": null
                     *         },
                     *         {
                     *           "type": "TXT",
                     *           "name": "mail.example.com",
                     *           "value": "v=spf1 include:notify.example.net ~all",
                     *           "purpose": "spf",
                     *           "status": "pending",
                     *           "required": false,
                     *           "detail": null
                     *         },
                     *         {
                     *           "type": "TXT",
                     *           "name": "_dmarc.mail.example.com",
                     *           "value": "v=DMARC1; p=none",
                     *           "purpose": "dmarc",
                     *           "status": "pending",
                     *           "required": false,
                     *           "detail": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    getDomainStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The domain with its DNS records */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": "mail.example.com",
                     *       "fromEmail": "hello@mail.example.com",
                     *       "fromName": "Example",
                     *       "status": "pending",
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "checkedAt": null,
                     *       "verifiedAt": null,
                     *       "failingSince": null,
                     *       "dnsRecords": [
                     *         {
                     *           "type": "TXT",
                     *           "name": "_notify.mail.example.com",
                     *           "value": "notify-verification=7Kd0vXq2LmN8sTfYb3Rw5ZgHcJ1pUaE4",
                     *           "purpose": "ownership",
                     *           "status": "pending",
                     *           "required": true,
                     *           "detail": null
                     *         },
                     *         {
                     *           "type": "TXT",
                     *           "name": "nd41d8cd9._domainkey.mail.example.com",
                     *           "value": "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo",
                     *           "purpose": "dkim",
                     *           "status": "pending",
                     *           "required": true,
                     *           "detail": null
                     *         },
                     *         {
                     *           "type": "TXT",
                     *           "name": "mail.example.com",
                     *           "value": "v=spf1 include:notify.example.net ~all",
                     *           "purpose": "spf",
                     *           "status": "pending",
                     *           "required": false,
                     *           "detail": null
                     *         },
                     *         {
                     *           "type": "TXT",
                     *           "name": "_dmarc.mail.example.com",
                     *           "value": "v=DMARC1; p=none",
                     *           "purpose": "dmarc",
                     *           "status": "pending",
                     *           "required": false,
                     *           "detail": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    deleteDomain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
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
    listSuppressions: {
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
            /** A page of suppressions, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "channel": "sms",
                     *           "address": "+4915112345678",
                     *           "reason": "21610",
                     *           "createdAt": "2026-01-31T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Suppressions of this page. */
                        items: components["schemas"]["Suppression"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    deleteSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Suppressed phone number.
                 * @example +4915112345678
                 */
                address: components["schemas"]["Recipient"];
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
    eraseUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019c12d9-f580-7f18-9847-b17e0b9dbd0d
                 */
                userId: string;
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
                 * @example 019c12d9-f580-7f18-9847-b17e0b9dbd0d
                 */
                userId: string;
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
                     * @example {"type":"device","userId":"019c12d9-f580-7f18-9847-b17e0b9dbd0d","token":"fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx","platform":"android","createdAt":"2026-01-31T07:00:00.000Z","updatedAt":"2026-01-31T07:00:00.000Z","subscription":null}
                     *     {"type":"notification","notificationId":"019c1347-d280-73f4-8d5a-b8e41514e5d4","status":"sent","channel":"push","templateName":"reply","to":"019c12d9-f580-7f18-9847-b17e0b9dbd0d","createdAt":"2026-01-31T09:00:00.000Z","sendAt":null,"sentAt":"2026-01-31T09:00:00.120Z","deliveredAt":null,"openedAt":null,"failedAt":null,"failureReason":null,"attempts":1,"subject":"New reply","body":"Grace has answered your question.","format":"text","providerId":null,"data":{"threadId":"42"},"push":null,"deliveries":[{"token":"fGk3Qm9xT0u:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx","platform":"android","status":"sent","attempts":1,"reason":null,"updatedAt":"2026-01-31T09:00:00.120Z","providerId":"projects/demo-project/messages/0:1769850000120"}],"events":[{"status":"sent","at":"2026-01-31T09:00:00.120Z","detail":null}],"attachments":[]}
                     */
                    "application/x-ndjson": unknown;
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
                     *       "pushEnabled": true,
                     *       "allowedOrigins": [
                     *         "https://app.example.com"
                     *       ],
                     *       "notificationRetentionDays": 90
                     *     }
                     */
                    "application/json": {
                        /**
                         * Whether the service accepts pushes. Default: `true`.
                         * @example true
                         */
                        pushEnabled: boolean;
                        allowedOrigins: components["schemas"]["ShownOrigins"];
                        /**
                         * Format: int32
                         * The number of days after which notifications and broadcasts are deleted. Default: `90`.
                         * @example 90
                         */
                        notificationRetentionDays: number;
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
                 *       "pushEnabled": true,
                 *       "allowedOrigins": [
                 *         "https://app.example.com"
                 *       ],
                 *       "notificationRetentionDays": 90
                 *     }
                 */
                "application/json": {
                    /**
                     * Whether the service accepts pushes. `null` restores the default `true`.
                     * @example true
                     */
                    pushEnabled?: boolean | null;
                    allowedOrigins?: components["schemas"]["AllowedOrigins"];
                    /**
                     * Format: int32
                     * The number of days after which notifications and broadcasts are deleted. `null` restores the default `90`.
                     * @example 90
                     */
                    notificationRetentionDays?: number | null;
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
                     *       "pushEnabled": true,
                     *       "allowedOrigins": [
                     *         "https://app.example.com"
                     *       ],
                     *       "notificationRetentionDays": 90
                     *     }
                     */
                    "application/json": {
                        /**
                         * Whether the service accepts pushes. Default: `true`.
                         * @example true
                         */
                        pushEnabled: boolean;
                        allowedOrigins: components["schemas"]["ShownOrigins"];
                        /**
                         * Format: int32
                         * The number of days after which notifications and broadcasts are deleted. Default: `90`.
                         * @example 90
                         */
                        notificationRetentionDays: number;
                    };
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /**
                 * Only entries with this action.
                 * @example settings.updated
                 */
                action?: string;
                /**
                 * Only entries of this actor: a user id, `key:<prefix>`, `master`, `system:<worker>` or `client:<clientId>`.
                 * @example master
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
                     *           "events": [],
                     *           "description": "Support desk",
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
                 *       "events": [],
                 *       "description": "Support desk"
                 *     }
                 */
                "application/json": {
                    url: components["schemas"]["WebhookUrl"];
                    /**
                     * Types of the events to send. If the list is empty, `null` or missing, events of all types are sent.
                     * @example []
                     */
                    events?: components["schemas"]["EventType"][] | null;
                    description?: components["schemas"]["WebhookDescription"];
                    /**
                     * Whether events are sent to the endpoint. `null` means `true`.
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
                     * Types of the events to send. The list replaces the current list. If the list is empty or `null`,
                     *     events of all types are sent.
                     * @example []
                     */
                    events?: components["schemas"]["EventType"][] | null;
                    description?: components["schemas"]["WebhookDescription"];
                    /**
                     * Whether events are sent to the endpoint. `null` changes nothing.
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
                     *           "eventType": "feedback.created",
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
                        items: components["schemas"]["schemas-Delivery"][];
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
                     *       "eventType": "feedback.created",
                     *       "status": "pending",
                     *       "attempts": 2,
                     *       "nextAttemptAt": "2026-01-31T09:00:19.400Z",
                     *       "lastStatus": 502,
                     *       "lastError": "the endpoint answered 502",
                     *       "responseExcerpt": "Bad Gateway",
                     *       "createdAt": "2026-01-31T09:00:00.120Z",
                     *       "deliveredAt": null,
                     *       "payload": {
                     *         "type": "feedback.created",
                     *         "timestamp": "2026-01-31T09:00:00.120Z",
                     *         "data": {
                     *           "feedbackId": "019c1347-d2a0-7c1c-9d55-3f5b0a4c2e11",
                     *           "status": "open"
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
            /** The delivery, which is queued again */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveryId": "019c1347-d2f8-79e4-8d68-7723f1b00f33",
                     *       "webhookId": "019bdb46-aa00-7d04-bf9d-e97421189441",
                     *       "eventType": "feedback.created",
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
                    "application/json": components["schemas"]["schemas-Delivery"];
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
                 * Environment whose keys are listed. Default: the environment of the request.
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
                     *           "prefix": "ntf_Xk3vR9aQ",
                     *           "kind": "secret",
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
                 *       "environment": "sandbox",
                 *       "kind": "publishable"
                 *     }
                 */
                "application/json": {
                    /** Environment that the key belongs to. */
                    environment: components["schemas"]["Environment"];
                    /**
                     * `secret`: a key for backends. `publishable`: a key for apps, which permits only `registerDevice` and
                     *     `unregisterDevice`.
                     * @example publishable
                     */
                    kind: "secret" | "publishable";
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
                     *       "key": "ntf_Xk3vR9aQ7mTz2LcW8yHd5NpJ4uKs6BfG1eVo0iC3rA9tYq",
                     *       "kind": "secret",
                     *       "environment": "sandbox",
                     *       "prefix": "ntf_Xk3vR9aQ",
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
                     *       "key": "ntf_Xk3vR9aQ7mTz2LcW8yHd5NpJ4uKs6BfG1eVo0iC3rA9tYq",
                     *       "kind": "secret",
                     *       "environment": "sandbox",
                     *       "prefix": "ntf_Xk3vR9aQ",
                     *       "createdAt": "2026-01-31T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["NewKey"];
                };
            };
        };
    };
    rotatePublishableKey: {
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
                     *       "key": "ntf_Xk3vR9aQ7mTz2LcW8yHd5NpJ4uKs6BfG1eVo0iC3rA9tYq",
                     *       "kind": "secret",
                     *       "environment": "sandbox",
                     *       "prefix": "ntf_Xk3vR9aQ",
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
                 * @example ntf_Xk3vR9aQ
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
