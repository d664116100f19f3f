// Verifies an access token with jose, like a service that trusts the issuer, and prints the token's claims. argv[2]
// names a JSON file: {jwksUrl, issuer, token}. jose must refuse altered and expired tokens, and tokens of another
// issuer.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRemoteJWKSet, jwtVerify } from "jose";

const { jwksUrl, issuer, token } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const keys = createRemoteJWKSet(new URL(jwksUrl));
const expected = { issuer, audience: "tetrad", typ: "at+jwt", algorithms: ["ES256"] };
const { payload } = await jwtVerify(token, keys, expected);

const [header, claims, signature] = token.split(".");
const promoted = Buffer.from(JSON.stringify({ ...payload, role: "owner" })).toString("base64url");
await assert.rejects(jwtVerify(`${header}.${promoted}.${signature}`, keys, expected), {
  code: "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
});
await assert.rejects(jwtVerify(token, keys, { ...expected, issuer: issuer.replace("-sandbox", "") }));
await assert.rejects(jwtVerify(token, keys, { ...expected, currentDate: new Date((payload.exp + 1) * 1000) }), {
  code: "ERR_JWT_EXPIRED",
});
assert.equal(claims.includes("="), false);
console.log(JSON.stringify(payload));
