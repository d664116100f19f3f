// Generated from proto/notify.openapi.yaml by proto/typescript/scripts/generate.mjs.
import type { Call } from "../call.js";
import { Area, type CallOptions } from "../client.js";
import type { ExportLine, Lines } from "../lines.js";
import type { Pages } from "../pages.js";
import type { Body, Items, Query, Result } from "../types.js";
import type { operations } from "./notify.js";

/** One method for each operation of the service's contract. */
export class NotifyMethods extends Area {
  /**
   * Send a notification.
   *
   * Renders a template and queues the rendered message for one recipient. The response 202 means that the service
   * has stored the notification, but has not sent it yet. To learn the result, read the status with
   * `getNotification`, or use a webhook. `to` is an email address, a phone number (E.164), or, for a push, a user
   * id. A push goes to all devices that the user has at the time of the first attempt. After a temporary failure,
   * the service retries with backoff, at most 8 times within one hour.
   *
   * If the account of the user was deleted, a push to the user fails with `NO_DEVICES`, like every push to a user
   * without devices. The service then stores neither the user id nor the content: `to` of the notification is
   * `deleted:` and the identifier of the notification.
   *
   * A text message is never sent twice. If Twilio's answer does not say whether the message was created, the
   * message fails, and is sent again only by `retryNotification`.
   *
   * All tenants share one sender of text messages. A text message beyond the share of notifications waits for up to 24
   * hours, then it fails with the reason `SMS_SENDER_LIMIT`. A text message beyond the tenant's messages of the day
   * fails with the reason `SMS_DAILY_LIMIT`. By default a tenant may send 1,000 messages in a day (UTC), together with
   * the codes of auth-mfa; the operator can set another number (`smsPerDay`). In the sandbox, text messages do not go
   * to phones, unless the operator allows it (`sandboxSms`).
   *
   * - 400 `VALIDATION_ERROR`: a field is invalid, the template has another channel, a placeholder has no value, a
   *   value gives a URL in HTML that is not permitted, the HTML body of an older template has a placeholder where no
   *   value is safe (the error names `/templateName`; correct the template), `to` is not valid for the channel, an
   *   attachment is not uploaded, or the push is larger than 4,096 bytes. The texts, `data` and the options in `push`
   *   count.
   * - 404 `TEMPLATE_NOT_FOUND`: the tenant has no template with this name.
   * - 409 `PUSH_CHANNEL_DISABLED`: the environment has no push credentials, or `pushEnabled` is `false` in its
   *   settings.
   * - 413 `PAYLOAD_TOO_LARGE`: the body is larger than 15 MiB.
   * - 429 `RATE_LIMITED`: the environment may send only 10 notifications in any 5 minutes. The operator can set
   *   another number (`sendsPer5Minutes`). Refused requests, and repetitions with the same `Idempotency-Key`, do not
   *   count.
   * - 503 `UNAVAILABLE` with `Retry-After`: the service cannot check the rate limit now, or it is already reading
   *   too many request bodies of more than 256 KiB. Repeat the request after the seconds in `Retry-After`.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The stored notification, which will be sent.
   * @throws ApiError 400 `VALIDATION_ERROR`, 404 `TEMPLATE_NOT_FOUND`, 409 `PUSH_CHANNEL_DISABLED`, 413 `PAYLOAD_TOO_LARGE`, 429 `RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  sendNotification(
    body: Body<operations["sendNotification"]>,
    options?: CallOptions,
  ): Call<Result<operations["sendNotification"]>> {
    return this.call("POST", "/v1/notifications/send", { body, keyed: true }, options);
  }

  /**
   * Acknowledge delivered notifications.
   *
   * Marks notifications as `delivered`. Call this operation from your backend when devices report which
   * notifications they have received. If a notification is still queued, the service also marks it, and does not
   * send it any more. The service stores `timestamp` as `deliveredAt`. If `timestamp` is before `createdAt`, the
   * service stores `createdAt` instead. If `timestamp` is in the future, the service stores the current time.
   * `listNotificationEvents` shows `context` as `detail`.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns Result for each notification, in the order of the request.
   */
  ackNotifications(
    body: Body<operations["ackNotifications"]>,
    options?: CallOptions,
  ): Call<Result<operations["ackNotifications"]>> {
    return this.call("POST", "/v1/notifications/ack", { body }, options);
  }

  /**
   * List notifications.
   *
   * Lists the notifications of the environment that match all filters of the request, newest first. For a push, the
   * list does not contain the result for each device (`deliveries`). To read these results, use `getNotification`.
   *
   * @param query - Query parameters: `status`, `channel`, `to`, `createdAfter`, `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of notifications, newest first.
   */
  listNotifications(
    query?: Query<operations["listNotifications"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listNotifications"]>, "notifications">, Result<operations["listNotifications"]>> {
    return this.pages("/v1/notifications", { query }, options, "notifications");
  }

  /**
   * Get a notification.
   *
   * Returns one notification. If the notification is a push, `deliveries` contains the result for each device.
   *
   * 404 `NOT_FOUND`: no notification of the environment has this `notificationId`.
   *
   * @param notificationId - Identifier of the notification.
   * @param options - Options of this call.
   * @returns The notification.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getNotification(notificationId: string, options?: CallOptions): Call<Result<operations["getNotification"]>> {
    return this.call("GET", "/v1/notifications/{notificationId}", { path: { notificationId } }, options);
  }

  /**
   * List a notification's status events.
   *
   * Lists the status changes of a notification, newest first. The last entry has the status `queued` and the time at
   * which the notification was accepted. Each call of `retryNotification` adds another entry with the status
   * `queued`.
   *
   * 404 `NOT_FOUND`: no notification of the environment has this `notificationId`.
   *
   * @param notificationId - Identifier of the notification.
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of status changes, newest first.
   * @throws ApiError 404 `NOT_FOUND`
   */
  listNotificationEvents(
    notificationId: string,
    query?: Query<operations["listNotificationEvents"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listNotificationEvents"]>, "items">, Result<operations["listNotificationEvents"]>> {
    return this.pages("/v1/notifications/{notificationId}/events", { path: { notificationId }, query }, options);
  }

  /**
   * Open a notification.
   *
   * Marks a notification as `opened`. If the notification is not `delivered` yet, the service first marks it as
   * `delivered`. Call this operation when the app reports that the user has opened the notification. If the
   * notification is still queued, the service does not send it any more. A repeated request changes nothing.
   *
   * 404 `NOT_FOUND`: no notification of the environment has this `notificationId`.
   *
   * @param notificationId - Identifier of the notification.
   * @param options - Options of this call.
   * @returns The notification.
   * @throws ApiError 404 `NOT_FOUND`
   */
  openNotification(notificationId: string, options?: CallOptions): Call<Result<operations["openNotification"]>> {
    return this.call("POST", "/v1/notifications/{notificationId}/opened", { path: { notificationId } }, options);
  }

  /**
   * Cancel a queued notification.
   *
   * Cancels a queued notification. Its status becomes `failed` with the reason `CANCELLED`, and the notification is
   * not sent any more. A cancelled notification can still arrive: the provider may have accepted an earlier attempt,
   * although the service did not receive the provider's answer.
   *
   * - 404 `NOT_FOUND`: no notification of the environment has this `notificationId`.
   * - 409 `CONFLICT`: the notification is being sent, is already sent, or has failed.
   *
   * @param notificationId - Identifier of the notification.
   * @param options - Options of this call.
   * @returns The notification.
   * @throws ApiError 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  cancelNotification(notificationId: string, options?: CallOptions): Call<Result<operations["cancelNotification"]>> {
    return this.call("POST", "/v1/notifications/{notificationId}/cancel", { path: { notificationId } }, options);
  }

  /**
   * Retry a failed notification.
   *
   * Queues a failed notification again, with retries for another hour. The rendered text stays the same. A push goes
   * to the devices that the user has at the time of the first new attempt.
   *
   * - 404 `NOT_FOUND`: no notification of the environment has this `notificationId`.
   * - 409 `CONFLICT`: the notification has not failed, or it failed more than 7 days ago and its content was erased. In
   *   the second case, send a new notification.
   * - 429 `RATE_LIMITED`: retries and calls of `sendNotification` share one limit: 10 in any 5 minutes for the
   *   environment. The operator can set another number (`sendsPer5Minutes`).
   *
   * @param notificationId - Identifier of the notification.
   * @param options - Options of this call.
   * @returns The notification.
   * @throws ApiError 404 `NOT_FOUND`, 409 `CONFLICT`, 429 `RATE_LIMITED`
   */
  retryNotification(notificationId: string, options?: CallOptions): Call<Result<operations["retryNotification"]>> {
    return this.call("POST", "/v1/notifications/{notificationId}/retry", { path: { notificationId } }, options);
  }

  /**
   * Start a broadcast.
   *
   * Renders a push template and queues a push to every device that is registered in the environment at this time.
   * The pushes have the push options that the template has at this time. The response 202 means that the service has
   * stored the broadcast. Read its counters with `getBroadcast`. If pushes to single recipients and pushes of
   * broadcasts wait at the same time, the service sends the pushes to single recipients first. After a temporary
   * failure, the service retries the push to a device at most 3 times within a minute. If the push provider asks for
   * a longer wait (`Retry-After`), the service retries after this wait, but only within an hour. If the provider
   * reports the token of a device as gone (no longer valid), the service unregisters the device.
   *
   * **Duplicates.** After a request with a `dedupeKey` has started a broadcast, other requests with the same
   * `dedupeKey` start no broadcast for 24 hours. The response to such a request contains the id of the first
   * broadcast and the status `duplicate`, even if other fields of the body differ. If several requests with the same
   * key arrive at the same time, only one of them starts a broadcast.
   *
   * - 400 `TEMPLATE_NOT_PUSH`: the channel of the template is not `push`.
   * - 400 `VALIDATION_ERROR`: a field is invalid, a placeholder has no value, or the push is larger than 4,096
   *   bytes.
   * - 404 `TEMPLATE_NOT_FOUND`: the tenant has no template with this name.
   * - 409 `PUSH_CHANNEL_DISABLED`: the environment has no push credentials, or `pushEnabled` is `false` in its
   *   settings.
   * - 429 `RATE_LIMITED`: the environment may start only 10 broadcasts in any minute. The operator can set another
   *   number (`broadcastsPerMinute`). Duplicates, and repetitions with the same `Idempotency-Key`, do not count.
   * - 503 `UNAVAILABLE`: the service cannot check the rate limit now. Repeat the request after the seconds in
   *   `Retry-After`.
   *
   * A refused request does not count towards the limit, and does not reserve its `dedupeKey`.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new broadcast, or the first broadcast if the request is a duplicate.
   * @throws ApiError 400 `TEMPLATE_NOT_PUSH`, 400 `VALIDATION_ERROR`, 404 `TEMPLATE_NOT_FOUND`, 409 `PUSH_CHANNEL_DISABLED`, 429 `RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  startBroadcast(
    body: Body<operations["startBroadcast"]>,
    options?: CallOptions,
  ): Call<Result<operations["startBroadcast"]>> {
    return this.call("POST", "/v1/notifications/broadcast", { body, keyed: true }, options);
  }

  /**
   * List broadcasts.
   *
   * Lists the broadcasts of the environment with their current counters, newest first.
   *
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of broadcasts, newest first.
   */
  listBroadcasts(
    query?: Query<operations["listBroadcasts"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listBroadcasts"]>, "items">, Result<operations["listBroadcasts"]>> {
    return this.pages("/v1/notifications/broadcasts", { query }, options);
  }

  /**
   * Get a broadcast.
   *
   * Returns one broadcast with its current counters. The counters never decrease.
   *
   * `carriers` shows whether each configured push carrier takes pushes now. While a carrier is `down`, the service
   * sends it one push at a time as a probe: after 2 seconds at first, then after up to 30 seconds. While a carrier
   * throttles the credential, the service sends nothing. The remaining devices keep their place for one hour.
   *
   * 404 `NOT_FOUND`: no broadcast of the environment has this `broadcastId`.
   *
   * @param broadcastId - Identifier of the broadcast.
   * @param options - Options of this call.
   * @returns The broadcast with the states of its carriers.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getBroadcast(broadcastId: string, options?: CallOptions): Call<Result<operations["getBroadcast"]>> {
    return this.call("GET", "/v1/notifications/broadcasts/{broadcastId}", { path: { broadcastId } }, options);
  }

  /**
   * Cancel a broadcast.
   *
   * Stops a broadcast. Devices that are not enqueued yet get no push, and no counter includes them. The service
   * sends pushes to the enqueued devices in chunks of about a hundred devices. A chunk that is being sent when you
   * cancel the broadcast continues until all its pushes have a result, but for at most about half a minute. These
   * results are counted. All other enqueued devices count as failed.
   *
   * - 404 `NOT_FOUND`: no broadcast of the environment has this `broadcastId`.
   * - 409 `CONFLICT`: the broadcast is already complete or cancelled.
   *
   * @param broadcastId - Identifier of the broadcast.
   * @param options - Options of this call.
   * @returns The broadcast.
   * @throws ApiError 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  cancelBroadcast(broadcastId: string, options?: CallOptions): Call<Result<operations["cancelBroadcast"]>> {
    return this.call("POST", "/v1/notifications/broadcasts/{broadcastId}/cancel", { path: { broadcastId } }, options);
  }

  /**
   * Presign an attachment upload.
   *
   * Returns an upload URL for one file. Upload the bytes with a PUT request to `uploadUrl`, with the declared type
   * as `Content-Type`. The file must have exactly the declared length and type. Then name `attachmentId` in the
   * `attachments` of one or more emails (`sendNotification`). The upload URL is valid for 15 minutes, and the upload
   * must be complete within this time.
   *
   * If the file is not uploaded within one hour after this request, the attachment is deleted. If the file is not
   * attached within 24 hours after this request, the attachment and its file are deleted. Otherwise they are deleted
   * with the last notification that uses them, after the days of the setting `notificationRetentionDays`.
   *
   * 429 `TOO_MANY_UPLOADS` with `Retry-After`: the files that are not attached to an email are too large in total.
   * Attach uploaded files, or wait until older files are deleted. The limits are 102 MiB for each user and 1 GiB for
   * the environment, unless the operator sets other limits. Before the upload, a file counts with its declared size
   * for 15 minutes. After the upload, the file counts until it is attached or deleted. Each file counts as at least
   * 64 KiB. Files that are presigned with an API key or the master key count only towards the limit of the
   * environment.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The upload URL of the file.
   * @throws ApiError 429 `TOO_MANY_UPLOADS`
   */
  presignAttachment(
    body: Body<operations["presignAttachment"]>,
    options?: CallOptions,
  ): Call<Result<operations["presignAttachment"]>> {
    return this.call("POST", "/v1/attachments/presign", { body, keyed: true }, options);
  }

  /**
   * Get an attachment.
   *
   * Returns the metadata of a file. If the file is uploaded, the response contains a download URL, which is valid
   * for 5 minutes.
   *
   * 404 `NOT_FOUND`: no attachment of the environment has this `attachmentId`.
   *
   * @param attachmentId - Identifier of the attachment.
   * @param options - Options of this call.
   * @returns The attachment.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getAttachment(attachmentId: string, options?: CallOptions): Call<Result<operations["getAttachment"]>> {
    return this.call("GET", "/v1/attachments/{attachmentId}", { path: { attachmentId } }, options);
  }

  /**
   * List templates.
   *
   * Lists the templates of the tenant, newest first. If the request has neither `limit` nor `cursor`, the service
   * streams all templates in one response (chunked transfer coding). If this response ends without its final chunk,
   * the list is incomplete, and you must repeat the request.
   *
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns Templates, newest first.
   */
  listTemplates(
    query?: Query<operations["listTemplates"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listTemplates"]>, "templates">, Result<operations["listTemplates"]>> {
    return this.pages("/v1/templates", { query }, options, "templates");
  }

  /**
   * Create a template.
   *
   * Creates a template for one channel. Templates belong to the tenant: both environments read and change the same
   * templates. Subject and body may contain placeholders such as `{{name}}`. The name of a placeholder consists of
   * letters, digits, `_` and `.`. An email needs a subject. The subject of a push is its title. A text message has
   * no subject.
   *
   * - 400 `VALIDATION_ERROR`: a field is invalid, a placeholder is malformed, a `}}` has no matching `{{`, or an HTML
   *   body has a placeholder where no value is safe (see "Placeholders in HTML"). In `errors`, the `detail` of the
   *   field states the line and the column. In the style sheet of an HTML body, a `}}` without `{{` is
   *   allowed. `push` is allowed only if the channel is `push`.
   * - 409 `CONFLICT`: the tenant already has a template with this name.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new template.
   * @throws ApiError 400 `VALIDATION_ERROR`, 409 `CONFLICT`
   */
  createTemplate(
    body: Body<operations["createTemplate"]>,
    options?: CallOptions,
  ): Call<Result<operations["createTemplate"]>> {
    return this.call("POST", "/v1/templates", { body, keyed: true }, options);
  }

  /**
   * Get a template.
   *
   * Returns one template. Credentials of both environments can read the template.
   *
   * 404 `NOT_FOUND`: no template of the tenant has this `templateId`.
   *
   * @param templateId - Identifier of the template.
   * @param options - Options of this call.
   * @returns The template.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getTemplate(templateId: string, options?: CallOptions): Call<Result<operations["getTemplate"]>> {
    return this.call("GET", "/v1/templates/{templateId}", { path: { templateId } }, options);
  }

  /**
   * Update a template.
   *
   * Changes the fields in the body, for both environments; other fields of the template stay unchanged. The changed
   * template must follow the rules of `createTemplate`, also in fields that stay unchanged. If the body changes `channel` and has no `format`, the
   * template gets the default format of the new channel. `subject: null` removes the subject, and `format: null`
   * restores the default format. `push` replaces all push options, and `push: null` removes them. Remove them also
   * if you change the channel of a push template. Notifications that were accepted before the change keep their text
   * and their options.
   *
   * - 404 `NOT_FOUND`: no template of the tenant has this `templateId`.
   * - 409 `CONFLICT`: the tenant has another template with this name.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the template again, then repeat the
   *   request.
   *
   * @param templateId - Identifier of the template.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The template.
   * @throws ApiError 404 `NOT_FOUND`, 409 `CONFLICT`, 412 `PRECONDITION_FAILED`
   */
  updateTemplate(
    templateId: string,
    body: Body<operations["updateTemplate"]>,
    options?: CallOptions,
  ): Call<Result<operations["updateTemplate"]>> {
    return this.call("PATCH", "/v1/templates/{templateId}", { path: { templateId }, body }, options);
  }

  /**
   * Delete a template.
   *
   * Deletes a template in both environments. Notifications that were accepted before the deletion are still sent.
   *
   * - 404 `NOT_FOUND`: no template of the tenant has this `templateId`.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the template again, then repeat the
   *   request.
   *
   * @param templateId - Identifier of the template.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 404 `NOT_FOUND`, 412 `PRECONDITION_FAILED`
   */
  deleteTemplate(templateId: string, options?: CallOptions): Call<Result<operations["deleteTemplate"]>> {
    return this.call("DELETE", "/v1/templates/{templateId}", { path: { templateId } }, options);
  }

  /**
   * Preview a template.
   *
   * Renders a template with the values in `variables`, without sending a notification. The service escapes the
   * values only in the body of an HTML email (see "Placeholders in HTML").
   *
   * - 400 `VALIDATION_ERROR`: a field is invalid, a placeholder has no value, a value gives a URL in HTML that is not
   *   permitted, the rendered subject contains a line break, or the rendered text is too long. The limits are 1,000 characters for a subject, 1,600 characters for a
   *   text message, and 1 MiB for other bodies.
   * - 404 `NOT_FOUND`: no template of the tenant has this `templateId`.
   *
   * @param templateId - Identifier of the template.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The rendered texts.
   * @throws ApiError 400 `VALIDATION_ERROR`, 404 `NOT_FOUND`
   */
  previewTemplate(
    templateId: string,
    body: Body<operations["previewTemplate"]>,
    options?: CallOptions,
  ): Call<Result<operations["previewTemplate"]>> {
    return this.call("POST", "/v1/templates/{templateId}/preview", { path: { templateId }, body }, options);
  }

  /**
   * List a user's devices.
   *
   * Lists the devices of one user, newest first. For an unknown user, the list is empty. Publishable keys get 403
   * `FORBIDDEN`.
   *
   * @param query - Query parameters: `userId`, `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of devices, newest first.
   * @throws ApiError 403 `FORBIDDEN`
   */
  listDevices(
    query: Query<operations["listDevices"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listDevices"]>, "items">, Result<operations["listDevices"]>> {
    return this.pages("/v1/devices", { query }, options);
  }

  /**
   * Register a device.
   *
   * Registers the push token of a user's device. If the token is already registered for another user, the device
   * moves to the user in the request. The response is 201 even if the token was already registered. iOS devices get
   * pushes through APNs, Android devices through FCM. A web browser has either a token of FCM, or a `subscription`
   * of the Push API, which gets pushes through Web Push (RFC 8030). A user has at most 100 devices. If a user
   * already has 100 devices, a new device replaces the device that was registered longest ago.
   *
   * With a `subscription`, the `token` of the device is the SHA-256 of the subscription's `endpoint`, in lower-case
   * hexadecimal. The browser must have subscribed with the key of `getWebPushKey`. The device keeps this key when
   * it is registered again.
   *
   * 404 `NOT_FOUND`: the account of the user was deleted, so nothing is stored. Sign the user out in the app, and
   * register the device again for the next user.
   *
   * 409 `PUSH_CHANNEL_DISABLED`: there is a `subscription`, but the environment has no keys for Web Push. Make them
   * with `putPlatform`.
   *
   * A caller with a publishable key can register a device for any user id, and the device then receives the pushes
   * of this user. Therefore, use user ids that cannot be guessed.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The device.
   * @throws ApiError 404 `NOT_FOUND`, 409 `PUSH_CHANNEL_DISABLED`
   */
  registerDevice(
    body: Body<operations["registerDevice"]>,
    options?: CallOptions,
  ): Call<Result<operations["registerDevice"]>> {
    return this.call("POST", "/v1/devices", { body, keyed: true }, options);
  }

  /**
   * Unregister a device.
   *
   * Removes a device. Pushes that are being sent now may still reach the device.
   *
   * 404 `NOT_FOUND`: no device of the environment has this token.
   *
   * @param token - Push token of the device, percent-encoded.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 404 `NOT_FOUND`
   */
  unregisterDevice(token: string, options?: CallOptions): Call<Result<operations["unregisterDevice"]>> {
    return this.call("DELETE", "/v1/devices/{token}", { path: { token } }, options);
  }

  /**
   * Test push delivery to a device.
   *
   * Sends a test push to one device and waits for the answer of the push provider. The test creates no notification.
   * If the provider reports the token of the device as gone (no longer valid), the service unregisters the device.
   *
   * - 404 `NOT_FOUND`: no device of the environment has this token.
   * - 409 `PUSH_CHANNEL_DISABLED`: `pushEnabled` is `false` in the settings, or the environment has no credentials
   *   of the device's push provider.
   * - 429 `RATE_LIMITED`: the environment may send only 60 test pushes in any minute. The operator can set another
   *   number (`testPushesPerMinute`).
   *
   * @param token - Push token of the device, percent-encoded.
   * @param options - Options of this call.
   * @returns The answer of the push provider.
   * @throws ApiError 404 `NOT_FOUND`, 409 `PUSH_CHANNEL_DISABLED`, 429 `RATE_LIMITED`
   */
  testDevice(token: string, options?: CallOptions): Call<Result<operations["testDevice"]>> {
    return this.call("POST", "/v1/devices/{token}/test", { path: { token } }, options);
  }

  /**
   * List push credentials.
   *
   * Returns the push credentials of the environment without their secrets. If the push provider has refused the
   * credentials, `pausedUntil` and `pausedReason` show until when sending pauses, and why.
   *
   * @param options - Options of this call.
   * @returns The push credentials, in the order `fcm`, `apns`, `webpush`.
   */
  listPlatforms(options?: CallOptions): Call<Result<operations["listPlatforms"]>> {
    return this.call("GET", "/v1/platforms", {}, options);
  }

  /**
   * Get the key for Web Push.
   *
   * Returns the public key with which browsers subscribe to pushes: the `applicationServerKey` of
   * `PushManager.subscribe()`. If a browser has subscribed with another key, let it unsubscribe, subscribe with this
   * key, and register the new subscription.
   *
   * 404 `NOT_FOUND`: the environment has no keys for Web Push. Make them with `putPlatform`.
   *
   * @param options - Options of this call.
   * @returns The current public key.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getWebPushKey(options?: CallOptions): Call<Result<operations["getWebPushKey"]>> {
    return this.call("GET", "/v1/platforms/webpush", {}, options);
  }

  /**
   * Create or update push credentials.
   *
   * Stores push credentials of the environment. The new credentials replace the stored credentials of the same kind.
   * For `apns`, the body contains `keyId`, `teamId`, `privateKey`, `bundleId` and `environment`. For `fcm`, the body
   * contains `serviceAccountKey`, the JSON file of a Google service account. Keys are stored encrypted, and no
   * response contains them.
   *
   * For `webpush`, the service makes the key pair itself (RFC 8292). The body contains `subject`, a contact for the
   * push services. The first request needs it; later requests without it keep it. Later requests keep the key, unless
   * `rotate` is `true`: then the service makes a new key for new subscriptions. Registered devices keep the key that
   * they registered under. If the keys are deleted, these devices get no more pushes.
   *
   * If the push provider refuses the credentials, the service pauses sending through this provider for at most one
   * hour. New credentials of this kind end the pause at once. `pausedUntil` and `pausedReason` show the pause. If
   * the provider reports too many tokens as gone (no longer valid), the service stops unregistering devices of this
   * provider until you store new credentials of this kind. `pruningStoppedAt` shows when the service stopped.
   *
   * - 400 `VALIDATION_ERROR`: a field is invalid, or the private key cannot be parsed.
   * - 404 `NOT_FOUND`: `kind` is not `fcm`, `apns` or `webpush`.
   * - 409 `CONFLICT`: `rotate` is `true`, and devices use 10 keys of the environment already.
   *
   * @param kind - Push provider: `apns` for iOS, `fcm` for Android and for web browsers with a token, `webpush` for web browsers with a subscription.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The stored credentials without their secrets.
   * @throws ApiError 400 `VALIDATION_ERROR`, 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  putPlatform(
    kind: string,
    body: Body<operations["putPlatform"]>,
    options?: CallOptions,
  ): Call<Result<operations["putPlatform"]>> {
    return this.call("PUT", "/v1/platforms/{kind}", { path: { kind }, body }, options);
  }

  /**
   * Delete push credentials.
   *
   * Deletes push credentials of the environment. Pending deliveries through this push provider fail with the reason
   * `PLATFORM_NOT_CONFIGURED`.
   *
   * 404 `NOT_FOUND`: the environment has no credentials of this kind.
   *
   * @param kind - Push provider: `apns` for iOS, `fcm` for Android and for web browsers with a token, `webpush` for web browsers with a subscription.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 404 `NOT_FOUND`
   */
  deletePlatform(kind: string, options?: CallOptions): Call<Result<operations["deletePlatform"]>> {
    return this.call("DELETE", "/v1/platforms/{kind}", { path: { kind } }, options);
  }

  /**
   * Verify a custom email domain.
   *
   * Sets the domain from which the environment sends email, and returns DNS records. Add the records to the DNS of
   * the domain. The domain becomes `verified` when `getDomainStatus` or a daily check finds the required records.
   * While the domain is `verified`, the service sends email from `fromName <fromEmail>` and signs it with DKIM.
   * While the domain is `pending`, the service sends email from the default sender address that the operator has
   * configured.
   *
   * A request with the same domain changes only `fromEmail` and `fromName`, and keeps the DNS records and the
   * status. A request with another domain replaces the current domain.
   *
   * 409 `CONFLICT`: another tenant has verified this domain. Use another domain, or delete the domain in the other tenant
   * first.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The domain with its DNS records.
   * @throws ApiError 409 `CONFLICT`
   */
  verifyDomain(
    body: Body<operations["verifyDomain"]>,
    options?: CallOptions,
  ): Call<Result<operations["verifyDomain"]>> {
    return this.call("POST", "/v1/domains/verify", { body }, options);
  }

  /**
   * Get the email domain's status.
   *
   * Checks the DNS records of the domain now and returns the result. If all required records are found, the domain
   * becomes `verified`. If a required record of a verified domain is missing or differs, `failingSince` is the time of
   * the first such check, and webhooks receive the event `domain.failing`. The service then checks the domain once an
   * hour and still sends email from it. When the records have been wrong for 72 hours, the domain becomes `pending`,
   * and the service sends email from the default sender address that the operator has configured. If the DNS server
   * does not answer, the status stays unchanged.
   *
   * - 404 `NOT_FOUND`: the environment has no custom domain.
   * - 409 `CONFLICT`: another tenant has verified this domain, or another request replaced or deleted the domain
   *   during the check. In the second case, repeat the request.
   *
   * @param options - Options of this call.
   * @returns The domain with its DNS records.
   * @throws ApiError 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  getDomainStatus(options?: CallOptions): Call<Result<operations["getDomainStatus"]>> {
    return this.call("GET", "/v1/domains/status", {}, options);
  }

  /**
   * Delete the custom email domain.
   *
   * Deletes the custom domain of the environment. After the deletion, the service sends email from the default
   * sender address that the operator has configured.
   *
   * 404 `NOT_FOUND`: the environment has no custom domain.
   *
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 404 `NOT_FOUND`
   */
  deleteDomain(options?: CallOptions): Call<Result<operations["deleteDomain"]>> {
    return this.call("DELETE", "/v1/domains", {}, options);
  }

  /**
   * List suppressed phone numbers.
   *
   * Lists the phone numbers whose owners have opted out of text messages by replying STOP, newest first. The service
   * adds a number to the list when Twilio reports the opt-out (code 21610) for a message to this number. Later
   * messages to the number fail at once with the reason `SUPPRESSED`. When the owner of the number replies START, the
   * service removes the number from the lists of all environments.
   *
   * If the address belonged to a user who was erased (`eraseUser`), the service stores only a hash of it. The
   * suppression stays in effect, and `address` is the beginning of the hash: `hash:` and 12 hexadecimal digits.
   *
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of suppressions, newest first.
   */
  listSuppressions(
    query?: Query<operations["listSuppressions"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listSuppressions"]>, "items">, Result<operations["listSuppressions"]>> {
    return this.pages("/v1/suppressions", { query }, options);
  }

  /**
   * Delete a suppression.
   *
   * Removes a phone number from the suppressions, so that the service sends text messages to the number again.
   * Twilio may still refuse the messages until the owner of the number replies START. For a suppression that is
   * listed as a hash, send the address itself.
   *
   * 404 `NOT_FOUND`: the phone number is not in the list of `listSuppressions`.
   *
   * @param address - Suppressed phone number.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 404 `NOT_FOUND`
   */
  deleteSuppression(address: string, options?: CallOptions): Call<Result<operations["deleteSuppression"]>> {
    return this.call("DELETE", "/v1/suppressions/{address}", { path: { address } }, options);
  }

  /**
   * Erase a user.
   *
   * Deletes the data of one user in this environment: the devices, and the notifications whose recipient (`to`) is
   * the user id, with their content, deliveries and history. Queued pushes to the user are not sent any more. A push
   * that a provider is receiving now may still reach a device. Pending webhook deliveries about these notifications
   * are deleted, too. The audit trail names the user by a pseudonym.
   *
   * The service does not know the email addresses and phone numbers of a user. Therefore, emails and text messages
   * stay, except those whose recipient is the user id itself. Suppressions of the user's addresses stay, as hashes.
   *
   * The response is the same for an unknown user. The request may be repeated. New data of the user is accepted
   * afterwards. If the account itself is deleted, auth-mfa erases the user in all services (`receiveErasure`).
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
   * - `device`: a device, with the fields of `Device` and also `subscription`, which is `null` for a device with a
   *   token. A subscription has `endpoint` and `keys`, without the secret `auth`.
   * - `notification`: a notification whose recipient (`to`) is the user id, with the fields of `Notification` and
   *   also `subject` (the title of a push), `body`, `format` (`text` or `html`), `data`, `push` (the push options),
   *   `events` (the history after the acceptance, oldest first), `attachments` (`attachmentId`, `filename`,
   *   `contentType`, `sizeBytes`) and the provider's message id, `providerId`.
   *
   * Each of the `deliveries` of a push has a `providerId`, too. The newest devices and notifications come first. For
   * an unknown user, the export is empty. Emails and text messages are not part of the export, unless their recipient
   * is the user id itself. If the response ends before the final chunk (chunked transfer coding), the export is
   * incomplete. In this case, repeat the request. A caller with the role `user` may export only the own data.
   *
   * 404 `NOT_FOUND`: the caller has the role `user`, and `userId` is another user.
   *
   * @param userId - Identifier of the user, percent-encoded.
   * @param options - Options of this call.
   * @returns Newline-delimited JSON, one object per line.
   * @throws ApiError 404 `NOT_FOUND`
   */
  exportUser<Line = ExportLine>(userId: string, options?: CallOptions): Lines<Line> {
    return this.lines("/v1/users/{userId}/export", { path: { userId } }, options);
  }

  /**
   * Get the settings.
   *
   * Returns the settings of the environment.
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
   * Changes the settings in the body; other settings of the environment stay unchanged. `null` restores the default
   * of a setting.
   *
   * 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the settings again, then repeat the
   * request.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The settings.
   * @throws ApiError 412 `PRECONDITION_FAILED`
   */
  updateSettings(
    body: Body<operations["updateSettings"]>,
    options?: CallOptions,
  ): Call<Result<operations["updateSettings"]>> {
    return this.call("PATCH", "/v1/settings", { body }, options);
  }

  /**
   * List audit entries.
   *
   * Lists the recorded changes in the environment, newest first. Each entry states the actor, the action, the
   * changed object and, if recorded, the old and new values of the changed fields. Entries are kept as long as the
   * tenant exists. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
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
   * Lists the webhooks of the environment, newest first, without their secrets. Requires an API key, the master key,
   * or a user token with the role `admin` or `owner`.
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
   * Registers an endpoint that receives the events of this environment. Only this response contains the signing
   * secret, so store the secret at once.
   *
   * **Format.** The service sends each event as a POST request with the JSON body `{type, timestamp, data}`. The
   * request is signed according to [Standard Webhooks](https://www.standardwebhooks.com), with the headers
   * `webhook-id`, `webhook-timestamp` and `webhook-signature`. Verify the signature, so that you process only
   * requests of this service. The service may send an event more than once, always with the same `webhook-id`. If
   * you have already processed a request with this `webhook-id`, answer with a 2xx status and ignore the request.
   * The header `traceparent` (W3C Trace Context), if present, identifies the trace of the request that caused the
   * event.
   *
   * **Retries.** An endpoint accepts an event by answering with any 2xx status within 15 seconds. After any other
   * status except 410 (also after a redirect), and if no response arrives in time, the service retries with backoff
   * for 3 days. If the last attempt fails too, the delivery fails. If the endpoint accepted no other event in these
   * 3 days, the service also disables the webhook. If the endpoint answers 410, the delivery fails and the service
   * disables the webhook at once.
   *
   * **Suspension.** The service sends no events while the tenant is suspended. After the tenant becomes active
   * again, the service sends the deliveries that became due during the suspension within about 5 minutes. The
   * duration of the suspension does not count towards their 3 days.
   *
   * Requires an API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * 409 `CONFLICT`: the environment already has 20 webhooks, the maximum. Delete a webhook first.
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
   * Returns one webhook without its secret. Requires an API key, the master key, or a user token with the role `admin`
   * or `owner`.
   *
   * 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`.
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
   * Changes the fields in the body; other fields of the webhook stay unchanged. `events: null` selects all types,
   * and `description: null` removes the description. If `enabled` is `true` or `false`, `disabledReason` becomes
   * `null`.
   *
   * While a webhook is disabled, the service does not store new events for the webhook, and pending deliveries fail
   * when their next attempt is due. To send a failed delivery again, use `redeliver`.
   *
   * Requires an API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * - 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`.
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
   * Deletes a webhook and the records of its deliveries. Pending deliveries are not sent. Requires an API key, the
   * master key, or a user token with the role `admin` or `owner`.
   *
   * - 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`.
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
   * Replaces the signing secret of a webhook. For 24 hours, each delivery is signed with both secrets, so that
   * receivers can switch to the new secret. Only this response contains the new secret, so store the new secret at
   * once. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * - 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`.
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
   * Lists the deliveries of a webhook, newest first, each with the result of its last attempt. A delivery sends one
   * event to the webhook, in one or more attempts. Deliveries are kept for 30 days. Requires an API key, the master
   * key, or a user token with the role `admin` or `owner`.
   *
   * 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`.
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
   * endpoint receives. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`, or no delivery of the webhook has this
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
   * Queues a delivery again, whether it was delivered or not. The service sends the event with the same
   * `webhook-id` (the `deliveryId`) and retries for another 3 days. Use this operation after you have repaired the
   * endpoint. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * - 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`, or no delivery of the webhook has this
   *   `deliveryId`.
   * - 409 `CONFLICT`: the webhook is disabled. Enable the webhook first.
   *
   * @param webhookId - Identifier of the webhook.
   * @param deliveryId - Identifier of the delivery.
   * @param options - Options of this call.
   * @returns The delivery, which is queued again.
   * @throws ApiError 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  redeliver(webhookId: string, deliveryId: string, options?: CallOptions): Call<Result<operations["redeliver"]>> {
    return this.call("POST", "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver", { path: { webhookId, deliveryId } }, options);
  }

  /**
   * Test a webhook.
   *
   * Sends an event of the type `webhook.test` to the webhook at once, and returns the result. Use this operation
   * to check an endpoint and its verification of signatures. The body of the request to the endpoint is
   * `{"type": "webhook.test", "timestamp": …, "data": {"webhookId": …}}`. The request is signed like a delivery,
   * and has the same time limit of 15 s. There are no retries. The test does not appear in `listDeliveries`.
   *
   * The operation also works while the webhook is disabled, and for a webhook that receives only some types of
   * events. The result does not change the webhook: a 410 does not disable it. A response other than 2xx, a
   * redirect, and no response are results with `status` `failed`, not errors. Requires an API key, the master
   * key, or a user token with the role `admin` or `owner`.
   *
   * - 404 `NOT_FOUND`: no webhook of the environment has this `webhookId`.
   * - 429 `RATE_LIMITED`: the webhook is being tested, or too many tests are running, or the environment has
   *   started 10 tests within a minute. Wait for the number of seconds in `Retry-After`.
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
   * Creates an API key for the `environment` in the body, which may differ from the environment of the host. Only
   * this response contains the key, so store it at once. Older keys stay valid. `Idempotency-Key` is ignored: each
   * request creates another key. Requires the master key, or a user token with the role `admin` or `owner`.
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
   * Rotate the secret key.
   *
   * Creates a secret key that replaces all other secret keys of the environment. The replaced keys stay valid for
   * `gracePeriodSeconds`. If `gracePeriodSeconds` is absent or 0, the replaced keys become invalid at once. Only
   * this response contains the new key, so store it at once. `Idempotency-Key` is ignored: each request creates
   * another key. Requires the master key, or a user token with the role `admin` or `owner`.
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
   * Rotate the publishable key.
   *
   * Creates a publishable key that replaces all other publishable keys of the environment. The replaced keys stay
   * valid for `gracePeriodSeconds`. If `gracePeriodSeconds` is absent or 0, the replaced keys become invalid at
   * once. Only this response contains the new key, so store it at once. `Idempotency-Key` is ignored: each request
   * creates another key. Requires the master key, or a user token with the role `admin` or `owner`.
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
  rotatePublishableKey(
    environment: string,
    body?: Body<operations["rotatePublishableKey"]>,
    options?: CallOptions,
  ): Call<Result<operations["rotatePublishableKey"]>> {
    return this.call("POST", "/v1/keys/{environment}/rotate-publishable", { path: { environment }, body }, options);
  }

  /**
   * Revoke an API key.
   *
   * Revokes a secret or publishable key of the request's environment. After at most one second, all replicas
   * of the service refuse the key. Requires the master key, or a user token with the role `admin` or `owner`.
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
