/** The claims of an access token that the console uses. The services verify the token; the console only reads it. */
export interface Claims {
  sub: string;
  email: string;
  role: "user" | "admin" | "owner";
  /** Slug of the tenant. */
  tenant: string;
  env: "production" | "sandbox";
  /** `aal2` if this session has presented a second factor. */
  acr: "aal1" | "aal2";
  /** When the user last presented a credential, in seconds since 1970. */
  auth_time: number;
  /** Expiry, in seconds since 1970. */
  exp: number;
  iat: number;
}

/** Reads the claims of a JWT without verifying it. Throws an Error if the text is no JWT. */
export function readClaims(token: string): Claims {
  const payload = token.split(".")[1];
  if (!payload) throw new Error("The access token is not a JWT.");
  const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  const claims = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Claims>;
  return { email: "", role: "user", tenant: "", env: "production", acr: "aal1", auth_time: 0, exp: 0, iat: 0, sub: "", ...claims };
}

/** Whether the user may use the console. */
export type Standing = "staff" | "second-factor-needed" | "not-staff";

export function standingOf({ role, acr }: Claims): Standing {
  if (role !== "admin" && role !== "owner") return "not-staff";
  return acr === "aal2" ? "staff" : "second-factor-needed";
}
