// Generated from proto/auth-mfa.openapi.yaml by proto/typescript/scripts/generate.mjs.
import type { Call } from "../call.js";
import { Area, type Binary, type CallOptions } from "../client.js";
import type { ExportLine, Lines } from "../lines.js";
import type { Pages } from "../pages.js";
import type { Body, Items, Query, Result } from "../types.js";
import type { operations } from "./auth.js";

/** One method for each operation of the service's contract. */
export class AuthMethods extends Area {
  /**
   * Register an account.
   *
   * Creates an account with a password and the role `user`, signs the user in, and sends a verification email. If the
   * setting `emailVerification` is `required`, the response contains only `user`. In this case, the user verifies the
   * email first, and then signs in with `login`.
   *
   * - 400 `VALIDATION_ERROR`: the password is refused with one of these codes at `/password`. `too_short`,
   *   `too_long`: it does not have 8 to 128 characters, counted in Unicode Normalization Form C. `same_as_email`:
   *   it is the email or the part before `@`. `too_weak`: it is easy to guess. `breached`: it is on a list of
   *   passwords from data breaches, if the operator has configured such a list.
   * - 403 `mfa_enrollment_required`: the tenant requires a second factor. The account exists. Enrol a factor with the
   *   `enrollment_token`.
   * - 403 `SIGN_UP_CLOSED`: the setting `signUp` is `closed`. Ask the tenant for an invitation.
   * - 409 `CONFLICT`: an account has this email, or gave it up less than 72 hours ago. The comparison ignores case.
   * - 429 `RATE_LIMITED`: this network has made 100 registrations within an hour. The operator can set another limit.
   *   A registration that ends with `CONFLICT` counts too, and so does one with a refused password that is longer
   *   than 16 bytes, is the email, or is breached.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns Tokens and user of the new session. If the tenant requires a verified email: only the user.
   * @throws ApiError 400 `VALIDATION_ERROR`, 403 `mfa_enrollment_required`, 403 `SIGN_UP_CLOSED`, 409 `CONFLICT`, 429 `RATE_LIMITED`
   */
  register(body: Body<operations["register"]>, options?: CallOptions): Call<Result<operations["register"]>> {
    return this.call("POST", "/v1/auth/register", { body, anonymous: true }, options);
  }

  /**
   * Log in with a password.
   *
   * Opens a session. If the user has a second factor and the request does not come from a trusted device, the
   * response is 403 `mfa_required` instead. In this case, if SMS is the user's only factor, the service also sends a
   * code. The response does not show whether the code was sent. If no code arrives, call `sendChallenge`, which sends
   * another code or returns the reason as an error.
   *
   * - 401 `INVALID_CREDENTIALS`: the email or the password is wrong. For an unknown email, the response and its
   *   duration are the same as for a wrong password, so that they do not reveal which accounts exist.
   * - 403 `mfa_enrollment_required`: the tenant requires a second factor, and the user has none. Enrol a factor with
   *   the `enrollment_token`.
   * - 403 `EMAIL_NOT_VERIFIED`: the password is correct, but the tenant requires a verified email. Send another email
   *   with `requestVerification`.
   * - 403 `ACCOUNT_DISABLED`: the password is correct, but the account is disabled. An owner or a backend can enable
   *   it with `updateMember`.
   * - 429 `RATE_LIMITED`: within 15 minutes, the service received 10 wrong passwords for this email from this network
   *   (IPv4 /24, IPv6 /48), 100 wrong passwords for this email from all networks, or 100 wrong passwords and refused
   *   id tokens from this network. From a trusted device of the account: 10 wrong passwords from this device.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns Tokens and user of the new session.
   * @throws ApiError 403 `mfa_required`, 401 `INVALID_CREDENTIALS`, 403 `mfa_enrollment_required`, 403 `EMAIL_NOT_VERIFIED`, 403 `ACCOUNT_DISABLED`, 429 `RATE_LIMITED`
   */
  login(body: Body<operations["login"]>, options?: CallOptions): Call<Result<operations["login"]>> {
    return this.call("POST", "/v1/auth/login", { body, anonymous: true }, options);
  }

  /**
   * Log in with a passkey.
   *
   * Opens a session for the user of the passkey. Get options with `createPasskeyChallenge`, pass them to the browser,
   * and send the browser's response as `credential`. The passkey must verify the user (`userVerification` `required`),
   * so it counts as two factors: `acr` is `aal2`, and `amr` is `hwk` and `mfa`.
   *
   * - 400 `VALIDATION_ERROR`: `credential` is not what `PublicKeyCredential.toJSON()` returns.
   * - 401 `INVALID_CREDENTIALS`: the passkey is unknown, its signature is wrong, it names another user, its counter
   *   did not grow, or it did not verify the user. Or the page's origin is neither that of the host nor in
   *   `allowedOrigins`. `detail` names mistakes of the app.
   * - 403 `EMAIL_NOT_VERIFIED`, `ACCOUNT_DISABLED`: as for `login`.
   * - 410 `MFA_CHALLENGE_EXPIRED`: the challenge is unknown, used or more than 5 minutes old. Get new options.
   * - 429 `RATE_LIMITED`: within 15 minutes, the service received 100 refused passkeys, refused id tokens and wrong
   *   passwords from this network.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns Tokens and user of the new session.
   * @throws ApiError 400 `VALIDATION_ERROR`, 401 `INVALID_CREDENTIALS`, 403 `EMAIL_NOT_VERIFIED`, 403 `ACCOUNT_DISABLED`, 410 `MFA_CHALLENGE_EXPIRED`, 429 `RATE_LIMITED`
   */
  loginWithPasskey(
    body: Body<operations["loginWithPasskey"]>,
    options?: CallOptions,
  ): Call<Result<operations["loginWithPasskey"]>> {
    return this.call("POST", "/v1/auth/login/passkey", { body, anonymous: true }, options);
  }

  /**
   * Sign in with an identity provider.
   *
   * Signs in a user with an id token of an identity provider that is listed in the setting `identityProviders`. At
   * the user's first sign-in, the service creates a user without a password and answers 201. The id token must be
   * signed with RS256 or ES256, and issued at most 10 minutes ago. The service accepts each id token once. If you send
   * a `nonce`, it must be equal to the claim `nonce`. If the user has a second factor, the response can be 403
   * `mfa_required`, as for `login`.
   *
   * - 400 `VALIDATION_ERROR`: also if this is the user's first sign-in, and the id token contains no valid `email`, or
   *   its claim `email_verified` is not `true`.
   * - 401 `INVALID_CREDENTIALS`: the id token is not valid for this tenant, or was used before. Check its signature,
   *   age, issuer, audience and `nonce`.
   * - 403 `mfa_enrollment_required`, `EMAIL_NOT_VERIFIED`, `ACCOUNT_DISABLED`: as for `login`.
   * - 403 `SIGN_UP_CLOSED`: this is the user's first sign-in, and the setting `signUp` is `closed`. Invite the user
   *   with `createMember`. The user then sets a password with `acceptInvitation`, and links the identity with
   *   `linkIdentity` (`POST /v1/auth/identities`).
   * - 409 `CONFLICT`: another account has this email, or gave it up less than 72 hours ago. The service never links
   *   an identity to an existing account by its email. Sign in to the account with another method, then call
   *   `linkIdentity`. A user without another method first sets a password with `requestPasswordReset`.
   * - 429 `RATE_LIMITED`: within 15 minutes, the service received 100 refused id tokens and wrong passwords from this
   *   network.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns Tokens and user of the new session.
   * @throws ApiError 403 `mfa_required`, 400 `VALIDATION_ERROR`, 401 `INVALID_CREDENTIALS`, 403 `mfa_enrollment_required`, 403 `EMAIL_NOT_VERIFIED`, 403 `ACCOUNT_DISABLED`, 403 `SIGN_UP_CLOSED`, 409 `CONFLICT`, 429 `RATE_LIMITED`
   */
  signInExternally(
    body: Body<operations["signInExternally"]>,
    options?: CallOptions,
  ): Call<Result<operations["signInExternally"]>> {
    return this.call("POST", "/v1/auth/external", { body, anonymous: true }, options);
  }

  /**
   * Refresh the tokens.
   *
   * Exchanges a refresh token for a new access token and a new refresh token of the same session. A refresh token is
   * valid for 30 days and works once. But if the response is lost, you can repeat the request within 10 seconds and
   * get tokens again.
   *
   * 401 `UNAUTHORIZED`: the refresh token is invalid, expired or already used, or its session has ended. Sign in
   * again. If a refresh token is used again after more than 10 seconds, the service ends the session, because the
   * token may have been stolen. The session of a disabled account has ended, too.
   *
   * 403 `EMAIL_NOT_VERIFIED`: the tenant requires a verified email, and the user's email is not verified. Send
   * another email with `requestVerification`.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns New tokens of the session.
   * @throws ApiError 403 `EMAIL_NOT_VERIFIED`
   */
  refresh(body: Body<operations["refresh"]>, options?: CallOptions): Call<Result<operations["refresh"]>> {
    return this.call("POST", "/v1/auth/refresh", { body, anonymous: true }, options);
  }

  /**
   * Log out of a session.
   *
   * Ends the session to which the refresh token belongs. This service refuses the access tokens of the session at
   * once. Other services accept them until they expire, at most 15 minutes later.
   *
   * 401 `UNAUTHORIZED`: the refresh token is invalid.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The session has ended.
   */
  logout(body: Body<operations["logout"]>, options?: CallOptions): Call<Result<operations["logout"]>> {
    return this.call("POST", "/v1/auth/logout", { body, anonymous: true }, options);
  }

  /**
   * Get the caller's account.
   *
   * Returns the account to which the access token belongs.
   *
   * 401 `UNAUTHORIZED`: the access token is invalid or expired, or its session has ended.
   *
   * @param options - Options of this call.
   * @returns The account.
   */
  getMe(options?: CallOptions): Call<Result<operations["getMe"]>> {
    return this.call("GET", "/v1/auth/me", {}, options);
  }

  /**
   * Delete the caller's account.
   *
   * Deletes the caller's account with all factors, identities, sessions and trusted devices. All credentials end at
   * once, and the email is free again. The deletion cannot be undone. Ask the user to confirm it.
   *
   * Afterwards, the service asks the other services to erase what they store of the user, for three days if
   * necessary. `getErasure` shows the progress. The audit trail keeps its entries, with a pseudonym in place of the
   * user's identifier. The webhook `user.deleted` names the user.
   *
   * - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
   *   request.
   * - 409 `CONFLICT`: the user is the last owner of the production environment. Give another user the role `owner`
   *   first. The last owner of a sandbox can be deleted.
   *
   * @param options - Options of this call.
   * @returns The account is deleted.
   * @throws ApiError 403 `REAUTHENTICATION_REQUIRED`, 409 `CONFLICT`
   */
  deleteMe(options?: CallOptions): Call<Result<operations["deleteMe"]>> {
    return this.call("DELETE", "/v1/auth/me", {}, options);
  }

  /**
   * Export the caller's account.
   *
   * Streams what this service stores of the caller as newline-delimited JSON. The member `type` of a line is one of:
   *
   * - `account`, `identity`, `passkey`, `trusted_device`, `activity`: the members that the operations for this type
   *   return. An
   *   activity has its type as `activityType`. Trusted devices that have expired are included.
   * - `session`: also sessions that have expired or ended, with `endedAt`. They are kept for 7 days.
   * - `email_link`: a link that was sent to `email` and not used, with `purpose`, `createdAt` and `expiresAt`. Expired
   *   links are kept for 7 days.
   * - `email`: an email to `email` that has not been sent yet, with `kind`, `locale` and `createdAt`.
   *
   * Secrets, such as passwords, tokens and the seeds of authenticator apps, are not exported. If the response ends
   * before the final chunk (chunked transfer coding), the export is incomplete. In this case, repeat the request.
   *
   * @param options - Options of this call.
   * @returns Newline-delimited JSON, one object per line.
   */
  exportMe<Line = ExportLine>(options?: CallOptions): Lines<Line> {
    return this.lines("/v1/auth/me/export", {}, options);
  }

  /**
   * Change the password.
   *
   * Replaces the caller's password. The service ends all other sessions of the caller and removes all trusted devices
   * of the caller. For a forgotten password, use `requestPasswordReset`.
   *
   * The service first checks the length of both passwords, and the strength of a new password of at most 16 bytes.
   * Then it checks `currentPassword`, and then all other rules for the new password.
   *
   * - 400 `VALIDATION_ERROR`: the new password is refused. The codes at `/newPassword` are those of registration, and
   *   `same_as_current`: it is the current password.
   * - 401 `INVALID_CREDENTIALS`: `currentPassword` is wrong.
   * - 403 `MFA_PASSWORD_REQUIRED`: the account has no password, because its user signs in through an identity
   *   provider. Change the password at that provider.
   * - 409 `CONFLICT`: another request changed the account's password or second factors at the same time. Check the
   *   current password, then try again.
   * - 429 `RATE_LIMITED`: `currentPassword` was wrong 10 times within 15 minutes, from this network or this trusted
   *   device, or 100 times from all networks.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The password is changed.
   * @throws ApiError 400 `VALIDATION_ERROR`, 401 `INVALID_CREDENTIALS`, 403 `MFA_PASSWORD_REQUIRED`, 409 `CONFLICT`, 429 `RATE_LIMITED`
   */
  changePassword(
    body: Body<operations["changePassword"]>,
    options?: CallOptions,
  ): Call<Result<operations["changePassword"]>> {
    return this.call("POST", "/v1/auth/password", { body }, options);
  }

  /**
   * List the caller's sessions.
   *
   * Lists the open sessions of the caller, newest first.
   *
   * 401 `UNAUTHORIZED`: the access token is invalid or expired, or its session has ended.
   *
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of sessions, newest first.
   */
  listSessions(
    query?: Query<operations["listSessions"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listSessions"]>, "items">, Result<operations["listSessions"]>> {
    return this.pages("/v1/auth/sessions", { query }, options);
  }

  /**
   * End the caller's other sessions.
   *
   * Ends all sessions of the caller except the one of the access token. This service refuses the access tokens of
   * these sessions at once. Other services accept them until they expire, at most 15 minutes later. Trusted devices
   * stay trusted.
   *
   * 401 `UNAUTHORIZED`: the access token is invalid or expired, or its session has ended.
   *
   * @param options - Options of this call.
   * @returns The object is deleted.
   */
  endOtherSessions(options?: CallOptions): Call<Result<operations["endOtherSessions"]>> {
    return this.call("DELETE", "/v1/auth/sessions", {}, options);
  }

  /**
   * End a session.
   *
   * Ends one of the caller's sessions. This service refuses the access tokens of the session at once. Other services
   * accept them until they expire, at most 15 minutes later.
   *
   * 404 `NOT_FOUND`: the caller has no open session with this identifier.
   *
   * @param sessionId - Identifier of the session: the claim `sid` in the access tokens of the session.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 404 `NOT_FOUND`
   */
  endSession(sessionId: string, options?: CallOptions): Call<Result<operations["endSession"]>> {
    return this.call("DELETE", "/v1/auth/sessions/{sessionId}", { path: { sessionId } }, options);
  }

  /**
   * Reauthenticate the caller.
   *
   * Checks a credential of the caller again, and returns a new access token of the same session. Use this operation
   * if another operation answered 403 `REAUTHENTICATION_REQUIRED`, with one of the `available_methods` of that
   * response. The new access token has the current time as `auth_time`. If the credential is a code of a second
   * factor or a passkey, the `acr` of the session becomes `aal2`. `refresh` keeps both values.
   *
   * Send one of the following:
   *
   * - `password`, if the method is `password`.
   * - `method` and `code`, if the method is `sms`, `totp` or `recovery_code`. For `sms`, first send a code with
   *   `sendReauthenticationCode`.
   * - `credential`, if the method is `passkey`: the browser's response to the options of `createPasskeyChallenge`. The
   *   passkey must verify the user.
   * - `idToken` of a linked identity, if the method is `external`. The identity provider must have issued the id
   *   token after the last authentication of the session. The service compares it with the session, not with the
   *   `auth_time` of the presented access token, which may be older.
   *
   * A refused id token or passkey counts like a wrong password from this network. The activity of the account and the
   * audit trail record wrong passwords, wrong codes, refused passkeys, and valid id tokens that do not prove an authentication of this user.
   *
   * **Errors.**
   *
   * - 400 `MFA_INVALID_CODE`: the code is wrong.
   * - 401 `INVALID_CREDENTIALS`: the password is wrong. Or the passkey was refused, as for `loginWithPasskey`, or
   *   belongs to another user. Or the id token is not valid, more than 10 minutes old, used
   *   before, of an identity that is not linked to the account, or issued before the last authentication of the
   *   session.
   * - 401 `UNAUTHORIZED`: the session has ended, or the settings no longer have the identity provider with which it
   *   was opened. Sign in again.
   * - 403 `EMAIL_NOT_VERIFIED`: the tenant requires a verified email, and the user's email is not verified. Send
   *   another email with `requestVerification`.
   * - 410 `MFA_CHALLENGE_EXPIRED`: for `sms`, the code is more than 5 minutes old or already used, or no code was
   *   sent for this session. Send a code with `sendReauthenticationCode`. For a passkey, its challenge is unknown,
   *   used or more than 5 minutes old. Get new options.
   * - 429 `MFA_RATE_LIMITED`: for `sms`, 5 codes were wrong. Wait for the number of seconds in `Retry-After`, then
   *   send another code. For all methods with a code: the account's limit of wrong codes is reached, as for
   *   `verifyChallenge`.
   * - 429 `RATE_LIMITED`: the limit of wrong passwords and refused id tokens is reached, as for `login`.
   * - 503 `UNAVAILABLE`: Redis is unreachable, so the attempt cannot be counted. Try again later.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns A new access token of the session.
   * @throws ApiError 403 `REAUTHENTICATION_REQUIRED`, 400 `MFA_INVALID_CODE`, 401 `INVALID_CREDENTIALS`, 403 `EMAIL_NOT_VERIFIED`, 410 `MFA_CHALLENGE_EXPIRED`, 429 `MFA_RATE_LIMITED`, 429 `RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  reauthenticate(
    body: Body<operations["reauthenticate"]>,
    options?: CallOptions,
  ): Call<Result<operations["reauthenticate"]>> {
    return this.call("POST", "/v1/auth/reauthenticate", { body }, options);
  }

  /**
   * Send a reauthentication code by SMS.
   *
   * Sends a code to the caller's phone. Send the code to `reauthenticate` with the method `sms`. A new code replaces
   * the previous code. It adds neither time nor attempts: all codes expire 5 minutes after the first one was sent, and
   * they have 5 attempts together. `expiresIn` states the remaining time.
   *
   * - 409 `MFA_SETUP_REQUIRED`: SMS is not a factor of the user. Use another method of `available_methods`.
   * - 422 `MFA_SMS_UNDELIVERABLE`: the phone number cannot receive codes. `detail` states the cause.
   * - 429 `MFA_RATE_LIMITED`: within 5 minutes, the service has sent 3 codes or received 5 wrong codes for this
   *   session. Or it has sent 10 codes to this account or this phone within an hour. Sign-in codes count, too. Or
   *   the tenant has sent all text messages of this day (`smsPerDay`).
   * - 503 `UNAVAILABLE`: the SMS provider failed, or the sender that all tenants share has reached its limit. Wait
   *   for the number of seconds in `Retry-After`, then try again.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The code is sent.
   * @throws ApiError 409 `MFA_SETUP_REQUIRED`, 422 `MFA_SMS_UNDELIVERABLE`, 429 `MFA_RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  sendReauthenticationCode(
    body?: Body<operations["sendReauthenticationCode"]>,
    options?: CallOptions,
  ): Call<Result<operations["sendReauthenticationCode"]>> {
    return this.call("POST", "/v1/auth/reauthenticate/challenge", { body }, options);
  }

  /**
   * List the caller's activity.
   *
   * Lists sign-ins, refused sign-ins and changes of factors of the caller's account, newest first. Show the list to
   * the user. The user can then notice access by another person. Activities are kept for 90 days.
   *
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of activities, newest first.
   */
  listActivity(
    query?: Query<operations["listActivity"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listActivity"]>, "items">, Result<operations["listActivity"]>> {
    return this.pages("/v1/auth/activity", { query }, options);
  }

  /**
   * Request a verification email.
   *
   * Sends the verification email again. With a user token, the service sends the email to the caller, and the body
   * is empty. Without a user token, the body contains the `email` of an account. Use this form if `login` answered
   * 403 `EMAIL_NOT_VERIFIED`.
   *
   * Without a user token, the response is the same for known and unknown emails, so that it does not reveal which
   * accounts exist: 202, or 429 if the network has reached its limit. The service sends no email if the email is
   * unknown or already verified, if the account is not active, or if 3 verification emails to this email were
   * requested within an hour. The email that `register` sends is not counted.
   *
   * - 429 `RATE_LIMITED`: this network has requested 1,000 verifications and password resets within an hour.
   * - 503 `UNAVAILABLE`: Redis is unreachable, so the request cannot be counted. Try again later.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The service has accepted the request. The response does not show whether it sends an email.
   * @throws ApiError 403 `EMAIL_NOT_VERIFIED`, 429 `RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  requestVerification(
    body: Body<operations["requestVerification"]>,
    options?: CallOptions,
  ): Call<Result<operations["requestVerification"]>> {
    return this.call("POST", "/v1/auth/email/verification", { body }, options);
  }

  /**
   * Verify an email address.
   *
   * Marks the email of an account as verified. `token` is the token in the verification email. The user's next
   * access token has `email_verified` `true`.
   *
   * 410 `TOKEN_EXPIRED`: the token is unknown or used, more than 7 days old, or belongs to a former email of the
   * account. Send another email with `requestVerification`.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The email is verified.
   * @throws ApiError 410 `TOKEN_EXPIRED`
   */
  verifyEmail(body: Body<operations["verifyEmail"]>, options?: CallOptions): Call<Result<operations["verifyEmail"]>> {
    return this.call("POST", "/v1/auth/email/verify", { body, anonymous: true }, options);
  }

  /**
   * Request a password reset.
   *
   * Sends an email with which a user can set a new password. A user without a password, also an invited one, can set
   * the first password with it. The response is the same, after the same time, for known and unknown emails, so that
   * it does not reveal which accounts exist: 202, or 429 if the network has reached its limit. The service sends no
   * email if no account has this email, if the account is disabled, or if 3 such emails to this email were requested
   * within an hour.
   *
   * - 429 `RATE_LIMITED`: this network has requested 1,000 verifications and password resets within an hour.
   * - 503 `UNAVAILABLE`: Redis is unreachable, so the request cannot be counted. Try again later.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The service has accepted the request. The response does not show whether it sends an email.
   * @throws ApiError 429 `RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  requestPasswordReset(
    body: Body<operations["requestPasswordReset"]>,
    options?: CallOptions,
  ): Call<Result<operations["requestPasswordReset"]>> {
    return this.call("POST", "/v1/auth/password/forgot", { body, anonymous: true }, options);
  }

  /**
   * Reset a forgotten password.
   *
   * Sets a new password with the token in the email of `requestPasswordReset`. A user without a password gets one,
   * and an invited user becomes active. The service ends all sessions of the user, removes all trusted devices, and
   * marks the email as verified. The new password may be the current one.
   *
   * Second factors stay enrolled if the email was verified before. If the email was not verified, another person may
   * have created the account with the user's email. In this case, the service removes all factors and identities of
   * the account. The activity shows each of them (`factor_removed`, `identity_unlinked`), and with the setting
   * `securityEmails` the user gets a notice about each factor.
   *
   * - 400 `VALIDATION_ERROR`: also if the new password is too easy to guess, is the account's email, or is on a list
   *   of passwords from data breaches. The token stays valid.
   * - 410 `TOKEN_EXPIRED`: the token is unknown or used, or more than 30 minutes old. Send another email with
   *   `requestPasswordReset`.
   * - 429 `RATE_LIMITED`: this network has reached its limit of refused sign-ins, as for `login`. A refused new
   *   password counts, too, if it is longer than 16 bytes, is the email, or is breached.
   * - 503 `UNAVAILABLE`: Redis is unreachable, so the attempt cannot be counted. Try again later. The token stays
   *   valid.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new password is set.
   * @throws ApiError 400 `VALIDATION_ERROR`, 410 `TOKEN_EXPIRED`, 429 `RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  resetPassword(
    body: Body<operations["resetPassword"]>,
    options?: CallOptions,
  ): Call<Result<operations["resetPassword"]>> {
    return this.call("POST", "/v1/auth/password/reset", { body, anonymous: true }, options);
  }

  /**
   * Change the email address.
   *
   * Sends a token to a new email address of the caller. The account keeps its current email until `confirmEmail`
   * gets this token.
   *
   * - 400 `VALIDATION_ERROR`: also if `newEmail` is the current email of the account.
   * - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
   *   request.
   * - 409 `CONFLICT`: another account has the new email, or gave it up less than 72 hours ago. Use another email.
   *   The request counts against the limits.
   * - 429 `RATE_LIMITED`: within an hour, this account made 3 such requests, or the accounts of the environment
   *   together made 3 such requests with this new email.
   * - 503 `UNAVAILABLE`: Redis is unreachable, so the request cannot be counted. Try again later.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The service has accepted the request. The response does not show whether it sends an email.
   * @throws ApiError 400 `VALIDATION_ERROR`, 403 `REAUTHENTICATION_REQUIRED`, 409 `CONFLICT`, 429 `RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  changeEmail(body: Body<operations["changeEmail"]>, options?: CallOptions): Call<Result<operations["changeEmail"]>> {
    return this.call("POST", "/v1/auth/email", { body }, options);
  }

  /**
   * Confirm a new email address.
   *
   * Changes the email of an account to the new email that `changeEmail` got, and marks it as verified. `token` is
   * the token in the email to the new address. The service then sends a notice to the old address. For 72 hours, the
   * token in this notice undoes the change (`revertEmail`), and no other account can get the old address.
   *
   * - 409 `CONFLICT`: another account got the new email in the meantime. Use another email.
   * - 410 `TOKEN_EXPIRED`: the token is unknown or used, or more than 30 minutes old. Or the user's credentials have
   *   changed since `changeEmail`: a password was changed or reset, a factor was enrolled or removed, an identity was
   *   unlinked, the email was changed, or an owner or a backend ended the user's sessions or changed the user's
   *   status. Call `changeEmail` again.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The email is changed.
   * @throws ApiError 409 `CONFLICT`, 410 `TOKEN_EXPIRED`
   */
  confirmEmail(
    body: Body<operations["confirmEmail"]>,
    options?: CallOptions,
  ): Call<Result<operations["confirmEmail"]>> {
    return this.call("POST", "/v1/auth/email/confirm", { body, anonymous: true }, options);
  }

  /**
   * Revert a change of email.
   *
   * Gives an account its old email back, and ends all sessions of the user. `token` is the token in the notice to
   * the old address. Use this operation if another person changed the email. Afterwards, the user should reset the
   * password. The token also works while the account is disabled.
   *
   * 410 `TOKEN_EXPIRED`: the token is unknown or used, or more than 72 hours old. Or the user is an admin or owner,
   * and the old email was not verified.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The account has its old email.
   * @throws ApiError 410 `TOKEN_EXPIRED`
   */
  revertEmail(body: Body<operations["revertEmail"]>, options?: CallOptions): Call<Result<operations["revertEmail"]>> {
    return this.call("POST", "/v1/auth/email/revert", { body, anonymous: true }, options);
  }

  /**
   * Accept an invitation.
   *
   * Sets the password of an invited user (`createMember`), marks the email as verified, and signs the user in.
   * `token` is the token in the invitation.
   *
   * - 400 `VALIDATION_ERROR`: also if the password is too easy to guess, is the account's email, or is on a list of
   *   passwords from data breaches. The token stays valid.
   * - 403 `mfa_enrollment_required`: the tenant requires a second factor. The password is set, and the invitation is
   *   used. Enrol a factor with the `enrollment_token`.
   * - 410 `TOKEN_EXPIRED`: the token is unknown or used, or more than 7 days old. If the user has not set a password
   *   yet, call `requestPasswordReset`: the reset sets the first password, too. Or let an owner or a backend send
   *   another invitation, as `updateMember` describes.
   * - 429 `RATE_LIMITED`: this network has reached its limit of refused sign-ins, as for `login`. A refused password
   *   counts, too, if it is longer than 16 bytes, is the email, or is breached.
   * - 503 `UNAVAILABLE`: Redis is unreachable, so the attempt cannot be counted. Try again later. The token stays
   *   valid.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns Tokens and user of the new session.
   * @throws ApiError 400 `VALIDATION_ERROR`, 403 `mfa_enrollment_required`, 410 `TOKEN_EXPIRED`, 429 `RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  acceptInvitation(
    body: Body<operations["acceptInvitation"]>,
    options?: CallOptions,
  ): Call<Result<operations["acceptInvitation"]>> {
    return this.call("POST", "/v1/auth/invitations/accept", { body, anonymous: true }, options);
  }

  /**
   * List external identities.
   *
   * Lists the identities that are linked to the caller's account, oldest first. An account has at most 20 identities,
   * so all of them are on one page. The caller can sign in with those whose provider is in the settings.
   *
   * @param options - Options of this call.
   * @returns The identities.
   */
  listIdentities(
    options?: CallOptions,
  ): Pages<Items<Result<operations["listIdentities"]>, "items">, Result<operations["listIdentities"]>> {
    return this.pages("/v1/auth/identities", {}, options);
  }

  /**
   * Link an external identity.
   *
   * Links an identity of an identity provider to the caller's account. Afterwards, the caller can sign in with
   * `signInExternally`. The rules for the id token are those of `signInExternally`. The email of the identity may
   * differ from the email of the account. With the setting `securityEmails`, the user gets a notice.
   *
   * - 401 `INVALID_CREDENTIALS`: the id token is not valid for this tenant, or was used before. Check its signature,
   *   age, issuer, audience and `nonce`.
   * - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
   *   request.
   * - 409 `CONFLICT`: the identity is already linked to this account or to another one, or the account already has
   *   20 identities. Unlink an identity first.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The linked identity.
   * @throws ApiError 401 `INVALID_CREDENTIALS`, 403 `REAUTHENTICATION_REQUIRED`, 409 `CONFLICT`
   */
  linkIdentity(
    body: Body<operations["linkIdentity"]>,
    options?: CallOptions,
  ): Call<Result<operations["linkIdentity"]>> {
    return this.call("POST", "/v1/auth/identities", { body }, options);
  }

  /**
   * Unlink an external identity.
   *
   * Removes an identity from the caller's account. The identity can then no longer sign in to this account. The
   * service ends the user's sessions that were opened with this identity's provider, also the session of the request,
   * and all sign-ins of the user that are in progress.
   *
   * - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
   *   request.
   * - 404 `NOT_FOUND`: the caller has no identity with this identifier.
   * - 409 `CONFLICT`: without this identity, the user could not sign in any more. Set a password with
   *   `requestPasswordReset`, register a passkey, or link another identity first. Only identities whose provider is still in the
   *   settings count.
   *
   * @param identityId - Identifier of the identity.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 403 `REAUTHENTICATION_REQUIRED`, 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  unlinkIdentity(identityId: string, options?: CallOptions): Call<Result<operations["unlinkIdentity"]>> {
    return this.call("DELETE", "/v1/auth/identities/{identityId}", { path: { identityId } }, options);
  }

  /**
   * Create options for a passkey.
   *
   * Returns the options with which the caller's browser makes a new passkey
   * (`PublicKeyCredentialCreationOptionsJSON`). They contain a challenge for this session or `enrollment_token`, which
   * is valid once and for 5 minutes. To complete the registration, send the browser's response to `registerPasskey`.
   * `excludeCredentials` has the caller's passkeys for the RP id, so that no device makes two.
   *
   * - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
   *   request.
   * - 409 `CONFLICT`: the account already has 20 passkeys. Remove one first.
   * - 429 `RATE_LIMITED`: this network has requested 1,000 challenges within 5 minutes.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns Options for `navigator.credentials.create`.
   * @throws ApiError 403 `REAUTHENTICATION_REQUIRED`, 409 `CONFLICT`, 429 `RATE_LIMITED`
   */
  createPasskeyOptions(
    body?: Body<operations["createPasskeyOptions"]>,
    options?: CallOptions,
  ): Call<Result<operations["createPasskeyOptions"]>> {
    return this.call("POST", "/v1/auth/passkeys/options", { body }, options);
  }

  /**
   * List passkeys.
   *
   * Lists the caller's passkeys, oldest first. An account has at most 20 passkeys, so all of them are on one page.
   *
   * @param options - Options of this call.
   * @returns The passkeys.
   */
  listPasskeys(
    options?: CallOptions,
  ): Pages<Items<Result<operations["listPasskeys"]>, "items">, Result<operations["listPasskeys"]>> {
    return this.pages("/v1/auth/passkeys", {}, options);
  }

  /**
   * Register a passkey.
   *
   * Adds the passkey that the browser made from the options of `createPasskeyOptions`. Afterwards, the caller can sign
   * in with it (`loginWithPasskey`), and it is a second factor of the account. If it is the user's first factor, the
   * response contains recovery codes; otherwise, the list is empty. No later response contains the recovery codes, so
   * show them to the user at once. Do not store or log them. The account needs no password.
   *
   * If the user already had another factor, the service ends all other sessions of the user and removes all trusted
   * devices. If the request has an `enrollment_token`, the response also contains the tokens and the user of the new
   * session.
   *
   * - 400 `VALIDATION_ERROR`: `credential` is malformed, was made on a page of another origin, for another RP id or
   *   without user verification, or has an attestation or an algorithm that the service does not accept. The entry in
   *   `errors` names the cause.
   * - 403 `REAUTHENTICATION_REQUIRED`: another factor was enrolled after the options were created, and the token's
   *   `acr` is not `aal2`. Call `reauthenticate`, then get new options.
   * - 409 `CONFLICT`: the passkey is already registered, for this account or another one. Or the account already has
   *   20 passkeys.
   * - 410 `MFA_CHALLENGE_EXPIRED`: the challenge is unknown, used, more than 5 minutes old or of another session. Get
   *   new options.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new passkey, and what the enrolment of a factor brings.
   * @throws ApiError 400 `VALIDATION_ERROR`, 403 `REAUTHENTICATION_REQUIRED`, 409 `CONFLICT`, 410 `MFA_CHALLENGE_EXPIRED`
   */
  registerPasskey(
    body: Body<operations["registerPasskey"]>,
    options?: CallOptions,
  ): Call<Result<operations["registerPasskey"]>> {
    return this.call("POST", "/v1/auth/passkeys", { body }, options);
  }

  /**
   * Remove a passkey.
   *
   * Removes a passkey of the caller. It can then no longer sign in. The service ends all other sessions of the user,
   * all sign-ins in progress and all trusted devices. If the passkey was the user's last factor, the service also
   * deletes the recovery codes.
   *
   * - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
   *   request. A session that has registered the user's only factors itself may remove them while its `auth_time` is
   *   recent, although its `acr` is `aal1`.
   * - 404 `NOT_FOUND`: the caller has no passkey with this identifier.
   * - 409 `CONFLICT`: without this passkey, the user could not sign in any more. Set a password with
   *   `requestPasswordReset`, or register another passkey first.
   *
   * @param passkeyId - Identifier of the passkey.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 403 `REAUTHENTICATION_REQUIRED`, 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  removePasskey(passkeyId: string, options?: CallOptions): Call<Result<operations["removePasskey"]>> {
    return this.call("DELETE", "/v1/auth/passkeys/{passkeyId}", { path: { passkeyId } }, options);
  }

  /**
   * Create a passkey challenge.
   *
   * Returns the options with which a browser proves that its user has a passkey
   * (`PublicKeyCredentialRequestOptionsJSON`). Their challenge is valid once and for 5 minutes.
   *
   * - Without a user token and with `{}`: for `loginWithPasskey`. `allowCredentials` is empty, so the browser offers
   *   all passkeys for the RP id.
   * - With `mfa_token`: for `verifyChallenge`. `allowCredentials` has the passkeys of the sign-in's user.
   * - With a user token: for `reauthenticate`. `allowCredentials` has the caller's passkeys.
   *
   * If the user has only passkeys for former RP ids, the options are for the RP id of the newest one.
   *
   * - 410 `MFA_CHALLENGE_EXPIRED`: the `mfa_token` is unknown, used or more than 5 minutes old, or the user's
   *   password or second factors have changed. Sign in again.
   * - 429 `RATE_LIMITED`: this network has requested 1,000 challenges within 5 minutes.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns Options for `navigator.credentials.get`.
   * @throws ApiError 410 `MFA_CHALLENGE_EXPIRED`, 429 `RATE_LIMITED`
   */
  createPasskeyChallenge(
    body?: Body<operations["createPasskeyChallenge"]>,
    options?: CallOptions,
  ): Call<Result<operations["createPasskeyChallenge"]>> {
    return this.call("POST", "/v1/auth/passkeys/challenge", { body }, options);
  }

  /**
   * Send a login code by SMS.
   *
   * Sends a new code to the user's phone during a sign-in. The new code replaces the previous code, which becomes
   * invalid. The service sends at most 3 codes for one sign-in, including the code that `login` or `signInExternally`
   * sent.
   *
   * - 409 `MFA_SETUP_REQUIRED`: SMS is not a factor of the user. Use another method of `available_methods`.
   * - 410 `MFA_CHALLENGE_EXPIRED`: the `mfa_token` is unknown, used or more than 5 minutes old, or the user's
   *   password or second factors have changed. Sign in again.
   * - 422 `MFA_SMS_UNDELIVERABLE`: the phone number cannot receive codes. `detail` states the cause.
   * - 429 `MFA_RATE_LIMITED`: the service has sent 3 codes for this sign-in, or received 5 wrong codes for this
   *   sign-in, or sent 10 sign-in codes to this account or this phone within an hour. For a phone, the codes of all
   *   tenants count. Or the tenant has sent all text messages of this day (`smsPerDay`).
   * - 503 `UNAVAILABLE`: the SMS provider failed, or the sender that all tenants share has reached its limit. Wait for
   *   the number of seconds in `Retry-After`, then try again.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The code is sent.
   * @throws ApiError 409 `MFA_SETUP_REQUIRED`, 410 `MFA_CHALLENGE_EXPIRED`, 422 `MFA_SMS_UNDELIVERABLE`, 429 `MFA_RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  sendChallenge(
    body: Body<operations["sendChallenge"]>,
    options?: CallOptions,
  ): Call<Result<operations["sendChallenge"]>> {
    return this.call("POST", "/v1/auth/mfa/challenge", { body, anonymous: true }, options);
  }

  /**
   * Verify the second factor.
   *
   * Completes a sign-in with a code or a passkey as the second factor, and opens the session. For a passkey, get options
   * with `createPasskeyChallenge` and the `mfa_token`, and send the browser's response as `credential`. If `trustDevice` is `true`, the
   * response sets the cookie `mfa_device`, and the browser becomes a trusted device. The service accepts a correct
   * code only once.
   *
   * - 400 `MFA_INVALID_CODE`: the code is wrong, or the passkey was refused. `attemptsRemaining` is the number of
   *   attempts that are left.
   * - 410 `MFA_CHALLENGE_EXPIRED`: the `mfa_token` is unknown, used or more than 5 minutes old, or the user's
   *   password or second factors have changed. Sign in again. Or the challenge of the passkey is unknown, used or more
   *   than 5 minutes old. Get new options.
   * - 429 `MFA_RATE_LIMITED`: the service has received 5 wrong codes for this sign-in, or 20 wrong codes for the
   *   account from this network within 24 hours. Wrong recovery codes have a separate limit of 10 for the account and
   *   network within 24 hours. For all networks together, both limits are ten times as high.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns Tokens of the new session.
   * @throws ApiError 400 `MFA_INVALID_CODE`, 410 `MFA_CHALLENGE_EXPIRED`, 429 `MFA_RATE_LIMITED`
   */
  verifyChallenge(
    body: Body<operations["verifyChallenge"]>,
    options?: CallOptions,
  ): Call<Result<operations["verifyChallenge"]>> {
    return this.call("POST", "/v1/auth/mfa/verify", { body, anonymous: true }, options);
  }

  /**
   * Set up SMS as a factor.
   *
   * Sends a code to a phone that the user wants to enrol. To complete the enrolment, send this code to `confirmSms`.
   * The code is valid for 10 minutes and 5 attempts. Another call of `setUpSms` that sends a code replaces the phone
   * and the code.
   *
   * In the sandbox, no message goes to the phone, unless the operator allows it (`sandboxSms`). The code of a test
   * phone (setting `testPhones`) is always the same.
   *
   * If the phone has opted out of text messages, no code is sent. The response is the same, because the phone may
   * belong to another person. The audit trail has an entry `sms_code.withheld`. If no code arrives, tell the user to
   * reply START to an earlier message if the user once replied STOP.
   *
   * **Consent.** The screen on which the user enters the phone number must state all of the following. The hosted
   * page `/enroll` contains this text.
   *
   * - The authentication provider sends codes on behalf of the tenant's brand.
   * - Message frequency varies.
   * - Message and data rates may apply.
   * - Reply STOP to opt out, HELP for help.
   *
   * **Errors.**
   *
   * - 400 `VALIDATION_ERROR`: `phone` is not a phone number in E.164 form.
   * - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
   *   request. An `enrollment_token` needs no fresh authentication.
   * - 403 `MFA_PASSWORD_REQUIRED`: the account has no password, because its user signs in through an identity
   *   provider. Set up the second factor at that provider.
   * - 409 `MFA_ALREADY_ENABLED`: SMS is already enrolled. Disable it with `disableSms` first.
   * - 422 `MFA_SMS_UNDELIVERABLE`: the phone number cannot receive codes. `detail` states the cause. One cause is an
   *   attack on the sender: at least 20 codes were sent to the country today, and fewer than 20 % of them were
   *   confirmed. Then no more codes are sent to it until 00:00 UTC, or until enough of them are confirmed. Not counted
   *   as a sent code, unless the SMS provider is the one that refuses.
   * - 429 `MFA_RATE_LIMITED`: the service has sent 3 codes for the user within 10 minutes, 5 codes to the phone
   *   within an hour, 10 codes to the phone within 24 hours, or 20 codes for the network within an hour. For phones
   *   and networks, the codes of all tenants count. Or the tenant has sent all text messages of this day
   *   (`smsPerDay`).
   * - 503 `UNAVAILABLE`: the SMS provider failed, or the sender that all tenants share has reached its limit. Wait
   *   for the number of seconds in `Retry-After`, then try again.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The code is sent, unless the phone has opted out.
   * @throws ApiError 400 `VALIDATION_ERROR`, 403 `REAUTHENTICATION_REQUIRED`, 403 `MFA_PASSWORD_REQUIRED`, 409 `MFA_ALREADY_ENABLED`, 422 `MFA_SMS_UNDELIVERABLE`, 429 `MFA_RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  setUpSms(body: Body<operations["setUpSms"]>, options?: CallOptions): Call<Result<operations["setUpSms"]>> {
    return this.call("POST", "/v1/auth/mfa/sms/setup", { body }, options);
  }

  /**
   * Confirm the SMS factor.
   *
   * Enrols the phone to which `setUpSms` sent the code. If this is the user's first factor, the response contains
   * recovery codes; otherwise, `recoveryCodes` is empty. No later response contains the recovery codes, so show them
   * to the user at once. Do not store or log them.
   *
   * If the user already had another factor, the service ends all other sessions of the user and removes all trusted
   * devices. If the request has an `enrollment_token`, the response also contains the tokens and the user of the new
   * session.
   *
   * - 400 `MFA_INVALID_CODE`: the code is wrong. `attemptsRemaining` is the number of attempts that are left.
   * - 403 `REAUTHENTICATION_REQUIRED`: another factor was enrolled after the set-up began, and the token's `acr` is
   *   not `aal2`. Call `reauthenticate`, then repeat the request.
   * - 409 `MFA_ALREADY_ENABLED`: SMS is already enrolled.
   * - 409 `MFA_SETUP_REQUIRED`: `setUpSms` was not called, or its code has expired. Call `setUpSms` to send a code.
   * - 429 `MFA_RATE_LIMITED`: the service has received 5 wrong codes since the last `setUpSms`, or 20 wrong codes
   *   for the account and network within 24 hours. After 5 wrong codes, call `setUpSms` to send a new code.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new recovery codes, if any. No later response contains them. If the request had an `enrollment_token`: also the tokens and the user of the new session.
   * @throws ApiError 400 `MFA_INVALID_CODE`, 403 `REAUTHENTICATION_REQUIRED`, 409 `MFA_ALREADY_ENABLED`, 409 `MFA_SETUP_REQUIRED`, 429 `MFA_RATE_LIMITED`
   */
  confirmSms(body: Body<operations["confirmSms"]>, options?: CallOptions): Call<Result<operations["confirmSms"]>> {
    return this.call("POST", "/v1/auth/mfa/sms/confirm", { body }, options);
  }

  /**
   * Disable the SMS factor.
   *
   * Removes the SMS factor. `code` must be a code of the authenticator app or a recovery code; a code by SMS is not
   * accepted. The account keeps the phone, but `phoneVerified` becomes `false`. The service ends all other sessions of
   * the user and removes all trusted devices of the user. If SMS was the user's last factor, the service also deletes
   * the recovery codes.
   *
   * - 400 `MFA_INVALID_CODE`: the code is wrong.
   * - 409 `MFA_SETUP_REQUIRED`: SMS is not enrolled.
   * - 429 `MFA_RATE_LIMITED`: within 24 hours, the service received 20 wrong codes or 10 wrong recovery codes for the
   *   account and network.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The factor is removed.
   * @throws ApiError 400 `MFA_INVALID_CODE`, 409 `MFA_SETUP_REQUIRED`, 429 `MFA_RATE_LIMITED`
   */
  disableSms(body: Body<operations["disableSms"]>, options?: CallOptions): Call<Result<operations["disableSms"]>> {
    return this.call("DELETE", "/v1/auth/mfa/sms", { body }, options);
  }

  /**
   * Set up an authenticator app.
   *
   * Creates a secret for an authenticator app (RFC 6238 with SHA-1, 6 digits and a period of 30 seconds). Show
   * `otpauthUrl` to the user as a QR code. To complete the enrolment, send a code of the app to `confirmTotp`.
   * Another call of `setUpTotp` before that replaces the secret.
   *
   * - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
   *   request. An `enrollment_token` needs no fresh authentication.
   * - 403 `MFA_PASSWORD_REQUIRED`: the account has no password, because its user signs in through an identity
   *   provider. Set up the second factor at that provider.
   * - 409 `MFA_ALREADY_ENABLED`: an authenticator app is already enrolled. Disable it with `disableTotp` first.
   *
   * @param options - Options of this call.
   * @returns The new secret. No later response contains the secret.
   * @throws ApiError 403 `REAUTHENTICATION_REQUIRED`, 403 `MFA_PASSWORD_REQUIRED`, 409 `MFA_ALREADY_ENABLED`
   */
  setUpTotp(options?: CallOptions): Call<Result<operations["setUpTotp"]>> {
    return this.call("POST", "/v1/auth/mfa/totp/setup", {}, options);
  }

  /**
   * Confirm the authenticator app.
   *
   * Enrols the authenticator app that has the secret of `setUpTotp`. `code` is a code that the app shows; it cannot be
   * used again. If this is the user's first factor, the response contains recovery codes; otherwise, the list is
   * empty. No later response contains the recovery codes, so show them to the user at once. Do not store or log them.
   *
   * If the user already had another factor, the service ends all other sessions of the user and removes all trusted
   * devices. If the request has an `enrollment_token`, the response also contains the tokens and the user of the new
   * session.
   *
   * - 400 `MFA_INVALID_CODE`: the code is wrong.
   * - 403 `REAUTHENTICATION_REQUIRED`: another factor was enrolled after the set-up began, and the token's `acr` is
   *   not `aal2`. Call `reauthenticate`, then repeat the request.
   * - 409 `MFA_SETUP_REQUIRED`: `setUpTotp` was not called, or the app is already enrolled.
   * - 429 `MFA_RATE_LIMITED`: within 24 hours, the service received 20 wrong codes for the account and network.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new recovery codes, if any. No later response contains them. If the request had an `enrollment_token`: also the tokens and the user of the new session.
   * @throws ApiError 400 `MFA_INVALID_CODE`, 403 `REAUTHENTICATION_REQUIRED`, 409 `MFA_SETUP_REQUIRED`, 429 `MFA_RATE_LIMITED`
   */
  confirmTotp(body: Body<operations["confirmTotp"]>, options?: CallOptions): Call<Result<operations["confirmTotp"]>> {
    return this.call("POST", "/v1/auth/mfa/totp/confirm", { body }, options);
  }

  /**
   * Disable the authenticator app.
   *
   * Removes the authenticator app. `code` must be a code of the authenticator app or a recovery code. The service ends
   * all other sessions of the user and removes all trusted devices of the user. If the app was the user's last factor,
   * the service also deletes the recovery codes.
   *
   * - 400 `MFA_INVALID_CODE`: the code is wrong.
   * - 409 `MFA_SETUP_REQUIRED`: no authenticator app is enrolled.
   * - 429 `MFA_RATE_LIMITED`: within 24 hours, the service received 20 wrong codes or 10 wrong recovery codes for the
   *   account and network.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The factor is removed.
   * @throws ApiError 400 `MFA_INVALID_CODE`, 409 `MFA_SETUP_REQUIRED`, 429 `MFA_RATE_LIMITED`
   */
  disableTotp(body: Body<operations["disableTotp"]>, options?: CallOptions): Call<Result<operations["disableTotp"]>> {
    return this.call("DELETE", "/v1/auth/mfa/totp", { body }, options);
  }

  /**
   * Get the caller's second factors.
   *
   * Returns the enrolled factors, the masked phone and the number of unused recovery codes. The response contains the
   * phone even if the user has disabled SMS.
   *
   * @param options - Options of this call.
   * @returns The factors.
   */
  getFactors(options?: CallOptions): Call<Result<operations["getFactors"]>> {
    return this.call("GET", "/v1/auth/mfa", {}, options);
  }

  /**
   * Replace the recovery codes.
   *
   * Creates ten new recovery codes. The old recovery codes become invalid. No later response contains the new codes,
   * so show them to the user at once. The caller needs a fresh authentication with a second factor, so `code` may be
   * omitted. If you send a `code`, it must be a code of the authenticator app or a recovery code.
   *
   * - 400 `MFA_INVALID_CODE`: the code is wrong.
   * - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate` with a code of a second
   *   factor, then repeat the request.
   * - 409 `MFA_SETUP_REQUIRED`: the user has no second factor. Enrol one first, which creates recovery codes.
   * - 429 `MFA_RATE_LIMITED`: within 24 hours, the service received 20 wrong codes or 10 wrong recovery codes for the
   *   account and network.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new recovery codes. No later response contains them.
   * @throws ApiError 400 `MFA_INVALID_CODE`, 403 `REAUTHENTICATION_REQUIRED`, 409 `MFA_SETUP_REQUIRED`, 429 `MFA_RATE_LIMITED`
   */
  replaceRecoveryCodes(
    body?: Body<operations["replaceRecoveryCodes"]>,
    options?: CallOptions,
  ): Call<Result<operations["replaceRecoveryCodes"]>> {
    return this.call("POST", "/v1/auth/mfa/recovery-codes", { body }, options);
  }

  /**
   * List trusted devices.
   *
   * Lists the caller's trusted devices, newest first. A sign-in from a trusted device needs no second factor for 30
   * days after the user trusted the device.
   *
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of trusted devices, newest first.
   */
  listDevices(
    query?: Query<operations["listDevices"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listDevices"]>, "items">, Result<operations["listDevices"]>> {
    return this.pages("/v1/auth/mfa/devices", { query }, options);
  }

  /**
   * Forget all trusted devices.
   *
   * Removes all trusted devices of the caller. The next sign-in from each of these devices needs the second factor.
   *
   * @param options - Options of this call.
   * @returns The object is deleted.
   */
  forgetDevices(options?: CallOptions): Call<Result<operations["forgetDevices"]>> {
    return this.call("DELETE", "/v1/auth/mfa/devices", {}, options);
  }

  /**
   * Forget a trusted device.
   *
   * Removes one trusted device of the caller. The next sign-in from this device needs the second factor.
   *
   * 404 `NOT_FOUND`: the caller has no trusted device with this identifier.
   *
   * @param deviceId - Identifier of the trusted device.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 404 `NOT_FOUND`
   */
  forgetDevice(deviceId: string, options?: CallOptions): Call<Result<operations["forgetDevice"]>> {
    return this.call("DELETE", "/v1/auth/mfa/devices/{deviceId}", { path: { deviceId } }, options);
  }

  /**
   * List the members.
   *
   * Lists the users of the environment, newest first. The parameters select users. Requires an API key, the master
   * key, or a user token with the role `admin` or `owner`.
   *
   * @param query - Query parameters: `email`, `q`, `role`, `status`, `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of users, newest first.
   */
  listMembers(
    query?: Query<operations["listMembers"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listMembers"]>, "items">, Result<operations["listMembers"]>> {
    return this.pages("/v1/members", { query }, options);
  }

  /**
   * Create a member.
   *
   * Creates a user. Use this operation to import accounts, to let your backend create them, or to invite colleagues.
   * Choose how the user will sign in:
   *
   * - `invite: true`: the service sends an invitation. The user has the status `invited` and chooses a password with
   *   `acceptInvitation`.
   * - `password`: the password of the user.
   * - `passwordHash`: a hash that another system computed. It is replaced by a new hash at the user's next sign-in.
   * - none of these: the user has no password. The user can set one with `requestPasswordReset`.
   *
   * Requires an API key, the master key, or a user token with the role `owner`.
   *
   * - 400 `VALIDATION_ERROR`: also if `passwordHash` has an unknown format or costs too much, or if the body
   *   contains more than one of `invite: true`, `password` and `passwordHash`.
   * - 403 `FORBIDDEN`: an API key tried to create an owner, or the user token does not have the role `owner`.
   * - 409 `CONFLICT`: an account has this email, or gave it up less than 72 hours ago. To invite a member again who
   *   has not accepted, use `updateMember`.
   * - 409 `EMAIL_NOT_VERIFIED`: an admin or owner must have a verified email. Send `emailVerified: true` or `invite:
   *   true`.
   * - 429 `RATE_LIMITED`: 1,000 invitations were requested in this environment within an hour. A request that ends
   *   with `CONFLICT` counts, too.
   * - 503 `UNAVAILABLE`: Redis is unreachable, so the invitation cannot be counted. Try again later.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new user.
   * @throws ApiError 400 `VALIDATION_ERROR`, 403 `FORBIDDEN`, 409 `CONFLICT`, 409 `EMAIL_NOT_VERIFIED`, 429 `RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  createMember(
    body: Body<operations["createMember"]>,
    options?: CallOptions,
  ): Call<Result<operations["createMember"]>> {
    return this.call("POST", "/v1/members", { body, keyed: true }, options);
  }

  /**
   * Get a member.
   *
   * Returns one user. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * 404 `NOT_FOUND`: the environment has no user with this identifier.
   *
   * @param userId - Identifier of the user: the claim `sub` in the user's access tokens.
   * @param options - Options of this call.
   * @returns The user.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getMember(userId: string, options?: CallOptions): Call<Result<operations["getMember"]>> {
    return this.call("GET", "/v1/members/{userId}", { path: { userId } }, options);
  }

  /**
   * Update a member.
   *
   * Changes the role or the status of a user. New permissions take effect with the user's next access token (see
   * `refresh`). Lost permissions end at once in this service, and at most 15 minutes later in other services.
   * Requires an API key, the master key, or a user token with the role `owner`.
   *
   * **Disable.** With the status `disabled`, the service ends all sessions of the user, and the user cannot sign in
   * until the status is `active` again. The tokens in emails to the user become invalid, except a token that undoes a
   * change of email. The old address of that change stays reserved.
   *
   * **Invite again.** Set the status of a member who has not accepted the invitation to `disabled`, then to `active`.
   * A member who has neither a password nor an identity gets the status `invited` instead of `active`, and a new
   * invitation. The earlier invitation is invalid.
   *
   * - 403 `FORBIDDEN`: an API key tried to change an owner, or to make a user an owner. Ask an owner.
   * - 404 `NOT_FOUND`: the environment has no user with this identifier.
   * - 409 `CONFLICT`: the user is the last owner of the environment, and would be demoted or disabled. Give another
   *   user the role `owner` first. Or `status` is `active`, and the user has not accepted the invitation yet. To
   *   send another invitation, set `disabled` first.
   * - 409 `EMAIL_NOT_VERIFIED`: an admin or owner must have a verified email. Let the user verify the email first.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the user again, then repeat the
   *   request.
   * - 429 `RATE_LIMITED`: `status` is `active`, and 1,000 invitations were requested in this environment within an
   *   hour.
   * - 503 `UNAVAILABLE`: `status` is `active`, and Redis is unreachable. Try again later.
   *
   * @param userId - Identifier of the user: the claim `sub` in the user's access tokens.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The user.
   * @throws ApiError 403 `FORBIDDEN`, 404 `NOT_FOUND`, 409 `CONFLICT`, 409 `EMAIL_NOT_VERIFIED`, 412 `PRECONDITION_FAILED`, 429 `RATE_LIMITED`, 503 `UNAVAILABLE`
   */
  updateMember(
    userId: string,
    body: Body<operations["updateMember"]>,
    options?: CallOptions,
  ): Call<Result<operations["updateMember"]>> {
    return this.call("PATCH", "/v1/members/{userId}", { path: { userId }, body }, options);
  }

  /**
   * Delete a member.
   *
   * Deletes a user's account, as `deleteMe` does. Requires an API key, the master key, or a user token with the role
   * `admin` or `owner`.
   *
   * - 403 `FORBIDDEN`: an admin or an API key tried to delete an owner. Or the caller tried to delete the own account:
   *   use `deleteMe`.
   * - 404 `NOT_FOUND`: the environment has no user with this identifier.
   * - 409 `CONFLICT`: the user is the last owner of the production environment. Give another user the role `owner`
   *   first. The last owner of a sandbox can be deleted.
   *
   * @param userId - Identifier of the user: the claim `sub` in the user's access tokens.
   * @param options - Options of this call.
   * @returns The account is deleted.
   * @throws ApiError 403 `FORBIDDEN`, 404 `NOT_FOUND`, 409 `CONFLICT`
   */
  deleteMember(userId: string, options?: CallOptions): Call<Result<operations["deleteMember"]>> {
    return this.call("DELETE", "/v1/members/{userId}", { path: { userId } }, options);
  }

  /**
   * Reset a member's second factors.
   *
   * Removes all factors, recovery codes and trusted devices of a user, and ends the user's sessions. Use this
   * operation if a user has lost the phone and the recovery codes. The audit trail records the reset. The member's
   * activity shows each removed factor (`factor_removed`), and with the setting `securityEmails` the member gets a
   * notice about each. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * - 403 `FORBIDDEN`: you tried to reset your own factors (use `disableSms`, `disableTotp` or `removePasskey`), or an API key or an
   *   admin tried to reset the factors of an owner (ask an owner).
   * - 404 `NOT_FOUND`: the environment has no user with this identifier.
   *
   * @param userId - Identifier of the user: the claim `sub` in the user's access tokens.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 403 `FORBIDDEN`, 404 `NOT_FOUND`
   */
  resetMember(userId: string, options?: CallOptions): Call<Result<operations["resetMember"]>> {
    return this.call("DELETE", "/v1/members/{userId}/mfa", { path: { userId } }, options);
  }

  /**
   * Export a member's account.
   *
   * Streams what this service stores of a user, as `exportMe` does. Requires an API key, the master key, or a user
   * token with the role `admin` or `owner`.
   *
   * 404 `NOT_FOUND`: the environment has no user with this identifier.
   *
   * @param userId - Identifier of the user: the claim `sub` in the user's access tokens.
   * @param options - Options of this call.
   * @returns Newline-delimited JSON, one object per line.
   * @throws ApiError 404 `NOT_FOUND`
   */
  exportMember<Line = ExportLine>(userId: string, options?: CallOptions): Lines<Line> {
    return this.lines("/v1/members/{userId}/export", { path: { userId } }, options);
  }

  /**
   * End a member's sessions.
   *
   * Ends all sessions of a user, and all sign-ins of the user that are in progress. This service refuses the access
   * tokens of these sessions at once. Other services accept them until they expire, at most 15 minutes later. A change
   * of email that the user has not confirmed yet can no longer be confirmed. Use this operation if another person may have access to
   * the account. Requires an API key, the master key, or a user token with the role `owner`.
   *
   * - 403 `FORBIDDEN`: an API key tried to end the sessions of an owner. Ask an owner.
   * - 404 `NOT_FOUND`: the environment has no user with this identifier.
   *
   * @param userId - Identifier of the user: the claim `sub` in the user's access tokens.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 403 `FORBIDDEN`, 404 `NOT_FOUND`
   */
  endMemberSessions(userId: string, options?: CallOptions): Call<Result<operations["endMemberSessions"]>> {
    return this.call("DELETE", "/v1/members/{userId}/sessions", { path: { userId } }, options);
  }

  /**
   * List a member's activity.
   *
   * Lists sign-ins, refused sign-ins and changes of factors of a user's account, newest first. Activities are kept
   * for 90 days. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * 404 `NOT_FOUND`: the environment has no user with this identifier.
   *
   * @param userId - Identifier of the user: the claim `sub` in the user's access tokens.
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of activities, newest first.
   * @throws ApiError 404 `NOT_FOUND`
   */
  listMemberActivity(
    userId: string,
    query?: Query<operations["listMemberActivity"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listMemberActivity"]>, "items">, Result<operations["listMemberActivity"]>> {
    return this.pages("/v1/members/{userId}/activity", { path: { userId }, query }, options);
  }

  /**
   * List erasures.
   *
   * Lists the erasures of deleted accounts, newest first, with their progress in the other services. Erasures are
   * kept for 90 days. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
   *
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of erasures, newest first.
   */
  listErasures(
    query?: Query<operations["listErasures"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listErasures"]>, "items">, Result<operations["listErasures"]>> {
    return this.pages("/v1/erasures", { query }, options);
  }

  /**
   * Get an erasure.
   *
   * Returns one erasure with its progress. Requires an API key, the master key, or a user token with the role `admin`
   * or `owner`.
   *
   * 404 `NOT_FOUND`: the environment has no erasure with this identifier, or it is older than 90 days.
   *
   * @param erasureId - Identifier of the erasure.
   * @param options - Options of this call.
   * @returns The erasure.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getErasure(erasureId: string, options?: CallOptions): Call<Result<operations["getErasure"]>> {
    return this.call("GET", "/v1/erasures/{erasureId}", { path: { erasureId } }, options);
  }

  /**
   * List the clients.
   *
   * Lists the clients of the environment, newest first. The response contains no secrets. Requires the master key, or
   * a user token with the role `owner`.
   *
   * @param query - Query parameters: `limit`, `cursor`.
   * @param options - Options of this call.
   * @returns A page of clients, newest first.
   */
  listClients(
    query?: Query<operations["listClients"]>,
    options?: CallOptions,
  ): Pages<Items<Result<operations["listClients"]>, "items">, Result<operations["listClients"]>> {
    return this.pages("/v1/clients", { query }, options);
  }

  /**
   * Create a client.
   *
   * Registers an application that signs users in through the hosted pages with OpenID Connect. `type` is `public` for
   * an application that cannot keep a secret, such as a single-page or native app. It is `confidential` for a server.
   * A confidential client gets a `secret`, unless the body has `jwks`. Only this response contains the secret, so
   * store it at once. Each environment has its own clients. Requires the master key, or a user token with the role
   * `owner`.
   *
   * Every environment also has the public clients `tetrad-console` and `tetrad-board`, which this operation cannot
   * create and `listClients` does not return. They get no refresh tokens. `tetrad-board` does not exist if the operator
   * has not set the host of the boards (`FEEDBACK_BASE_HOST`). A local installation has a default.
   *
   * A client's access token permits what its user may do in the other services. Its scopes do not limit this. So register only
   * applications that you trust with that.
   *
   * 409 `CONFLICT`: a client with this `clientId` exists. Or the environment already has 100 clients, which is the
   * limit: delete a client first.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The client. If it has a secret, no later response contains the secret.
   * @throws ApiError 409 `CONFLICT`
   */
  createClient(
    body: Body<operations["createClient"]>,
    options?: CallOptions,
  ): Call<Result<operations["createClient"]>> {
    return this.call("POST", "/v1/clients", { body, keyed: true }, options);
  }

  /**
   * Get a client.
   *
   * Returns one client, without its secret. Requires the master key, or a user token with the role `owner`.
   *
   * 404 `NOT_FOUND`: the environment has no client with this identifier.
   *
   * @param clientId - Identifier of the client.
   * @param options - Options of this call.
   * @returns The client.
   * @throws ApiError 404 `NOT_FOUND`
   */
  getClient(clientId: string, options?: CallOptions): Call<Result<operations["getClient"]>> {
    return this.call("GET", "/v1/clients/{clientId}", { path: { clientId } }, options);
  }

  /**
   * Update a client.
   *
   * Changes the fields in the body; other fields keep their values. Lists replace the current lists. `type` cannot
   * change. Sessions of the client continue. Requires the master key, or a user token with the role `owner`.
   *
   * If the body has `jwks`, the client authenticates with these keys from now on, and its secret becomes invalid. If
   * `jwks` is `null`, the keys become invalid. Then call `rotateClientSecret` to get a secret.
   *
   * - 404 `NOT_FOUND`: the environment has no client with this identifier.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the client again, then repeat the
   *   request.
   *
   * @param clientId - Identifier of the client.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The client.
   * @throws ApiError 404 `NOT_FOUND`, 412 `PRECONDITION_FAILED`
   */
  updateClient(
    clientId: string,
    body: Body<operations["updateClient"]>,
    options?: CallOptions,
  ): Call<Result<operations["updateClient"]>> {
    return this.call("PATCH", "/v1/clients/{clientId}", { path: { clientId }, body }, options);
  }

  /**
   * Delete a client.
   *
   * Deletes a client. Its sessions end, and its refresh tokens and authorization codes become invalid. Other services
   * accept its access tokens until they expire, at most 15 minutes later. Requires the master key, or a user token
   * with the role `owner`.
   *
   * - 404 `NOT_FOUND`: the environment has no client with this identifier.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the client again, then repeat the
   *   request.
   *
   * @param clientId - Identifier of the client.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 404 `NOT_FOUND`, 412 `PRECONDITION_FAILED`
   */
  deleteClient(clientId: string, options?: CallOptions): Call<Result<operations["deleteClient"]>> {
    return this.call("DELETE", "/v1/clients/{clientId}", { path: { clientId } }, options);
  }

  /**
   * Rotate a client's secret.
   *
   * Replaces the secret of a confidential client. The replaced secret stays valid for `gracePeriodSeconds`. If
   * `gracePeriodSeconds` is absent or 0, the replaced secret becomes invalid at once. A secret that an earlier
   * rotation replaced becomes invalid in any case. Only this response contains the new secret, so store it at once.
   * Requires the master key, or a user token with the role `owner`.
   *
   * - 404 `NOT_FOUND`: the environment has no client with this identifier.
   * - 409 `CONFLICT`: the client is public, or it has `jwks`. Set `jwks` to `null` first.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the client again, then repeat the
   *   request.
   *
   * @param clientId - Identifier of the client.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new secret. No later response contains it.
   * @throws ApiError 404 `NOT_FOUND`, 409 `CONFLICT`, 412 `PRECONDITION_FAILED`
   */
  rotateClientSecret(
    clientId: string,
    body?: Body<operations["rotateClientSecret"]>,
    options?: CallOptions,
  ): Call<Result<operations["rotateClientSecret"]>> {
    return this.call("POST", "/v1/clients/{clientId}/secret", { path: { clientId }, body, keyed: true }, options);
  }

  /**
   * Get the settings.
   *
   * Returns the settings of the environment. Requires the master key, or a user token with the role `owner`.
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
   * Changes the settings in the body; other settings of the environment stay unchanged. `null` restores the default of
   * a setting. Requires the master key, or a user token with the role `owner`.
   *
   * If you remove an identity provider, the service ends the sessions that were opened with it.
   *
   * - 400 `VALIDATION_ERROR`: also if an entry of `identityProviders` with `clientId` lacks a required secret, or if the
   *   origin of `resetUrl`, `verifyUrl` or `inviteUrl` is not in `allowedOrigins`,
   *   or if one of these URLs, `brand` or `passkeyRpId` does not have the form that its description requires, or if
   *   `testPhones` is set in production. The error is at `/passkeyRpId` also if a change of `allowedOrigins` is the
   *   reason.
   * - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the settings again, then repeat the
   *   request.
   *
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The settings.
   * @throws ApiError 400 `VALIDATION_ERROR`, 412 `PRECONDITION_FAILED`
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
   * Sets the image that the hosted pages of the environment show, in place of an earlier one. The body is the image: a
   * PNG or WebP file of at most 256 KiB, at most 2048 pixels wide and 2048 pixels high, and not animated. If the same
   * image is already set, nothing changes. Requires the master key, or a user token with the role `owner`.
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
   * Deletes the logo of the environment. If there is none, nothing changes, and the response is the same. Requires the
   * master key, or a user token with the role `owner`.
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
   * Lists the changes and the refused sign-ins in the environment, newest first. Each entry states who changed which
   * object, when, and how. A sign-in that was refused without a credential in the header has the actor `anonymous`.
   * Entries are kept as long as the tenant exists. Requires the master key, or a user token with the role `admin` or
   * `owner`.
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
   * Registers an endpoint that receives the events of users, sessions and factors of this environment. Only this
   * response contains the signing secret, so store the secret at once.
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
   * master key, or a user token with the role `owner`.
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
   * `owner`.
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
   * request creates another key. Requires the master key, or a user token with the role `owner`.
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
   * refuse the key. Requires the master key, or a user token with the role `owner`.
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

  /**
   * Create an owner of a tenant.
   *
   * Creates a user with the role `owner` and a verified email. Use this operation to create the first owner of an
   * environment, who can then give roles to other users with `updateMember`. Requires the master key.
   *
   * - 400 `VALIDATION_ERROR`: also if the password is too easy to guess, or is the account's email.
   * - 403 `TENANT_SUSPENDED`: the tenant is suspended. Set its `status` to `active` with `putTenant` first.
   * - 404 `TENANT_NOT_FOUND`: no tenant has this slug.
   * - 409 `CONFLICT`: an account has this email, or gave it up less than 72 hours ago. Use another email.
   *
   * @param slug - Slug of the tenant.
   * @param body - Body of the request.
   * @param options - Options of this call.
   * @returns The new owner.
   * @throws ApiError 400 `VALIDATION_ERROR`, 403 `TENANT_SUSPENDED`, 404 `TENANT_NOT_FOUND`, 409 `CONFLICT`
   */
  createOwner(
    slug: string,
    body: Body<operations["createOwner"]>,
    options?: CallOptions,
  ): Call<Result<operations["createOwner"]>> {
    return this.call("POST", "/v1/admin/tenants/{slug}/owners", { path: { slug }, body, keyed: true }, options);
  }

  /**
   * Clear an SMS opt-out.
   *
   * Removes the opt-out of a phone number that has opted out with STOP. Afterwards, all tenants may send messages to
   * the number again. Remove an opt-out only if the owner of the number asks for this. Requires the master key.
   *
   * 404 `NOT_FOUND`: the phone number has not opted out, or it is not in E.164 form.
   *
   * @param phone - Phone number in E.164 form.
   * @param options - Options of this call.
   * @returns The object is deleted.
   * @throws ApiError 404 `NOT_FOUND`
   */
  clearOptOut(phone: string, options?: CallOptions): Call<Result<operations["clearOptOut"]>> {
    return this.call("DELETE", "/v1/admin/sms/opt-outs/{phone}", { path: { phone } }, options);
  }
}
