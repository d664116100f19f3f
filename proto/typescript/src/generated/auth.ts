// Generated from proto/auth-mfa.openapi.yaml by proto/typescript/scripts/generate.mjs.
export interface paths {
    "/v1/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register an account
         * Creates an account with a password and the role `user`, signs the user in, and sends a verification email. If the
         *     setting `emailVerification` is `required`, the response contains only `user`. In this case, the user verifies the
         *     email first, and then signs in with `login`.
         *
         *     - 400 `VALIDATION_ERROR`: the password is refused with one of these codes at `/password`. `too_short`,
         *       `too_long`: it does not have 8 to 128 characters, counted in Unicode Normalization Form C. `same_as_email`:
         *       it is the email or the part before `@`. `too_weak`: it is easy to guess. `breached`: it is on a list of
         *       passwords from data breaches, if the operator has configured such a list.
         *     - 403 `mfa_enrollment_required`: the tenant requires a second factor. The account exists. Enrol a factor with the
         *       `enrollment_token`.
         *     - 403 `SIGN_UP_CLOSED`: the setting `signUp` is `closed`. Ask the tenant for an invitation.
         *     - 409 `CONFLICT`: an account has this email, or gave it up less than 72 hours ago. The comparison ignores case.
         *     - 429 `RATE_LIMITED`: this network has made 100 registrations within an hour. The operator can set another limit.
         *       A registration that ends with `CONFLICT` counts too, and so does one with a refused password that is longer
         *       than 16 bytes, is the email, or is breached.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in with a password
         * Opens a session. If the user has a second factor and the request does not come from a trusted device, the
         *     response is 403 `mfa_required` instead. In this case, if SMS is the user's only factor, the service also sends a
         *     code. The response does not show whether the code was sent. If no code arrives, call `sendChallenge`, which sends
         *     another code or returns the reason as an error.
         *
         *     - 401 `INVALID_CREDENTIALS`: the email or the password is wrong. For an unknown email, the response and its
         *       duration are the same as for a wrong password, so that they do not reveal which accounts exist.
         *     - 403 `mfa_enrollment_required`: the tenant requires a second factor, and the user has none. Enrol a factor with
         *       the `enrollment_token`.
         *     - 403 `EMAIL_NOT_VERIFIED`: the password is correct, but the tenant requires a verified email. Send another email
         *       with `requestVerification`.
         *     - 403 `ACCOUNT_DISABLED`: the password is correct, but the account is disabled. An owner or a backend can enable
         *       it with `updateMember`.
         *     - 429 `RATE_LIMITED`: within 15 minutes, the service received 10 wrong passwords for this email from this network
         *       (IPv4 /24, IPv6 /48), 100 wrong passwords for this email from all networks, or 100 wrong passwords and refused
         *       id tokens from this network. From a trusted device of the account: 10 wrong passwords from this device.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in with a passkey
         * Opens a session for the user of the passkey. Get options with `createPasskeyChallenge`, pass them to the browser,
         *     and send the browser's response as `credential`. The passkey must verify the user (`userVerification` `required`),
         *     so it counts as two factors: `acr` is `aal2`, and `amr` is `hwk` and `mfa`.
         *
         *     - 400 `VALIDATION_ERROR`: `credential` is not what `PublicKeyCredential.toJSON()` returns.
         *     - 401 `INVALID_CREDENTIALS`: the passkey is unknown, its signature is wrong, it names another user, its counter
         *       did not grow, or it did not verify the user. Or the page's origin is neither that of the host nor in
         *       `allowedOrigins`. `detail` names mistakes of the app.
         *     - 403 `EMAIL_NOT_VERIFIED`, `ACCOUNT_DISABLED`: as for `login`.
         *     - 410 `MFA_CHALLENGE_EXPIRED`: the challenge is unknown, used or more than 5 minutes old. Get new options.
         *     - 429 `RATE_LIMITED`: within 15 minutes, the service received 100 refused passkeys, refused id tokens and wrong
         *       passwords from this network.
         */
        post: operations["loginWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/external": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with an identity provider
         * Signs in a user with an id token of an identity provider that is listed in the setting `identityProviders`. At
         *     the user's first sign-in, the service creates a user without a password and answers 201. The id token must be
         *     signed with RS256 or ES256, and issued at most 10 minutes ago. The service accepts each id token once. If you send
         *     a `nonce`, it must be equal to the claim `nonce`. If the user has a second factor, the response can be 403
         *     `mfa_required`, as for `login`.
         *
         *     - 400 `VALIDATION_ERROR`: also if this is the user's first sign-in, and the id token contains no valid `email`, or
         *       its claim `email_verified` is not `true`.
         *     - 401 `INVALID_CREDENTIALS`: the id token is not valid for this tenant, or was used before. Check its signature,
         *       age, issuer, audience and `nonce`.
         *     - 403 `mfa_enrollment_required`, `EMAIL_NOT_VERIFIED`, `ACCOUNT_DISABLED`: as for `login`.
         *     - 403 `SIGN_UP_CLOSED`: this is the user's first sign-in, and the setting `signUp` is `closed`. Invite the user
         *       with `createMember`. The user then sets a password with `acceptInvitation`, and links the identity with
         *       `linkIdentity` (`POST /v1/auth/identities`).
         *     - 409 `CONFLICT`: another account has this email, or gave it up less than 72 hours ago. The service never links
         *       an identity to an existing account by its email. Sign in to the account with another method, then call
         *       `linkIdentity`. A user without another method first sets a password with `requestPasswordReset`.
         *     - 429 `RATE_LIMITED`: within 15 minutes, the service received 100 refused id tokens and wrong passwords from this
         *       network.
         */
        post: operations["signInExternally"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refresh the tokens
         * Exchanges a refresh token for a new access token and a new refresh token of the same session. A refresh token is
         *     valid for 30 days and works once. But if the response is lost, you can repeat the request within 10 seconds and
         *     get tokens again.
         *
         *     401 `UNAUTHORIZED`: the refresh token is invalid, expired or already used, or its session has ended. Sign in
         *     again. If a refresh token is used again after more than 10 seconds, the service ends the session, because the
         *     token may have been stolen. The session of a disabled account has ended, too.
         *
         *     403 `EMAIL_NOT_VERIFIED`: the tenant requires a verified email, and the user's email is not verified. Send
         *     another email with `requestVerification`.
         */
        post: operations["refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log out of a session
         * Ends the session to which the refresh token belongs. This service refuses the access tokens of the session at
         *     once. Other services accept them until they expire, at most 15 minutes later.
         *
         *     401 `UNAUTHORIZED`: the refresh token is invalid.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the caller's account
         * Returns the account to which the access token belongs.
         *
         *     401 `UNAUTHORIZED`: the access token is invalid or expired, or its session has ended.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        /**
         * Delete the caller's account
         * Deletes the caller's account with all factors, identities, sessions and trusted devices. All credentials end at
         *     once, and the email is free again. The deletion cannot be undone. Ask the user to confirm it.
         *
         *     Afterwards, the service asks the other services to erase what they store of the user, for three days if
         *     necessary. `getErasure` shows the progress. The audit trail keeps its entries, with a pseudonym in place of the
         *     user's identifier. The webhook `user.deleted` names the user.
         *
         *     - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
         *       request.
         *     - 409 `CONFLICT`: the user is the last owner of the production environment. Give another user the role `owner`
         *       first. The last owner of a sandbox can be deleted.
         */
        delete: operations["deleteMe"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the caller's account
         * Streams what this service stores of the caller as newline-delimited JSON. The member `type` of a line is one of:
         *
         *     - `account`, `identity`, `passkey`, `trusted_device`, `activity`: the members that the operations for this type
         *       return. An
         *       activity has its type as `activityType`. Trusted devices that have expired are included.
         *     - `session`: also sessions that have expired or ended, with `endedAt`. They are kept for 7 days.
         *     - `email_link`: a link that was sent to `email` and not used, with `purpose`, `createdAt` and `expiresAt`. Expired
         *       links are kept for 7 days.
         *     - `email`: an email to `email` that has not been sent yet, with `kind`, `locale` and `createdAt`.
         *
         *     Secrets, such as passwords, tokens and the seeds of authenticator apps, are not exported. If the response ends
         *     before the final chunk (chunked transfer coding), the export is incomplete. In this case, repeat the request.
         */
        get: operations["exportMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password
         * Replaces the caller's password. The service ends all other sessions of the caller and removes all trusted devices
         *     of the caller. For a forgotten password, use `requestPasswordReset`.
         *
         *     The service first checks the length of both passwords, and the strength of a new password of at most 16 bytes.
         *     Then it checks `currentPassword`, and then all other rules for the new password.
         *
         *     - 400 `VALIDATION_ERROR`: the new password is refused. The codes at `/newPassword` are those of registration, and
         *       `same_as_current`: it is the current password.
         *     - 401 `INVALID_CREDENTIALS`: `currentPassword` is wrong.
         *     - 403 `MFA_PASSWORD_REQUIRED`: the account has no password, because its user signs in through an identity
         *       provider. Change the password at that provider.
         *     - 409 `CONFLICT`: another request changed the account's password or second factors at the same time. Check the
         *       current password, then try again.
         *     - 429 `RATE_LIMITED`: `currentPassword` was wrong 10 times within 15 minutes, from this network or this trusted
         *       device, or 100 times from all networks.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's sessions
         * Lists the open sessions of the caller, newest first.
         *
         *     401 `UNAUTHORIZED`: the access token is invalid or expired, or its session has ended.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * End the caller's other sessions
         * Ends all sessions of the caller except the one of the access token. This service refuses the access tokens of
         *     these sessions at once. Other services accept them until they expire, at most 15 minutes later. Trusted devices
         *     stay trusted.
         *
         *     401 `UNAUTHORIZED`: the access token is invalid or expired, or its session has ended.
         */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions/{sessionId}": {
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
         * End a session
         * Ends one of the caller's sessions. This service refuses the access tokens of the session at once. Other services
         *     accept them until they expire, at most 15 minutes later.
         *
         *     404 `NOT_FOUND`: the caller has no open session with this identifier.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/reauthenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reauthenticate the caller
         * Checks a credential of the caller again, and returns a new access token of the same session. Use this operation
         *     if another operation answered 403 `REAUTHENTICATION_REQUIRED`, with one of the `available_methods` of that
         *     response. The new access token has the current time as `auth_time`. If the credential is a code of a second
         *     factor or a passkey, the `acr` of the session becomes `aal2`. `refresh` keeps both values.
         *
         *     Send one of the following:
         *
         *     - `password`, if the method is `password`.
         *     - `method` and `code`, if the method is `sms`, `totp` or `recovery_code`. For `sms`, first send a code with
         *       `sendReauthenticationCode`.
         *     - `credential`, if the method is `passkey`: the browser's response to the options of `createPasskeyChallenge`. The
         *       passkey must verify the user.
         *     - `idToken` of a linked identity, if the method is `external`. The identity provider must have issued the id
         *       token after the last authentication of the session. The service compares it with the session, not with the
         *       `auth_time` of the presented access token, which may be older.
         *
         *     A refused id token or passkey counts like a wrong password from this network. The activity of the account and the
         *     audit trail record wrong passwords, wrong codes, refused passkeys, and valid id tokens that do not prove an authentication of this user.
         *
         *     **Errors.**
         *
         *     - 400 `MFA_INVALID_CODE`: the code is wrong.
         *     - 401 `INVALID_CREDENTIALS`: the password is wrong. Or the passkey was refused, as for `loginWithPasskey`, or
         *       belongs to another user. Or the id token is not valid, more than 10 minutes old, used
         *       before, of an identity that is not linked to the account, or issued before the last authentication of the
         *       session.
         *     - 401 `UNAUTHORIZED`: the session has ended, or the settings no longer have the identity provider with which it
         *       was opened. Sign in again.
         *     - 403 `EMAIL_NOT_VERIFIED`: the tenant requires a verified email, and the user's email is not verified. Send
         *       another email with `requestVerification`.
         *     - 410 `MFA_CHALLENGE_EXPIRED`: for `sms`, the code is more than 5 minutes old or already used, or no code was
         *       sent for this session. Send a code with `sendReauthenticationCode`. For a passkey, its challenge is unknown,
         *       used or more than 5 minutes old. Get new options.
         *     - 429 `MFA_RATE_LIMITED`: for `sms`, 5 codes were wrong. Wait for the number of seconds in `Retry-After`, then
         *       send another code. For all methods with a code: the account's limit of wrong codes is reached, as for
         *       `verifyChallenge`.
         *     - 429 `RATE_LIMITED`: the limit of wrong passwords and refused id tokens is reached, as for `login`.
         *     - 503 `UNAVAILABLE`: Redis is unreachable, so the attempt cannot be counted. Try again later.
         */
        post: operations["reauthenticate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/reauthenticate/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a reauthentication code by SMS
         * Sends a code to the caller's phone. Send the code to `reauthenticate` with the method `sms`. A new code replaces
         *     the previous code. It adds neither time nor attempts: all codes expire 5 minutes after the first one was sent, and
         *     they have 5 attempts together. `expiresIn` states the remaining time.
         *
         *     - 409 `MFA_SETUP_REQUIRED`: SMS is not a factor of the user. Use another method of `available_methods`.
         *     - 422 `MFA_SMS_UNDELIVERABLE`: the phone number cannot receive codes. `detail` states the cause.
         *     - 429 `MFA_RATE_LIMITED`: within 5 minutes, the service has sent 3 codes or received 5 wrong codes for this
         *       session. Or it has sent 10 codes to this account or this phone within an hour. Sign-in codes count, too. Or
         *       the tenant has sent all text messages of this day (`smsPerDay`).
         *     - 503 `UNAVAILABLE`: the SMS provider failed, or the sender that all tenants share has reached its limit. Wait
         *       for the number of seconds in `Retry-After`, then try again.
         */
        post: operations["sendReauthenticationCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's activity
         * Lists sign-ins, refused sign-ins and changes of factors of the caller's account, newest first. Show the list to
         *     the user. The user can then notice access by another person. Activities are kept for 90 days.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/email/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a verification email
         * Sends the verification email again. With a user token, the service sends the email to the caller, and the body
         *     is empty. Without a user token, the body contains the `email` of an account. Use this form if `login` answered
         *     403 `EMAIL_NOT_VERIFIED`.
         *
         *     Without a user token, the response is the same for known and unknown emails, so that it does not reveal which
         *     accounts exist: 202, or 429 if the network has reached its limit. The service sends no email if the email is
         *     unknown or already verified, if the account is not active, or if 3 verification emails to this email were
         *     requested within an hour. The email that `register` sends is not counted.
         *
         *     - 429 `RATE_LIMITED`: this network has requested 1,000 verifications and password resets within an hour.
         *     - 503 `UNAVAILABLE`: Redis is unreachable, so the request cannot be counted. Try again later.
         */
        post: operations["requestVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/email/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an email address
         * Marks the email of an account as verified. `token` is the token in the verification email. The user's next
         *     access token has `email_verified` `true`.
         *
         *     410 `TOKEN_EXPIRED`: the token is unknown or used, more than 7 days old, or belongs to a former email of the
         *     account. Send another email with `requestVerification`.
         */
        post: operations["verifyEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a password reset
         * Sends an email with which a user can set a new password. A user without a password, also an invited one, can set
         *     the first password with it. The response is the same, after the same time, for known and unknown emails, so that
         *     it does not reveal which accounts exist: 202, or 429 if the network has reached its limit. The service sends no
         *     email if no account has this email, if the account is disabled, or if 3 such emails to this email were requested
         *     within an hour.
         *
         *     - 429 `RATE_LIMITED`: this network has requested 1,000 verifications and password resets within an hour.
         *     - 503 `UNAVAILABLE`: Redis is unreachable, so the request cannot be counted. Try again later.
         */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset a forgotten password
         * Sets a new password with the token in the email of `requestPasswordReset`. A user without a password gets one,
         *     and an invited user becomes active. The service ends all sessions of the user, removes all trusted devices, and
         *     marks the email as verified. The new password may be the current one.
         *
         *     Second factors stay enrolled if the email was verified before. If the email was not verified, another person may
         *     have created the account with the user's email. In this case, the service removes all factors and identities of
         *     the account. The activity shows each of them (`factor_removed`, `identity_unlinked`), and with the setting
         *     `securityEmails` the user gets a notice about each factor.
         *
         *     - 400 `VALIDATION_ERROR`: also if the new password is too easy to guess, is the account's email, or is on a list
         *       of passwords from data breaches. The token stays valid.
         *     - 410 `TOKEN_EXPIRED`: the token is unknown or used, or more than 30 minutes old. Send another email with
         *       `requestPasswordReset`.
         *     - 429 `RATE_LIMITED`: this network has reached its limit of refused sign-ins, as for `login`. A refused new
         *       password counts, too, if it is longer than 16 bytes, is the email, or is breached.
         *     - 503 `UNAVAILABLE`: Redis is unreachable, so the attempt cannot be counted. Try again later. The token stays
         *       valid.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the email address
         * Sends a token to a new email address of the caller. The account keeps its current email until `confirmEmail`
         *     gets this token.
         *
         *     - 400 `VALIDATION_ERROR`: also if `newEmail` is the current email of the account.
         *     - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
         *       request.
         *     - 409 `CONFLICT`: another account has the new email, or gave it up less than 72 hours ago. Use another email.
         *       The request counts against the limits.
         *     - 429 `RATE_LIMITED`: within an hour, this account made 3 such requests, or the accounts of the environment
         *       together made 3 such requests with this new email.
         *     - 503 `UNAVAILABLE`: Redis is unreachable, so the request cannot be counted. Try again later.
         */
        post: operations["changeEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/email/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a new email address
         * Changes the email of an account to the new email that `changeEmail` got, and marks it as verified. `token` is
         *     the token in the email to the new address. The service then sends a notice to the old address. For 72 hours, the
         *     token in this notice undoes the change (`revertEmail`), and no other account can get the old address.
         *
         *     - 409 `CONFLICT`: another account got the new email in the meantime. Use another email.
         *     - 410 `TOKEN_EXPIRED`: the token is unknown or used, or more than 30 minutes old. Or the user's credentials have
         *       changed since `changeEmail`: a password was changed or reset, a factor was enrolled or removed, an identity was
         *       unlinked, the email was changed, or an owner or a backend ended the user's sessions or changed the user's
         *       status. Call `changeEmail` again.
         */
        post: operations["confirmEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/email/revert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revert a change of email
         * Gives an account its old email back, and ends all sessions of the user. `token` is the token in the notice to
         *     the old address. Use this operation if another person changed the email. Afterwards, the user should reset the
         *     password. The token also works while the account is disabled.
         *
         *     410 `TOKEN_EXPIRED`: the token is unknown or used, or more than 72 hours old. Or the user is an admin or owner,
         *     and the old email was not verified.
         */
        post: operations["revertEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * Sets the password of an invited user (`createMember`), marks the email as verified, and signs the user in.
         *     `token` is the token in the invitation.
         *
         *     - 400 `VALIDATION_ERROR`: also if the password is too easy to guess, is the account's email, or is on a list of
         *       passwords from data breaches. The token stays valid.
         *     - 403 `mfa_enrollment_required`: the tenant requires a second factor. The password is set, and the invitation is
         *       used. Enrol a factor with the `enrollment_token`.
         *     - 410 `TOKEN_EXPIRED`: the token is unknown or used, or more than 7 days old. If the user has not set a password
         *       yet, call `requestPasswordReset`: the reset sets the first password, too. Or let an owner or a backend send
         *       another invitation, as `updateMember` describes.
         *     - 429 `RATE_LIMITED`: this network has reached its limit of refused sign-ins, as for `login`. A refused password
         *       counts, too, if it is longer than 16 bytes, is the email, or is breached.
         *     - 503 `UNAVAILABLE`: Redis is unreachable, so the attempt cannot be counted. Try again later. The token stays
         *       valid.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List external identities
         * Lists the identities that are linked to the caller's account, oldest first. An account has at most 20 identities,
         *     so all of them are on one page. The caller can sign in with those whose provider is in the settings.
         */
        get: operations["listIdentities"];
        put?: never;
        /**
         * Link an external identity
         * Links an identity of an identity provider to the caller's account. Afterwards, the caller can sign in with
         *     `signInExternally`. The rules for the id token are those of `signInExternally`. The email of the identity may
         *     differ from the email of the account. With the setting `securityEmails`, the user gets a notice.
         *
         *     - 401 `INVALID_CREDENTIALS`: the id token is not valid for this tenant, or was used before. Check its signature,
         *       age, issuer, audience and `nonce`.
         *     - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
         *       request.
         *     - 409 `CONFLICT`: the identity is already linked to this account or to another one, or the account already has
         *       20 identities. Unlink an identity first.
         */
        post: operations["linkIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/identities/{identityId}": {
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
         * Unlink an external identity
         * Removes an identity from the caller's account. The identity can then no longer sign in to this account. The
         *     service ends the user's sessions that were opened with this identity's provider, also the session of the request,
         *     and all sign-ins of the user that are in progress.
         *
         *     - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
         *       request.
         *     - 404 `NOT_FOUND`: the caller has no identity with this identifier.
         *     - 409 `CONFLICT`: without this identity, the user could not sign in any more. Set a password with
         *       `requestPasswordReset`, register a passkey, or link another identity first. Only identities whose provider is still in the
         *       settings count.
         */
        delete: operations["unlinkIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create options for a passkey
         * Returns the options with which the caller's browser makes a new passkey
         *     (`PublicKeyCredentialCreationOptionsJSON`). They contain a challenge for this session or `enrollment_token`, which
         *     is valid once and for 5 minutes. To complete the registration, send the browser's response to `registerPasskey`.
         *     `excludeCredentials` has the caller's passkeys for the RP id, so that no device makes two.
         *
         *     - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
         *       request.
         *     - 409 `CONFLICT`: the account already has 20 passkeys. Remove one first.
         *     - 429 `RATE_LIMITED`: this network has requested 1,000 challenges within 5 minutes.
         */
        post: operations["createPasskeyOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List passkeys
         * Lists the caller's passkeys, oldest first. An account has at most 20 passkeys, so all of them are on one page.
         */
        get: operations["listPasskeys"];
        put?: never;
        /**
         * Register a passkey
         * Adds the passkey that the browser made from the options of `createPasskeyOptions`. Afterwards, the caller can sign
         *     in with it (`loginWithPasskey`), and it is a second factor of the account. If it is the user's first factor, the
         *     response contains recovery codes; otherwise, the list is empty. No later response contains the recovery codes, so
         *     show them to the user at once. Do not store or log them. The account needs no password.
         *
         *     If the user already had another factor, the service ends all other sessions of the user and removes all trusted
         *     devices. If the request has an `enrollment_token`, the response also contains the tokens and the user of the new
         *     session.
         *
         *     - 400 `VALIDATION_ERROR`: `credential` is malformed, was made on a page of another origin, for another RP id or
         *       without user verification, or has an attestation or an algorithm that the service does not accept. The entry in
         *       `errors` names the cause.
         *     - 403 `REAUTHENTICATION_REQUIRED`: another factor was enrolled after the options were created, and the token's
         *       `acr` is not `aal2`. Call `reauthenticate`, then get new options.
         *     - 409 `CONFLICT`: the passkey is already registered, for this account or another one. Or the account already has
         *       20 passkeys.
         *     - 410 `MFA_CHALLENGE_EXPIRED`: the challenge is unknown, used, more than 5 minutes old or of another session. Get
         *       new options.
         */
        post: operations["registerPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/{passkeyId}": {
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
         * Remove a passkey
         * Removes a passkey of the caller. It can then no longer sign in. The service ends all other sessions of the user,
         *     all sign-ins in progress and all trusted devices. If the passkey was the user's last factor, the service also
         *     deletes the recovery codes.
         *
         *     - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
         *       request. A session that has registered the user's only factors itself may remove them while its `auth_time` is
         *       recent, although its `acr` is `aal1`.
         *     - 404 `NOT_FOUND`: the caller has no passkey with this identifier.
         *     - 409 `CONFLICT`: without this passkey, the user could not sign in any more. Set a password with
         *       `requestPasswordReset`, or register another passkey first.
         */
        delete: operations["removePasskey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a passkey challenge
         * Returns the options with which a browser proves that its user has a passkey
         *     (`PublicKeyCredentialRequestOptionsJSON`). Their challenge is valid once and for 5 minutes.
         *
         *     - Without a user token and with `{}`: for `loginWithPasskey`. `allowCredentials` is empty, so the browser offers
         *       all passkeys for the RP id.
         *     - With `mfa_token`: for `verifyChallenge`. `allowCredentials` has the passkeys of the sign-in's user.
         *     - With a user token: for `reauthenticate`. `allowCredentials` has the caller's passkeys.
         *
         *     If the user has only passkeys for former RP ids, the options are for the RP id of the newest one.
         *
         *     - 410 `MFA_CHALLENGE_EXPIRED`: the `mfa_token` is unknown, used or more than 5 minutes old, or the user's
         *       password or second factors have changed. Sign in again.
         *     - 429 `RATE_LIMITED`: this network has requested 1,000 challenges within 5 minutes.
         */
        post: operations["createPasskeyChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a login code by SMS
         * Sends a new code to the user's phone during a sign-in. The new code replaces the previous code, which becomes
         *     invalid. The service sends at most 3 codes for one sign-in, including the code that `login` or `signInExternally`
         *     sent.
         *
         *     - 409 `MFA_SETUP_REQUIRED`: SMS is not a factor of the user. Use another method of `available_methods`.
         *     - 410 `MFA_CHALLENGE_EXPIRED`: the `mfa_token` is unknown, used or more than 5 minutes old, or the user's
         *       password or second factors have changed. Sign in again.
         *     - 422 `MFA_SMS_UNDELIVERABLE`: the phone number cannot receive codes. `detail` states the cause.
         *     - 429 `MFA_RATE_LIMITED`: the service has sent 3 codes for this sign-in, or received 5 wrong codes for this
         *       sign-in, or sent 10 sign-in codes to this account or this phone within an hour. For a phone, the codes of all
         *       tenants count. Or the tenant has sent all text messages of this day (`smsPerDay`).
         *     - 503 `UNAVAILABLE`: the SMS provider failed, or the sender that all tenants share has reached its limit. Wait for
         *       the number of seconds in `Retry-After`, then try again.
         */
        post: operations["sendChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify the second factor
         * Completes a sign-in with a code or a passkey as the second factor, and opens the session. For a passkey, get options
         *     with `createPasskeyChallenge` and the `mfa_token`, and send the browser's response as `credential`. If `trustDevice` is `true`, the
         *     response sets the cookie `mfa_device`, and the browser becomes a trusted device. The service accepts a correct
         *     code only once.
         *
         *     - 400 `MFA_INVALID_CODE`: the code is wrong, or the passkey was refused. `attemptsRemaining` is the number of
         *       attempts that are left.
         *     - 410 `MFA_CHALLENGE_EXPIRED`: the `mfa_token` is unknown, used or more than 5 minutes old, or the user's
         *       password or second factors have changed. Sign in again. Or the challenge of the passkey is unknown, used or more
         *       than 5 minutes old. Get new options.
         *     - 429 `MFA_RATE_LIMITED`: the service has received 5 wrong codes for this sign-in, or 20 wrong codes for the
         *       account from this network within 24 hours. Wrong recovery codes have a separate limit of 10 for the account and
         *       network within 24 hours. For all networks together, both limits are ten times as high.
         */
        post: operations["verifyChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/sms/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set up SMS as a factor
         * Sends a code to a phone that the user wants to enrol. To complete the enrolment, send this code to `confirmSms`.
         *     The code is valid for 10 minutes and 5 attempts. Another call of `setUpSms` that sends a code replaces the phone
         *     and the code.
         *
         *     In the sandbox, no message goes to the phone, unless the operator allows it (`sandboxSms`). The code of a test
         *     phone (setting `testPhones`) is always the same.
         *
         *     If the phone has opted out of text messages, no code is sent. The response is the same, because the phone may
         *     belong to another person. The audit trail has an entry `sms_code.withheld`. If no code arrives, tell the user to
         *     reply START to an earlier message if the user once replied STOP.
         *
         *     **Consent.** The screen on which the user enters the phone number must state all of the following. The hosted
         *     page `/enroll` contains this text.
         *
         *     - The authentication provider sends codes on behalf of the tenant's brand.
         *     - Message frequency varies.
         *     - Message and data rates may apply.
         *     - Reply STOP to opt out, HELP for help.
         *
         *     **Errors.**
         *
         *     - 400 `VALIDATION_ERROR`: `phone` is not a phone number in E.164 form.
         *     - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
         *       request. An `enrollment_token` needs no fresh authentication.
         *     - 403 `MFA_PASSWORD_REQUIRED`: the account has no password, because its user signs in through an identity
         *       provider. Set up the second factor at that provider.
         *     - 409 `MFA_ALREADY_ENABLED`: SMS is already enrolled. Disable it with `disableSms` first.
         *     - 422 `MFA_SMS_UNDELIVERABLE`: the phone number cannot receive codes. `detail` states the cause. One cause is an
         *       attack on the sender: at least 20 codes were sent to the country today, and fewer than 20 % of them were
         *       confirmed. Then no more codes are sent to it until 00:00 UTC, or until enough of them are confirmed. Not counted
         *       as a sent code, unless the SMS provider is the one that refuses.
         *     - 429 `MFA_RATE_LIMITED`: the service has sent 3 codes for the user within 10 minutes, 5 codes to the phone
         *       within an hour, 10 codes to the phone within 24 hours, or 20 codes for the network within an hour. For phones
         *       and networks, the codes of all tenants count. Or the tenant has sent all text messages of this day
         *       (`smsPerDay`).
         *     - 503 `UNAVAILABLE`: the SMS provider failed, or the sender that all tenants share has reached its limit. Wait
         *       for the number of seconds in `Retry-After`, then try again.
         */
        post: operations["setUpSms"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/sms/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the SMS factor
         * Enrols the phone to which `setUpSms` sent the code. If this is the user's first factor, the response contains
         *     recovery codes; otherwise, `recoveryCodes` is empty. No later response contains the recovery codes, so show them
         *     to the user at once. Do not store or log them.
         *
         *     If the user already had another factor, the service ends all other sessions of the user and removes all trusted
         *     devices. If the request has an `enrollment_token`, the response also contains the tokens and the user of the new
         *     session.
         *
         *     - 400 `MFA_INVALID_CODE`: the code is wrong. `attemptsRemaining` is the number of attempts that are left.
         *     - 403 `REAUTHENTICATION_REQUIRED`: another factor was enrolled after the set-up began, and the token's `acr` is
         *       not `aal2`. Call `reauthenticate`, then repeat the request.
         *     - 409 `MFA_ALREADY_ENABLED`: SMS is already enrolled.
         *     - 409 `MFA_SETUP_REQUIRED`: `setUpSms` was not called, or its code has expired. Call `setUpSms` to send a code.
         *     - 429 `MFA_RATE_LIMITED`: the service has received 5 wrong codes since the last `setUpSms`, or 20 wrong codes
         *       for the account and network within 24 hours. After 5 wrong codes, call `setUpSms` to send a new code.
         */
        post: operations["confirmSms"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/sms": {
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
         * Disable the SMS factor
         * Removes the SMS factor. `code` must be a code of the authenticator app or a recovery code; a code by SMS is not
         *     accepted. The account keeps the phone, but `phoneVerified` becomes `false`. The service ends all other sessions of
         *     the user and removes all trusted devices of the user. If SMS was the user's last factor, the service also deletes
         *     the recovery codes.
         *
         *     - 400 `MFA_INVALID_CODE`: the code is wrong.
         *     - 409 `MFA_SETUP_REQUIRED`: SMS is not enrolled.
         *     - 429 `MFA_RATE_LIMITED`: within 24 hours, the service received 20 wrong codes or 10 wrong recovery codes for the
         *       account and network.
         */
        delete: operations["disableSms"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/totp/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set up an authenticator app
         * Creates a secret for an authenticator app (RFC 6238 with SHA-1, 6 digits and a period of 30 seconds). Show
         *     `otpauthUrl` to the user as a QR code. To complete the enrolment, send a code of the app to `confirmTotp`.
         *     Another call of `setUpTotp` before that replaces the secret.
         *
         *     - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate`, then repeat the
         *       request. An `enrollment_token` needs no fresh authentication.
         *     - 403 `MFA_PASSWORD_REQUIRED`: the account has no password, because its user signs in through an identity
         *       provider. Set up the second factor at that provider.
         *     - 409 `MFA_ALREADY_ENABLED`: an authenticator app is already enrolled. Disable it with `disableTotp` first.
         */
        post: operations["setUpTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the authenticator app
         * Enrols the authenticator app that has the secret of `setUpTotp`. `code` is a code that the app shows; it cannot be
         *     used again. If this is the user's first factor, the response contains recovery codes; otherwise, the list is
         *     empty. No later response contains the recovery codes, so show them to the user at once. Do not store or log them.
         *
         *     If the user already had another factor, the service ends all other sessions of the user and removes all trusted
         *     devices. If the request has an `enrollment_token`, the response also contains the tokens and the user of the new
         *     session.
         *
         *     - 400 `MFA_INVALID_CODE`: the code is wrong.
         *     - 403 `REAUTHENTICATION_REQUIRED`: another factor was enrolled after the set-up began, and the token's `acr` is
         *       not `aal2`. Call `reauthenticate`, then repeat the request.
         *     - 409 `MFA_SETUP_REQUIRED`: `setUpTotp` was not called, or the app is already enrolled.
         *     - 429 `MFA_RATE_LIMITED`: within 24 hours, the service received 20 wrong codes for the account and network.
         */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/totp": {
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
         * Disable the authenticator app
         * Removes the authenticator app. `code` must be a code of the authenticator app or a recovery code. The service ends
         *     all other sessions of the user and removes all trusted devices of the user. If the app was the user's last factor,
         *     the service also deletes the recovery codes.
         *
         *     - 400 `MFA_INVALID_CODE`: the code is wrong.
         *     - 409 `MFA_SETUP_REQUIRED`: no authenticator app is enrolled.
         *     - 429 `MFA_RATE_LIMITED`: within 24 hours, the service received 20 wrong codes or 10 wrong recovery codes for the
         *       account and network.
         */
        delete: operations["disableTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the caller's second factors
         * Returns the enrolled factors, the masked phone and the number of unused recovery codes. The response contains the
         *     phone even if the user has disabled SMS.
         */
        get: operations["getFactors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the recovery codes
         * Creates ten new recovery codes. The old recovery codes become invalid. No later response contains the new codes,
         *     so show them to the user at once. The caller needs a fresh authentication with a second factor, so `code` may be
         *     omitted. If you send a `code`, it must be a code of the authenticator app or a recovery code.
         *
         *     - 400 `MFA_INVALID_CODE`: the code is wrong.
         *     - 403 `REAUTHENTICATION_REQUIRED`: the authentication is not fresh. Call `reauthenticate` with a code of a second
         *       factor, then repeat the request.
         *     - 409 `MFA_SETUP_REQUIRED`: the user has no second factor. Enrol one first, which creates recovery codes.
         *     - 429 `MFA_RATE_LIMITED`: within 24 hours, the service received 20 wrong codes or 10 wrong recovery codes for the
         *       account and network.
         */
        post: operations["replaceRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List trusted devices
         * Lists the caller's trusted devices, newest first. A sign-in from a trusted device needs no second factor for 30
         *     days after the user trusted the device.
         */
        get: operations["listDevices"];
        put?: never;
        post?: never;
        /**
         * Forget all trusted devices
         * Removes all trusted devices of the caller. The next sign-in from each of these devices needs the second factor.
         */
        delete: operations["forgetDevices"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/devices/{deviceId}": {
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
         * Forget a trusted device
         * Removes one trusted device of the caller. The next sign-in from this device needs the second factor.
         *
         *     404 `NOT_FOUND`: the caller has no trusted device with this identifier.
         */
        delete: operations["forgetDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members
         * Lists the users of the environment, newest first. The parameters select users. Requires an API key, the master
         *     key, or a user token with the role `admin` or `owner`.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Create a member
         * Creates a user. Use this operation to import accounts, to let your backend create them, or to invite colleagues.
         *     Choose how the user will sign in:
         *
         *     - `invite: true`: the service sends an invitation. The user has the status `invited` and chooses a password with
         *       `acceptInvitation`.
         *     - `password`: the password of the user.
         *     - `passwordHash`: a hash that another system computed. It is replaced by a new hash at the user's next sign-in.
         *     - none of these: the user has no password. The user can set one with `requestPasswordReset`.
         *
         *     Requires an API key, the master key, or a user token with the role `owner`.
         *
         *     - 400 `VALIDATION_ERROR`: also if `passwordHash` has an unknown format or costs too much, or if the body
         *       contains more than one of `invite: true`, `password` and `passwordHash`.
         *     - 403 `FORBIDDEN`: an API key tried to create an owner, or the user token does not have the role `owner`.
         *     - 409 `CONFLICT`: an account has this email, or gave it up less than 72 hours ago. To invite a member again who
         *       has not accepted, use `updateMember`.
         *     - 409 `EMAIL_NOT_VERIFIED`: an admin or owner must have a verified email. Send `emailVerified: true` or `invite:
         *       true`.
         *     - 429 `RATE_LIMITED`: 1,000 invitations were requested in this environment within an hour. A request that ends
         *       with `CONFLICT` counts, too.
         *     - 503 `UNAVAILABLE`: Redis is unreachable, so the invitation cannot be counted. Try again later.
         */
        post: operations["createMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a member
         * Returns one user. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     404 `NOT_FOUND`: the environment has no user with this identifier.
         */
        get: operations["getMember"];
        put?: never;
        post?: never;
        /**
         * Delete a member
         * Deletes a user's account, as `deleteMe` does. Requires an API key, the master key, or a user token with the role
         *     `admin` or `owner`.
         *
         *     - 403 `FORBIDDEN`: an admin or an API key tried to delete an owner. Or the caller tried to delete the own account:
         *       use `deleteMe`.
         *     - 404 `NOT_FOUND`: the environment has no user with this identifier.
         *     - 409 `CONFLICT`: the user is the last owner of the production environment. Give another user the role `owner`
         *       first. The last owner of a sandbox can be deleted.
         */
        delete: operations["deleteMember"];
        options?: never;
        head?: never;
        /**
         * Update a member
         * Changes the role or the status of a user. New permissions take effect with the user's next access token (see
         *     `refresh`). Lost permissions end at once in this service, and at most 15 minutes later in other services.
         *     Requires an API key, the master key, or a user token with the role `owner`.
         *
         *     **Disable.** With the status `disabled`, the service ends all sessions of the user, and the user cannot sign in
         *     until the status is `active` again. The tokens in emails to the user become invalid, except a token that undoes a
         *     change of email. The old address of that change stays reserved.
         *
         *     **Invite again.** Set the status of a member who has not accepted the invitation to `disabled`, then to `active`.
         *     A member who has neither a password nor an identity gets the status `invited` instead of `active`, and a new
         *     invitation. The earlier invitation is invalid.
         *
         *     - 403 `FORBIDDEN`: an API key tried to change an owner, or to make a user an owner. Ask an owner.
         *     - 404 `NOT_FOUND`: the environment has no user with this identifier.
         *     - 409 `CONFLICT`: the user is the last owner of the environment, and would be demoted or disabled. Give another
         *       user the role `owner` first. Or `status` is `active`, and the user has not accepted the invitation yet. To
         *       send another invitation, set `disabled` first.
         *     - 409 `EMAIL_NOT_VERIFIED`: an admin or owner must have a verified email. Let the user verify the email first.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the user again, then repeat the
         *       request.
         *     - 429 `RATE_LIMITED`: `status` is `active`, and 1,000 invitations were requested in this environment within an
         *       hour.
         *     - 503 `UNAVAILABLE`: `status` is `active`, and Redis is unreachable. Try again later.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/v1/members/{userId}/mfa": {
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
         * Reset a member's second factors
         * Removes all factors, recovery codes and trusted devices of a user, and ends the user's sessions. Use this
         *     operation if a user has lost the phone and the recovery codes. The audit trail records the reset. The member's
         *     activity shows each removed factor (`factor_removed`), and with the setting `securityEmails` the member gets a
         *     notice about each. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     - 403 `FORBIDDEN`: you tried to reset your own factors (use `disableSms`, `disableTotp` or `removePasskey`), or an API key or an
         *       admin tried to reset the factors of an owner (ask an owner).
         *     - 404 `NOT_FOUND`: the environment has no user with this identifier.
         */
        delete: operations["resetMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{userId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a member's account
         * Streams what this service stores of a user, as `exportMe` does. Requires an API key, the master key, or a user
         *     token with the role `admin` or `owner`.
         *
         *     404 `NOT_FOUND`: the environment has no user with this identifier.
         */
        get: operations["exportMember"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{userId}/sessions": {
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
         * End a member's sessions
         * Ends all sessions of a user, and all sign-ins of the user that are in progress. This service refuses the access
         *     tokens of these sessions at once. Other services accept them until they expire, at most 15 minutes later. A change
         *     of email that the user has not confirmed yet can no longer be confirmed. Use this operation if another person may have access to
         *     the account. Requires an API key, the master key, or a user token with the role `owner`.
         *
         *     - 403 `FORBIDDEN`: an API key tried to end the sessions of an owner. Ask an owner.
         *     - 404 `NOT_FOUND`: the environment has no user with this identifier.
         */
        delete: operations["endMemberSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{userId}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a member's activity
         * Lists sign-ins, refused sign-ins and changes of factors of a user's account, newest first. Activities are kept
         *     for 90 days. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
         *
         *     404 `NOT_FOUND`: the environment has no user with this identifier.
         */
        get: operations["listMemberActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List erasures
         * Lists the erasures of deleted accounts, newest first, with their progress in the other services. Erasures are
         *     kept for 90 days. Requires an API key, the master key, or a user token with the role `admin` or `owner`.
         */
        get: operations["listErasures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures/{erasureId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an erasure
         * Returns one erasure with its progress. Requires an API key, the master key, or a user token with the role `admin`
         *     or `owner`.
         *
         *     404 `NOT_FOUND`: the environment has no erasure with this identifier, or it is older than 90 days.
         */
        get: operations["getErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the clients
         * Lists the clients of the environment, newest first. The response contains no secrets. Requires the master key, or
         *     a user token with the role `owner`.
         */
        get: operations["listClients"];
        put?: never;
        /**
         * Create a client
         * Registers an application that signs users in through the hosted pages with OpenID Connect. `type` is `public` for
         *     an application that cannot keep a secret, such as a single-page or native app. It is `confidential` for a server.
         *     A confidential client gets a `secret`, unless the body has `jwks`. Only this response contains the secret, so
         *     store it at once. Each environment has its own clients. Requires the master key, or a user token with the role
         *     `owner`.
         *
         *     Every environment also has the public clients `tetrad-console` and `tetrad-board`, which this operation cannot
         *     create and `listClients` does not return. They get no refresh tokens. `tetrad-board` does not exist if the operator
         *     has not set the host of the boards (`FEEDBACK_BASE_HOST`). A local installation has a default.
         *
         *     A client's access token permits what its user may do in the other services. Its scopes do not limit this. So register only
         *     applications that you trust with that.
         *
         *     409 `CONFLICT`: a client with this `clientId` exists. Or the environment already has 100 clients, which is the
         *     limit: delete a client first.
         */
        post: operations["createClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/clients/{clientId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the client.
                 * @example 019c1348-0b20-7e51-8a3c-6d9f0b1c2d3e
                 */
                clientId: components["schemas"]["ClientId"];
            };
            cookie?: never;
        };
        /**
         * Get a client
         * Returns one client, without its secret. Requires the master key, or a user token with the role `owner`.
         *
         *     404 `NOT_FOUND`: the environment has no client with this identifier.
         */
        get: operations["getClient"];
        put?: never;
        post?: never;
        /**
         * Delete a client
         * Deletes a client. Its sessions end, and its refresh tokens and authorization codes become invalid. Other services
         *     accept its access tokens until they expire, at most 15 minutes later. Requires the master key, or a user token
         *     with the role `owner`.
         *
         *     - 404 `NOT_FOUND`: the environment has no client with this identifier.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the client again, then repeat the
         *       request.
         */
        delete: operations["deleteClient"];
        options?: never;
        head?: never;
        /**
         * Update a client
         * Changes the fields in the body; other fields keep their values. Lists replace the current lists. `type` cannot
         *     change. Sessions of the client continue. Requires the master key, or a user token with the role `owner`.
         *
         *     If the body has `jwks`, the client authenticates with these keys from now on, and its secret becomes invalid. If
         *     `jwks` is `null`, the keys become invalid. Then call `rotateClientSecret` to get a secret.
         *
         *     - 404 `NOT_FOUND`: the environment has no client with this identifier.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the client again, then repeat the
         *       request.
         */
        patch: operations["updateClient"];
        trace?: never;
    };
    "/v1/clients/{clientId}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a client's secret
         * Replaces the secret of a confidential client. The replaced secret stays valid for `gracePeriodSeconds`. If
         *     `gracePeriodSeconds` is absent or 0, the replaced secret becomes invalid at once. A secret that an earlier
         *     rotation replaced becomes invalid in any case. Only this response contains the new secret, so store it at once.
         *     Requires the master key, or a user token with the role `owner`.
         *
         *     - 404 `NOT_FOUND`: the environment has no client with this identifier.
         *     - 409 `CONFLICT`: the client is public, or it has `jwks`. Set `jwks` to `null` first.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the client again, then repeat the
         *       request.
         */
        post: operations["rotateClientSecret"];
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
         * Returns the settings of the environment. Requires the master key, or a user token with the role `owner`.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the settings
         * Changes the settings in the body; other settings of the environment stay unchanged. `null` restores the default of
         *     a setting. Requires the master key, or a user token with the role `owner`.
         *
         *     If you remove an identity provider, the service ends the sessions that were opened with it.
         *
         *     - 400 `VALIDATION_ERROR`: also if an entry of `identityProviders` with `clientId` lacks a required secret, or if the
         *       origin of `resetUrl`, `verifyUrl` or `inviteUrl` is not in `allowedOrigins`,
         *       or if one of these URLs, `brand` or `passkeyRpId` does not have the form that its description requires, or if
         *       `testPhones` is set in production. The error is at `/passkeyRpId` also if a change of `allowedOrigins` is the
         *       reason.
         *     - 412 `PRECONDITION_FAILED`: the current ETag differs from `If-Match`. Read the settings again, then repeat the
         *       request.
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
         * Sets the image that the hosted pages of the environment show, in place of an earlier one. The body is the image: a
         *     PNG or WebP file of at most 256 KiB, at most 2048 pixels wide and 2048 pixels high, and not animated. If the same
         *     image is already set, nothing changes. Requires the master key, or a user token with the role `owner`.
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
         * Deletes the logo of the environment. If there is none, nothing changes, and the response is the same. Requires the
         *     master key, or a user token with the role `owner`.
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
         * Lists the changes and the refused sign-ins in the environment, newest first. Each entry states who changed which
         *     object, when, and how. A sign-in that was refused without a credential in the header has the actor `anonymous`.
         *     Entries are kept as long as the tenant exists. Requires the master key, or a user token with the role `admin` or
         *     `owner`.
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
         * Registers an endpoint that receives the events of users, sessions and factors of this environment. Only this
         *     response contains the signing secret, so store the secret at once.
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
         *     master key, or a user token with the role `owner`.
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
         *     `owner`.
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
         *     request creates another key. Requires the master key, or a user token with the role `owner`.
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
         *     refuse the key. Requires the master key, or a user token with the role `owner`.
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
    "/v1/admin/tenants/{slug}/owners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an owner of a tenant
         * Creates a user with the role `owner` and a verified email. Use this operation to create the first owner of an
         *     environment, who can then give roles to other users with `updateMember`. Requires the master key.
         *
         *     - 400 `VALIDATION_ERROR`: also if the password is too easy to guess, or is the account's email.
         *     - 403 `TENANT_SUSPENDED`: the tenant is suspended. Set its `status` to `active` with `putTenant` first.
         *     - 404 `TENANT_NOT_FOUND`: no tenant has this slug.
         *     - 409 `CONFLICT`: an account has this email, or gave it up less than 72 hours ago. Use another email.
         */
        post: operations["createOwner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sms/opt-outs/{phone}": {
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
         * Clear an SMS opt-out
         * Removes the opt-out of a phone number that has opted out with STOP. Afterwards, all tenants may send messages to
         *     the number again. Remove an opt-out only if the owner of the number asks for this. Requires the master key.
         *
         *     404 `NOT_FOUND`: the phone number has not opted out, or it is not in E.164 form.
         */
        delete: operations["clearOptOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** The addresses that the console uses for an environment of a tenant. */
        ConsoleConfig: {
            /** URL of the tenant's host at feedback. `null`: the console has no pages of feedback. */
            feedbackUrl: components["schemas"]["ServiceUrl"];
            /** URL of the tenant's host at notify. `null`: the console has no pages of notify. */
            notifyUrl: components["schemas"]["ServiceUrl"];
            /** URL of the tenant's host at billing. `null`: the console has no pages of billing. */
            billingUrl: components["schemas"]["ServiceUrl"];
            /**
             * URL of the tenant's host at auth-mfa, which is the issuer of the environment's tokens.
             * @example https://demo.auth.example.com
             */
            authUrl: string;
            /**
             * URL of the auth host of the tenant's other environment. Its console is at `/console`, too.
             * @example https://demo-sandbox.auth.example.com
             */
            otherEnvironmentUrl: string;
            /** Slug of the tenant. */
            tenant: components["schemas"]["Slug"];
            /** Environment of the host. */
            environment: components["schemas"]["Environment"];
            /**
             * Name of the tenant for people, as the hosted pages show it.
             * @example Demo Inc.
             */
            displayName: string;
        };
        /**
         * URL of the tenant's host at a service.
         * @example https://demo.feedback.example.com
         */
        ServiceUrl: string | null;
        /** A public key for ES256. */
        EllipticKey: {
            /**
             * Key type: always `EC`.
             */
            kty: "EC";
            /**
             * Curve: always `P-256`.
             */
            crv: "P-256";
            /**
             * X coordinate in base64url.
             * @example e4fOEwMnN-iK06zLfnusSZFclhaMwoWOqZz6CIbo6ds
             */
            x: string;
            /**
             * Y coordinate in base64url.
             * @example jfAfShCfoxoBRuVN7wvo_-hdWvel_dL-IJ2fOnSZRsw
             */
            y: string;
            kid: components["schemas"]["KeyId"];
            /**
             * Use of the key: always `sig`.
             */
            use: "sig";
            /**
             * Algorithm: always `ES256`.
             */
            alg: "ES256";
        };
        /** A public key for RS256. It verifies id tokens and logout tokens. */
        RsaKey: {
            /**
             * Key type: always `RSA`.
             */
            kty: "RSA";
            /**
             * Modulus in base64url.
             * @example ltycn5eDwvpe
             */
            n: string;
            /**
             * Exponent in base64url.
             * @example AQAB
             */
            e: string;
            kid: components["schemas"]["KeyId"];
            /**
             * Use of the key: always `sig`.
             */
            use: "sig";
            /**
             * Algorithm: always `RS256`.
             */
            alg: "RS256";
        };
        /**
         * Key id: the thumbprint of the key (RFC 7638). The header of each token contains the id of its key.
         * @example zFeNe-MfIsqrHF-s-NJYiaYW0Pnc35L-dsEcmUkjYD0
         */
        KeyId: string;
        /** The metadata of OpenID Connect Discovery 1.0, RFC 8414 and their extensions. The base host has only the required members. */
        ProviderMetadata: {
            /**
             * Format: uri
             * Issuer of the tokens: the value of their claim `iss`.
             * @example https://demo-sandbox.auth.example.com
             */
            issuer: string;
            /**
             * Format: uri
             * URL of the public keys.
             * @example https://demo-sandbox.auth.example.com/.well-known/jwks.json
             */
            jwks_uri: string;
            /**
             * Format: uri
             * See `getAuthorizationPage`.
             * @example https://demo-sandbox.auth.example.com/oauth/authorize
             */
            authorization_endpoint?: string;
            /**
             * Format: uri
             * See `pushAuthorizationRequest`.
             * @example https://demo-sandbox.auth.example.com/oauth/par
             */
            pushed_authorization_request_endpoint?: string;
            /**
             * Format: uri
             * See `exchangeToken`.
             * @example https://demo-sandbox.auth.example.com/oauth/token
             */
            token_endpoint?: string;
            /**
             * Format: uri
             * See `revokeToken`.
             * @example https://demo-sandbox.auth.example.com/oauth/revoke
             */
            revocation_endpoint?: string;
            /**
             * Format: uri
             * See `introspectToken`.
             * @example https://demo-sandbox.auth.example.com/oauth/introspect
             */
            introspection_endpoint?: string;
            /**
             * Format: uri
             * See `getUserinfo`.
             * @example https://demo-sandbox.auth.example.com/oauth/userinfo
             */
            userinfo_endpoint?: string;
            /**
             * Format: uri
             * See `getLogoutPage`.
             * @example https://demo-sandbox.auth.example.com/oauth/logout
             */
            end_session_endpoint?: string;
            /**
             * `code`. Empty on the base host.
             * @example [
             *       "code"
             *     ]
             */
            response_types_supported: "code"[];
            /**
             * How the authorization endpoint answers.
             * @example [
             *       "query"
             *     ]
             */
            response_modes_supported?: "query"[];
            /**
             * Grants of the token endpoint.
             * @example [
             *       "authorization_code",
             *       "refresh_token"
             *     ]
             */
            grant_types_supported?: ("authorization_code" | "refresh_token")[];
            /**
             * Scopes of clients.
             * @example [
             *       "openid",
             *       "profile",
             *       "email",
             *       "offline_access"
             *     ]
             */
            scopes_supported?: ("openid" | "profile" | "email" | "offline_access")[];
            /**
             * Classes of authentication.
             * @example [
             *       "aal1",
             *       "aal2"
             *     ]
             */
            acr_values_supported?: ("aal1" | "aal2")[];
            /**
             * Methods of PKCE.
             * @example [
             *       "S256"
             *     ]
             */
            code_challenge_methods_supported?: "S256"[];
            /**
             * Values of the parameter `prompt`.
             * @example [
             *       "none",
             *       "login",
             *       "consent",
             *       "select_account"
             *     ]
             */
            prompt_values_supported?: ("none" | "login" | "consent" | "select_account")[];
            /**
             * Languages of the hosted pages.
             * @example [
             *       "en",
             *       "de"
             *     ]
             */
            ui_locales_supported?: string[];
            /**
             * All clients see the same `sub`.
             * @example [
             *       "public"
             *     ]
             */
            subject_types_supported: "public"[];
            /**
             * Algorithms of id tokens.
             * @example [
             *       "RS256",
             *       "ES256"
             *     ]
             */
            id_token_signing_alg_values_supported: ("RS256" | "ES256")[];
            /**
             * Kinds of claims.
             * @example [
             *       "normal"
             *     ]
             */
            claim_types_supported: "normal"[];
            /**
             * Names of the claims in tokens and userinfo.
             * @example [
             *       "iss",
             *       "sub",
             *       "aud",
             *       "exp",
             *       "iat",
             *       "jti",
             *       "sid",
             *       "tenant",
             *       "env",
             *       "role",
             *       "email",
             *       "email_verified",
             *       "auth_time",
             *       "acr",
             *       "amr",
             *       "nonce",
             *       "at_hash",
             *       "updated_at",
             *       "client_id",
             *       "scope"
             *     ]
             */
            claims_supported: ("iss" | "sub" | "aud" | "exp" | "iat" | "jti" | "sid" | "tenant" | "env" | "role" | "email" | "email_verified" | "auth_time" | "acr" | "amr" | "nonce" | "at_hash" | "updated_at" | "client_id" | "scope")[];
            /**
             * Methods of client authentication of the token endpoint.
             * @example [
             *       "client_secret_basic",
             *       "client_secret_post",
             *       "private_key_jwt",
             *       "none"
             *     ]
             */
            token_endpoint_auth_methods_supported?: ("client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none")[];
            /**
             * Algorithms of client assertions.
             * @example [
             *       "RS256",
             *       "ES256"
             *     ]
             */
            token_endpoint_auth_signing_alg_values_supported?: ("RS256" | "ES256")[];
            /**
             * Methods of client authentication of the revocation endpoint.
             * @example [
             *       "client_secret_basic",
             *       "client_secret_post",
             *       "private_key_jwt",
             *       "none"
             *     ]
             */
            revocation_endpoint_auth_methods_supported?: ("client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none")[];
            /**
             * Algorithms of client assertions.
             * @example [
             *       "RS256",
             *       "ES256"
             *     ]
             */
            revocation_endpoint_auth_signing_alg_values_supported?: ("RS256" | "ES256")[];
            /**
             * Methods of client authentication of the introspection endpoint.
             * @example [
             *       "client_secret_basic",
             *       "client_secret_post",
             *       "private_key_jwt"
             *     ]
             */
            introspection_endpoint_auth_methods_supported?: ("client_secret_basic" | "client_secret_post" | "private_key_jwt")[];
            /**
             * Algorithms of client assertions.
             * @example [
             *       "RS256",
             *       "ES256"
             *     ]
             */
            introspection_endpoint_auth_signing_alg_values_supported?: ("RS256" | "ES256")[];
            /**
             * Authorization responses contain `iss` (RFC 9207).
             */
            authorization_response_iss_parameter_supported?: true;
            /**
             * Clients can get logout tokens.
             */
            backchannel_logout_supported?: true;
            /**
             * Logout tokens contain `sid`.
             */
            backchannel_logout_session_supported?: true;
            /**
             * Pushed requests are optional.
             */
            require_pushed_authorization_requests?: false;
            /**
             * The parameter `claims` is ignored.
             */
            claims_parameter_supported?: false;
            /**
             * The parameter `request` is refused.
             */
            request_parameter_supported?: false;
            /**
             * The parameter `request_uri` takes pushed requests only.
             */
            request_uri_parameter_supported?: false;
        };
        /**
         * Password of 8 to 128 characters, counted in Unicode Normalization Form C (NFC). The service normalises each
         *     password, so that a user can type it on any keyboard. It refuses passwords that are easy to guess, and the
         *     account's email.
         * @example correct horse battery
         */
        Password: string;
        /**
         * Password of the account.
         * @example correct horse battery
         */
        GivenPassword: string;
        /**
         * Hash of the user's password: Argon2id as a PHC string (at most 64 MiB, 10 passes and 4 lanes), or bcrypt (`$2b$`
         *     or `$2y$`, at most cost 14). `null`: no hash.
         * @example $2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy
         */
        PasswordHash: string | null;
        /**
         * Format: email
         * New email of an account: a valid email address by the definition of the HTML standard (WHATWG) to which emails
         *     can be sent. The part before `@` has at most 64 characters. It neither begins nor ends with a dot, and does not
         *     contain two dots in a row.
         * @example ada@example.com
         */
        NewEmail: string;
        /**
         * Token from the email.
         * @example Ry8nKq2VwB5tHc0mXe7sLd1pZa4uJg9oFi3xNv6yQkM
         */
        EmailToken: string;
        /**
         * Id token (JWT) of the identity provider.
         * @example eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUuY29tIiwic3ViIjoiYWRhIn0.GFa5YuMPUgczWzsg9VUsRldeTVUJ_O2Qp432Mmoqo6c
         */
        IdToken: string;
        /**
         * Random value that your app sent to the identity provider for this sign-in. The claim `nonce` of the id token
         *     must be equal to it. `null`: the service does not check the claim.
         * @example n-0S6_WzA2Mj
         */
        Nonce: string | null;
        /**
         * Relying party id of new passkeys: a host name in lower case. Passkeys work on the pages of this host and of its
         *     subdomains, so it must be the host of an origin in `allowedOrigins`, or a parent of it. It must not be an IP
         *     address or a public suffix such as `com` or `github.io`. Of the names of this service, only the tenant's own auth
         *     host is allowed. `null` means that auth host. Existing passkeys keep their relying party id.
         * @example example.com
         */
        PasskeyRpId: string | null;
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
             * SHA-256 hash of the file. The first 32 digits are the ETag of `getLogo`.
             * @example 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03
             */
            sha256: string;
            /** When the image was set. */
            updatedAt: components["schemas"]["Time"];
        };
        /**
         * Format: uri
         * URL of your page to which links in emails lead: `resetUrl` for password resets, `verifyUrl` for verifications,
         *     `inviteUrl` for invitations. The URL must begin with `https://`, have a host on the public internet, and contain
         *     no user name and no password. `http://` and hosts in private networks, such as `localhost`, are allowed only if
         *     the operator allows private addresses. The service appends `?token=…`, so the URL must have no query and no
         *     fragment. The origin of the URL must be in `allowedOrigins`. `null` means the page of this service.
         * @example https://app.example.com/reset
         */
        LinkUrl: string | null;
        /**
         * Role of the user. The section Authentication describes the roles.
         * @example user
         */
        Role: "user" | "admin" | "owner";
        /**
         * `active`: the user can sign in. `disabled`: sign-ins are refused. `invited`: the user has not accepted the
         *     invitation yet.
         * @example active
         */
        UserStatus: "active" | "disabled" | "invited";
        /**
         * Method of the second factor.
         * @example sms
         */
        Method: "sms" | "totp" | "recovery_code" | "passkey";
        /**
         * Second factor to which the code belongs.
         * @example sms
         */
        CodeMethod: "sms" | "totp" | "recovery_code";
        /**
         * Opaque token of a sign-in that waits for its second factor. Send it in the body; it is not a bearer token.
         * @example 9mB3qS0cW1nVt7yKxZ4hJ2rLd8pQf6uA5eGiTjHkRwM
         */
        MfaToken: string;
        /**
         * Whether the browser becomes a trusted device for 30 days.
         * @default false
         * @example true
         */
        TrustDevice: boolean;
        /**
         * Token of a sign-in that waits for its second factor. `null` or absent, for a sign-in without a password.
         * @example 9mB3qS0cW1nVt7yKxZ4hJ2rLd8pQf6uA5eGiTjHkRwM
         */
        OptionalMfaToken: string | null;
        /**
         * Name of the passkey, by which its user recognises it.
         * @example Ada's phone
         */
        PasskeyName: string;
        /** A passkey of the caller. */
        Passkey: {
            /** Identifier of the passkey. */
            passkeyId: components["schemas"]["Id"];
            name: components["schemas"]["PasskeyName"];
            /** When the passkey was registered. */
            createdAt: components["schemas"]["Time"];
            /** When the user last proved the passkey. `null`: never. */
            lastUsedAt: components["schemas"]["TimeOrNull"];
            /**
             * Whether the passkey is stored in an account of its provider, so that the user does not lose it with the device.
             * @example true
             */
            backedUp: boolean;
            transports: components["schemas"]["PasskeyTransports"];
        };
        /**
         * How a browser reaches the passkey, such as `internal`, `hybrid` or `usb`. The browser reports them at the registration.
         * @example [
         *       "internal",
         *       "hybrid"
         *     ]
         */
        PasskeyTransports: string[];
        /**
         * Identifier of the credential in base64url, made by the authenticator.
         * @example pU3KGCUwux1tEyze1iN7Lg
         */
        CredentialId: string;
        /**
         * Client data of the browser in base64url. They contain the challenge and the origin of the page.
         * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiMlI0X2NoX0xHWEVYUkpUV1NUeWRYRFJndmpFZ0htbi0ycUR1NkxtWmYxdyIsIm9yaWdpbiI6Imh0dHBzOi8vZGVtby1zYW5kYm94LmF1dGguZXhhbXBsZS5jb20iLCJjcm9zc09yaWdpbiI6ZmFsc2V9
         */
        ClientData: string;
        /**
         * Response of the browser to the options of `createPasskeyOptions`: the result of `PublicKeyCredential.toJSON()`
         *     (`RegistrationResponseJSON`). The service ignores all other members.
         */
        PasskeyRegistration: {
            id: components["schemas"]["CredentialId"];
            /** The same value as `id`. */
            rawId: components["schemas"]["CredentialId"];
            /**
             * Always `public-key`.
             */
            type: "public-key";
            /** Response of the authenticator. */
            response: {
                clientDataJSON: components["schemas"]["ClientData"];
                /**
                 * New key, flags of the authenticator and attestation in base64url. The attestation must be `none` or a self attestation in the format `packed`.
                 * @example o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViUZA3Mz8VB5URBAng5SV6xpbsVEHOtjKS1YgIaCJhluoddAAAAAHcG-F2GkAJK1r2jQBvpyMsAEKVNyhglMLsdbRMs3tYjey6lAQIDJiABIVggfCmZ_a_lkyU81lSvTfrXFCegrrP-6SMvivIhH57kkcUiWCCxC-y1Vjv8Hm-TQn7LyP4pVeXNjkbcjtS3wnZNKlpNdg
                 */
                attestationObject: string;
                /**
                 * How the browser reaches the authenticator. The service keeps at most 8 values.
                 * @example [
                 *       "internal",
                 *       "hybrid"
                 *     ]
                 */
                transports?: string[] | null;
            };
        };
        /**
         * Response of the browser to the options of `createPasskeyChallenge`: the result of `PublicKeyCredential.toJSON()`
         *     (`AuthenticationResponseJSON`). The service ignores all other members.
         */
        PasskeyAssertion: {
            id: components["schemas"]["CredentialId"];
            /** The same value as `id`. */
            rawId: components["schemas"]["CredentialId"];
            /**
             * Always `public-key`.
             */
            type: "public-key";
            /** Response of the authenticator. */
            response: {
                clientDataJSON: components["schemas"]["ClientData"];
                /**
                 * Hash of the RP id, flags and counter in base64url.
                 * @example ZA3Mz8VB5URBAng5SV6xpbsVEHOtjKS1YgIaCJhluocdAAAAAA
                 */
                authenticatorData: string;
                /**
                 * Signature in base64url.
                 * @example MEQCIE3JNfbNH2EiauFTOK4aNABNM7oNJGrATIGxuvI-O_nuAiB1958rSTSvh_VSC2m5Sw2YLoW7VbZyqHJjes10Zvy2Dg
                 */
                signature: string;
                /**
                 * Identifier of the user in base64url, as `createPasskeyOptions` returned it. Required for `loginWithPasskey`.
                 * @example AZuxU4dAcpmVLaOmVg4jnA
                 */
                userHandle?: string | null;
            };
        };
        /**
         * Passkeys of the user.
         * @example [
         *       {
         *         "type": "public-key",
         *         "id": "pU3KGCUwux1tEyze1iN7Lg",
         *         "transports": [
         *           "internal",
         *           "hybrid"
         *         ]
         *       }
         *     ]
         */
        PasskeyDescriptors: {
            /**
             * Always `public-key`.
             */
            type: "public-key";
            id: components["schemas"]["CredentialId"];
            transports?: components["schemas"]["PasskeyTransports"];
        }[];
        /**
         * Random value in base64url that the authenticator signs. It is valid once and for 5 minutes.
         * @example 2R4_ch_LGXEXRJTWSTydXDRgvjEgHmn-2qDu6LmZf1w
         */
        PasskeyChallenge: string;
        /**
         * Format: int32
         * Time in milliseconds that the user has for the answer.
         * @example 300000
         */
        PasskeyTimeout: number;
        /**
         * Relying party id, a domain. Only its pages can use the passkey.
         * @example demo-sandbox.auth.example.com
         */
        RpId: string;
        /** Options for `PublicKeyCredential.parseCreationOptionsFromJSON`. */
        PasskeyCreationOptions: {
            /** The relying party. */
            rp: {
                id: components["schemas"]["RpId"];
                /**
                 * Brand of the tenant.
                 * @example Demo Inc.
                 */
                name: string;
            };
            /** The user of the passkey. */
            user: {
                /**
                 * The 16 bytes of the user's identifier in base64url.
                 * @example AZuxU4dAcpmVLaOmVg4jnA
                 */
                id: string;
                name: components["schemas"]["Email"];
                displayName: components["schemas"]["Email"];
            };
            challenge: components["schemas"]["PasskeyChallenge"];
            /**
             * Accepted algorithms, the preferred one first.
             * @example [
             *       {
             *         "type": "public-key",
             *         "alg": -8
             *       },
             *       {
             *         "type": "public-key",
             *         "alg": -7
             *       },
             *       {
             *         "type": "public-key",
             *         "alg": -257
             *       }
             *     ]
             */
            pubKeyCredParams: {
                /**
                 * Always `public-key`.
                 */
                type: "public-key";
                /**
                 * Format: int32
                 * Number of the algorithm: -8 (EdDSA), -7 (ES256) or -257 (RS256).
                 * @example -7
                 */
                alg: number;
            }[];
            timeout: components["schemas"]["PasskeyTimeout"];
            excludeCredentials: components["schemas"]["PasskeyDescriptors"];
            /** What the authenticator must do. */
            authenticatorSelection: {
                /**
                 * Always `required`: the authenticator stores the passkey.
                 */
                residentKey: "required";
                /**
                 * Always `true`.
                 * @example true
                 */
                requireResidentKey: true;
                /**
                 * Always `required`: the authenticator verifies the user.
                 */
                userVerification: "required";
            };
            /**
             * Always `none`.
             */
            attestation: "none";
        };
        /** Options for `PublicKeyCredential.parseRequestOptionsFromJSON`. */
        PasskeyRequestOptions: {
            challenge: components["schemas"]["PasskeyChallenge"];
            timeout: components["schemas"]["PasskeyTimeout"];
            rpId: components["schemas"]["RpId"];
            allowCredentials: components["schemas"]["PasskeyDescriptors"];
            /**
             * `preferred` for the second factor of a sign-in, otherwise `required`.
             * @example required
             */
            userVerification: "required" | "preferred";
        };
        /**
         * Code of 6 digits, or a recovery code if the operation accepts recovery codes. The service ignores case and dashes
         *     in a recovery code.
         * @example 123456
         */
        Code: string;
        /**
         * Phone number in E.164 form, with an assigned country calling code.
         * @example +4915112345678
         */
        Phone: string;
        /**
         * Phone number in which only the country calling code and the last two digits are visible.
         * @example +49*********78
         */
        MaskedPhone: string;
        /**
         * Name of the tenant in messages and on hosted pages. `null` means the tenant's display name.
         *
         *     Messages come from the sender that all tenants share. So an owner may set only a name: at most 30 letters, digits,
         *     spaces and `& . ' -`, without four digits in a row (spaces and punctuation between digits do not count), and
         *     without a domain name (`bit.ly`, `bit. ly`). The operator may set any name. A stored brand that breaks this rule,
         *     and that the operator has not set, is not used; the tenant's display name is used instead.
         * @example Demo Inc.
         */
        Brand: string | null;
        /** A phone of the sandbox that gets no messages. Its code for enrolment and sign-in is always the same. */
        TestPhone: {
            phone: components["schemas"]["Phone"];
            /**
             * The code, exactly 6 digits.
             * @example 314159
             */
            code: string;
        };
        /**
         * Countries to whose phone numbers codes may be sent: codes of ISO 3166-1 alpha-2, or `AC` (Ascension), `TA` (Tristan da Cunha) and `XK` (Kosovo). Some territories have the same mobile numbers as a larger country. For these numbers, list the larger country: `FI` for Åland. `null` means all countries.
         * @example [
         *       "DE",
         *       "US"
         *     ]
         */
        SmsCountries: string[] | null;
        /**
         * User token for `Authorization: Bearer`.
         * @example eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWMiLCJleHAiOjE3Njk4NTA5MDB9.A-ooXSQ6LLD3LHUYmA8gl36pwBn7N6tAg0aj4pXS7wUSU4YLvjmSZgVpsl5iEvAPfq4vg9xp8ScicS4FS_suBw
         */
        AccessToken: string;
        /**
         * Opaque token for `refresh` and `logout`. `refresh` accepts it once.
         * @example AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw
         */
        RefreshToken: string;
        /**
         * Format: int32
         * Lifetime of the access token in seconds.
         * @example 900
         */
        ExpiresIn: number;
        /** Tokens of a session. */
        Tokens: {
            accessToken: components["schemas"]["AccessToken"];
            refreshToken: components["schemas"]["RefreshToken"];
            expiresIn: components["schemas"]["ExpiresIn"];
        };
        /** Tokens and user of a new session. */
        SignIn: components["schemas"]["Tokens"] & {
            /** User of the session. */
            user: components["schemas"]["User"];
        };
        /** A new account. If the tenant does not require a verified email, also the tokens of a new session. */
        Registration: {
            accessToken?: components["schemas"]["AccessToken"];
            refreshToken?: components["schemas"]["RefreshToken"];
            expiresIn?: components["schemas"]["ExpiresIn"];
            /** The new user. */
            user: components["schemas"]["User"];
        };
        /** Recovery codes of the user. With an `enrollment_token`, also the tokens and the user of a new session. */
        ConfirmedFactor: {
            /** Ten recovery codes, each for one use. Empty if the user already had another factor. */
            recoveryCodes: components["schemas"]["RecoveryCodes"];
            accessToken?: components["schemas"]["AccessToken"];
            refreshToken?: components["schemas"]["RefreshToken"];
            expiresIn?: components["schemas"]["ExpiresIn"];
            /** User of the session. */
            user?: components["schemas"]["User"];
        };
        /**
         * Recovery codes, each for one use.
         * @example [
         *       "1GC5-1JW6-87WW-KVGE",
         *       "CRA5-RPSD-GMNW-5715"
         *     ]
         */
        RecoveryCodes: string[];
        /** An identity at an identity provider, with which the user can sign in. */
        Identity: {
            /** Identifier of the identity. */
            identityId: components["schemas"]["Id"];
            /**
             * Issuer of the identity: the claim `iss` of its id tokens.
             * @example https://login.example.com
             */
            issuer: string;
            /**
             * Identifier of the user at the issuer: the claim `sub` of its id tokens.
             * @example 00u1ada
             */
            subject: string;
            /** Verified email of the identity when it was linked. `null`: the id token contained no verified email. */
            email: components["schemas"]["EmailOrNull"];
            /** When the identity was linked. `null`: an earlier version of the service linked it. */
            createdAt: components["schemas"]["TimeOrNull"];
        };
        /** The confirmation of the deletion of an account. */
        DeletedAccount: {
            /**
             * Always `true`.
             * @example true
             */
            deleted: true;
            /** Identifier of the erasure of the user's data. */
            erasureId: components["schemas"]["Id"];
        };
        /** The erasure of the data of a user whose account was deleted. */
        Erasure: {
            /** Identifier of the erasure. */
            erasureId: components["schemas"]["Id"];
            /** Identifier of the deleted user. */
            userId: components["schemas"]["Id"];
            /** When the account was deleted. */
            requestedAt: components["schemas"]["Time"];
            /**
             * When no service had any data of the user. `null`: not yet, or a service has failed. In the second case it stays
             *     `null`.
             */
            completedAt: components["schemas"]["TimeOrNull"];
            /** The erasure in each of the other services that the operator has configured. */
            targets: components["schemas"]["ErasureTarget"][];
        };
        /** The erasure in one service. */
        ErasureTarget: {
            /**
             * The service.
             * @example notify
             */
            service: "feedback" | "notify" | "billing";
            /**
             * `pending`: the service has not confirmed the erasure yet, and is asked again. `done`: the service has erased
             *     the user. `failed`: the service did not confirm the erasure within three days. This is final: the service is
             *     not asked again. Erase the user there with an API key of that service.
             * @example pending
             */
            status: "pending" | "done" | "failed";
            /**
             * Format: int32
             * Number of requests to the service.
             * @example 2
             */
            attempts: number;
            /**
             * Why the last request failed. `null` if there is none.
             * @example the service answered 503
             */
            lastError: string | null;
            /** When the service confirmed the erasure. `null`: not yet. */
            doneAt: components["schemas"]["TimeOrNull"];
        };
        /** A sign-in, a refused sign-in or a change of factors. */
        Activity: {
            /** Identifier of the activity. */
            activityId: components["schemas"]["Id"];
            /** When it happened. */
            at: components["schemas"]["Time"];
            /**
             * What happened, for example `sign_in`, `reauthentication`, `password_changed`, `password_reset`,
             *     `email_changed`, `factor_added`, `factor_removed`, `passkey`, `recovery_code_used`, `device_trusted`,
             *     `identity_linked` or `identity_unlinked`. Later versions can add types.
             * @example sign_in
             */
            type: string;
            /**
             * Network address of the client.
             * @example 203.0.113.7
             */
            ip: string;
            /** `User-Agent` of the client. Empty if the client sent none. */
            userAgent: components["schemas"]["UserAgent"];
            /**
             * `success`, or why the service refused the request: `wrong_password`, `wrong_code`, `wrong_passkey`,
             *     `wrong_identity`, `counter_regressed` (of a passkey), `account_disabled` or `email_not_verified`. Later versions can add reasons.
             * @example wrong_password
             */
            result: string;
        };
        /** A user of the tenant. */
        User: {
            /** Identifier of the user: the claim `sub` in the user's access tokens. */
            userId: components["schemas"]["Id"];
            email: components["schemas"]["Email"];
            /**
             * Whether the user has proved that the email is the user's own.
             * @example true
             */
            emailVerified: boolean;
            role: components["schemas"]["Role"];
            status: components["schemas"]["UserStatus"];
            /**
             * Phone of the account. `null`: the user has never enrolled a phone.
             * @example +4915112345678
             */
            phone: components["schemas"]["Phone"] | null;
            /**
             * Whether SMS is a second factor of the user.
             * @example true
             */
            phoneVerified: boolean;
            /** When the account was created. */
            createdAt: components["schemas"]["Time"];
            /** When the account was last changed. */
            updatedAt: components["schemas"]["Time"];
        };
        /**
         * Header `User-Agent` of the browser or app, cut to 255 characters, without characters other than printable ASCII.
         * @example Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15
         */
        UserAgent: string;
        /** A session of the caller. */
        Session: {
            /** Identifier of the session: the claim `sid` in the access tokens of the session. */
            sessionId: components["schemas"]["Id"];
            /**
             * Whether the access token of this request belongs to this session.
             * @example true
             */
            current: boolean;
            /**
             * Client that got the session from the user with OpenID Connect. `null`: a session of the API or of the hosted pages.
             * @example null
             */
            clientId: components["schemas"]["ClientId"] | null;
            /**
             * Methods with which the user was authenticated. `pwd`: password. `fed`: identity provider. `sms`: code by SMS.
             *     `otp`: code of the authenticator app. `hwk`: passkey. `kba`: recovery code. `mfa`: a second factor was used. All values
             *     except `fed` are from RFC 8176.
             * @example [
             *       "pwd",
             *       "sms",
             *       "mfa"
             *     ]
             */
            amr: ("pwd" | "fed" | "sms" | "otp" | "hwk" | "kba" | "mfa")[];
            /** `User-Agent` at sign-in. Empty if the client sent no `User-Agent`. */
            userAgent: components["schemas"]["UserAgent"];
            /**
             * Network address of the client at sign-in.
             * @example 203.0.113.7
             */
            address: string;
            /** When the session was opened. */
            createdAt: components["schemas"]["Time"];
            /** When the session was last refreshed, or opened if it was never refreshed. */
            lastUsedAt: components["schemas"]["Time"];
            /** When the session ends if it is not refreshed again. */
            expiresAt: components["schemas"]["Time"];
        };
        /**
         * Identifier of the client: the parameter `client_id` of OAuth.
         * @example 019c1348-0b20-7e51-8a3c-6d9f0b1c2d3e
         */
        ClientId: string;
        /**
         * Name of the application, which the sign-in page shows.
         * @example Demo app
         */
        ClientName: string;
        /**
         * Whether the client can keep a secret. `public`: the client has no secret and must use PKCE.
         * @example public
         */
        ClientType: "public" | "confidential";
        /**
         * Secret with which the client authenticates (`client_secret`). The service stores only its hash.
         * @example q9Xz3vLk7TnB2mWc5RyD8hJpU4sG6fE1aVoN0iQtKxM
         */
        ClientSecret: string;
        /**
         * Format: uri
         * Absolute URI without a fragment. It uses `https`, or `http` at the loopback hosts `127.0.0.1`, `[::1]` and
         *     `localhost`. A public client may also use a private-use scheme that contains a dot, such as
         *     `com.example.app:/callback`.
         * @example https://app.example.com/callback
         */
        RedirectUri: string;
        /**
         * Where the browser may return after a sign-in. The `redirect_uri` of a request must be equal to one of them. For a
         *     public client, a URI with `http` and a loopback host matches with every port.
         * @example [
         *       "https://app.example.com/callback"
         *     ]
         */
        RedirectUris: components["schemas"]["RedirectUri"][];
        /**
         * Where the browser may return after a sign-out. They have the form of `redirectUris`, and match like them.
         * @example [
         *       "https://app.example.com/"
         *     ]
         */
        PostLogoutRedirectUris: components["schemas"]["RedirectUri"][];
        /**
         * Format: uri
         * HTTPS URL without a fragment to which the service posts a logout token when a session of the client ends (OpenID
         *     Connect Back-Channel Logout). `null`: the client gets no logout tokens.
         * @example https://app.example.com/backchannel-logout
         */
        BackchannelLogoutUri: string | null;
        /**
         * Algorithm with which the id tokens of the client are signed.
         * @example RS256
         */
        IdTokenSigningAlg: "RS256" | "ES256";
        /**
         * Public keys with which a confidential client authenticates (`private_key_jwt`). `null`: the client has no keys. A
         *     public client cannot have keys.
         * @example null
         */
        ClientKeysOrNull: components["schemas"]["ClientKeys"] | null;
        /** A JWK set (RFC 7517) of public keys. */
        ClientKeys: {
            /** The keys. Each has a `kid` of its own. */
            keys: components["schemas"]["ClientKey"][];
        };
        /** A public key. RSA keys for RS256 have 2,048 to 8,192 bits. EC keys for ES256 are on the curve P-256. */
        ClientKey: {
            /**
             * Type of the key.
             * @example EC
             */
            kty: "RSA" | "EC";
            /**
             * Identifier of the key.
             * @example key-1
             */
            kid: string;
            /**
             * Use of the key: signatures.
             * @example sig
             */
            use?: "sig";
            /**
             * Algorithm of the signatures.
             * @example ES256
             */
            alg?: "RS256" | "ES256";
            /**
             * Modulus of an RSA key, in base64url.
             * @example sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri23bOdgWp4Dy1WlUzewbgBHod5pcM9H95GQRV3JDXboIRROSBigeC5yjU1hGzHHyXss8UDprecbAYxknTcQkhslANGRUZmdTOQ5qTRsLAt6BTYuyvVRdhS8exSZEy_c4gs_7svlJJQ4H9_NxsiIoLwAEk7-Q3UXERGYw_75IDrGA84-lA_-Ct4eTlXHBIY2EaV7t7LjJaynVJCpkv4LKjTTAumiGUIuQhrNhZLuF_RJLqHpM2kgWFLU7-VTdL1VbC2tejvcI2BlMkEpk1BzBZI0KQB0GaDWFLN-aEAw3vRw
             */
            n?: string;
            /**
             * Exponent of an RSA key, in base64url.
             * @example AQAB
             */
            e?: string;
            /**
             * Curve of an EC key.
             * @example P-256
             */
            crv?: "P-256";
            /**
             * Coordinate of an EC key, in base64url.
             * @example MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4
             */
            x?: string;
            /**
             * Coordinate of an EC key, in base64url.
             * @example 4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM
             */
            y?: string;
        };
        /** An application that signs users in with OpenID Connect. */
        Client: {
            clientId: components["schemas"]["ClientId"];
            name: components["schemas"]["ClientName"];
            type: components["schemas"]["ClientType"];
            redirectUris: components["schemas"]["RedirectUris"];
            postLogoutRedirectUris: components["schemas"]["PostLogoutRedirectUris"];
            backchannelLogoutUri: components["schemas"]["BackchannelLogoutUri"];
            idTokenSigningAlg: components["schemas"]["IdTokenSigningAlg"];
            jwks: components["schemas"]["ClientKeysOrNull"];
            /** When the client was created. */
            createdAt: components["schemas"]["Time"];
            /** When the client was last changed. */
            updatedAt: components["schemas"]["Time"];
        };
        /** A trusted device of the user. Sign-ins of the user from this device need no second factor. */
        Device: {
            /** Identifier of the trusted device. */
            deviceId: components["schemas"]["Id"];
            /**
             * `User-Agent` when the user trusted the device. `null`: the device sent no `User-Agent`.
             * @example Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15
             */
            userAgent: components["schemas"]["UserAgent"] | null;
            /** When the user trusted the device. */
            createdAt: components["schemas"]["Time"];
            /** When the user last signed in from the device without a second factor, or trusted the device. */
            lastUsedAt: components["schemas"]["Time"];
            /** When the trust expires. Later sign-ins from the device need a second factor again. */
            expiresAt: components["schemas"]["Time"];
        };
        /**
         * An identity provider whose id tokens the service accepts. With `clientId`, users also sign in with it on the hosted
         *     pages (`/oauth/external/{name}`). A new secret is sealed and never shown. An entry without a secret keeps the stored one
         *     while its `issuer`, `clientId`, `type`, `authorizationEndpoint` and `tokenEndpoint` stay the same.
         *     All providers send the browser back to the same address. So do not configure a provider that you do not trust beside
         *     one that sends no `iss` (RFC 9207), such as GitHub: the untrusted one could get codes of the other (mix-up).
         */
        IdentityProvider: {
            /**
             * Format: uri
             * Issuer: the value of the claim `iss` in the provider's id tokens. Apple and GitHub have a default.
             * @example https://login.example.com
             */
            issuer?: string;
            /**
             * Your client id at the provider: the value of the claim `aud` in the provider's id tokens. Required without `clientId`, otherwise equal to it.
             * @example demo
             */
            audience?: string;
            /**
             * Format: uri
             * URL of the provider's public keys (JWK set). Required without `clientId`. Otherwise the provider's metadata has it.
             * @example https://login.example.com/jwks
             */
            jwksUrl?: string;
            /**
             * Name in the path `/oauth/external/{name}`, unique in the list and not `callback`. Required with `clientId`.
             * @example google
             */
            name?: string;
            /**
             * Name on the buttons of the hosted pages. Without it, the name of well-known providers, or `name`.
             * @example Google
             */
            displayName?: string;
            /**
             * Protocol of the provider. `oidc`: OpenID Connect, for example Google with the issuer
             *     `https://accounts.google.com`. `apple`: OpenID Connect, and the service signs the client secret. `github`: OAuth 2.0
             *     without id tokens, and the identity comes from GitHub's API.
             * @example oidc
             */
            type?: "oidc" | "apple" | "github";
            /**
             * Your client id at the provider. With it, users sign in with the provider on the hosted pages.
             * @example demo
             */
            clientId?: string;
            /**
             * Format: uri
             * URL to which the browser is sent. Without it, the provider's metadata (OpenID Connect Discovery) has it.
             * @example https://login.example.com/authorize
             */
            authorizationEndpoint?: string;
            /**
             * Format: uri
             * URL at which the service exchanges codes. Without it, the provider's metadata has it.
             * @example https://login.example.com/token
             */
            tokenEndpoint?: string;
            /**
             * Format: uri
             * URL of the userinfo endpoint, which the service asks if the id token has no email. For GitHub, the URL of the API of the signed-in user.
             * @example https://login.example.com/userinfo
             */
            userinfoEndpoint?: string;
            /**
             * How the service authenticates at the token endpoint. Without it, the provider's metadata decides. Apple and GitHub always get `client_secret_post`.
             * @example client_secret_basic
             */
            tokenEndpointAuthMethod?: "client_secret_basic" | "client_secret_post";
            /**
             * Your team id at Apple. Required for Apple.
             * @example DEF123GHIJ
             */
            teamId?: string;
            /**
             * Id of the private key at Apple. Required for Apple.
             * @example ABC123DEFG
             */
            keyId?: string;
            /**
             * Your client secret at the provider. Write-only. Required for GitHub. `null` removes it, which makes a public client.
             * @example GOCSPX-a1b2c3d4e5f6
             */
            clientSecret?: string | null;
            /**
             * The text of the `.p8` file from Apple, a P-256 key in PEM. Write-only. Required for Apple.
             * @example -----BEGIN PRIVATE KEY-----
             *     …
             *     -----END PRIVATE KEY-----
             */
            privateKey?: string | null;
        };
        /** An identity provider, without its secret. */
        ShownIdentityProvider: {
            /**
             * Format: uri
             * Issuer: the value of the claim `iss` in the provider's id tokens.
             * @example https://login.example.com
             */
            issuer: string;
            /**
             * Your client id at the provider: the value of the claim `aud` in the provider's id tokens. Required without `clientId`, otherwise equal to it.
             * @example demo
             */
            audience: string;
            /**
             * Format: uri
             * URL of the provider's public keys (JWK set). Required without `clientId`. Otherwise the provider's metadata has it.
             * @example https://login.example.com/jwks
             */
            jwksUrl?: string;
            /**
             * Name in the path `/oauth/external/{name}`, unique in the list and not `callback`. Required with `clientId`.
             * @example google
             */
            name?: string;
            /**
             * Name on the buttons of the hosted pages. Without it, the name of well-known providers, or `name`.
             * @example Google
             */
            displayName?: string;
            /**
             * Protocol of the provider. `oidc`: OpenID Connect, for example Google with the issuer
             *     `https://accounts.google.com`. `apple`: OpenID Connect, and the service signs the client secret. `github`: OAuth 2.0
             *     without id tokens, and the identity comes from GitHub's API.
             * @example oidc
             */
            type?: "oidc" | "apple" | "github";
            /**
             * Your client id at the provider. With it, users sign in with the provider on the hosted pages.
             * @example demo
             */
            clientId?: string;
            /**
             * Format: uri
             * URL to which the browser is sent. Without it, the provider's metadata (OpenID Connect Discovery) has it.
             * @example https://login.example.com/authorize
             */
            authorizationEndpoint?: string;
            /**
             * Format: uri
             * URL at which the service exchanges codes. Without it, the provider's metadata has it.
             * @example https://login.example.com/token
             */
            tokenEndpoint?: string;
            /**
             * Format: uri
             * URL of the userinfo endpoint, which the service asks if the id token has no email. For GitHub, the URL of the API of the signed-in user.
             * @example https://login.example.com/userinfo
             */
            userinfoEndpoint?: string;
            /**
             * How the service authenticates at the token endpoint. Without it, the provider's metadata decides. Apple and GitHub always get `client_secret_post`.
             * @example client_secret_basic
             */
            tokenEndpointAuthMethod?: "client_secret_basic" | "client_secret_post";
            /**
             * Your team id at Apple. Required for Apple.
             * @example DEF123GHIJ
             */
            teamId?: string;
            /**
             * Id of the private key at Apple. Required for Apple.
             * @example ABC123DEFG
             */
            keyId?: string;
            /**
             * Whether a client secret is stored. Absent without `clientId`, and for Apple.
             * @example true
             */
            hasClientSecret?: boolean;
            /**
             * Whether a private key is stored. Only for Apple.
             * @example true
             */
            hasPrivateKey?: boolean;
        };
        /**
         * Types of the events to send.
         * @example [
         *       "user.created",
         *       "user.updated"
         *     ]
         */
        WebhookEvents: ("user.created" | "user.updated" | "user.deleted" | "session.created" | "mfa.enabled" | "mfa.disabled")[] | null;
        /** Problem details of a sign-in whose user must enrol a second factor. */
        EnrollmentRequired: {
            /**
             * Always `about:blank`.
             */
            type: "about:blank";
            /**
             * Always `Forbidden`.
             */
            title: "Forbidden";
            /**
             * Format: int32
             * Always 403.
             * @example 403
             */
            status: number;
            /**
             * Explanation for people. The text can change, so programs must not depend on it.
             * @example The tenant requires a second factor. Enrol one with the enrollment_token.
             */
            detail: string;
            /**
             * Always `mfa_enrollment_required`.
             */
            error: "mfa_enrollment_required";
            requestId: components["schemas"]["RequestId"];
            /**
             * Token for `Authorization: Bearer` of the operations that set up and confirm a factor. It is valid for 10 minutes.
             * @example eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWMiLCJhdWQiOiJtZmEtZW5yb2xsbWVudCJ9.A-ooXSQ6LLD3LHUYmA8gl36pwBn7N6tAg0aj4pXS7wUSU4YLvjmSZgVpsl5iEvAPfq4vg9xp8ScicS4FS_suBw
             */
            enrollment_token: string;
            /**
             * Factors that the user may enrol.
             * @example [
             *       "sms",
             *       "totp",
             *       "passkey"
             *     ]
             */
            available_methods: ("sms" | "totp" | "passkey")[];
        };
        /** Problem details of a sign-in that needs a second factor. */
        MfaRequired: {
            /**
             * Always `about:blank`.
             */
            type: "about:blank";
            /**
             * Always `Forbidden`.
             */
            title: "Forbidden";
            /**
             * Format: int32
             * Always 403.
             * @example 403
             */
            status: number;
            /**
             * Explanation for people.
             */
            detail: "A second factor is required. Continue with one of available_methods.";
            /**
             * Always `mfa_required`.
             */
            error: "mfa_required";
            requestId: components["schemas"]["RequestId"];
            mfa_token: components["schemas"]["MfaToken"];
            /**
             * Methods that `verifyChallenge` accepts for this user.
             * @example [
             *       "sms",
             *       "recovery_code"
             *     ]
             */
            available_methods: components["schemas"]["Method"][];
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
         * Format: email
         * Valid email address by the definition of the HTML standard (WHATWG).
         * @example ada@example.com
         */
        Email: string;
        /**
         * Format: date-time
         * Time in UTC with milliseconds (RFC 3339).
         * @example 2026-01-31T09:00:00.000Z
         */
        Time: string;
        /**
         * Position of the next page. Send this value as `cursor` to get the next page. `null`: this is the last page.
         * @example AAYBm_z0oAABnBNH0oB_-6mjXagrZXOBZpLbX4u3
         */
        Cursor: string | null;
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
        /**
         * Format: int64
         * Version of the object. Each change adds 1.
         * @example 3
         */
        Version: number;
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
         * Environment of the tenant. The two environments are isolated from each other.
         * @example sandbox
         */
        Environment: "production" | "sandbox";
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
    register: {
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
                 *       "email": "ada@example.com",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": {
                    email: components["schemas"]["NewEmail"];
                    /** Password of the new account. */
                    password: components["schemas"]["Password"];
                };
            };
        };
        responses: {
            /** Tokens and user of the new session. If the tenant requires a verified email: only the user. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWMiLCJleHAiOjE3Njk4NTA5MDB9.A-ooXSQ6LLD3LHUYmA8gl36pwBn7N6tAg0aj4pXS7wUSU4YLvjmSZgVpsl5iEvAPfq4vg9xp8ScicS4FS_suBw",
                     *       "refreshToken": "AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw",
                     *       "expiresIn": 900,
                     *       "user": {
                     *         "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *         "email": "ada@example.com",
                     *         "emailVerified": true,
                     *         "role": "user",
                     *         "status": "active",
                     *         "phone": "+4915112345678",
                     *         "phoneVerified": true,
                     *         "createdAt": "2026-01-12T08:30:00.000Z",
                     *         "updatedAt": "2026-01-31T08:05:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Registration"];
                };
            };
        };
    };
    login: {
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
                 *       "email": "ada@example.com",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": {
                    email: components["schemas"]["Email"];
                    /** Password of the account. */
                    password: components["schemas"]["GivenPassword"];
                };
            };
        };
        responses: {
            /** Tokens and user of the new session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWMiLCJleHAiOjE3Njk4NTA5MDB9.A-ooXSQ6LLD3LHUYmA8gl36pwBn7N6tAg0aj4pXS7wUSU4YLvjmSZgVpsl5iEvAPfq4vg9xp8ScicS4FS_suBw",
                     *       "refreshToken": "AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw",
                     *       "expiresIn": 900,
                     *       "user": {
                     *         "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *         "email": "ada@example.com",
                     *         "emailVerified": true,
                     *         "role": "user",
                     *         "status": "active",
                     *         "phone": "+4915112345678",
                     *         "phoneVerified": true,
                     *         "createdAt": "2026-01-12T08:30:00.000Z",
                     *         "updatedAt": "2026-01-31T08:05:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignIn"];
                };
            };
        };
    };
    loginWithPasskey: {
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
                 *       "credential": {
                 *         "id": "pU3KGCUwux1tEyze1iN7Lg",
                 *         "rawId": "pU3KGCUwux1tEyze1iN7Lg",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiMlI0X2NoX0xHWEVYUkpUV1NUeWRYRFJndmpFZ0htbi0ycUR1NkxtWmYxdyIsIm9yaWdpbiI6Imh0dHBzOi8vZGVtby1zYW5kYm94LmF1dGguZXhhbXBsZS5jb20iLCJjcm9zc09yaWdpbiI6ZmFsc2V9",
                 *           "authenticatorData": "ZA3Mz8VB5URBAng5SV6xpbsVEHOtjKS1YgIaCJhluocdAAAAAA",
                 *           "signature": "MEQCIE3JNfbNH2EiauFTOK4aNABNM7oNJGrATIGxuvI-O_nuAiB1958rSTSvh_VSC2m5Sw2YLoW7VbZyqHJjes10Zvy2Dg",
                 *           "userHandle": "AZuxU4dAcpmVLaOmVg4jnA"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    credential: components["schemas"]["PasskeyAssertion"];
                };
            };
        };
        responses: {
            /** Tokens and user of the new session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWMiLCJleHAiOjE3Njk4NTA5MDB9.A-ooXSQ6LLD3LHUYmA8gl36pwBn7N6tAg0aj4pXS7wUSU4YLvjmSZgVpsl5iEvAPfq4vg9xp8ScicS4FS_suBw",
                     *       "refreshToken": "AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw",
                     *       "expiresIn": 900,
                     *       "user": {
                     *         "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *         "email": "ada@example.com",
                     *         "emailVerified": true,
                     *         "role": "user",
                     *         "status": "active",
                     *         "phone": "+4915112345678",
                     *         "phoneVerified": true,
                     *         "createdAt": "2026-01-12T08:30:00.000Z",
                     *         "updatedAt": "2026-01-31T08:05:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignIn"];
                };
            };
        };
    };
    signInExternally: {
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
                 *       "nonce": "n-0S6_WzA2Mj",
                 *       "idToken": "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUuY29tIiwic3ViIjoiYWRhIn0.GFa5YuMPUgczWzsg9VUsRldeTVUJ_O2Qp432Mmoqo6c"
                 *     }
                 */
                "application/json": {
                    idToken: components["schemas"]["IdToken"];
                    nonce?: components["schemas"]["Nonce"];
                };
            };
        };
        responses: {
            /** Tokens and user of the new session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWMiLCJleHAiOjE3Njk4NTA5MDB9.A-ooXSQ6LLD3LHUYmA8gl36pwBn7N6tAg0aj4pXS7wUSU4YLvjmSZgVpsl5iEvAPfq4vg9xp8ScicS4FS_suBw",
                     *       "refreshToken": "AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw",
                     *       "expiresIn": 900,
                     *       "user": {
                     *         "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *         "email": "ada@example.com",
                     *         "emailVerified": true,
                     *         "role": "user",
                     *         "status": "active",
                     *         "phone": "+4915112345678",
                     *         "phoneVerified": true,
                     *         "createdAt": "2026-01-12T08:30:00.000Z",
                     *         "updatedAt": "2026-01-31T08:05:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignIn"];
                };
            };
            /** Tokens and user of the new session */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWMiLCJleHAiOjE3Njk4NTA5MDB9.A-ooXSQ6LLD3LHUYmA8gl36pwBn7N6tAg0aj4pXS7wUSU4YLvjmSZgVpsl5iEvAPfq4vg9xp8ScicS4FS_suBw",
                     *       "refreshToken": "AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw",
                     *       "expiresIn": 900,
                     *       "user": {
                     *         "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *         "email": "ada@example.com",
                     *         "emailVerified": true,
                     *         "role": "user",
                     *         "status": "active",
                     *         "phone": "+4915112345678",
                     *         "phoneVerified": true,
                     *         "createdAt": "2026-01-12T08:30:00.000Z",
                     *         "updatedAt": "2026-01-31T08:05:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignIn"];
                };
            };
        };
    };
    refresh: {
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
                 *       "refreshToken": "AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw"
                 *     }
                 */
                "application/json": {
                    /**
                     * Refresh token of the session.
                     * @example AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw
                     */
                    refreshToken: string;
                };
            };
        };
        responses: {
            /** New tokens of the session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWMiLCJleHAiOjE3Njk4NTA5MDB9.A-ooXSQ6LLD3LHUYmA8gl36pwBn7N6tAg0aj4pXS7wUSU4YLvjmSZgVpsl5iEvAPfq4vg9xp8ScicS4FS_suBw",
                     *       "refreshToken": "AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw",
                     *       "expiresIn": 900
                     *     }
                     */
                    "application/json": components["schemas"]["Tokens"];
                };
            };
        };
    };
    logout: {
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
                 *       "refreshToken": "AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw"
                 *     }
                 */
                "application/json": {
                    /**
                     * Refresh token of the session.
                     * @example AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw
                     */
                    refreshToken: string;
                };
            };
        };
        responses: {
            /** The session has ended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "loggedOut": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `true`.
                         * @example true
                         */
                        loggedOut: true;
                    };
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The account */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "email": "ada@example.com",
                     *       "emailVerified": true,
                     *       "role": "user",
                     *       "status": "active",
                     *       "phone": "+4915112345678",
                     *       "phoneVerified": true,
                     *       "createdAt": "2026-01-12T08:30:00.000Z",
                     *       "updatedAt": "2026-01-31T08:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The account is deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "erasureId": "019c1347-d280-7ffb-a9a3-5da82b657390"
                     *     }
                     */
                    "application/json": components["schemas"]["DeletedAccount"];
                };
            };
        };
    };
    exportMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
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
                     * @example {"type":"account","userId":"019bb153-8740-7299-952d-a3a6560e239c","email":"ada@example.com","emailVerified":true,"role":"user","status":"active","phone":null,"phoneVerified":false,"createdAt":"2026-01-12T09:00:00.000Z","updatedAt":"2026-01-12T09:00:00.000Z","totp":false,"recoveryCodesLeft":0}
                     *     {"type":"session","sessionId":"019c1347-d280-7ffb-a9a3-5da82b657392","amr":["pwd"],"userAgent":"Example/1.0","address":"203.0.113.7","createdAt":"2026-01-30T09:00:00.000Z","lastUsedAt":"2026-01-30T09:00:00.000Z","expiresAt":"2026-03-01T09:00:00.000Z","endedAt":"2026-01-31T08:00:00.000Z"}
                     *     {"type":"email_link","purpose":"verify_email","email":"ada@example.com","createdAt":"2026-01-30T09:00:00.000Z","expiresAt":"2026-02-06T09:00:00.000Z"}
                     *     {"type":"activity","activityId":"019c1347-d280-7ffb-a9a3-5da82b657391","at":"2026-01-31T09:00:00.000Z","activityType":"sign_in","result":"success","ip":"203.0.113.7","userAgent":"Example/1.0"}
                     */
                    "application/x-ndjson": unknown;
                };
            };
        };
    };
    changePassword: {
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
                 *       "currentPassword": "correct horse battery",
                 *       "newPassword": "staple of another horse"
                 *     }
                 */
                "application/json": {
                    /** Current password of the account. */
                    currentPassword: components["schemas"]["GivenPassword"];
                    /**
                     * New password.
                     * @example staple of another horse
                     */
                    newPassword: components["schemas"]["Password"];
                };
            };
        };
        responses: {
            /** The password is changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "changed": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `true`.
                         * @example true
                         */
                        changed: true;
                    };
                };
            };
        };
    };
    listSessions: {
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
            /** A page of sessions, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "sessionId": "019c1310-e400-725e-911a-a06a6fbc0cc2",
                     *           "current": true,
                     *           "clientId": null,
                     *           "amr": [
                     *             "pwd",
                     *             "sms",
                     *             "mfa"
                     *           ],
                     *           "userAgent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15",
                     *           "address": "203.0.113.7",
                     *           "createdAt": "2026-01-31T08:00:00.000Z",
                     *           "lastUsedAt": "2026-01-31T08:45:00.000Z",
                     *           "expiresAt": "2026-03-02T08:45:00.000Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Sessions of this page. */
                        items: components["schemas"]["Session"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    endOtherSessions: {
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
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the session: the claim `sid` in the access tokens of the session.
                 * @example 019c1310-e400-725e-911a-a06a6fbc0cc2
                 */
                sessionId: components["schemas"]["Id"];
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
    reauthenticate: {
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
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": {
                    password: components["schemas"]["GivenPassword"];
                } | {
                    method: components["schemas"]["CodeMethod"];
                    code: components["schemas"]["Code"];
                } | {
                    credential: components["schemas"]["PasskeyAssertion"];
                } | {
                    idToken: components["schemas"]["IdToken"];
                    nonce?: components["schemas"]["Nonce"];
                };
            };
        };
        responses: {
            /** A new access token of the session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWMiLCJleHAiOjE3Njk4NTA5MDB9.A-ooXSQ6LLD3LHUYmA8gl36pwBn7N6tAg0aj4pXS7wUSU4YLvjmSZgVpsl5iEvAPfq4vg9xp8ScicS4FS_suBw",
                     *       "expiresIn": 900
                     *     }
                     */
                    "application/json": {
                        accessToken: components["schemas"]["AccessToken"];
                        expiresIn: components["schemas"]["ExpiresIn"];
                    };
                };
            };
        };
    };
    sendReauthenticationCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** The code is sent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "challengeType": "oob",
                     *       "oobChannel": "sms",
                     *       "phone": "+49*********78",
                     *       "sendsRemaining": 1,
                     *       "expiresIn": 241
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `oob` (out of band).
                         */
                        challengeType: "oob";
                        /**
                         * Always `sms`.
                         */
                        oobChannel: "sms";
                        /** Phone to which the code was sent, masked. */
                        phone: components["schemas"]["MaskedPhone"];
                        /**
                         * Format: int32
                         * Number of codes that may still be sent for this sign-in or reauthentication.
                         * @example 1
                         */
                        sendsRemaining: number;
                        /**
                         * Format: int32
                         * Seconds until the `mfa_token` expires. For a reauthentication, seconds until the code expires.
                         * @example 241
                         */
                        expiresIn: number;
                    };
                };
            };
        };
    };
    listActivity: {
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
            /** A page of activities, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "activityId": "019c1310-e400-7b1c-a6d2-3c5e7f901a2b",
                     *           "at": "2026-01-31T08:00:00.000Z",
                     *           "type": "sign_in",
                     *           "ip": "203.0.113.7",
                     *           "userAgent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15",
                     *           "result": "success"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Activities of this page. */
                        items: components["schemas"]["Activity"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    requestVerification: {
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
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": {
                    /** Email of the account. Required without a user token, otherwise ignored. */
                    email?: components["schemas"]["Email"];
                };
            };
        };
        responses: {
            /** The service has accepted the request. The response does not show whether it sends an email. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    verifyEmail: {
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
                 *       "token": "Ry8nKq2VwB5tHc0mXe7sLd1pZa4uJg9oFi3xNv6yQkM"
                 *     }
                 */
                "application/json": {
                    token: components["schemas"]["EmailToken"];
                };
            };
        };
        responses: {
            /** The email is verified */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "emailVerified": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `true`.
                         * @example true
                         */
                        emailVerified: true;
                    };
                };
            };
        };
    };
    requestPasswordReset: {
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
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": {
                    email: components["schemas"]["Email"];
                };
            };
        };
        responses: {
            /** The service has accepted the request. The response does not show whether it sends an email. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    resetPassword: {
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
                 *       "token": "Ry8nKq2VwB5tHc0mXe7sLd1pZa4uJg9oFi3xNv6yQkM",
                 *       "newPassword": "staple of another horse"
                 *     }
                 */
                "application/json": {
                    token: components["schemas"]["EmailToken"];
                    /**
                     * New password.
                     * @example staple of another horse
                     */
                    newPassword: components["schemas"]["Password"];
                };
            };
        };
        responses: {
            /** The new password is set */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "reset": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `true`.
                         * @example true
                         */
                        reset: true;
                    };
                };
            };
        };
    };
    changeEmail: {
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
                 *       "newEmail": "ada.lovelace@example.com"
                 *     }
                 */
                "application/json": {
                    /** @example ada.lovelace@example.com */
                    newEmail: components["schemas"]["NewEmail"];
                };
            };
        };
        responses: {
            /** The service has accepted the request. The response does not show whether it sends an email. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    confirmEmail: {
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
                 *       "token": "Ry8nKq2VwB5tHc0mXe7sLd1pZa4uJg9oFi3xNv6yQkM"
                 *     }
                 */
                "application/json": {
                    token: components["schemas"]["EmailToken"];
                };
            };
        };
        responses: {
            /** The email is changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "ada.lovelace@example.com"
                     *     }
                     */
                    "application/json": {
                        /**
                         * New email of the account.
                         * @example ada.lovelace@example.com
                         */
                        email: components["schemas"]["Email"];
                    };
                };
            };
        };
    };
    revertEmail: {
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
                 *       "token": "Ry8nKq2VwB5tHc0mXe7sLd1pZa4uJg9oFi3xNv6yQkM"
                 *     }
                 */
                "application/json": {
                    token: components["schemas"]["EmailToken"];
                };
            };
        };
        responses: {
            /** The account has its old email */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "ada@example.com"
                     *     }
                     */
                    "application/json": {
                        /** Old email of the account. */
                        email: components["schemas"]["Email"];
                    };
                };
            };
        };
    };
    acceptInvitation: {
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
                 *       "token": "Ry8nKq2VwB5tHc0mXe7sLd1pZa4uJg9oFi3xNv6yQkM",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": {
                    token: components["schemas"]["EmailToken"];
                    /** Password of the account. */
                    password: components["schemas"]["Password"];
                };
            };
        };
        responses: {
            /** Tokens and user of the new session */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWMiLCJleHAiOjE3Njk4NTA5MDB9.A-ooXSQ6LLD3LHUYmA8gl36pwBn7N6tAg0aj4pXS7wUSU4YLvjmSZgVpsl5iEvAPfq4vg9xp8ScicS4FS_suBw",
                     *       "refreshToken": "AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw",
                     *       "expiresIn": 900,
                     *       "user": {
                     *         "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *         "email": "ada@example.com",
                     *         "emailVerified": true,
                     *         "role": "user",
                     *         "status": "active",
                     *         "phone": "+4915112345678",
                     *         "phoneVerified": true,
                     *         "createdAt": "2026-01-12T08:30:00.000Z",
                     *         "updatedAt": "2026-01-31T08:05:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignIn"];
                };
            };
        };
    };
    listIdentities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The identities */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "identityId": "019c1316-1fc0-7a53-8c1d-0d4a5f6b7c8e",
                     *           "issuer": "https://login.example.com",
                     *           "subject": "00u1ada",
                     *           "email": "ada@example.com",
                     *           "createdAt": "2026-01-31T08:10:00.000Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Identities of the account. */
                        items: components["schemas"]["Identity"][];
                        /** Always `null`: all identities are on one page. */
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    linkIdentity: {
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
                 *       "nonce": "n-0S6_WzA2Mj",
                 *       "idToken": "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUuY29tIiwic3ViIjoiYWRhIn0.GFa5YuMPUgczWzsg9VUsRldeTVUJ_O2Qp432Mmoqo6c"
                 *     }
                 */
                "application/json": {
                    idToken: components["schemas"]["IdToken"];
                    nonce?: components["schemas"]["Nonce"];
                };
            };
        };
        responses: {
            /** The linked identity */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "identityId": "019c1316-1fc0-7a53-8c1d-0d4a5f6b7c8e",
                     *       "issuer": "https://login.example.com",
                     *       "subject": "00u1ada",
                     *       "email": "ada@example.com",
                     *       "createdAt": "2026-01-31T08:10:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Identity"];
                };
            };
        };
    };
    unlinkIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the identity.
                 * @example 019c1316-1fc0-7a53-8c1d-0d4a5f6b7c8e
                 */
                identityId: components["schemas"]["Id"];
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
    createPasskeyOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** Options for `navigator.credentials.create` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "rp": {
                     *         "id": "demo-sandbox.auth.example.com",
                     *         "name": "Demo Inc."
                     *       },
                     *       "user": {
                     *         "id": "AZuxU4dAcpmVLaOmVg4jnA",
                     *         "name": "ada@example.com",
                     *         "displayName": "ada@example.com"
                     *       },
                     *       "challenge": "2R4_ch_LGXEXRJTWSTydXDRgvjEgHmn-2qDu6LmZf1w",
                     *       "pubKeyCredParams": [
                     *         {
                     *           "type": "public-key",
                     *           "alg": -8
                     *         },
                     *         {
                     *           "type": "public-key",
                     *           "alg": -7
                     *         },
                     *         {
                     *           "type": "public-key",
                     *           "alg": -257
                     *         }
                     *       ],
                     *       "timeout": 300000,
                     *       "excludeCredentials": [],
                     *       "authenticatorSelection": {
                     *         "residentKey": "required",
                     *         "requireResidentKey": true,
                     *         "userVerification": "required"
                     *       },
                     *       "attestation": "none"
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyCreationOptions"];
                };
            };
        };
    };
    listPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The passkeys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "passkeyId": "019c1318-0a00-7c21-9e4f-2b7d8c9e0f1a",
                     *           "name": "Ada's phone",
                     *           "createdAt": "2026-01-31T08:12:00.000Z",
                     *           "lastUsedAt": "2026-01-31T09:00:00.000Z",
                     *           "backedUp": true,
                     *           "transports": [
                     *             "internal",
                     *             "hybrid"
                     *           ]
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Passkeys of the account. */
                        items: components["schemas"]["Passkey"][];
                        /** Always `null`: all passkeys are on one page. */
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    registerPasskey: {
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
                 *       "name": "Ada's phone",
                 *       "credential": {
                 *         "id": "pU3KGCUwux1tEyze1iN7Lg",
                 *         "rawId": "pU3KGCUwux1tEyze1iN7Lg",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiMlI0X2NoX0xHWEVYUkpUV1NUeWRYRFJndmpFZ0htbi0ycUR1NkxtWmYxdyIsIm9yaWdpbiI6Imh0dHBzOi8vZGVtby1zYW5kYm94LmF1dGguZXhhbXBsZS5jb20iLCJjcm9zc09yaWdpbiI6ZmFsc2V9",
                 *           "attestationObject": "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViUZA3Mz8VB5URBAng5SV6xpbsVEHOtjKS1YgIaCJhluoddAAAAAHcG-F2GkAJK1r2jQBvpyMsAEKVNyhglMLsdbRMs3tYjey6lAQIDJiABIVggfCmZ_a_lkyU81lSvTfrXFCegrrP-6SMvivIhH57kkcUiWCCxC-y1Vjv8Hm-TQn7LyP4pVeXNjkbcjtS3wnZNKlpNdg",
                 *           "transports": [
                 *             "internal",
                 *             "hybrid"
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    name: components["schemas"]["PasskeyName"];
                    credential: components["schemas"]["PasskeyRegistration"];
                };
            };
        };
        responses: {
            /** The new passkey, and what the enrolment of a factor brings */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "passkeyId": "019c1318-0a00-7c21-9e4f-2b7d8c9e0f1a",
                     *       "name": "Ada's phone",
                     *       "createdAt": "2026-01-31T08:12:00.000Z",
                     *       "lastUsedAt": null,
                     *       "backedUp": true,
                     *       "transports": [
                     *         "internal",
                     *         "hybrid"
                     *       ],
                     *       "recoveryCodes": [
                     *         "1GC5-1JW6-87WW-KVGE",
                     *         "CRA5-RPSD-GMNW-5715",
                     *         "TFMK-CK8Q-96W9-HB7P",
                     *         "96NZ-NNYB-XRK8-600T",
                     *         "DR91-14FA-B7A9-E108",
                     *         "EQP4-RZ0T-1WTT-MGER",
                     *         "7F2C-W3MN-6Q85-FJ7B",
                     *         "0D23-JKTT-Z9FT-7053",
                     *         "FNAG-4F26-6FZX-A5V0",
                     *         "FBRW-Q61W-0CD3-E2MT"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Passkey"] & components["schemas"]["ConfirmedFactor"];
                };
            };
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the passkey.
                 * @example 019c1318-0a00-7c21-9e4f-2b7d8c9e0f1a
                 */
                passkeyId: components["schemas"]["Id"];
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
    createPasskeyChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    mfa_token?: components["schemas"]["OptionalMfaToken"];
                };
            };
        };
        responses: {
            /** Options for `navigator.credentials.get` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "challenge": "2R4_ch_LGXEXRJTWSTydXDRgvjEgHmn-2qDu6LmZf1w",
                     *       "timeout": 300000,
                     *       "rpId": "demo-sandbox.auth.example.com",
                     *       "allowCredentials": [],
                     *       "userVerification": "required"
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyRequestOptions"];
                };
            };
        };
    };
    sendChallenge: {
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
                 *       "mfa_token": "9mB3qS0cW1nVt7yKxZ4hJ2rLd8pQf6uA5eGiTjHkRwM",
                 *       "challenge_type": "oob",
                 *       "oob_channel": "sms"
                 *     }
                 */
                "application/json": {
                    mfa_token: components["schemas"]["MfaToken"];
                    /**
                     * Always `oob` (out of band).
                     */
                    challenge_type: "oob";
                    /**
                     * Always `sms`.
                     */
                    oob_channel: "sms";
                };
            };
        };
        responses: {
            /** The code is sent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "challengeType": "oob",
                     *       "oobChannel": "sms",
                     *       "phone": "+49*********78",
                     *       "sendsRemaining": 1,
                     *       "expiresIn": 241
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `oob` (out of band).
                         */
                        challengeType: "oob";
                        /**
                         * Always `sms`.
                         */
                        oobChannel: "sms";
                        /** Phone to which the code was sent, masked. */
                        phone: components["schemas"]["MaskedPhone"];
                        /**
                         * Format: int32
                         * Number of codes that may still be sent for this sign-in or reauthentication.
                         * @example 1
                         */
                        sendsRemaining: number;
                        /**
                         * Format: int32
                         * Seconds until the `mfa_token` expires. For a reauthentication, seconds until the code expires.
                         * @example 241
                         */
                        expiresIn: number;
                    };
                };
            };
        };
    };
    verifyChallenge: {
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
                 *       "mfa_token": "9mB3qS0cW1nVt7yKxZ4hJ2rLd8pQf6uA5eGiTjHkRwM",
                 *       "method": "sms",
                 *       "code": "123456",
                 *       "trustDevice": true
                 *     }
                 */
                "application/json": {
                    mfa_token: components["schemas"]["MfaToken"];
                    method: components["schemas"]["CodeMethod"];
                    code: components["schemas"]["Code"];
                    trustDevice?: components["schemas"]["TrustDevice"];
                } | {
                    mfa_token: components["schemas"]["MfaToken"];
                    /**
                     * `passkey`.
                     */
                    method: "passkey";
                    credential: components["schemas"]["PasskeyAssertion"];
                    trustDevice?: components["schemas"]["TrustDevice"];
                };
            };
        };
        responses: {
            /** Tokens of the new session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTliYjE1My04NzQwLTcyOTktOTUyZC1hM2E2NTYwZTIzOWMiLCJleHAiOjE3Njk4NTA5MDB9.A-ooXSQ6LLD3LHUYmA8gl36pwBn7N6tAg0aj4pXS7wUSU4YLvjmSZgVpsl5iEvAPfq4vg9xp8ScicS4FS_suBw",
                     *       "refreshToken": "AYkAAAAAcACAAAAAAAAAAQAAAAG0pG3lTRkPc1hV9o2mX8yqE5uWzB7nKdJt4sLfHgRiCw",
                     *       "expiresIn": 900
                     *     }
                     */
                    "application/json": components["schemas"]["Tokens"];
                };
            };
        };
    };
    setUpSms: {
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
                 *       "phone": "+4915112345678"
                 *     }
                 */
                "application/json": {
                    phone: components["schemas"]["Phone"];
                };
            };
        };
        responses: {
            /** The code is sent, unless the phone has opted out */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "A code was sent by SMS.",
                     *       "phone": "+4915112345678"
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always the same text.
                         */
                        message: "A code was sent by SMS.";
                        phone: components["schemas"]["Phone"];
                    };
                };
            };
        };
    };
    confirmSms: {
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
                 *       "code": "123456"
                 *     }
                 */
                "application/json": {
                    /** Code from the SMS, or code that the authenticator app shows. */
                    code: components["schemas"]["Code"];
                };
            };
        };
        responses: {
            /**
             * The new recovery codes, if any. No later response contains them. If the request had an `enrollment_token`: also
             *     the tokens and the user of the new session.
             */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "1GC5-1JW6-87WW-KVGE",
                     *         "CRA5-RPSD-GMNW-5715",
                     *         "TFMK-CK8Q-96W9-HB7P",
                     *         "96NZ-NNYB-XRK8-600T",
                     *         "DR91-14FA-B7A9-E108",
                     *         "EQP4-RZ0T-1WTT-MGER",
                     *         "7F2C-W3MN-6Q85-FJ7B",
                     *         "0D23-JKTT-Z9FT-7053",
                     *         "FNAG-4F26-6FZX-A5V0",
                     *         "FBRW-Q61W-0CD3-E2MT"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConfirmedFactor"];
                };
            };
        };
    };
    disableSms: {
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
                 *       "code": "7QX2-M4KD-0V9T-HRBN"
                 *     }
                 */
                "application/json": {
                    /**
                     * Code of the authenticator app, or a recovery code.
                     * @example 7QX2-M4KD-0V9T-HRBN
                     */
                    code: components["schemas"]["Code"];
                };
            };
        };
        responses: {
            /** The factor is removed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "disabled": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `true`.
                         * @example true
                         */
                        disabled: true;
                    };
                };
            };
        };
    };
    setUpTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The new secret. No later response contains the secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "FNTP3W5FF22IKVC5XM3XUZJL4CLMMJ23",
                     *       "otpauthUrl": "otpauth://totp/Demo%20Inc.:ada%40example.com?secret=FNTP3W5FF22IKVC5XM3XUZJL4CLMMJ23&issuer=Demo%20Inc.&algorithm=SHA1&digits=6&period=30"
                     *     }
                     */
                    "application/json": {
                        /**
                         * Secret for the authenticator app: 20 bytes in base32.
                         * @example FNTP3W5FF22IKVC5XM3XUZJL4CLMMJ23
                         */
                        secret: string;
                        /**
                         * Format: uri
                         * The same secret as a URL for a QR code.
                         * @example otpauth://totp/Demo%20Inc.:ada%40example.com?secret=FNTP3W5FF22IKVC5XM3XUZJL4CLMMJ23&issuer=Demo%20Inc.&algorithm=SHA1&digits=6&period=30
                         */
                        otpauthUrl: string;
                    };
                };
            };
        };
    };
    confirmTotp: {
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
                 *       "code": "123456"
                 *     }
                 */
                "application/json": {
                    /** Code from the SMS, or code that the authenticator app shows. */
                    code: components["schemas"]["Code"];
                };
            };
        };
        responses: {
            /**
             * The new recovery codes, if any. No later response contains them. If the request had an `enrollment_token`: also
             *     the tokens and the user of the new session.
             */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "1GC5-1JW6-87WW-KVGE",
                     *         "CRA5-RPSD-GMNW-5715",
                     *         "TFMK-CK8Q-96W9-HB7P",
                     *         "96NZ-NNYB-XRK8-600T",
                     *         "DR91-14FA-B7A9-E108",
                     *         "EQP4-RZ0T-1WTT-MGER",
                     *         "7F2C-W3MN-6Q85-FJ7B",
                     *         "0D23-JKTT-Z9FT-7053",
                     *         "FNAG-4F26-6FZX-A5V0",
                     *         "FBRW-Q61W-0CD3-E2MT"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConfirmedFactor"];
                };
            };
        };
    };
    disableTotp: {
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
                 *       "code": "7QX2-M4KD-0V9T-HRBN"
                 *     }
                 */
                "application/json": {
                    /**
                     * Code of the authenticator app, or a recovery code.
                     * @example 7QX2-M4KD-0V9T-HRBN
                     */
                    code: components["schemas"]["Code"];
                };
            };
        };
        responses: {
            /** The factor is removed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "disabled": true
                     *     }
                     */
                    "application/json": {
                        /**
                         * Always `true`.
                         * @example true
                         */
                        disabled: true;
                    };
                };
            };
        };
    };
    getFactors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The factors */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "factors": [
                     *         "sms"
                     *       ],
                     *       "phone": "+49*********78",
                     *       "recoveryCodesLeft": 10
                     *     }
                     */
                    "application/json": {
                        /**
                         * Enrolled factors. `passkey`: the user has at least one passkey.
                         * @example [
                         *       "sms"
                         *     ]
                         */
                        factors: ("sms" | "totp" | "passkey")[];
                        /**
                         * Phone of the account, masked. `null`: the account has no phone.
                         * @example +49*********78
                         */
                        phone: components["schemas"]["MaskedPhone"] | null;
                        /**
                         * Format: int32
                         * Number of unused recovery codes.
                         * @example 10
                         */
                        recoveryCodesLeft: number;
                    };
                };
            };
        };
    };
    replaceRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "code": "7QX2-M4KD-0V9T-HRBN"
                 *     }
                 */
                "application/json": {
                    /**
                     * Code of the authenticator app, or a recovery code. May be omitted.
                     * @example 7QX2-M4KD-0V9T-HRBN
                     */
                    code?: components["schemas"]["Code"];
                };
            };
        };
        responses: {
            /** The new recovery codes. No later response contains them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "1GC5-1JW6-87WW-KVGE",
                     *         "CRA5-RPSD-GMNW-5715",
                     *         "TFMK-CK8Q-96W9-HB7P",
                     *         "96NZ-NNYB-XRK8-600T",
                     *         "DR91-14FA-B7A9-E108",
                     *         "EQP4-RZ0T-1WTT-MGER",
                     *         "7F2C-W3MN-6Q85-FJ7B",
                     *         "0D23-JKTT-Z9FT-7053",
                     *         "FNAG-4F26-6FZX-A5V0",
                     *         "FBRW-Q61W-0CD3-E2MT"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        recoveryCodes: components["schemas"]["RecoveryCodes"];
                    };
                };
            };
        };
    };
    listDevices: {
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
            /** A page of trusted devices, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "deviceId": "019c1315-77e0-7fb4-9dae-bfad0b6b790f",
                     *           "userAgent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15",
                     *           "createdAt": "2026-01-31T08:05:00.000Z",
                     *           "lastUsedAt": "2026-01-31T08:05:00.000Z",
                     *           "expiresAt": "2026-03-02T08:05:00.000Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Trusted devices of this page. */
                        items: components["schemas"]["Device"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    forgetDevices: {
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
    forgetDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the trusted device.
                 * @example 019c1315-77e0-7fb4-9dae-bfad0b6b790f
                 */
                deviceId: components["schemas"]["Id"];
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
    listMembers: {
        parameters: {
            query?: {
                /**
                 * Only the user with this email. The comparison ignores case.
                 * @example ada@example.com
                 */
                email?: string;
                /**
                 * Only users whose email contains this text. The comparison ignores case.
                 * @example @example.com
                 */
                q?: string;
                /**
                 * Only users with this role.
                 * @example admin
                 */
                role?: components["schemas"]["Role"];
                /**
                 * Only users with this status.
                 * @example invited
                 */
                status?: components["schemas"]["UserStatus"];
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
            /** A page of users, newest first */
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
                     *           "email": "ada@example.com",
                     *           "emailVerified": true,
                     *           "role": "user",
                     *           "status": "active",
                     *           "phone": "+4915112345678",
                     *           "phoneVerified": true,
                     *           "createdAt": "2026-01-12T08:30:00.000Z",
                     *           "updatedAt": "2026-01-31T08:05:00.000Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Users of this page. */
                        items: components["schemas"]["User"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    createMember: {
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
                 *       "email": "ada@example.com",
                 *       "role": "user",
                 *       "password": "correct horse battery",
                 *       "emailVerified": true
                 *     }
                 */
                "application/json": {
                    email: components["schemas"]["NewEmail"];
                    /**
                     * Role of the user. `null` means `user`.
                     * @example user
                     */
                    role?: components["schemas"]["Role"] | null;
                    /**
                     * Password of the user. `null`: no password.
                     * @example correct horse battery
                     */
                    password?: components["schemas"]["Password"] | null;
                    passwordHash?: components["schemas"]["PasswordHash"];
                    /**
                     * Whether your backend has already verified the email. `null` means `false`.
                     * @default false
                     * @example true
                     */
                    emailVerified?: boolean | null;
                    /**
                     * Whether the service sends an invitation. `null` means `false`.
                     * @default false
                     * @example false
                     */
                    invite?: boolean | null;
                };
            };
        };
        responses: {
            /** The new user */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "email": "ada@example.com",
                     *       "emailVerified": true,
                     *       "role": "user",
                     *       "status": "active",
                     *       "phone": null,
                     *       "phoneVerified": false,
                     *       "createdAt": "2026-01-12T08:30:00.000Z",
                     *       "updatedAt": "2026-01-12T08:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    getMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user: the claim `sub` in the user's access tokens.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "email": "ada@example.com",
                     *       "emailVerified": true,
                     *       "role": "user",
                     *       "status": "active",
                     *       "phone": "+4915112345678",
                     *       "phoneVerified": true,
                     *       "createdAt": "2026-01-12T08:30:00.000Z",
                     *       "updatedAt": "2026-01-31T08:05:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user: the claim `sub` in the user's access tokens.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The account is deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": true,
                     *       "erasureId": "019c1347-d280-7ffb-a9a3-5da82b657390"
                     *     }
                     */
                    "application/json": components["schemas"]["DeletedAccount"];
                };
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user: the claim `sub` in the user's access tokens.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "admin"
                 *     }
                 */
                "application/json": {
                    role?: components["schemas"]["Role"];
                    /**
                     * Whether the user can sign in. `disabled`: all sessions end, and sign-ins are refused. `active`: the
                     *     user can sign in again. A member without a password and an identity becomes `invited` instead.
                     * @example active
                     */
                    status?: "active" | "disabled";
                };
            };
        };
        responses: {
            /** The user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "email": "ada@example.com",
                     *       "emailVerified": true,
                     *       "role": "admin",
                     *       "status": "active",
                     *       "phone": "+4915112345678",
                     *       "phoneVerified": true,
                     *       "createdAt": "2026-01-12T08:30:00.000Z",
                     *       "updatedAt": "2026-01-31T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    resetMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user: the claim `sub` in the user's access tokens.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["Id"];
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
    exportMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user: the claim `sub` in the user's access tokens.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["Id"];
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
                     * @example {"type":"account","userId":"019bb153-8740-7299-952d-a3a6560e239c","email":"ada@example.com","emailVerified":true,"role":"user","status":"active","phone":null,"phoneVerified":false,"createdAt":"2026-01-12T09:00:00.000Z","updatedAt":"2026-01-12T09:00:00.000Z","totp":false,"recoveryCodesLeft":0}
                     *     {"type":"session","sessionId":"019c1347-d280-7ffb-a9a3-5da82b657392","amr":["pwd"],"userAgent":"Example/1.0","address":"203.0.113.7","createdAt":"2026-01-30T09:00:00.000Z","lastUsedAt":"2026-01-30T09:00:00.000Z","expiresAt":"2026-03-01T09:00:00.000Z","endedAt":"2026-01-31T08:00:00.000Z"}
                     *     {"type":"email_link","purpose":"verify_email","email":"ada@example.com","createdAt":"2026-01-30T09:00:00.000Z","expiresAt":"2026-02-06T09:00:00.000Z"}
                     *     {"type":"activity","activityId":"019c1347-d280-7ffb-a9a3-5da82b657391","at":"2026-01-31T09:00:00.000Z","activityType":"sign_in","result":"success","ip":"203.0.113.7","userAgent":"Example/1.0"}
                     */
                    "application/x-ndjson": unknown;
                };
            };
        };
    };
    endMemberSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the user: the claim `sub` in the user's access tokens.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["Id"];
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
    listMemberActivity: {
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
                 * Identifier of the user: the claim `sub` in the user's access tokens.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
                 */
                userId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** A page of activities, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "activityId": "019c1310-e400-7b1c-a6d2-3c5e7f901a2b",
                     *           "at": "2026-01-31T08:00:00.000Z",
                     *           "type": "sign_in",
                     *           "ip": "203.0.113.7",
                     *           "userAgent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15",
                     *           "result": "success"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Activities of this page. */
                        items: components["schemas"]["Activity"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    listErasures: {
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
            /** A page of erasures, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "erasureId": "019c1347-d280-7ffb-a9a3-5da82b657390",
                     *           "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *           "requestedAt": "2026-01-31T09:00:00.000Z",
                     *           "completedAt": null,
                     *           "targets": [
                     *             {
                     *               "service": "feedback",
                     *               "status": "done",
                     *               "attempts": 1,
                     *               "lastError": null,
                     *               "doneAt": "2026-01-31T09:00:01.000Z"
                     *             },
                     *             {
                     *               "service": "notify",
                     *               "status": "pending",
                     *               "attempts": 2,
                     *               "lastError": "the service answered 503",
                     *               "doneAt": null
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Erasures of this page. */
                        items: components["schemas"]["Erasure"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    getErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the erasure.
                 * @example 019c1347-d280-7ffb-a9a3-5da82b657390
                 */
                erasureId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The erasure */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "erasureId": "019c1347-d280-7ffb-a9a3-5da82b657390",
                     *       "userId": "019bb153-8740-7299-952d-a3a6560e239c",
                     *       "requestedAt": "2026-01-31T09:00:00.000Z",
                     *       "completedAt": null,
                     *       "targets": [
                     *         {
                     *           "service": "feedback",
                     *           "status": "done",
                     *           "attempts": 1,
                     *           "lastError": null,
                     *           "doneAt": "2026-01-31T09:00:01.000Z"
                     *         },
                     *         {
                     *           "service": "notify",
                     *           "status": "pending",
                     *           "attempts": 2,
                     *           "lastError": "the service answered 503",
                     *           "doneAt": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Erasure"];
                };
            };
        };
    };
    listClients: {
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
            /** A page of clients, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "clientId": "019c1348-0b20-7e51-8a3c-6d9f0b1c2d3e",
                     *           "name": "Demo app",
                     *           "type": "public",
                     *           "redirectUris": [
                     *             "https://app.example.com/callback"
                     *           ],
                     *           "postLogoutRedirectUris": [
                     *             "https://app.example.com/"
                     *           ],
                     *           "backchannelLogoutUri": null,
                     *           "idTokenSigningAlg": "RS256",
                     *           "jwks": null,
                     *           "createdAt": "2026-01-31T09:00:00.000Z",
                     *           "updatedAt": "2026-01-31T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "cursor": null
                     *     }
                     */
                    "application/json": {
                        /** Clients of this page. */
                        items: components["schemas"]["Client"][];
                        cursor: components["schemas"]["Cursor"];
                    };
                };
            };
        };
    };
    createClient: {
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
                 *       "name": "Demo app",
                 *       "type": "public",
                 *       "redirectUris": [
                 *         "https://app.example.com/callback"
                 *       ],
                 *       "postLogoutRedirectUris": [
                 *         "https://app.example.com/"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * Identifier that you choose for the client. It must not begin with `tetrad`, and must not be
                     *     `mfa-enrollment`, `feedback`, `notify` or `billing`. If it is absent, the
                     *     service generates a UUID.
                     */
                    clientId?: components["schemas"]["ClientId"];
                    name: components["schemas"]["ClientName"];
                    type: components["schemas"]["ClientType"];
                    redirectUris: components["schemas"]["RedirectUris"];
                    postLogoutRedirectUris?: components["schemas"]["PostLogoutRedirectUris"];
                    backchannelLogoutUri?: components["schemas"]["BackchannelLogoutUri"];
                    /** @default RS256 */
                    idTokenSigningAlg?: components["schemas"]["IdTokenSigningAlg"];
                    jwks?: components["schemas"]["ClientKeysOrNull"];
                };
            };
        };
        responses: {
            /** The client. If it has a secret, no later response contains the secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "clientId": "019c1348-0b20-7e51-8a3c-6d9f0b1c2d3e",
                     *       "name": "Demo app",
                     *       "type": "public",
                     *       "redirectUris": [
                     *         "https://app.example.com/callback"
                     *       ],
                     *       "postLogoutRedirectUris": [
                     *         "https://app.example.com/"
                     *       ],
                     *       "backchannelLogoutUri": null,
                     *       "idTokenSigningAlg": "RS256",
                     *       "jwks": null,
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "updatedAt": "2026-01-31T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Client"] & {
                        secret?: components["schemas"]["ClientSecret"];
                    };
                };
            };
        };
    };
    getClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the client.
                 * @example 019c1348-0b20-7e51-8a3c-6d9f0b1c2d3e
                 */
                clientId: components["schemas"]["ClientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The client */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "clientId": "019c1348-0b20-7e51-8a3c-6d9f0b1c2d3e",
                     *       "name": "Demo app",
                     *       "type": "public",
                     *       "redirectUris": [
                     *         "https://app.example.com/callback"
                     *       ],
                     *       "postLogoutRedirectUris": [
                     *         "https://app.example.com/"
                     *       ],
                     *       "backchannelLogoutUri": null,
                     *       "idTokenSigningAlg": "RS256",
                     *       "jwks": null,
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "updatedAt": "2026-01-31T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Client"];
                };
            };
        };
    };
    deleteClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the client.
                 * @example 019c1348-0b20-7e51-8a3c-6d9f0b1c2d3e
                 */
                clientId: components["schemas"]["ClientId"];
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
    updateClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the client.
                 * @example 019c1348-0b20-7e51-8a3c-6d9f0b1c2d3e
                 */
                clientId: components["schemas"]["ClientId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "redirectUris": [
                 *         "https://app.example.com/callback",
                 *         "https://beta.example.com/callback"
                 *       ]
                 *     }
                 */
                "application/json": {
                    name?: components["schemas"]["ClientName"];
                    redirectUris?: components["schemas"]["RedirectUris"];
                    postLogoutRedirectUris?: components["schemas"]["PostLogoutRedirectUris"];
                    backchannelLogoutUri?: components["schemas"]["BackchannelLogoutUri"];
                    idTokenSigningAlg?: components["schemas"]["IdTokenSigningAlg"];
                    jwks?: components["schemas"]["ClientKeysOrNull"];
                };
            };
        };
        responses: {
            /** The client */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "clientId": "019c1348-0b20-7e51-8a3c-6d9f0b1c2d3e",
                     *       "name": "Demo app",
                     *       "type": "public",
                     *       "redirectUris": [
                     *         "https://app.example.com/callback"
                     *       ],
                     *       "postLogoutRedirectUris": [
                     *         "https://app.example.com/"
                     *       ],
                     *       "backchannelLogoutUri": null,
                     *       "idTokenSigningAlg": "RS256",
                     *       "jwks": null,
                     *       "createdAt": "2026-01-31T09:00:00.000Z",
                     *       "updatedAt": "2026-01-31T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Client"];
                };
            };
        };
    };
    rotateClientSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Identifier of the client.
                 * @example 019c1348-0b20-7e51-8a3c-6d9f0b1c2d3e
                 */
                clientId: components["schemas"]["ClientId"];
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
                     * Seconds for which the replaced secret stays valid, at most 604,800 (7 days). Default: 0.
                     * @default 0
                     * @example 3600
                     */
                    gracePeriodSeconds?: number;
                };
            };
        };
        responses: {
            /** The new secret. No later response contains it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "clientId": "019c1348-0b20-7e51-8a3c-6d9f0b1c2d3e",
                     *       "secret": "q9Xz3vLk7TnB2mWc5RyD8hJpU4sG6fE1aVoN0iQtKxM"
                     *     }
                     */
                    "application/json": {
                        clientId: components["schemas"]["ClientId"];
                        secret: components["schemas"]["ClientSecret"];
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
                     *       "identityProviders": [
                     *         {
                     *           "issuer": "https://login.example.com",
                     *           "audience": "demo",
                     *           "jwksUrl": "https://login.example.com/jwks"
                     *         },
                     *         {
                     *           "name": "google",
                     *           "type": "oidc",
                     *           "issuer": "https://accounts.google.com",
                     *           "audience": "demo-1.apps.googleusercontent.com",
                     *           "clientId": "demo-1.apps.googleusercontent.com",
                     *           "hasClientSecret": true
                     *         }
                     *       ],
                     *       "allowedOrigins": [
                     *         "https://app.example.com"
                     *       ],
                     *       "brand": "Demo Inc.",
                     *       "smsCountries": [
                     *         "DE",
                     *         "US"
                     *       ],
                     *       "testPhones": [
                     *         {
                     *           "phone": "+14155550123",
                     *           "code": "314159"
                     *         }
                     *       ],
                     *       "emailVerification": "optional",
                     *       "signUp": "open",
                     *       "mfaPolicy": "optional",
                     *       "securityEmails": true,
                     *       "resetUrl": "https://app.example.com/reset",
                     *       "verifyUrl": null,
                     *       "inviteUrl": null,
                     *       "accentColor": "#1d4ed8",
                     *       "passkeyRpId": null,
                     *       "logo": {
                     *         "contentType": "image/png",
                     *         "width": 512,
                     *         "height": 128,
                     *         "sizeBytes": 18211,
                     *         "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                     *         "updatedAt": "2026-01-31T08:20:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** Identity providers with whose id tokens users may sign in. */
                        identityProviders: components["schemas"]["ShownIdentityProvider"][];
                        allowedOrigins: components["schemas"]["ShownOrigins"];
                        brand: components["schemas"]["Brand"];
                        smsCountries: components["schemas"]["SmsCountries"];
                        /** Phones of the sandbox with a fixed code. Empty in production. */
                        testPhones: components["schemas"]["TestPhone"][];
                        /**
                         * `required`: users sign in and refresh only with a verified email.
                         * @example optional
                         */
                        emailVerification: "optional" | "required";
                        /**
                         * `closed`: users cannot create accounts themselves.
                         * @example open
                         */
                        signUp: "open" | "closed";
                        /**
                         * Which users need a second factor to sign in. `required_for_staff`: admins and owners. `required`: all users.
                         * @example optional
                         */
                        mfaPolicy: "optional" | "required_for_staff" | "required";
                        /**
                         * Whether users get emails about sign-ins from unknown browsers, changes of passwords and factors, and linked identities. The
                         *     notice about a changed email is always sent.
                         * @example true
                         */
                        securityEmails: boolean;
                        resetUrl: components["schemas"]["LinkUrl"];
                        verifyUrl: components["schemas"]["LinkUrl"];
                        inviteUrl: components["schemas"]["LinkUrl"];
                        /**
                         * Colour of links and buttons on the hosted pages. `null` means the default colour.
                         * @example #1d4ed8
                         */
                        accentColor: string | null;
                        passkeyRpId: components["schemas"]["PasskeyRpId"];
                        /**
                         * Image on the hosted pages, set with `putLogo`. `null` if there is none.
                         * @example {
                         *       "contentType": "image/png",
                         *       "width": 512,
                         *       "height": 128,
                         *       "sizeBytes": 18211,
                         *       "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                         *       "updatedAt": "2026-01-31T08:20:00.000Z"
                         *     }
                         */
                        logo: components["schemas"]["Logo"] | null;
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
                 *       "brand": "Demo Inc.",
                 *       "smsCountries": [
                 *         "DE",
                 *         "US"
                 *       ],
                 *       "identityProviders": [
                 *         {
                 *           "issuer": "https://login.example.com",
                 *           "audience": "demo",
                 *           "jwksUrl": "https://login.example.com/jwks"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** Identity providers that replace the current list. `null` empties the list. */
                    identityProviders?: components["schemas"]["IdentityProvider"][] | null;
                    allowedOrigins?: components["schemas"]["AllowedOrigins"];
                    brand?: components["schemas"]["Brand"];
                    smsCountries?: components["schemas"]["SmsCountries"];
                    /**
                     * Test phones that replace the current list, each with another number. `null` empties the list. In
                     *     production the list must be empty. An account that was enrolled with a phone that is removed gets
                     *     no codes any more: reset its factors, or add the phone again.
                     */
                    testPhones?: components["schemas"]["TestPhone"][] | null;
                    /**
                     * `required`: users sign in and refresh only with a verified email. `null` means `optional`.
                     * @example required
                     */
                    emailVerification?: "optional" | "required" | null;
                    /**
                     * `closed`: `register` and the first `signInExternally` of a user answer 403 `SIGN_UP_CLOSED`. `null`
                     *     means `open`.
                     * @example open
                     */
                    signUp?: "open" | "closed" | null;
                    /**
                     * Which users need a second factor to sign in. `required_for_staff`: admins and owners. `required`:
                     *     all users. Users without a password are exempt. `null` means `optional`.
                     * @example required_for_staff
                     */
                    mfaPolicy?: "optional" | "required_for_staff" | "required" | null;
                    /**
                     * Whether users get emails about sign-ins from unknown browsers, changes of passwords and factors, and linked identities.
                     *     The notice about a changed email is always sent. `null` means `true`.
                     * @example true
                     */
                    securityEmails?: boolean | null;
                    resetUrl?: components["schemas"]["LinkUrl"];
                    verifyUrl?: components["schemas"]["LinkUrl"];
                    inviteUrl?: components["schemas"]["LinkUrl"];
                    /**
                     * Colour of links and buttons on the hosted pages: `#` and six hexadecimal digits. The service stores
                     *     lower case. The pages darken the colour in light mode, or lighten it in dark mode, if text would be
                     *     hard to read otherwise. `null` means the default colour.
                     * @example #1d4ed8
                     */
                    accentColor?: string | null;
                    passkeyRpId?: components["schemas"]["PasskeyRpId"];
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
                     *       "identityProviders": [
                     *         {
                     *           "issuer": "https://login.example.com",
                     *           "audience": "demo",
                     *           "jwksUrl": "https://login.example.com/jwks"
                     *         },
                     *         {
                     *           "name": "google",
                     *           "type": "oidc",
                     *           "issuer": "https://accounts.google.com",
                     *           "audience": "demo-1.apps.googleusercontent.com",
                     *           "clientId": "demo-1.apps.googleusercontent.com",
                     *           "hasClientSecret": true
                     *         }
                     *       ],
                     *       "allowedOrigins": [
                     *         "https://app.example.com"
                     *       ],
                     *       "brand": "Demo Inc.",
                     *       "smsCountries": [
                     *         "DE",
                     *         "US"
                     *       ],
                     *       "testPhones": [
                     *         {
                     *           "phone": "+14155550123",
                     *           "code": "314159"
                     *         }
                     *       ],
                     *       "emailVerification": "optional",
                     *       "signUp": "open",
                     *       "mfaPolicy": "optional",
                     *       "securityEmails": true,
                     *       "resetUrl": "https://app.example.com/reset",
                     *       "verifyUrl": null,
                     *       "inviteUrl": null,
                     *       "accentColor": "#1d4ed8",
                     *       "passkeyRpId": null,
                     *       "logo": {
                     *         "contentType": "image/png",
                     *         "width": 512,
                     *         "height": 128,
                     *         "sizeBytes": 18211,
                     *         "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                     *         "updatedAt": "2026-01-31T08:20:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** Identity providers with whose id tokens users may sign in. */
                        identityProviders: components["schemas"]["ShownIdentityProvider"][];
                        allowedOrigins: components["schemas"]["ShownOrigins"];
                        brand: components["schemas"]["Brand"];
                        smsCountries: components["schemas"]["SmsCountries"];
                        /** Phones of the sandbox with a fixed code. Empty in production. */
                        testPhones: components["schemas"]["TestPhone"][];
                        /**
                         * `required`: users sign in and refresh only with a verified email.
                         * @example optional
                         */
                        emailVerification: "optional" | "required";
                        /**
                         * `closed`: users cannot create accounts themselves.
                         * @example open
                         */
                        signUp: "open" | "closed";
                        /**
                         * Which users need a second factor to sign in. `required_for_staff`: admins and owners. `required`: all users.
                         * @example optional
                         */
                        mfaPolicy: "optional" | "required_for_staff" | "required";
                        /**
                         * Whether users get emails about sign-ins from unknown browsers, changes of passwords and factors, and linked identities. The
                         *     notice about a changed email is always sent.
                         * @example true
                         */
                        securityEmails: boolean;
                        resetUrl: components["schemas"]["LinkUrl"];
                        verifyUrl: components["schemas"]["LinkUrl"];
                        inviteUrl: components["schemas"]["LinkUrl"];
                        /**
                         * Colour of links and buttons on the hosted pages. `null` means the default colour.
                         * @example #1d4ed8
                         */
                        accentColor: string | null;
                        passkeyRpId: components["schemas"]["PasskeyRpId"];
                        /**
                         * Image on the hosted pages, set with `putLogo`. `null` if there is none.
                         * @example {
                         *       "contentType": "image/png",
                         *       "width": 512,
                         *       "height": 128,
                         *       "sizeBytes": 18211,
                         *       "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                         *       "updatedAt": "2026-01-31T08:20:00.000Z"
                         *     }
                         */
                        logo: components["schemas"]["Logo"] | null;
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
                     *       "updatedAt": "2026-01-31T08:20:00.000Z"
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
                 * @example member.role
                 */
                action?: string;
                /**
                 * Only entries of this actor: a user id, `key:<prefix>`, `master`, `system:<worker>` or `anonymous`.
                 * @example 019bb153-8740-7299-952d-a3a6560e239c
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
                     *             "user.created",
                     *             "user.updated"
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
                 *         "user.created",
                 *         "user.updated"
                 *       ],
                 *       "description": "App backend"
                 *     }
                 */
                "application/json": {
                    url: components["schemas"]["WebhookUrl"];
                    /**
                     * Types of the events to send. If the list is empty, `null` or absent, all types are sent.
                     * @example [
                     *       "user.created",
                     *       "user.updated"
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
                     *       "user.created",
                     *       "user.updated"
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
                     *           "eventType": "user.created",
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
                     *       "eventType": "user.created",
                     *       "status": "pending",
                     *       "attempts": 2,
                     *       "nextAttemptAt": "2026-01-31T09:00:19.400Z",
                     *       "lastStatus": 502,
                     *       "lastError": "the endpoint answered 502",
                     *       "responseExcerpt": "Bad Gateway",
                     *       "createdAt": "2026-01-31T09:00:00.120Z",
                     *       "deliveredAt": null,
                     *       "payload": {
                     *         "type": "user.created",
                     *         "timestamp": "2026-01-31T09:00:00.120Z",
                     *         "data": {
                     *           "userId": "019bdb46-9d00-7a44-8f21-0c9d2e4b6a10"
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
                     *       "eventType": "user.created",
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
                     *           "prefix": "aut_Xk3vR9aQ",
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
                     *       "key": "aut_Xk3vR9aQ7mTz2LcW8yHd5NpJ4uKs6BfG1eVo0iC3rA9tYq",
                     *       "environment": "sandbox",
                     *       "prefix": "aut_Xk3vR9aQ",
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
                     *       "key": "aut_Xk3vR9aQ7mTz2LcW8yHd5NpJ4uKs6BfG1eVo0iC3rA9tYq",
                     *       "environment": "sandbox",
                     *       "prefix": "aut_Xk3vR9aQ",
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
                 * @example aut_Xk3vR9aQ
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
    createOwner: {
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
                 *       "email": "owner@example.com",
                 *       "password": "correct horse battery",
                 *       "environment": "sandbox"
                 *     }
                 */
                "application/json": {
                    email: components["schemas"]["NewEmail"];
                    password: components["schemas"]["Password"];
                    /**
                     * Environment that the owner belongs to. `null` means `production`.
                     * @default production
                     * @example sandbox
                     */
                    environment?: "production" | "sandbox" | null;
                };
            };
        };
        responses: {
            /** The new owner */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "019b8d99-6900-7131-a2ae-4aee6d566c39",
                     *       "email": "owner@example.com",
                     *       "emailVerified": true,
                     *       "role": "owner",
                     *       "status": "active",
                     *       "phone": null,
                     *       "phoneVerified": false,
                     *       "createdAt": "2026-01-05T10:00:00.000Z",
                     *       "updatedAt": "2026-01-05T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    clearOptOut: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Phone number in E.164 form.
                 * @example +4915112345678
                 */
                phone: components["schemas"]["Phone"];
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
