import { AuthMethods } from "./generated/auth-methods.js";

/** Client of the service auth-mfa: sign-in, second factors, passkeys, members, and clients of OpenID Connect. */
export class Auth extends AuthMethods {}
