// Generated from proto/feedback.openapi.yaml by proto/typescript/scripts/generate.mjs.
import type { Call } from "../call.js";
import { Area, type Binary, type CallOptions } from "../client.js";
import type { ExportLine, Lines } from "../lines.js";
import type { Pages } from "../pages.js";
import type { Body, Items, Query, Result } from "../types.js";
import type { operations } from "./feedback.js";

/** One method for each operation of the service's contract. */
export class FeedbackMethods extends Area {
  /**
   * List feedback threads.
   *
   * Lists threads, newest first. The list contains the threads that match all filters of the request. Deleted
   * threads are included only with `includeDeleted=true`. For callers with the role `user`, the list contains only
   * their own threads, and the filter `userId` has no effect.
   *
   * @param query - Query parameters: `status`, `category`, `priority`, `userId`, `assigneeId`, `assigned`, `tag`, `q`, `createdAfter`, `createdBefore`, `includeDeleted`, `sort`, `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of threads.
   */
  listFeedbacks(
    query?: Query<operations["listFeedbacks"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listFeedbacks"]>, "items">, Result<operations["listFeedbacks"]>> {
    return this.pages("/v1/feedbacks", { query }, options);
  }

  /**
   * Create a feedback thread.
   *
   * Creates a thread with the status `open`. With a user token, `userId` and `userEmail` come from the token. With an
   * API key or the master key, `userId` and `userEmail` of the body name the user on whose behalf the thread is
   * created. With the setting `publicByDefault`, threads of the category `feature` are public. To attach files, first upload them with `presignAttachment`, then list their ids in
   * `attachmentIds`. The service sends the event `feedback.created` to the webhooks.
   *
   * 400 `VALIDATION_ERROR`: a field is invalid, or an attachment is unknown, not uploaded, already attached, or
   * presigned by another user. Staff may attach files of any user.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new thread.
   * @throws ApiError 400 `VALIDATION_ERROR`
   */
  createFeedback(
    body: Body<operations["createFeedback"]>,
    options?: CallOptions,
  ): Call<Result<operations["createFeedback"]>> {
    return this.call("POST", "/v1/feedbacks", { body, keyed: true }, options);
  }

  /**
   * List similar feedback threads.
   *
   * Lists up to 10 threads that are like the title of a new thread, the most similar one first. Use it before a user posts,
   * to show the threads that exist already. Callers with the role `user` get their own threads and, while the setting
   * `publicBoard` is `true`, public threads. Deleted and merged threads are not listed.
   *
   * Threads with the same words in the title come first. Words of the body count less. Of words that are frequent in the
   * environment, only the newest 1,000 threads are compared.
   *
   * - 400 `VALIDATION_ERROR`: `title` is missing or has more than 200 characters.
   *
   * @param query - Query parameters: `title`.
   * @param options - Options of this call.
   * @returns The similar threads.
   * @throws ApiError 400 `VALIDATION_ERROR`
   */
  listSimilar(
    query: Query<operations["listSimilar"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listSimilar"]>, "items">, Result<operations["listSimilar"]>> {
    return this.pages("/v1/feedbacks/similar", { query }, options);
  }

  /**
   * Get thread statistics.
   *
   * Counts the threads of the environment by status, category and priority, and returns the times to the first response
   * and to the resolution. `createdAfter` and `createdBefore` limit only the times: the counts contain all threads.
   * Deleted threads are not counted. For the times, merged threads are not counted either. Requires an API key, the
   * master key, or a user token with the role `admin` or `owner`.
   *
   * @param query - Query parameters: `createdAfter`, `createdBefore`.
   * @param options - Options of this call.
   * @returns The counts.
   */
  getStats(query?: Query<operations["getStats"]>, options?: CallOptions): Call<Result<operations["getStats"]>> {
    return this.call("GET", "/v1/feedbacks/stats", { query }, options);
  }

  /**
   * Export feedback threads.
   *
   * Streams all threads that match the filters, one thread per line. The filters are the same as in `listFeedbacks`. If
   * the response ends before the final chunk (chunked transfer coding), the export is incomplete. In this case, repeat
   * the request. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * With `include=replies`, the replies and internal notes of a thread follow the thread, oldest first.
   *
   * - `format=ndjson` (default): newline-delimited JSON. Each line is a `Feedback`. With `include=replies`, a line is a
   *   `Feedback` or a `Reply`, with a member `type`, which is `feedback` or `reply`.
   * - `format=csv`: RFC4180, with a header. The first column is `type`; the other columns have the names of the members
   *   of `Feedback` and, with `include=replies`, of `Reply`. A cell is empty if the member is `null` or absent. Arrays and
   *   objects are JSON text. A cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return gets a leading `'`,
   *   so that spreadsheet programs do not read it as a formula.
   *
   * @param query - Query parameters: `status`, `category`, `priority`, `userId`, `assigneeId`, `assigned`, `tag`, `q`, `createdAfter`, `createdBefore`, `includeDeleted`, `sort`, `format`, `include`.
   * @param options - Options of this call.
   * @returns Newline-delimited JSON or CSV, one thread or reply per line.
   */
  exportFeedbacks<Line = ExportLine>(query?: Query<operations["exportFeedbacks"]>, options?: CallOptions): Lines<Line> {
    return this.lines("/v1/feedbacks/export", { query }, options);
  }

  /**
   * Update many feedback threads.
   *
   * Changes the same fields of up to 100 threads, in one transaction. `set` contains the fields of `updateFeedback`. Each
   * changed thread gets its entries in history and audit trail, its event and its emails, as with `updateFeedback`.
   * `results` has the order of `feedbackIds`. A refused thread does not prevent the change of the others. Requires an API
   * key, the master key, or a user token with the role `admin` or `owner`.
   *
   * - 400 `VALIDATION_ERROR`: a field is invalid, or an id is in the list twice.
   * - 403 `FORBIDDEN`: the caller has the role `user`.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The results, in the order of the request.
   * @throws ApiError 400 `VALIDATION_ERROR`, 403 `FORBIDDEN`
   */
  updateFeedbacks(
    body: Body<operations["updateFeedbacks"]>,
    options?: CallOptions,
  ): Call<Result<operations["updateFeedbacks"]>> {
    return this.call("POST", "/v1/feedbacks/bulk", { body }, options);
  }

  /**
   * Get a feedback thread.
   *
   * Returns one thread. If the thread is deleted, `deletedAt` contains the time of the deletion.
   *
   * 404 `NOT_FOUND`: no thread of the environment has this `feedbackId`, or the caller has the role `user` and the
   * thread belongs to another user.
   *
   * @param feedbackId - Identifier of the thread.
   * @param options - Options of this call.
   * @returns The thread.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getFeedback(feedbackId: string, options?: CallOptions): Call<Result<operations["getFeedback"]>> {
    return this.call("GET", "/v1/feedbacks/{feedbackId}", { path: { feedbackId } }, options);
  }

  /**
   * Update a feedback thread.
   *
   * Changes the fields in the body; other fields of the thread stay unchanged. `null` clears a field, but `status`
   * cannot be `null`. Any status may change to any other status, and `listHistory` lists these changes. The service
   * sends the event `feedback.updated` to the webhooks. Requires an API key, the master key, or a user token with the
   * role `admin` or `owner`.
   *
   * - 403 `FORBIDDEN`: the caller has the role `user`. This role may not use this operation, not even for the caller's
   *   own threads. For threads of other users, the response is 404.
   * - 404 `NOT_FOUND`: no thread of the environment has this `feedbackId`, or the caller has the role `user` and the
   *   thread belongs to another user.
   * - 409 `CONFLICT`: the thread is deleted or merged into another one, so nothing can be changed.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the thread again, then repeat the
   *   request. New votes change the ETag, but do not cause this error.
   *
   * @param feedbackId - Identifier of the thread.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The thread.
   * @throws ApiError 403 `FORBIDDEN`, 404 `NOT_FOUND`, 409 `CONFLICT`, 412 `PRECONDITION_FAILED`
   */
  updateFeedback(
    feedbackId: string,
    body: Body<operations["updateFeedback"]>,
    options?: CallOptions,
  ): Call<Result<operations["updateFeedback"]>> {
    return this.call("PATCH", "/v1/feedbacks/{feedbackId}", { path: { feedbackId }, body }, options);
  }

  /**
   * Delete a feedback thread.
   *
   * Marks a thread as deleted and sets its status to `closed`. `listFeedbacks` omits the thread unless
   * `includeDeleted` is `true`, but `getFeedback` still returns the thread. The service sends the event
   * `feedback.deleted` to the webhooks. A repeated request gets the same response and changes nothing. Requires an API
   * key, the master key, or a user token with the role `admin` or `owner`.
   *
   * - 403 `FORBIDDEN`: the caller has the role `user`. This role may not use this operation, not even for the caller's
   *   own threads. For threads of other users, the response is 404.
   * - 404 `NOT_FOUND`: no thread of the environment has this `feedbackId`, or the caller has the role `user` and the
   *   thread belongs to another user.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the thread again, then repeat the
   *   request. New votes change the ETag, but do not cause this error.
   *
   * @param feedbackId - Identifier of the thread.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 403 `FORBIDDEN`, 404 `NOT_FOUND`, 412 `PRECONDITION_FAILED`
   */
  deleteFeedback(feedbackId: string, options?: CallOptions): Call<Result<operations["deleteFeedback"]>> {
    return this.call("DELETE", "/v1/feedbacks/{feedbackId}", { path: { feedbackId } }, options);
  }

  /**
   * List a thread's replies.
   *
   * Lists the replies of a thread, oldest first. For staff, the list also contains internal notes.
   *
   * 404 `NOT_FOUND`: no thread of the environment has this `feedbackId`, or the caller has the role `user` and the
   * thread belongs to another user.
   *
   * @param feedbackId - Identifier of the thread.
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of replies, oldest first.
   * @throws ApiError 404 `NOT_FOUND`
   */
  listReplies(
    feedbackId: string,
    query?: Query<operations["listReplies"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listReplies"]>, "items">, Result<operations["listReplies"]>> {
    return this.pages("/v1/feedbacks/{feedbackId}/replies", { path: { feedbackId }, query }, options);
  }

  /**
   * Post a reply.
   *
   * Adds a reply to a thread, increases the thread's `replyCount` and sets its `lastReplyAt`. With `internal: true`,
   * staff add an internal note. Callers with the role `user` do not see internal notes, nor the changes of
   * `replyCount` and `lastReplyAt` by internal notes. The service sends the event `reply.created` to the webhooks,
   * also for internal notes.
   *
   * If the caller has the role `user`, the status of the thread is `resolved` or `closed`, and the setting
   * `reopenOnReply` is `true`, the status changes to `open`. This change has its own entry in the history and its own
   * event `feedback.updated`.
   *
   * - 400 `VALIDATION_ERROR`: a field is invalid, or an attachment is unknown, not uploaded, already attached, or
   *   presigned by another user. Staff may attach files of any user.
   * - 404 `NOT_FOUND`: no thread of the environment has this `feedbackId`, or the caller has the role `user` and the
   *   thread belongs to another user.
   * - 409 `CONFLICT`: the thread is deleted or merged into another one, so nothing can be changed or added.
   *
   * @param feedbackId - Identifier of the thread.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new reply.
   * @throws ApiError 400 `VALIDATION_ERROR`, 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  postReply(
    feedbackId: string,
    body: Body<operations["postReply"]>,
    options?: CallOptions,
  ): Call<Result<operations["postReply"]>> {
    return this.call("POST", "/v1/feedbacks/{feedbackId}/replies", { path: { feedbackId }, body, keyed: true }, options);
  }

  /**
   * Update a reply.
   *
   * Replaces the text of a reply and sets its `editedAt`. Only the author may edit a reply: the same user, the same API
   * key, or the master key. Staff can read the previous texts with `listReplyHistory`. A text equal to the current one
   * changes nothing. The service sends the event `reply.updated` to the webhooks.
   *
   * - 403 `FORBIDDEN`: the caller is not the author.
   * - 404 `NOT_FOUND`: the thread has no reply with this `replyId`, or the caller may not read the thread or the reply.
   * - 409 `CONFLICT`: the thread is deleted or merged into another one, or the reply was edited 100 times.
   * - 412 `PRECONDITION_FAILED`: the current ETag of the reply differs from `If-Match`, so the reply was edited. Read the
   *   replies again, then repeat the request without `If-Match`.
   *
   * @param feedbackId - Identifier of the thread.
   * @param replyId - Identifier of the reply.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The edited reply.
   * @throws ApiError 403 `FORBIDDEN`, 404 `NOT_FOUND`, 409 `CONFLICT`, 412 `PRECONDITION_FAILED`
   */
  updateReply(
    feedbackId: string,
    replyId: string,
    body: Body<operations["updateReply"]>,
    options?: CallOptions,
  ): Call<Result<operations["updateReply"]>> {
    return this.call("PATCH", "/v1/feedbacks/{feedbackId}/replies/{replyId}", { path: { feedbackId, replyId }, body }, options);
  }

  /**
   * Delete a reply.
   *
   * Deletes a reply with its previous texts and its attachments. `replyCount` of the thread falls, and `lastReplyAt`
   * stays. Users may delete their own replies; staff may delete all replies. The service sends the event `reply.deleted`
   * to the webhooks, with the reply as it was.
   *
   * - 403 `FORBIDDEN`: the caller has the role `user` and is not the author.
   * - 404 `NOT_FOUND`: the thread has no reply with this `replyId`, or the caller may not read the thread or the reply.
   * - 409 `CONFLICT`: the thread is deleted or merged into another one.
   * - 412 `PRECONDITION_FAILED`: the current ETag of the reply differs from `If-Match`, so the reply was edited. Read the
   *   replies again, then repeat the request without `If-Match`.
   *
   * @param feedbackId - Identifier of the thread.
   * @param replyId - Identifier of the reply.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 403 `FORBIDDEN`, 404 `NOT_FOUND`, 409 `CONFLICT`, 412 `PRECONDITION_FAILED`
   */
  deleteReply(feedbackId: string, replyId: string, options?: CallOptions): Call<Result<operations["deleteReply"]>> {
    return this.call("DELETE", "/v1/feedbacks/{feedbackId}/replies/{replyId}", { path: { feedbackId, replyId } }, options);
  }

  /**
   * List a reply's previous texts.
   *
   * Lists the previous texts of an edited reply, newest first. For a reply that was not edited, the list is empty.
   * Requires an API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * - 403 `FORBIDDEN`: the caller has the role `user`.
   * - 404 `NOT_FOUND`: the thread has no reply with this `replyId`.
   *
   * @param feedbackId - Identifier of the thread.
   * @param replyId - Identifier of the reply.
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of previous texts, newest first.
   * @throws ApiError 403 `FORBIDDEN`, 404 `NOT_FOUND`
   */
  listReplyHistory(
    feedbackId: string,
    replyId: string,
    query?: Query<operations["listReplyHistory"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listReplyHistory"]>, "items">, Result<operations["listReplyHistory"]>> {
    return this.pages("/v1/feedbacks/{feedbackId}/replies/{replyId}/history", { path: { feedbackId, replyId }, query }, options);
  }

  /**
   * List a thread's status history.
   *
   * Lists the status changes of a thread, newest first. The last entry of the list records the creation of the thread.
   *
   * 404 `NOT_FOUND`: no thread of the environment has this `feedbackId`, or the caller has the role `user` and the
   * thread belongs to another user.
   *
   * @param feedbackId - Identifier of the thread.
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of status changes, newest first.
   * @throws ApiError 404 `NOT_FOUND`
   */
  listHistory(
    feedbackId: string,
    query?: Query<operations["listHistory"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listHistory"]>, "items">, Result<operations["listHistory"]>> {
    return this.pages("/v1/feedbacks/{feedbackId}/history", { path: { feedbackId }, query }, options);
  }

  /**
   * Merge a thread into another.
   *
   * Closes this thread, because the thread `into` continues it. The votes and the followers move to the target, where a
   * user counts once, and the reporter of this thread follows the target. The replies stay with this thread, which can
   * still be read. Both histories and the audit trail record the merge. Requires an API key, the master key, or a user
   * token with the role `admin` or `owner`.
   *
   * - 404 `NOT_FOUND`: no thread of the environment has one of the two ids.
   * - 409 `CONFLICT`: this thread was deleted or merged before, or the target is this thread, or was deleted or merged.
   *
   * @param feedbackId - Identifier of the thread.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The thread.
   * @throws ApiError 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  mergeFeedback(
    feedbackId: string,
    body: Body<operations["mergeFeedback"]>,
    options?: CallOptions,
  ): Call<Result<operations["mergeFeedback"]>> {
    return this.call("POST", "/v1/feedbacks/{feedbackId}/merge", { path: { feedbackId }, body }, options);
  }

  /**
   * Vote for a thread.
   *
   * Adds the vote of the caller. A user has one vote for a thread; a second request changes nothing. The user follows the
   * thread: the user gets emails about it. Users vote for their own threads and, while the board is on, for public
   * threads. Requires a user token.
   *
   * - 404 `NOT_FOUND`: the caller may vote for no thread with this id.
   * - 409 `CONFLICT`: the thread was deleted or merged into another one.
   *
   * @param feedbackId - Identifier of the thread.
   * @param options - Options of this call.
   * @returns The number of votes.
   * @throws ApiError 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  vote(feedbackId: string, options?: CallOptions): Call<Result<operations["vote"]>> {
    return this.call("PUT", "/v1/feedbacks/{feedbackId}/vote", { path: { feedbackId } }, options);
  }

  /**
   * Withdraw a vote.
   *
   * Removes the vote of the caller, and ends the emails that the caller gets as a voter. If there is no vote, nothing
   * changes. Errors as for `vote`.
   *
   * @param feedbackId - Identifier of the thread.
   * @param options - Options of this call.
   * @returns The number of votes.
   */
  withdrawVote(feedbackId: string, options?: CallOptions): Call<Result<operations["withdrawVote"]>> {
    return this.call("DELETE", "/v1/feedbacks/{feedbackId}/vote", { path: { feedbackId } }, options);
  }

  /**
   * List the voters of a thread.
   *
   * Lists the votes for a thread, newest first. Requires an API key, the master key, or a user token with the role
   * `admin` or `owner`.
   *
   * 404 `NOT_FOUND`: no thread of the environment has this `feedbackId`.
   *
   * @param feedbackId - Identifier of the thread.
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of votes, newest first.
   * @throws ApiError 404 `NOT_FOUND`
   */
  listVotes(
    feedbackId: string,
    query?: Query<operations["listVotes"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listVotes"]>, "items">, Result<operations["listVotes"]>> {
    return this.pages("/v1/feedbacks/{feedbackId}/votes", { path: { feedbackId }, query }, options);
  }

  /**
   * Vote on behalf of a user.
   *
   * Adds the vote of a user, as `vote` does. The user gets emails only if the user follows the thread already. Requires an
   * API key or the master key.
   *
   * - 404 `NOT_FOUND`: no thread of the environment has this `feedbackId`.
   * - 409 `CONFLICT`: the thread was deleted or merged into another one.
   *
   * @param feedbackId - Identifier of the thread.
   * @param userId - User on whose behalf the backend votes.
   * @param options - Options of this call.
   * @returns The number of votes.
   * @throws ApiError 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  voteForUser(feedbackId: string, userId: string, options?: CallOptions): Call<Result<operations["voteForUser"]>> {
    return this.call("PUT", "/v1/feedbacks/{feedbackId}/votes/{userId}", { path: { feedbackId, userId } }, options);
  }

  /**
   * Withdraw the vote of a user.
   *
   * Removes the vote of a user, as `withdrawVote` does. Errors as for `voteForUser`.
   *
   * @param feedbackId - Identifier of the thread.
   * @param userId - User on whose behalf the backend votes.
   * @param options - Options of this call.
   * @returns The number of votes.
   */
  withdrawVoteOfUser(
    feedbackId: string,
    userId: string,
    options?: CallOptions,
  ): Call<Result<operations["withdrawVoteOfUser"]>> {
    return this.call("DELETE", "/v1/feedbacks/{feedbackId}/votes/{userId}", { path: { feedbackId, userId } }, options);
  }

  /**
   * Presign an attachment upload.
   *
   * Returns an upload URL for one file. First upload the file with a PUT request to `uploadUrl`, with the declared
   * `Content-Type`. Then list `attachmentId` in the `attachmentIds` of a new thread or reply. The file must have
   * exactly the declared length and type. The upload URL is valid for 15 minutes, and the upload must be complete
   * within this time.
   *
   * The service deletes an attachment without an upload one hour after this request. The service deletes an uploaded
   * file that is not attached 24 hours after this request.
   *
   * 429 `TOO_MANY_UPLOADS` with `Retry-After`: the files that are not attached yet are too large in total. Attach
   * uploaded files, or wait until older files expire. The limits are 102 MiB for each user and 1 GiB for the
   * environment, unless the operator sets other limits. A presigned file counts with its declared size for 15 minutes.
   * An uploaded file counts until it is attached or deleted. Each file counts as at least 64 KiB. Files that are
   * presigned with an API key or the master key count only towards the limit of the environment.
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
   * Returns the metadata of a file and, after the upload, a download URL, which is valid for 5 minutes. Staff may read
   * all files. Callers with the role `user` may read files that they have presigned and files of their own threads,
   * but no files of internal notes.
   *
   * 404 `NOT_FOUND`: no attachment of the environment has this `attachmentId`, or the caller may not read the file.
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
   * List the threads of the board.
   *
   * Lists public threads that were neither deleted nor merged. Needs no credential. With a user token, each thread has the
   * member `voted`. Without a credential, each network (/24 of IPv4, /48 of IPv6) may send 600 requests per minute,
   * unless the operator has set another limit.
   *
   * With `sort=votes`, all pages have the order of the time of the first page: votes that are added later do not count.
   * So no thread is left out because of new votes. A thread whose votes were withdrawn in the meantime may appear a
   * second time. A cursor works for an hour after the first page.
   *
   * 404 `NOT_FOUND`: the setting `publicBoard` is off.
   *
   * @param query - Query parameters: `status`, `category`, `q`, `sort`, `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of threads.
   * @throws ApiError 404 `NOT_FOUND`
   */
  listBoardThreads(
    query?: Query<operations["listBoardThreads"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listBoardThreads"]>, "items">, Result<operations["listBoardThreads"]>> {
    return this.pages("/board/threads", { query }, options);
  }

  /**
   * Get a thread of the board.
   *
   * Returns a public thread with a page of its public replies, oldest first. Needs no credential, as `listBoardThreads`.
   *
   * 404 `NOT_FOUND`: the setting `publicBoard` is off, or the board shows no thread with this id.
   *
   * @param feedbackId - Identifier of the thread.
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns The thread.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getBoardThread(
    feedbackId: string,
    query?: Query<operations["getBoardThread"]>,
    options?: CallOptions,
  ): Call<Result<operations["getBoardThread"]>> {
    return this.call("GET", "/board/threads/{feedbackId}", { path: { feedbackId }, query }, options);
  }

  /**
   * Erase a user.
   *
   * Deletes the data of one user in this environment. `mode` decides what happens to the user's texts:
   *
   * - `delete` (default): deletes the user's threads, with all their replies and attachments. Also deletes the user's
   *   replies to other threads, with their previous texts. `replyCount` of these threads falls, and `lastReplyAt` stays.
   * - `anonymize`: keeps the user's threads and replies. A pseudonym `deleted:<uuid>` replaces the user's id, and
   *   `userEmail` and `appContext` become `null`. Previous texts of edited replies are deleted.
   *
   * In both modes, the user's votes and attachments are deleted, also the attachments in threads of other users, and
   * threads that are assigned to the user lose their assignee. The pseudonym replaces the user's id in the history of
   * threads and in the audit trail. Pending webhook deliveries about the user's threads and replies are deleted. No event is sent to
   * the webhooks.
   *
   * The response is the same for an unknown user. The request may be repeated. New data of the user is accepted
   * afterwards. If the account itself is deleted, auth-mfa erases the user in all services (`receiveErasure`).
   * Requires an API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * 503 `UNAVAILABLE` with `Retry-After`: the erasure takes long and is not complete. Repeat the request to continue
   * it.
   *
   * @param userId - Identifier of the user, percent-encoded.
   * @param query - Query parameters: `mode`.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 503 `UNAVAILABLE`
   */
  eraseUser(
    userId: string,
    query?: Query<operations["eraseUser"]>,
    options?: CallOptions,
  ): Call<Result<operations["eraseUser"]>> {
    return this.call("DELETE", "/v1/users/{userId}", { path: { userId }, query }, options);
  }

  /**
   * Export a user's data.
   *
   * Streams what the service stores of one user in this environment, as newline-delimited JSON. Each line is an
   * object with a `type`:
   *
   * - `feedback`: a thread of the user, also a deleted one, with the fields of `Feedback` as the user sees them.
   * - `reply`: a reply of the user to any thread, with the fields of `Reply` and `internal`.
   * - `reply` with `previous: true`: a previous text of an edited reply, with `feedbackId`, `replyId` and the fields of
   *   `ReplyEdit`.
   * - `vote`: a vote of the user, with `feedbackId` and `createdAt`.
   * - `attachment`: a file that the user has presigned, with the fields of `Attachment` except `downloadUrl` and
   *   `expiresAt`. `getAttachment` returns a download URL.
   *
   * For an unknown user, the export is empty. If the response ends before the final chunk (chunked transfer coding),
   * the export is incomplete. In this case, repeat the request. A caller with the role `user` may export only the own
   * data.
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
   * Returns the settings of the environment. Requires an API key, the master key, or a user token with the role
   * `admin` or `owner`.
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
   * of a setting. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
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
   * Create or update the logo.
   *
   * Sets the image that the board of the environment shows, in place of an earlier one. The body is the image: a
   * PNG or WebP file of at most 256 KiB, at most 2048 pixels wide and 2048 pixels high, and not animated. If the same
   * image is already set, nothing changes. Requires an API key, the
   * master key, or a user token with the role `admin` or `owner`.
   *
   * `If-Match` takes the `ETag` of `getSettings`, because the logo is a part of the settings.
   *
   * - 400 `VALIDATION_ERROR`: the body is not a complete image of the type in `Content-Type`, has bytes after its end,
   *   is too wide or too high, or is animated. The error has an empty `pointer`.
   * - 412 `PRECONDITION_FAILED`: the current ETag of the settings differs from `If-Match`. Read the settings again,
   *   then repeat the request.
   * - 413 `PAYLOAD_TOO_LARGE`: the body has more than 256 KiB. Send a smaller image.
   * - 415 `UNSUPPORTED_MEDIA_TYPE`: the `Content-Type` is neither `image/png` nor `image/webp`.
   * - 429 `RATE_LIMITED`: too many requests of the environment check images or do other expensive work at once.
   *
   * @param data - The bytes: `image/png` or `image/webp`.
   * @param options - Options of this call. `contentType` is the type of a `Blob` by default.
   * @returns The logo.
   * @throws ApiError 400 `VALIDATION_ERROR`, 412 `PRECONDITION_FAILED`, 413 `PAYLOAD_TOO_LARGE`, 415 `UNSUPPORTED_MEDIA_TYPE`, 429 `RATE_LIMITED`
   */
  putLogo(
    data: Binary,
    options?: CallOptions & { contentType?: "image/png" | "image/webp" },
  ): Call<Result<operations["putLogo"]>> {
    return this.call("PUT", "/v1/settings/logo", { data }, options);
  }

  /**
   * Delete the logo.
   *
   * Deletes the logo of the environment. If there is none, nothing changes, and the response is the same. Requires an
   * API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * - 412 `PRECONDITION_FAILED`: the current ETag of the settings differs from `If-Match`. Read the settings again,
   *   then repeat the request.
   *
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 412 `PRECONDITION_FAILED`
   */
  deleteLogo(options?: CallOptions): Call<Result<operations["deleteLogo"]>> {
    return this.call("DELETE", "/v1/settings/logo", {}, options);
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
   * Lists the valid API keys of one environment, newest first. Each record contains the first 12 characters of its
   * key, never the whole key. The list omits revoked keys, and replaced keys whose grace period has ended. Requires
   * the master key.
   *
   * @param query - Query parameters: `environment`, `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of key records, newest first.
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
   * Creates an API key for the `environment` in the body. This environment may differ from the environment that the
   * host or `X-Tenant-Env` names. Only this response contains the key, so store the key at once. Older keys stay
   * valid.
   *
   * `Idempotency-Key` is ignored: each request creates another key. Requires the master key.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new key. No later response contains the key.
   */
  mintKey(body: Body<operations["mintKey"]>, options?: CallOptions): Call<Result<operations["mintKey"]>> {
    return this.call("POST", "/v1/keys", { body }, options);
  }

  /**
   * Rotate the API key.
   *
   * Creates an API key that replaces all other keys of the environment. The replaced keys stay valid for
   * `gracePeriodSeconds`, so that you can switch to the new key. By default, the replaced keys become invalid at
   * once. Only this response contains the new key, so store the new key at once.
   *
   * `Idempotency-Key` is ignored: each request creates another key. Requires the master key.
   *
   * @param environment - Environment in which the new key replaces all other keys.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new key. No later response contains the key.
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
   * Revokes an API key of the environment that the host or `X-Tenant-Env` names. All replicas of the service refuse
   * the key within one second. Requires the master key.
   *
   * 404 `NOT_FOUND`: no valid key of this environment has this prefix.
   *
   * @param prefix - Field `prefix` of the key record in `listKeys`.
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
