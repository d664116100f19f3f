// Generated from proto/feedback.openapi.yaml by proto/typescript/scripts/generate.mjs.
export interface paths {
    "/v1/feedbacks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List feedback threads
         * Lists threads, newest first. The list contains the threads that match all filters of the request. Deleted
         *     threads are included only with `includeDeleted=true`. For callers with the role `user`, the list contains only
         *     their own threads, and the filter `userId` has no effect.
         */
        get: operations["listFeedbacks"];
        put?: never;
        /**
         * Create a feedback thread
         * Creates a thread with the status `open`. With a user token, `userId` and `userEmail` come from the token. With an
         *     API key or the master key, `userId` and `userEmail` of the body name the user on whose behalf the thread is
         *     created. With the setting `publicByDefault`, threads of the category `feature` are public. To attach files, first upload them with `presignAttachment`, then list their ids in
         *     `attachmentIds`. The service sends the event `feedback.created` to the webhooks.
         *
         *     400 `VALIDATION_ERROR`: a field is invalid, or an attachment is unknown, not uploaded, already attached, or
         *     presigned by another user. Staff may attach files of any user.
         */
        post: operations["createFeedback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feedbacks/similar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List similar feedback threads
         * Lists up to 10 threads that are like the title of a new thread, the most similar one first. Use it before a user posts,
         *     to show the threads that exist already. Callers with the role `user` get their own threads and, while the setting
         *     `publicBoard` is `true`, public threads. Deleted and merged threads are not listed.
         *
         *     Threads with the same words in the title come first. Words of the body count less. Of words that are frequent in the
         *     environment, only the newest 1,000 threads are compared.
         *
         *     - 400 `VALIDATION_ERROR`: `title` is missing or has more than 200 characters.
         */
        get: operations["listSimilar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feedbacks/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get thread statistics
         * Counts the threads of the environment by status, category and priority, and returns the times to the first response
         *     and to the resolution. `createdAfter` and `createdBefore` limit only the times: the counts contain all threads.
         *     Deleted threads are not counted. For the times, merged threads are not counted either. Requires an API key, the
         *     master key, or a user token with the role `admin` or `owner`.
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
    "/v1/feedbacks/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export feedback threads
         * Streams all threads that match the filters, one thread per line. The filters are the same as in `listFeedbacks`. If
         *     the response ends before the final chunk (chunked transfer coding), the export is incomplete. In this case, repeat
         *     the request. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     With `include=replies`, the replies and internal notes of a thread follow the thread, oldest first.
         *
         *     - `format=ndjson` (default): newline-delimited JSON. Each line is a `Feedback`. With `include=replies`, a line is a
         *       `Feedback` or a `Reply`, with a member `type`, which is `feedback` or `reply`.
         *     - `format=csv`: RFC4180, with a header. The first column is `type`; the other columns have the names of the members
         *       of `Feedback` and, with `include=replies`, of `Reply`. A cell is empty if the member is `null` or absent. Arrays and
         *       objects are JSON text. A cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return gets a leading `'`,
         *       so that spreadsheet programs do not read it as a formula.
         */
        get: operations["exportFeedbacks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feedbacks/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Update many feedback threads
         * Changes the same fields of up to 100 threads, in one transaction. `set` contains the fields of `updateFeedback`. Each
         *     changed thread gets its entries in history and audit trail, its event and its emails, as with `updateFeedback`.
         *     `results` has the order of `feedbackIds`. A refused thread does not prevent the change of the others. Requires an API
         *     key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     - 400 `VALIDATION_ERROR`: a field is invalid, or an id is in the list twice.
         *     - 403 `FORBIDDEN`: the caller has the role `user`.
         */
        post: operations["updateFeedbacks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feedbacks/{feedbackId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /**
         * Get a feedback thread
         * Returns one thread. If the thread is deleted, `deletedAt` contains the time of the deletion.
         *
         *     404 `NOT_FOUND`: no thread of the environment has this `feedbackId`, or the caller has the role `user` and the
         *     thread belongs to another user.
         */
        get: operations["getFeedback"];
        put?: never;
        post?: never;
        /**
         * Delete a feedback thread
         * Marks a thread as deleted and sets its status to `closed`. `listFeedbacks` omits the thread unless
         *     `includeDeleted` is `true`, but `getFeedback` still returns the thread. The service sends the event
         *     `feedback.deleted` to the webhooks. A repeated request gets the same response and changes nothing. Requires an API
         *     key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     - 403 `FORBIDDEN`: the caller has the role `user`. This role may not use this operation, not even for the caller's
         *       own threads. For threads of other users, the response is 404.
         *     - 404 `NOT_FOUND`: no thread of the environment has this `feedbackId`, or the caller has the role `user` and the
         *       thread belongs to another user.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the thread again, then repeat the
         *       request. New votes change the ETag, but do not cause this error.
         */
        delete: operations["deleteFeedback"];
        options?: never;
        head?: never;
        /**
         * Update a feedback thread
         * Changes the fields in the body; other fields of the thread stay unchanged. `null` clears a field, but `status`
         *     cannot be `null`. Any status may change to any other status, and `listHistory` lists these changes. The service
         *     sends the event `feedback.updated` to the webhooks. Requires an API key, the master key, or a user token with the
         *     role `admin` or `owner`.
         *
         *     - 403 `FORBIDDEN`: the caller has the role `user`. This role may not use this operation, not even for the caller's
         *       own threads. For threads of other users, the response is 404.
         *     - 404 `NOT_FOUND`: no thread of the environment has this `feedbackId`, or the caller has the role `user` and the
         *       thread belongs to another user.
         *     - 409 `CONFLICT`: the thread is deleted or merged into another one, so nothing can be changed.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the thread again, then repeat the
         *       request. New votes change the ETag, but do not cause this error.
         */
        patch: operations["updateFeedback"];
        trace?: never;
    };
    "/v1/feedbacks/{feedbackId}/replies": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /**
         * List a thread's replies
         * Lists the replies of a thread, oldest first. For staff, the list also contains internal notes.
         *
         *     404 `NOT_FOUND`: no thread of the environment has this `feedbackId`, or the caller has the role `user` and the
         *     thread belongs to another user.
         */
        get: operations["listReplies"];
        put?: never;
        /**
         * Post a reply
         * Adds a reply to a thread, increases the thread's `replyCount` and sets its `lastReplyAt`. With `internal: true`,
         *     staff add an internal note. Callers with the role `user` do not see internal notes, nor the changes of
         *     `replyCount` and `lastReplyAt` by internal notes. The service sends the event `reply.created` to the webhooks,
         *     also for internal notes.
         *
         *     If the caller has the role `user`, the status of the thread is `resolved` or `closed`, and the setting
         *     `reopenOnReply` is `true`, the status changes to `open`. This change has its own entry in the history and its own
         *     event `feedback.updated`.
         *
         *     - 400 `VALIDATION_ERROR`: a field is invalid, or an attachment is unknown, not uploaded, already attached, or
         *       presigned by another user. Staff may attach files of any user.
         *     - 404 `NOT_FOUND`: no thread of the environment has this `feedbackId`, or the caller has the role `user` and the
         *       thread belongs to another user.
         *     - 409 `CONFLICT`: the thread is deleted or merged into another one, so nothing can be changed or added.
         */
        post: operations["postReply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feedbacks/{feedbackId}/replies/{replyId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
                /**
                 * Identifier of the reply.
                 * @example 019c135a-2200-7990-8cb4-10cc34b4c967
                 */
                replyId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a reply
         * Deletes a reply with its previous texts and its attachments. `replyCount` of the thread falls, and `lastReplyAt`
         *     stays. Users may delete their own replies; staff may delete all replies. The service sends the event `reply.deleted`
         *     to the webhooks, with the reply as it was.
         *
         *     - 403 `FORBIDDEN`: the caller has the role `user` and is not the author.
         *     - 404 `NOT_FOUND`: the thread has no reply with this `replyId`, or the caller may not read the thread or the reply.
         *     - 409 `CONFLICT`: the thread is deleted or merged into another one.
         *     - 412 `PRECONDITION_FAILED`: the current ETag of the reply differs from `If-Match`, so the reply was edited. Read the
         *       replies again, then repeat the request without `If-Match`.
         */
        delete: operations["deleteReply"];
        options?: never;
        head?: never;
        /**
         * Update a reply
         * Replaces the text of a reply and sets its `editedAt`. Only the author may edit a reply: the same user, the same API
         *     key, or the master key. Staff can read the previous texts with `listReplyHistory`. A text equal to the current one
         *     changes nothing. The service sends the event `reply.updated` to the webhooks.
         *
         *     - 403 `FORBIDDEN`: the caller is not the author.
         *     - 404 `NOT_FOUND`: the thread has no reply with this `replyId`, or the caller may not read the thread or the reply.
         *     - 409 `CONFLICT`: the thread is deleted or merged into another one, or the reply was edited 100 times.
         *     - 412 `PRECONDITION_FAILED`: the current ETag of the reply differs from `If-Match`, so the reply was edited. Read the
         *       replies again, then repeat the request without `If-Match`.
         */
        patch: operations["updateReply"];
        trace?: never;
    };
    "/v1/feedbacks/{feedbackId}/replies/{replyId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
                /**
                 * Identifier of the reply.
                 * @example 019c135a-2200-7990-8cb4-10cc34b4c967
                 */
                replyId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /**
         * List a reply's previous texts
         * Lists the previous texts of an edited reply, newest first. For a reply that was not edited, the list is empty.
         *     Requires an API key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     - 403 `FORBIDDEN`: the caller has the role `user`.
         *     - 404 `NOT_FOUND`: the thread has no reply with this `replyId`.
         */
        get: operations["listReplyHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feedbacks/{feedbackId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /**
         * List a thread's status history
         * Lists the status changes of a thread, newest first. The last entry of the list records the creation of the thread.
         *
         *     404 `NOT_FOUND`: no thread of the environment has this `feedbackId`, or the caller has the role `user` and the
         *     thread belongs to another user.
         */
        get: operations["listHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feedbacks/{feedbackId}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge a thread into another
         * Closes this thread, because the thread `into` continues it. The votes and the followers move to the target, where a
         *     user counts once, and the reporter of this thread follows the target. The replies stay with this thread, which can
         *     still be read. Both histories and the audit trail record the merge. Requires an API key, the master key, or a user
         *     token with the role `admin` or `owner`.
         *
         *     - 404 `NOT_FOUND`: no thread of the environment has one of the two ids.
         *     - 409 `CONFLICT`: this thread was deleted or merged before, or the target is this thread, or was deleted or merged.
         */
        post: operations["mergeFeedback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feedbacks/{feedbackId}/vote": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Vote for a thread
         * Adds the vote of the caller. A user has one vote for a thread; a second request changes nothing. The user follows the
         *     thread: the user gets emails about it. Users vote for their own threads and, while the board is on, for public
         *     threads. Requires a user token.
         *
         *     - 404 `NOT_FOUND`: the caller may vote for no thread with this id.
         *     - 409 `CONFLICT`: the thread was deleted or merged into another one.
         */
        put: operations["vote"];
        post?: never;
        /**
         * Withdraw a vote
         * Removes the vote of the caller, and ends the emails that the caller gets as a voter. If there is no vote, nothing
         *     changes. Errors as for `vote`.
         */
        delete: operations["withdrawVote"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feedbacks/{feedbackId}/votes": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /**
         * List the voters of a thread
         * Lists the votes for a thread, newest first. Requires an API key, the master key, or a user token with the role
         *     `admin` or `owner`.
         *
         *     404 `NOT_FOUND`: no thread of the environment has this `feedbackId`.
         */
        get: operations["listVotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feedbacks/{feedbackId}/votes/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
                /**
                 * User on whose behalf the backend votes.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Vote on behalf of a user
         * Adds the vote of a user, as `vote` does. The user gets emails only if the user follows the thread already. Requires an
         *     API key or the master key.
         *
         *     - 404 `NOT_FOUND`: no thread of the environment has this `feedbackId`.
         *     - 409 `CONFLICT`: the thread was deleted or merged into another one.
         */
        put: operations["voteForUser"];
        post?: never;
        /**
         * Withdraw the vote of a user
         * Removes the vote of a user, as `withdrawVote` does. Errors as for `voteForUser`.
         */
        delete: operations["withdrawVoteOfUser"];
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
         * Returns an upload URL for one file. First upload the file with a PUT request to `uploadUrl`, with the declared
         *     `Content-Type`. Then list `attachmentId` in the `attachmentIds` of a new thread or reply. The file must have
         *     exactly the declared length and type. The upload URL is valid for 15 minutes, and the upload must be complete
         *     within this time.
         *
         *     The service deletes an attachment without an upload one hour after this request. The service deletes an uploaded
         *     file that is not attached 24 hours after this request.
         *
         *     429 `TOO_MANY_UPLOADS` with `Retry-After`: the files that are not attached yet are too large in total. Attach
         *     uploaded files, or wait until older files expire. The limits are 102 MiB for each user and 1 GiB for the
         *     environment, unless the operator sets other limits. A presigned file counts with its declared size for 15 minutes.
         *     An uploaded file counts until it is attached or deleted. Each file counts as at least 64 KiB. Files that are
         *     presigned with an API key or the master key count only towards the limit of the environment.
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
         * Returns the metadata of a file and, after the upload, a download URL, which is valid for 5 minutes. Staff may read
         *     all files. Callers with the role `user` may read files that they have presigned and files of their own threads,
         *     but no files of internal notes.
         *
         *     404 `NOT_FOUND`: no attachment of the environment has this `attachmentId`, or the caller may not read the file.
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
    "/board/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the threads of the board
         * Lists public threads that were neither deleted nor merged. Needs no credential. With a user token, each thread has the
         *     member `voted`. Without a credential, each network (/24 of IPv4, /48 of IPv6) may send 600 requests per minute,
         *     unless the operator has set another limit.
         *
         *     With `sort=votes`, all pages have the order of the time of the first page: votes that are added later do not count.
         *     So no thread is left out because of new votes. A thread whose votes were withdrawn in the meantime may appear a
         *     second time. A cursor works for an hour after the first page.
         *
         *     404 `NOT_FOUND`: the setting `publicBoard` is off.
         */
        get: operations["listBoardThreads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/board/threads/{feedbackId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /**
         * Get a thread of the board
         * Returns a public thread with a page of its public replies, oldest first. Needs no credential, as `listBoardThreads`.
         *
         *     404 `NOT_FOUND`: the setting `publicBoard` is off, or the board shows no thread with this id.
         */
        get: operations["getBoardThread"];
        put?: never;
        post?: never;
        delete?: never;
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
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
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
         * Deletes the data of one user in this environment. `mode` decides what happens to the user's texts:
         *
         *     - `delete` (default): deletes the user's threads, with all their replies and attachments. Also deletes the user's
         *       replies to other threads, with their previous texts. `replyCount` of these threads falls, and `lastReplyAt` stays.
         *     - `anonymize`: keeps the user's threads and replies. A pseudonym `deleted:<uuid>` replaces the user's id, and
         *       `userEmail` and `appContext` become `null`. Previous texts of edited replies are deleted.
         *
         *     In both modes, the user's votes and attachments are deleted, also the attachments in threads of other users, and
         *     threads that are assigned to the user lose their assignee. The pseudonym replaces the user's id in the history of
         *     threads and in the audit trail. Pending webhook deliveries about the user's threads and replies are deleted. No event is sent to
         *     the webhooks.
         *
         *     The response is the same for an unknown user. The request may be repeated. New data of the user is accepted
         *     afterwards. If the account itself is deleted, auth-mfa erases the user in all services (`receiveErasure`).
         *     Requires an API key, the master key, or a user token with the role `admin` or `owner`.
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
                userId: string;
            };
            cookie?: never;
        };
        /**
         * Export a user's data
         * Streams what the service stores of one user in this environment, as newline-delimited JSON. Each line is an
         *     object with a `type`:
         *
         *     - `feedback`: a thread of the user, also a deleted one, with the fields of `Feedback` as the user sees them.
         *     - `reply`: a reply of the user to any thread, with the fields of `Reply` and `internal`.
         *     - `reply` with `previous: true`: a previous text of an edited reply, with `feedbackId`, `replyId` and the fields of
         *       `ReplyEdit`.
         *     - `vote`: a vote of the user, with `feedbackId` and `createdAt`.
         *     - `attachment`: a file that the user has presigned, with the fields of `Attachment` except `downloadUrl` and
         *       `expiresAt`. `getAttachment` returns a download URL.
         *
         *     For an unknown user, the export is empty. If the response ends before the final chunk (chunked transfer coding),
         *     the export is incomplete. In this case, repeat the request. A caller with the role `user` may export only the own
         *     data.
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
         * Returns the settings of the environment. Requires an API key, the master key, or a user token with the role
         *     `admin` or `owner`.
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
         *     of a setting. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the settings again, then repeat the
         *     request.
         */
        patch: operations["updateSettings"];
        trace?: never;
    };
    "/v1/settings/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or update the logo
         * Sets the image that the board of the environment shows, in place of an earlier one. The body is the image: a
         *     PNG or WebP file of at most 256 KiB, at most 2048 pixels wide and 2048 pixels high, and not animated. If the same
         *     image is already set, nothing changes. Requires an API key, the
         *     master key, or a user token with the role `admin` or `owner`.
         *
         *     `If-Match` takes the `ETag` of `getSettings`, because the logo is a part of the settings.
         *
         *     - 400 `VALIDATION_ERROR`: the body is not a complete image of the type in `Content-Type`, has bytes after its end,
         *       is too wide or too high, or is animated. The error has an empty `pointer`.
         *     - 412 `PRECONDITION_FAILED`: the current ETag of the settings differs from `If-Match`. Read the settings again,
         *       then repeat the request.
         *     - 413 `PAYLOAD_TOO_LARGE`: the body has more than 256 KiB. Send a smaller image.
         *     - 415 `UNSUPPORTED_MEDIA_TYPE`: the `Content-Type` is neither `image/png` nor `image/webp`.
         *     - 429 `RATE_LIMITED`: too many requests of the environment check images or do other expensive work at once.
         */
        put: operations["putLogo"];
        post?: never;
        /**
         * Delete the logo
         * Deletes the logo of the environment. If there is none, nothing changes, and the response is the same. Requires an
         *     API key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     - 412 `PRECONDITION_FAILED`: the current ETag of the settings differs from `If-Match`. Read the settings again,
         *       then repeat the request.
         */
        delete: operations["deleteLogo"];
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
         * Lists the valid API keys of one environment, newest first. Each record contains the first 12 characters of its
         *     key, never the whole key. The list omits revoked keys, and replaced keys whose grace period has ended. Requires
         *     the master key.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Mint an API key
         * Creates an API key for the `environment` in the body. This environment may differ from the environment that the
         *     host or `X-Tenant-Env` names. Only this response contains the key, so store the key at once. Older keys stay
         *     valid.
         *
         *     `Idempotency-Key` is ignored: each request creates another key. Requires the master key.
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
         *     `gracePeriodSeconds`, so that you can switch to the new key. By default, the replaced keys become invalid at
         *     once. Only this response contains the new key, so store the new key at once.
         *
         *     `Idempotency-Key` is ignored: each request creates another key. Requires the master key.
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
         * Revokes an API key of the environment that the host or `X-Tenant-Env` names. All replicas of the service refuse
         *     the key within one second. Requires the master key.
         *
         *     404 `NOT_FOUND`: no valid key of this environment has this prefix.
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
         * Whether the public board is on. While it is off, public threads are private.
         * @example true
         */
        PublicBoard: boolean;
        /**
         * Whether new threads of the category `feature` are public.
         * @example false
         */
        PublicByDefault: boolean;
        /**
         * Whether a user's reply opens a `resolved` or `closed` thread again.
         * @example true
         */
        ReopenOnReply: boolean;
        /**
         * Whether reporters and followers get emails about public replies of staff and changes of the status.
         * @example true
         */
        NotifyUsers: boolean;
        /**
         * `public`: everyone can read the thread on the board while the board is on.
         * @example public
         */
        Visibility: "private" | "public";
        /**
         * Format: int32
         * Number of users who have voted for the thread.
         * @example 3
         */
        VoteCount: number;
        /**
         * Result of a change of a vote.
         * @example {
         *       "voteCount": 4,
         *       "voted": true
         *     }
         */
        Vote: {
            voteCount: components["schemas"]["VoteCount"];
            /**
             * Whether the user votes for the thread now.
             * @example true
             */
            voted: boolean;
        };
        /** A vote. */
        Voter: {
            /**
             * User who votes.
             * @example 019bb153-8740-7299-952d-a3a6560e239c
             */
            userId: components["schemas"]["UserId"];
            /**
             * Email address of the user's token. `null`: a backend has voted on behalf of the user, or the token had no email.
             * @example ada@example.com
             */
            userEmail: string | null;
            /** When the user voted. */
            createdAt: components["schemas"]["Time"];
        };
        /** A thread on the board. */
        BoardThread: {
            /** Identifier of the thread. */
            feedbackId: components["schemas"]["Id"];
            title: components["schemas"]["Title"];
            body: components["schemas"]["Body"];
            status: components["schemas"]["Status"];
            category: components["schemas"]["Category"];
            /**
             * Labels of the thread.
             * @example [
             *       "export"
             *     ]
             */
            tags: components["schemas"]["Tag"][];
            voteCount: components["schemas"]["VoteCount"];
            /**
             * Format: int32
             * Number of public replies.
             * @example 1
             */
            replyCount: number;
            /** When the thread was created. */
            createdAt: components["schemas"]["Time"];
            /**
             * Whether the caller votes for the thread. Only with a user token.
             * @example true
             */
            voted?: boolean;
        };
        /** A public reply on the board. */
        BoardReply: {
            body: components["schemas"]["Body"];
            /**
             * Role of the author.
             * @example admin
             */
            authorRole: "user" | "admin" | "owner";
            /** When the reply was posted. */
            createdAt: components["schemas"]["Time"];
        };
        Logo: {
            /**
             * Media type of the image.
             * @example image/png
             */
            contentType: "image/png" | "image/webp";
            /**
             * Format: int32
             * Width in pixels.
             * @example 512
             */
            width: number;
            /**
             * Format: int32
             * Height in pixels.
             * @example 128
             */
            height: number;
            /**
             * Format: int32
             * Size of the file in bytes.
             * @example 18211
             */
            sizeBytes: number;
            /**
             * SHA-256 hash of the file. The first 32 digits are the ETag of `getBoardLogo`.
             * @example 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03
             */
            sha256: string;
            /** When the image was set. */
            updatedAt: components["schemas"]["Time"];
        };
        /**
         * Name at the top of the board's pages, at most 60 characters. `null`: the tenant's display name.
         * @example Notes
         */
        BoardName: string | null;
        /**
         * Accent colour of the board's pages as `#` and six hexadecimal digits. Where text would be hard to read, the pages
         *     use a darker or lighter shade. `null`: the default colour.
         * @example #1d4ed8
         */
        BoardColor: string | null;
        /**
         * Status of the thread. A thread can change from any status to any other status.
         * @example open
         */
        Status: "open" | "in-progress" | "resolved" | "closed";
        /**
         * Category of the feedback.
         * @example bug
         */
        Category: "bug" | "feature" | "general" | "support";
        /**
         * Priority of the thread. `null`: the thread has no priority.
         * @example high
         */
        PriorityOrNull: "low" | "medium" | "high" | "critical" | null;
        /**
         * Number of threads for each value.
         * @example {
         *       "open": 12,
         *       "closed": 30
         *     }
         */
        Counts: {
            [key: string]: components["schemas"]["Count"];
        };
        /**
         * Percentiles of a duration, interpolated linearly. `null` if there is no duration.
         * @example {
         *       "p50": 3600.25,
         *       "p90": 28800
         *     }
         */
        PercentilesOrNull: {
            /**
             * Format: double
             * Median, in seconds.
             * @example 3600.25
             */
            p50: number;
            /**
             * Format: double
             * 90th percentile, in seconds.
             * @example 28800
             */
            p90: number;
        } | null;
        /**
         * Title, at most 200 characters.
         * @example The export button does nothing
         */
        Title: string;
        /**
         * Text, at most 20,000 characters.
         * @example Since the last update a click on Export has no effect.
         */
        Body: string;
        /**
         * Label of your choice, at most 50 characters.
         * @example export
         */
        Tag: string;
        /**
         * Identifier of the person who handles the thread, for example a user id. The service does not check whether this
         *     person exists. `null`: no identifier is set.
         * @example 019b8d99-6900-7131-a2ae-4aee6d566c39
         */
        AssigneeId: string | null;
        /**
         * Text, at most 100 characters.
         * @example Notes
         */
        AppText: string | null;
        /**
         * Identifiers of the attached files.
         * @example [
         *       "019c1345-fdc0-767f-b254-ca88eba57edc"
         *     ]
         */
        AttachmentIds: components["schemas"]["Id"][];
        /**
         * Identifiers of uploaded files to attach, at most 5.
         * @example [
         *       "019c1345-fdc0-767f-b254-ca88eba57edc"
         *     ]
         */
        AttachmentIdsOrNull: components["schemas"]["Id"][] | null;
        /**
         * Name of the file, without path separators, control characters or text direction marks. The names `.` and `..` are not allowed.
         * @example screenshot.png
         */
        Filename: string;
        /**
         * Format: int32
         * Length of the file in bytes, at most 25 MiB.
         * @example 48213
         */
        SizeBytes: number;
        /**
         * Media type of the file. The content must have this type, which the service detects from the first 64 KiB of the
         *     file. `text/plain`, `text/csv` and `application/json` accept every text, in UTF-8, in an 8-bit encoding, or in UTF-16
         *     with a byte order mark. `application/zip` also accepts formats that are ZIP archives, such as docx.
         * @example image/png
         */
        ContentType: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "video/mp4" | "application/pdf" | "application/json" | "application/zip" | "application/gzip" | "text/plain" | "text/csv";
        /**
         * Token of an upload or download URL.
         * @example n6oeApNNJVmnuQOLvHKUkP4exmHPCcsat4mfxK1Vb1JfHQ
         */
        AddressToken: string;
        /**
         * Format: uri
         * URL for one file. Keep the URL secret: a request to the URL needs no other credential.
         * @example https://demo-sandbox.feedback.example.com/uploads/n6oeApNNJVmnuQOLvHKUkP4exmHPCcsat4mfxK1Vb1JfHQ
         */
        SignedUrl: string;
        /** App in which the user gave the feedback. */
        AppContext: {
            /**
             * Name of the app.
             * @example Notes
             */
            appName?: components["schemas"]["AppText"];
            /**
             * Version of the app.
             * @example 4.2.0
             */
            appVersion?: components["schemas"]["AppText"];
            /**
             * Operating system.
             * @example iOS
             */
            os?: components["schemas"]["AppText"];
            /**
             * Version of the operating system.
             * @example 18.1
             */
            osVersion?: components["schemas"]["AppText"];
        };
        /** A thread to create. */
        NewFeedback: {
            category: components["schemas"]["Category"];
            title: components["schemas"]["Title"];
            body: components["schemas"]["Body"];
            priority?: components["schemas"]["PriorityOrNull"];
            /** App in which the user gave the feedback. `null`: the app is unknown. */
            appContext?: components["schemas"]["AppContext"] | null;
            attachmentIds?: components["schemas"]["AttachmentIdsOrNull"];
            /**
             * Labels of your choice, at most 10.
             * @example [
             *       "export"
             *     ]
             */
            tags?: components["schemas"]["Tag"][] | null;
            /**
             * User on whose behalf an API key or the master key creates the thread. Ignored with a user token.
             * @example 019bb153-8740-7299-952d-a3a6560e239c
             */
            userId?: components["schemas"]["UserId"] | null;
            /**
             * Email address of this user. Requires `userId`. Ignored with a user token.
             * @example ada@example.com
             */
            userEmail?: components["schemas"]["EmailOrNull"];
        };
        /**
         * The fields of a thread to change. Other fields stay unchanged.
         * @example {
         *       "status": "in-progress",
         *       "assigneeEmail": "grace@example.com"
         *     }
         */
        FeedbackChanges: {
            status?: components["schemas"]["Status"];
            priority?: components["schemas"]["PriorityOrNull"];
            assigneeId?: components["schemas"]["AssigneeId"];
            /**
             * Email address of the person who handles the thread. `null`: no address is set. The service sends no
             *     email to this address.
             * @example grace@example.com
             */
            assigneeEmail?: components["schemas"]["EmailOrNull"];
            /**
             * Tags of the thread. The list replaces the current list. `null` empties the list.
             * @example [
             *       "export"
             *     ]
             */
            tags?: components["schemas"]["Tag"][] | null;
            visibility?: components["schemas"]["Visibility"];
        };
        /** The result of a bulk change for one thread. */
        BulkResult: {
            /**
             * Identifier of the thread, as in the request.
             * @example 019c1347-d280-7ffb-a9a3-5da82b657381
             */
            feedbackId: string;
            /**
             * Format: int32
             * `200`: the thread was changed. `404`: no thread of the environment has this id. `409`: the thread is deleted or
             *     merged into another one, so it was not changed.
             * @example 200
             */
            status: 200 | 404 | 409;
            /** The changed thread. Present only if `status` is 200. */
            feedback?: components["schemas"]["Feedback"];
        };
        /** A feedback thread. */
        Feedback: {
            /** Identifier of the thread. */
            feedbackId: components["schemas"]["Id"];
            status: components["schemas"]["Status"];
            category: components["schemas"]["Category"];
            priority: components["schemas"]["PriorityOrNull"];
            title: components["schemas"]["Title"];
            body: components["schemas"]["Body"];
            /** App in which the user gave the feedback. `null`: the app is unknown. */
            appContext: components["schemas"]["AppContext"] | null;
            attachmentIds: components["schemas"]["AttachmentIds"];
            /**
             * Labels of the thread.
             * @example [
             *       "export"
             *     ]
             */
            tags: components["schemas"]["Tag"][];
            /**
             * User who reported the thread: the user of the token, or the user that an API key or the master key named. `null`:
             *     no user was named.
             * @example 019bb153-8740-7299-952d-a3a6560e239c
             */
            userId: components["schemas"]["UserId"] | null;
            /**
             * Claim `email` of the user token that created the thread, or the address that an API key or the master key gave.
             *     `null`: there is no address.
             * @example ada@example.com
             */
            userEmail: string | null;
            /**
             * Claim `email_verified` of the user token that created the thread. `null`: the thread was created without a user token.
             * @example true
             */
            userEmailVerified: boolean | null;
            visibility: components["schemas"]["Visibility"];
            voteCount: components["schemas"]["VoteCount"];
            /**
             * Thread that continues this one. `null`: this thread was not merged.
             * @example 019c1347-d280-7ffb-a9a3-5da82b657381
             */
            mergedInto: components["schemas"]["Id"] | null;
            assigneeId: components["schemas"]["AssigneeId"];
            /**
             * Email address of the person who handles the thread. `null`: no address is set, or the caller has the role `user`.
             *     The service sends no email to this address.
             * @example grace@example.com
             */
            assigneeEmail: components["schemas"]["EmailOrNull"];
            /**
             * Format: int32
             * Number of replies that the caller can see. Only staff see internal notes.
             * @example 1
             */
            replyCount: number;
            /** Time of the last reply that the caller can see. `null`: the caller can see no reply. */
            lastReplyAt: components["schemas"]["TimeOrNull"];
            /** When the thread was created. */
            createdAt: components["schemas"]["Time"];
            /** When the thread was last changed. */
            updatedAt: components["schemas"]["Time"];
            /** When the thread was deleted. `null`: the thread is not deleted. */
            deletedAt: components["schemas"]["TimeOrNull"];
            /** Version of the thread. Each change of the thread, and each edit or deletion of a public reply, adds 1. A new reply does not change the version. */
            version: components["schemas"]["Version"];
            /**
             * Matches of `q` in the title and the body. Only in lists with `q`. Empty if all matches are in replies.
             * @example [
             *       {
             *         "field": "title",
             *         "start": 4,
             *         "length": 6
             *       }
             *     ]
             */
            highlights?: components["schemas"]["Highlight"][];
        };
        /** A part of the text that a search has found. */
        Highlight: {
            /**
             * Member of the thread that contains the part.
             * @example title
             */
            field: "title" | "body";
            /**
             * Format: int32
             * Number of characters (Unicode code points) before the part.
             * @example 4
             */
            start: number;
            /**
             * Format: int32
             * Number of characters (Unicode code points) of the part.
             * @example 6
             */
            length: number;
        };
        /** A thread that is like a title. */
        SimilarFeedback: {
            /** Identifier of the thread. */
            feedbackId: components["schemas"]["Id"];
            title: components["schemas"]["Title"];
            status: components["schemas"]["Status"];
            voteCount: components["schemas"]["VoteCount"];
            /**
             * Format: double
             * Similarity. `1`: both titles have the same words.
             * @example 0.86
             */
            score: number;
        };
        /** A reply to a thread. */
        Reply: {
            /** Identifier of the reply. */
            replyId: components["schemas"]["Id"];
            /** Identifier of the thread. */
            feedbackId: components["schemas"]["Id"];
            body: components["schemas"]["Body"];
            attachmentIds: components["schemas"]["AttachmentIds"];
            /**
             * Author of the reply: a user id, `key:<prefix>` for an API key, or `master` for the master key.
             * @example key:fbk_Xk3vR9aQ
             */
            authorId: components["schemas"]["UserId"];
            /**
             * Role of the author. API keys act as `admin`, the master key as `owner`.
             * @example admin
             */
            authorRole: "user" | "admin" | "owner";
            /**
             * Whether the reply is an internal note. Present only if the caller is staff.
             * @example false
             */
            internal?: boolean;
            /** When the reply was posted. */
            createdAt: components["schemas"]["Time"];
            /** When the reply was last edited. `null`: the reply was not edited. */
            editedAt: components["schemas"]["TimeOrNull"];
        };
        /** A previous text of an edited reply. */
        ReplyEdit: {
            /** Text before the edit. */
            body: components["schemas"]["Body"];
            /** When the edit replaced the text. */
            editedAt: components["schemas"]["Time"];
        };
        /** A change of a thread's status. */
        StatusMove: {
            /**
             * Status before the change. `null`: this entry is the creation of the thread.
             * @example open
             */
            from: components["schemas"]["Status"] | null;
            /** Status after the change. */
            to: components["schemas"]["Status"];
            /**
             * Caller who made the change: a user id, `key:<prefix>` for an API key, or `master` for the master key.
             * @example key:fbk_Xk3vR9aQ
             */
            actorId: components["schemas"]["UserId"];
            /**
             * Role of the actor. API keys act as `admin`, the master key as `owner`.
             * @example admin
             */
            actorRole: "user" | "admin" | "owner";
            /** When the change was made. */
            at: components["schemas"]["Time"];
            /**
             * Thread into which this thread was merged. `null`: the change is no merge of this thread.
             * @example 019c1347-d280-7ffb-a9a3-5da82b657381
             */
            mergedInto: components["schemas"]["Id"] | null;
            /**
             * Thread that was merged into this thread. `from` and `to` are equal. `null`: no thread was merged.
             * @example 019c1347-d280-7ffb-a9a3-5da82b657381
             */
            mergedFrom: components["schemas"]["Id"] | null;
        };
        /** A file of a thread or reply. */
        Attachment: {
            /** Identifier of the attachment. */
            attachmentId: components["schemas"]["Id"];
            filename: components["schemas"]["Filename"];
            contentType: components["schemas"]["ContentType"];
            sizeBytes: components["schemas"]["SizeBytes"];
            /**
             * `presigned`: the file is not uploaded yet. `uploaded`: the file is uploaded, but not attached yet. `attached`:
             *     the file is part of a thread or reply.
             * @example attached
             */
            status: "presigned" | "uploaded" | "attached";
            /** When the attachment was presigned. */
            createdAt: components["schemas"]["Time"];
            /** When the file was uploaded. `null`: the file is not uploaded yet. */
            uploadedAt: components["schemas"]["TimeOrNull"];
            /**
             * Format: uri
             * URL from which the file is downloaded with GET. Keep the URL secret: a download needs no other credential.
             *     `null`: the file is not uploaded yet.
             * @example https://demo-sandbox.feedback.example.com/downloads/YM6qeeWP7eATl441aBzexo5ltFSzQdSeSdLxaQcj_F8R-Q
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
         * Time with any UTC offset and at most 9 fractional digits of a second (RFC 3339).
         * @example 2026-01-31T10:00:00+01:00
         */
        Moment: string;
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
         * Identifier of the user: the claim `sub` of the user's token.
         * @example 019bb153-8740-7299-952d-a3a6560e239c
         */
        UserId: string;
        /**
         * Format: email
         * Valid email address by the definition of the HTML standard (WHATWG), or `null`.
         * @example ada@example.com
         */
        EmailOrNull: string | null;
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
         * Format: int64
         * Number of items.
         * @example 42
         */
        Count: number;
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
        Delivery: {
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
    listFeedbacks: {
        parameters: {
            query?: {
                /**
                 * Only threads with one of these statuses, separated by commas.
                 * @example open,in-progress
                 */
                status?: string;
                /**
                 * Only threads of one of these categories, separated by commas.
                 * @example bug
                 */
                category?: string;
                /**
                 * Only threads with one of these priorities, separated by commas.
                 * @example high,critical
                 */
                priority?: string;
                /**
                 * Only threads that this user has created.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId?: string;
                /**
                 * Only threads that are assigned to this user.
                 * @example 019b8d99-6900-7131-a2ae-4aee6d566c39
                 */
                assigneeId?: string;
                /**
                 * `true`: only threads that have an assignee. `false`: only threads without one.
                 * @example false
                 */
                assigned?: boolean;
                /**
                 * Only threads with this tag.
                 * @example export
                 */
                tag?: components["schemas"]["Tag"];
                /**
                 * Only threads that contain all these words in the title, the body or the replies. Replies are the public ones, and
                 *     for staff also internal notes. A word is found as the beginning of a word: `exp` finds `export`. Case and accents
                 *     do not matter. In scripts without spaces (such as Chinese, Japanese and Thai), each part of a text is found, also
                 *     a single character. `"two words"` finds whole words in this order, `a or b` finds either word, and `-word` excludes
                 *     threads with the word. At most 32 words and 128 characters of scripts without spaces are used, and the first 499
                 *     replies of a thread. A search without any letter or digit finds nothing. Items of a list with `q` have the member `highlights`.
                 * @example export or import
                 */
                q?: string;
                /**
                 * Only threads created after this time (exclusive).
                 * @example 2026-01-01T00:00:00Z
                 */
                createdAfter?: components["schemas"]["Moment"];
                /**
                 * Only threads created before this time (exclusive).
                 * @example 2026-02-01T00:00:00Z
                 */
                createdBefore?: components["schemas"]["Moment"];
                /**
                 * Whether the list also contains deleted threads.
                 * @example false
                 */
                includeDeleted?: boolean;
                /**
                 * - `createdAt`: newest first.
                 *     - `lastReplyAt`: last reply first, and threads without a reply last.
                 *     - `votes`: most votes first. All pages have the order of the time of the first page.
                 *     - `relevance`: the best matches of `q` first. Only with `q`, otherwise 400 `VALIDATION_ERROR`. Words in the title
                 *       count more than words in the body, and these more than words in replies. The list contains at most the newest
                 *       1,000 threads that match. If the words are frequent in the newest 5,000 threads, it contains only matches among
                 *       these.
                 * @example createdAt
                 */
                sort?: "createdAt" | "lastReplyAt" | "votes" | "relevance";
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
            /** A page of threads */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *           "status": "in-progress",
                     *           "category": "bug",
                     *           "priority": "high",
                     *           "title": "The export button does nothing",
                     *           "body": "Since the last update a click on Export has no effect.",
                     *           "appContext": {
                     *             "appName": "Notes",
                     *             "appVersion": "4.2.0",
                     *             "os": "iOS",
                     *             "osVersion": "18.1"
                     *           },
                     *           "attachmentIds": [
                     *             "019c1345-fdc0-767f-b254-ca88eba57edc"
                     *           ],
                     *           "tags": [
                     *             "export"
                     *           ],
                     *           "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *           "userEmail": "ada@example.com",
                     *           "userEmailVerified": true,
                     *           "visibility": "private",
                     *           "voteCount": 3,
                     *           "mergedInto": null,
                     *           "assigneeId": null,
                     *           "assigneeEmail": "grace@example.com",
                     *           "replyCount": 1,
                     *           "lastReplyAt": "2026-01-31T09:20:00.000Z",
                     *           "createdAt": "2026-01-31T09:00:00.000Z",
                     *           "updatedAt": "2026-01-31T09:15:00.000Z",
                     *           "deletedAt": null,
                     *           "version": 2
                     *         }
                     *       ],
                     *       "cursor": "AAYBm_z0oAABnBNH0oB_-6mjXagrZXOBZpLbX4u3"
                     *     }
                     */
                    "application/json": {
                        /** Threads of this page. */
                        items: components["schemas"]["Feedback"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    createFeedback: {
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
                 *       "category": "bug",
                 *       "title": "The export button does nothing",
                 *       "body": "Since the last update a click on Export has no effect.",
                 *       "priority": "high",
                 *       "appContext": {
                 *         "appName": "Notes",
                 *         "appVersion": "4.2.0",
                 *         "os": "iOS",
                 *         "osVersion": "18.1"
                 *       },
                 *       "tags": [
                 *         "export"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewFeedback"];
            };
        };
        responses: {
            /** The new thread */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *       "status": "open",
                     *       "category": "bug",
                     *       "priority": "high",
                     *       "title": "The export button does nothing",
                     *       "body": "Since the last update a click on Export has no effect.",
                     *       "appContext": {
                     *         "appName": "Notes",
                     *         "appVersion": "4.2.0",
                     *         "os": "iOS",
                     *         "osVersion": "18.1"
                     *       },
                     *       "attachmentIds": [],
                     *       "tags": [
                     *         "export"
                     *       ],
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "userEmail": "ada@example.com",
                     *       "userEmailVerified": true,
                     *       "visibility": "private",
                     *       "voteCount": 0,
                     *       "mergedInto": null,
                     *       "assigneeId": null,
                     *       "assigneeEmail": null,
                     *       "replyCount": 0,
                     *       "lastReplyAt": null,
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "updatedAt": "2026-01-31T09:00:00.000Z",
                     *       "deletedAt": null,
                     *       "version": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Feedback"];
                };
            };
        };
    };
    listSimilar: {
        parameters: {
            query: {
                /**
                 * Title to compare with.
                 * @example The export button does nothing
                 */
                title: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The similar threads */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *           "title": "The export button does nothing",
                     *           "status": "open",
                     *           "voteCount": 3,
                     *           "score": 0.86
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Similar threads, the most similar one first. */
                        items: components["schemas"]["SimilarFeedback"][];
                        /**
                         * Always `null`: there are no further pages.
                         * @example null
                         */
                        cursor: null;
                    };
                };
            };
        };
    };
    getStats: {
        parameters: {
            query?: {
                /**
                 * For the times, only threads created after this time (exclusive).
                 * @example 2026-01-01T00:00:00Z
                 */
                createdAfter?: components["schemas"]["Moment"];
                /**
                 * For the times, only threads created before this time (exclusive).
                 * @example 2026-02-01T00:00:00Z
                 */
                createdBefore?: components["schemas"]["Moment"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total": 53,
                     *       "byStatus": {
                     *         "open": 12,
                     *         "in-progress": 4,
                     *         "resolved": 7,
                     *         "closed": 30
                     *       },
                     *       "byCategory": {
                     *         "bug": 20,
                     *         "feature": 18,
                     *         "general": 9,
                     *         "support": 6
                     *       },
                     *       "byPriority": {
                     *         "low": 10,
                     *         "medium": 15,
                     *         "high": 8,
                     *         "critical": 2,
                     *         "none": 18
                     *       },
                     *       "firstResponseSeconds": {
                     *         "p50": 3600.25,
                     *         "p90": 28800
                     *       },
                     *       "resolutionSeconds": {
                     *         "p50": 86400,
                     *         "p90": 432000
                     *       }
                     *     }
                     */
                    "application/json": {
                        /**
                         * Number of threads.
                         * @example 53
                         */
                        total: components["schemas"]["Count"];
                        /**
                         * Number of threads for each status.
                         * @example {
                         *       "open": 12,
                         *       "in-progress": 4,
                         *       "resolved": 7,
                         *       "closed": 30
                         *     }
                         */
                        byStatus: components["schemas"]["Counts"];
                        /**
                         * Number of threads for each category.
                         * @example {
                         *       "bug": 20,
                         *       "feature": 18,
                         *       "general": 9,
                         *       "support": 6
                         *     }
                         */
                        byCategory: components["schemas"]["Counts"];
                        /**
                         * Number of threads for each priority. `none` counts the threads without a priority.
                         * @example {
                         *       "low": 10,
                         *       "medium": 15,
                         *       "high": 8,
                         *       "critical": 2,
                         *       "none": 18
                         *     }
                         */
                        byPriority: components["schemas"]["Counts"];
                        /**
                         * Seconds from the creation of a thread to its first public reply by staff. Threads without such a reply are
                         *     not counted. `null`: no thread has such a reply.
                         */
                        firstResponseSeconds: components["schemas"]["PercentilesOrNull"];
                        /**
                         * Seconds from the creation of a thread to the last change of its status to `resolved` or `closed`. Only
                         *     threads that have one of these statuses now are counted. `null`: there is no such thread.
                         */
                        resolutionSeconds: components["schemas"]["PercentilesOrNull"];
                    };
                };
            };
        };
    };
    exportFeedbacks: {
        parameters: {
            query?: {
                /**
                 * Only threads with one of these statuses, separated by commas.
                 * @example open,in-progress
                 */
                status?: string;
                /**
                 * Only threads of one of these categories, separated by commas.
                 * @example bug
                 */
                category?: string;
                /**
                 * Only threads with one of these priorities, separated by commas.
                 * @example high,critical
                 */
                priority?: string;
                /**
                 * Only threads that this user has created.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId?: string;
                /**
                 * Only threads that are assigned to this user.
                 * @example 019b8d99-6900-7131-a2ae-4aee6d566c39
                 */
                assigneeId?: string;
                /**
                 * `true`: only threads that have an assignee. `false`: only threads without one.
                 * @example false
                 */
                assigned?: boolean;
                /**
                 * Only threads with this tag.
                 * @example export
                 */
                tag?: components["schemas"]["Tag"];
                /**
                 * Only threads that contain all these words, as in `listFeedbacks`.
                 * @example export or import
                 */
                q?: string;
                /**
                 * Only threads created after this time (exclusive).
                 * @example 2026-01-01T00:00:00Z
                 */
                createdAfter?: components["schemas"]["Moment"];
                /**
                 * Only threads created before this time (exclusive).
                 * @example 2026-02-01T00:00:00Z
                 */
                createdBefore?: components["schemas"]["Moment"];
                /**
                 * Whether the export also contains deleted threads.
                 * @example false
                 */
                includeDeleted?: boolean;
                /**
                 * Time by which the export is sorted, newest first. With `lastReplyAt`, threads without a reply come last.
                 * @example createdAt
                 */
                sort?: "createdAt" | "lastReplyAt";
                /**
                 * Format of the export.
                 * @example csv
                 */
                format?: "ndjson" | "csv";
                /**
                 * Whether the export also contains the replies of the threads.
                 * @example replies
                 */
                include?: "replies";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** Newline-delimited JSON or CSV, one thread or reply per line */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"feedbackId":"019c1347-d280-7ffb-a9a3-5da82b657381","status":"open","category":"bug","priority":null,"title":"The export button does nothing","body":"A click on Export has no effect.","appContext":null,"attachmentIds":[],"tags":[],"userId":null,"userEmail":null,"userEmailVerified":null,"visibility":"private","voteCount":0,"mergedInto":null,"assigneeId":null,"assigneeEmail":null,"replyCount":0,"lastReplyAt":null,"createdAt":"2026-01-31T09:00:00.000Z","updatedAt":"2026-01-31T09:00:00.000Z","deletedAt":null,"version":1} */
                    "application/x-ndjson": unknown;
                    /**
                     * @example type,feedbackId,status,category,priority,title
                     *     feedback,019c1347-d280-7ffb-a9a3-5da82b657381,open,bug,,The export button does nothing
                     */
                    "text/csv": unknown;
                };
            };
        };
    };
    updateFeedbacks: {
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
                 *       "feedbackIds": [
                 *         "019c1347-d280-7ffb-a9a3-5da82b657381"
                 *       ],
                 *       "set": {
                 *         "status": "in-progress",
                 *         "assigneeEmail": "grace@example.com"
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * Identifiers of the threads, each at most once.
                     * @example [
                     *       "019c1347-d280-7ffb-a9a3-5da82b657381"
                     *     ]
                     */
                    feedbackIds: string[];
                    set: components["schemas"]["FeedbackChanges"];
                };
            };
        };
        responses: {
            /** The results, in the order of the request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *           "status": 200,
                     *           "feedback": {
                     *             "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *             "status": "in-progress",
                     *             "category": "bug",
                     *             "priority": "high",
                     *             "title": "The export button does nothing",
                     *             "body": "Since the last update a click on Export has no effect.",
                     *             "appContext": {
                     *               "appName": "Notes",
                     *               "appVersion": "4.2.0",
                     *               "os": "iOS",
                     *               "osVersion": "18.1"
                     *             },
                     *             "attachmentIds": [
                     *               "019c1345-fdc0-767f-b254-ca88eba57edc"
                     *             ],
                     *             "tags": [
                     *               "export"
                     *             ],
                     *             "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *             "userEmail": "ada@example.com",
                     *             "userEmailVerified": true,
                     *             "visibility": "private",
                     *             "voteCount": 3,
                     *             "mergedInto": null,
                     *             "assigneeId": null,
                     *             "assigneeEmail": "grace@example.com",
                     *             "replyCount": 1,
                     *             "lastReplyAt": "2026-01-31T09:20:00.000Z",
                     *             "createdAt": "2026-01-31T09:00:00.000Z",
                     *             "updatedAt": "2026-01-31T09:15:00.000Z",
                     *             "deletedAt": null,
                     *             "version": 2
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** One result for each id of the request. */
                        results: components["schemas"]["BulkResult"][];
                    };
                };
            };
        };
    };
    getFeedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The thread */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *       "status": "in-progress",
                     *       "category": "bug",
                     *       "priority": "high",
                     *       "title": "The export button does nothing",
                     *       "body": "Since the last update a click on Export has no effect.",
                     *       "appContext": {
                     *         "appName": "Notes",
                     *         "appVersion": "4.2.0",
                     *         "os": "iOS",
                     *         "osVersion": "18.1"
                     *       },
                     *       "attachmentIds": [
                     *         "019c1345-fdc0-767f-b254-ca88eba57edc"
                     *       ],
                     *       "tags": [
                     *         "export"
                     *       ],
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "userEmail": "ada@example.com",
                     *       "userEmailVerified": true,
                     *       "visibility": "private",
                     *       "voteCount": 3,
                     *       "mergedInto": null,
                     *       "assigneeId": null,
                     *       "assigneeEmail": "grace@example.com",
                     *       "replyCount": 1,
                     *       "lastReplyAt": "2026-01-31T09:20:00.000Z",
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "updatedAt": "2026-01-31T09:15:00.000Z",
                     *       "deletedAt": null,
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Feedback"];
                };
            };
        };
    };
    deleteFeedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
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
    updateFeedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "in-progress",
                 *       "assigneeEmail": "grace@example.com"
                 *     }
                 */
                "application/json": components["schemas"]["FeedbackChanges"];
            };
        };
        responses: {
            /** The thread */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *       "status": "in-progress",
                     *       "category": "bug",
                     *       "priority": "high",
                     *       "title": "The export button does nothing",
                     *       "body": "Since the last update a click on Export has no effect.",
                     *       "appContext": {
                     *         "appName": "Notes",
                     *         "appVersion": "4.2.0",
                     *         "os": "iOS",
                     *         "osVersion": "18.1"
                     *       },
                     *       "attachmentIds": [
                     *         "019c1345-fdc0-767f-b254-ca88eba57edc"
                     *       ],
                     *       "tags": [
                     *         "export"
                     *       ],
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "userEmail": "ada@example.com",
                     *       "userEmailVerified": true,
                     *       "visibility": "private",
                     *       "voteCount": 3,
                     *       "mergedInto": null,
                     *       "assigneeId": null,
                     *       "assigneeEmail": "grace@example.com",
                     *       "replyCount": 1,
                     *       "lastReplyAt": "2026-01-31T09:20:00.000Z",
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "updatedAt": "2026-01-31T09:15:00.000Z",
                     *       "deletedAt": null,
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Feedback"];
                };
            };
        };
    };
    listReplies: {
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
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of replies, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "replyId": "019c135a-2200-7990-8cb4-10cc34b4c967",
                     *           "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *           "body": "Thank you, we can reproduce it.",
                     *           "attachmentIds": [],
                     *           "authorId": "key:fbk_Xk3vR9aQ",
                     *           "authorRole": "admin",
                     *           "createdAt": "2026-01-31T09:20:00.000Z",
                     *           "editedAt": null,
                     *           "internal": false
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Replies of this page. */
                        items: components["schemas"]["Reply"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    postReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "Thank you, we can reproduce it."
                 *     }
                 */
                "application/json": {
                    body: components["schemas"]["Body"];
                    attachmentIds?: components["schemas"]["AttachmentIdsOrNull"];
                    /**
                     * Whether the reply is an internal note, which only staff can see. Ignored if the caller has the role
                     *     `user`. `null` means `false`.
                     * @default false
                     * @example false
                     */
                    internal?: boolean | null;
                };
            };
        };
        responses: {
            /** The new reply */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "replyId": "019c135a-2200-7990-8cb4-10cc34b4c967",
                     *       "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *       "body": "Thank you, we can reproduce it.",
                     *       "attachmentIds": [],
                     *       "authorId": "key:fbk_Xk3vR9aQ",
                     *       "authorRole": "admin",
                     *       "createdAt": "2026-01-31T09:20:00.000Z",
                     *       "editedAt": null,
                     *       "internal": false
                     *     }
                     */
                    "application/json": components["schemas"]["Reply"];
                };
            };
        };
    };
    deleteReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
                /**
                 * Identifier of the reply.
                 * @example 019c135a-2200-7990-8cb4-10cc34b4c967
                 */
                replyId: components["schemas"]["Id"];
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
    updateReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
                /**
                 * Identifier of the reply.
                 * @example 019c135a-2200-7990-8cb4-10cc34b4c967
                 */
                replyId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "body": "Thank you, we can reproduce it in version 4.2."
                 *     }
                 */
                "application/json": {
                    body: components["schemas"]["Body"];
                };
            };
        };
        responses: {
            /** The edited reply */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "replyId": "019c135a-2200-7990-8cb4-10cc34b4c967",
                     *       "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *       "body": "Thank you, we can reproduce it in version 4.2.",
                     *       "attachmentIds": [],
                     *       "authorId": "key:fbk_Xk3vR9aQ",
                     *       "authorRole": "admin",
                     *       "createdAt": "2026-01-31T09:20:00.000Z",
                     *       "editedAt": "2026-01-31T09:25:00.000Z",
                     *       "internal": false
                     *     }
                     */
                    "application/json": components["schemas"]["Reply"];
                };
            };
        };
    };
    listReplyHistory: {
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
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
                /**
                 * Identifier of the reply.
                 * @example 019c135a-2200-7990-8cb4-10cc34b4c967
                 */
                replyId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of previous texts, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "body": "Thank you, we can reproduce it.",
                     *           "editedAt": "2026-01-31T09:25:00.000Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Previous texts of this page. */
                        items: components["schemas"]["ReplyEdit"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    listHistory: {
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
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
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
                     *           "from": "open",
                     *           "to": "in-progress",
                     *           "actorId": "key:fbk_Xk3vR9aQ",
                     *           "actorRole": "admin",
                     *           "at": "2026-01-31T09:15:00.000Z",
                     *           "mergedInto": null,
                     *           "mergedFrom": null
                     *         },
                     *         {
                     *           "from": null,
                     *           "to": "open",
                     *           "actorId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *           "actorRole": "user",
                     *           "at": "2026-01-31T09:00:00.000Z",
                     *           "mergedInto": null,
                     *           "mergedFrom": null
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Status changes of this page. */
                        items: components["schemas"]["StatusMove"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    mergeFeedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "into": "019c1347-d280-7ffb-a9a3-5da82b657381"
                 *     }
                 */
                "application/json": {
                    /** Identifier of the thread that continues this one. */
                    into: components["schemas"]["Id"];
                };
            };
        };
        responses: {
            /** The thread */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *       "status": "in-progress",
                     *       "category": "bug",
                     *       "priority": "high",
                     *       "title": "The export button does nothing",
                     *       "body": "Since the last update a click on Export has no effect.",
                     *       "appContext": {
                     *         "appName": "Notes",
                     *         "appVersion": "4.2.0",
                     *         "os": "iOS",
                     *         "osVersion": "18.1"
                     *       },
                     *       "attachmentIds": [
                     *         "019c1345-fdc0-767f-b254-ca88eba57edc"
                     *       ],
                     *       "tags": [
                     *         "export"
                     *       ],
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "userEmail": "ada@example.com",
                     *       "userEmailVerified": true,
                     *       "visibility": "private",
                     *       "voteCount": 3,
                     *       "mergedInto": null,
                     *       "assigneeId": null,
                     *       "assigneeEmail": "grace@example.com",
                     *       "replyCount": 1,
                     *       "lastReplyAt": "2026-01-31T09:20:00.000Z",
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "updatedAt": "2026-01-31T09:15:00.000Z",
                     *       "deletedAt": null,
                     *       "version": 2
                     *     }
                     */
                    "application/json": components["schemas"]["Feedback"];
                };
            };
        };
    };
    vote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The number of votes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "voteCount": 4,
                     *       "voted": true
                     *     }
                     */
                    "application/json": components["schemas"]["Vote"];
                };
            };
        };
    };
    withdrawVote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The number of votes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "voteCount": 3,
                     *       "voted": false
                     *     }
                     */
                    "application/json": components["schemas"]["Vote"];
                };
            };
        };
    };
    listVotes: {
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
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of votes, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *           "userEmail": "ada@example.com",
                     *           "createdAt": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Votes of this page. */
                        items: components["schemas"]["Voter"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    voteForUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
                /**
                 * User on whose behalf the backend votes.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The number of votes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "voteCount": 4,
                     *       "voted": true
                     *     }
                     */
                    "application/json": components["schemas"]["Vote"];
                };
            };
        };
    };
    withdrawVoteOfUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
                /**
                 * User on whose behalf the backend votes.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["UserId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The number of votes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "voteCount": 3,
                     *       "voted": false
                     *     }
                     */
                    "application/json": components["schemas"]["Vote"];
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
                 *       "filename": "screenshot.png",
                 *       "contentType": "image/png",
                 *       "sizeBytes": 48213
                 *     }
                 */
                "application/json": {
                    filename: components["schemas"]["Filename"];
                    contentType: components["schemas"]["ContentType"];
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
                     *       "uploadUrl": "https://demo-sandbox.feedback.example.com/uploads/n6oeApNNJVmnuQOLvHKUkP4exmHPCcsat4mfxK1Vb1JfHQ",
                     *       "filename": "screenshot.png",
                     *       "contentType": "image/png",
                     *       "expiresAt": "2026-01-31T09:13:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /** Identifier of the attachment. */
                        attachmentId: components["schemas"]["Id"];
                        /** URL to which the file is uploaded with PUT. Keep the URL secret: an upload needs no other credential. */
                        uploadUrl: components["schemas"]["SignedUrl"];
                        filename: components["schemas"]["Filename"];
                        contentType: components["schemas"]["ContentType"];
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
                     *       "filename": "screenshot.png",
                     *       "contentType": "image/png",
                     *       "sizeBytes": 48213,
                     *       "status": "attached",
                     *       "createdAt": "2026-01-31T08:58:00.000Z",
                     *       "uploadedAt": "2026-01-31T08:58:03.000Z",
                     *       "downloadUrl": "https://demo-sandbox.feedback.example.com/downloads/YM6qeeWP7eATl441aBzexo5ltFSzQdSeSdLxaQcj_F8R-Q",
                     *       "expiresAt": "2026-01-31T09:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Attachment"];
                };
            };
        };
    };
    listBoardThreads: {
        parameters: {
            query?: {
                /**
                 * Only threads with one of these statuses, separated by commas.
                 * @example open
                 */
                status?: string;
                /**
                 * Only threads of one of these categories, separated by commas.
                 * @example feature
                 */
                category?: string;
                /**
                 * Search, as in `listFeedbacks`, in titles, bodies and public replies.
                 * @example dark mode
                 */
                q?: string;
                /**
                 * `votes`: most votes first. `createdAt`: newest first.
                 * @example createdAt
                 */
                sort?: "votes" | "createdAt";
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
            /** A page of threads */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *           "title": "Dark mode",
                     *           "body": "Please add a dark mode.",
                     *           "status": "in-progress",
                     *           "category": "feature",
                     *           "tags": [],
                     *           "voteCount": 3,
                     *           "replyCount": 1,
                     *           "createdAt": "2026-01-31T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Threads of this page. */
                        items: components["schemas"]["BoardThread"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    getBoardThread: {
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
                 * Identifier of the thread.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657381
                 */
                feedbackId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The thread */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "feedbackId": "019c1347-d280-7ffb-a9a3-5da82b657381",
                     *       "title": "Dark mode",
                     *       "body": "Please add a dark mode.",
                     *       "status": "in-progress",
                     *       "category": "feature",
                     *       "tags": [],
                     *       "voteCount": 3,
                     *       "replyCount": 1,
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "replies": [
                     *         {
                     *           "body": "We are working on it.",
                     *           "authorRole": "admin",
                     *           "createdAt": "2026-01-31T09:20:00.000Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Public replies of this page. */
                        replies: components["schemas"]["BoardReply"][];
                        cursor: components["schemas"]["Cursor"];
                    } & components["schemas"]["BoardThread"];
                };
            };
        };
    };
    eraseUser: {
        parameters: {
            query?: {
                /**
                 * Whether the user's threads and replies are deleted or kept under a pseudonym.
                 * @example anonymize
                 */
                mode?: "delete" | "anonymize";
            };
            header?: never;
            path: {
                /**
                 * Identifier of the user, percent-encoded.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
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
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
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
                     * @example {"type":"feedback","feedbackId":"019c1347-d280-7ffb-a9a3-5da82b657381","status":"open","category":"bug","priority":null,"title":"The export button does nothing","body":"A click on Export has no effect.","appContext":null,"attachmentIds":[],"tags":[],"userId":"019bb153-8740-7299-952d-a3a6560e239c","userEmail":"grace@example.com","userEmailVerified":true,"visibility":"private","voteCount":0,"mergedInto":null,"assigneeId":null,"assigneeEmail":null,"replyCount":1,"lastReplyAt":"2026-01-31T09:05:00.000Z","createdAt":"2026-01-31T09:00:00.000Z","updatedAt":"2026-01-31T09:00:00.000Z","deletedAt":null,"version":1}
                     *     {"type":"reply","replyId":"019c134c-6660-7f7a-87d6-ba8f7d8b6f3e","feedbackId":"019c1347-d280-7ffb-a9a3-5da82b657381","body":"It happens in every browser.","attachmentIds":[],"authorId":"019bb153-8740-7299-952d-a3a6560e239c","authorRole":"user","createdAt":"2026-01-31T09:05:00.000Z","editedAt":null,"internal":false}
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
                     *       "allowedOrigins": [
                     *         "https://app.example.com"
                     *       ],
                     *       "notifyEmail": "feedback@example.com",
                     *       "publicBoard": true,
                     *       "publicByDefault": false,
                     *       "reopenOnReply": true,
                     *       "notifyUsers": true
                     *     }
                     */
                    "application/json": {
                        allowedOrigins: components["schemas"]["ShownOrigins"];
                        /**
                         * Gets an email for each new thread and each reply of a user. Changes of a thread within 5 minutes come in one email.
                         * @example feedback@example.com
                         */
                        notifyEmail: components["schemas"]["EmailOrNull"];
                        publicBoard: components["schemas"]["PublicBoard"];
                        publicByDefault: components["schemas"]["PublicByDefault"];
                        reopenOnReply: components["schemas"]["ReopenOnReply"];
                        notifyUsers: components["schemas"]["NotifyUsers"];
                        boardName?: components["schemas"]["BoardName"];
                        boardColor?: components["schemas"]["BoardColor"];
                        /**
                         * The board's logo. `null`: there is none.
                         * @example null
                         */
                        logo?: components["schemas"]["Logo"] | null;
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
                 *       "allowedOrigins": [
                 *         "https://app.example.com"
                 *       ],
                 *       "notifyEmail": "feedback@example.com"
                 *     }
                 */
                "application/json": {
                    allowedOrigins?: components["schemas"]["AllowedOrigins"];
                    /**
                     * Gets an email for each new thread and each reply of a user. Changes of a thread within 5 minutes come in one email.
                     * @example feedback@example.com
                     */
                    notifyEmail?: components["schemas"]["EmailOrNull"];
                    /**
                     * As in the settings. `null`: `false`.
                     * @example true
                     */
                    publicBoard?: components["schemas"]["PublicBoard"] | null;
                    /**
                     * As in the settings. `null`: `false`.
                     * @example true
                     */
                    publicByDefault?: components["schemas"]["PublicByDefault"] | null;
                    /**
                     * As in the settings. `null`: `true`.
                     * @example false
                     */
                    reopenOnReply?: components["schemas"]["ReopenOnReply"] | null;
                    /**
                     * As in the settings. `null`: `true`.
                     * @example false
                     */
                    notifyUsers?: components["schemas"]["NotifyUsers"] | null;
                    boardName?: components["schemas"]["BoardName"];
                    boardColor?: components["schemas"]["BoardColor"];
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
                     *       "allowedOrigins": [
                     *         "https://app.example.com"
                     *       ],
                     *       "notifyEmail": "feedback@example.com",
                     *       "publicBoard": true,
                     *       "publicByDefault": false,
                     *       "reopenOnReply": true,
                     *       "notifyUsers": true
                     *     }
                     */
                    "application/json": {
                        allowedOrigins: components["schemas"]["ShownOrigins"];
                        /**
                         * Gets an email for each new thread and each reply of a user. Changes of a thread within 5 minutes come in one email.
                         * @example feedback@example.com
                         */
                        notifyEmail: components["schemas"]["EmailOrNull"];
                        publicBoard: components["schemas"]["PublicBoard"];
                        publicByDefault: components["schemas"]["PublicByDefault"];
                        reopenOnReply: components["schemas"]["ReopenOnReply"];
                        notifyUsers: components["schemas"]["NotifyUsers"];
                        boardName?: components["schemas"]["BoardName"];
                        boardColor?: components["schemas"]["BoardColor"];
                        /**
                         * The board's logo. `null`: there is none.
                         * @example null
                         */
                        logo?: components["schemas"]["Logo"] | null;
                    };
                };
            };
        };
    };
    putLogo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/png": unknown;
                "image/webp": unknown;
            };
        };
        responses: {
            /** The logo */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contentType": "image/png",
                     *       "width": 512,
                     *       "height": 128,
                     *       "sizeBytes": 18211,
                     *       "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                     *       "updatedAt": "2026-01-31T09:24:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Logo"];
                };
            };
        };
    };
    deleteLogo: {
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
                 * Environment whose keys are listed. Default: the environment that the host or `X-Tenant-Env` names, otherwise
                 *     `production`.
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
                     *           "prefix": "fbk_Xk3vR9aQ",
                     *           "environment": "sandbox",
                     *           "createdAt": "2026-01-31T09:00:00.000Z",
                     *           "lastUsedAt": null,
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
                     *       "key": "fbk_Xk3vR9aQ7mTz2LcW8yHd5NpJ4uKs6BfG1eVo0iC3rA9tYq",
                     *       "environment": "sandbox",
                     *       "prefix": "fbk_Xk3vR9aQ",
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
                 * Environment in which the new key replaces all other keys.
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
                     *       "key": "fbk_Xk3vR9aQ7mTz2LcW8yHd5NpJ4uKs6BfG1eVo0iC3rA9tYq",
                     *       "environment": "sandbox",
                     *       "prefix": "fbk_Xk3vR9aQ",
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
                 * Field `prefix` of the key record in `listKeys`.
                 * @example fbk_Xk3vR9aQ
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
