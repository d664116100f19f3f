// Verifies ceremonies with @simplewebauthn/server. argv[2] names a JSON file with an array of them (test_webauthn.cpp).
// Prints the number of ceremonies, and before it a line for each verdict that is not as expected. A ceremony with a
// `difference` is expected to have the other verdict, for the reason in `difference`.
import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";

globalThis.crypto ??= webcrypto; // Node 18 has no such global
const { verifyAuthenticationResponse, verifyRegistrationResponse } = await import("@simplewebauthn/server");

async function accepts({ credential, challenge, origin, rpId, userVerification, stored }) {
  const expected = {
    response: credential,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: userVerification,
  };
  try {
    const { verified } = stored
      ? await verifyAuthenticationResponse({
          ...expected,
          credential: { ...stored, publicKey: new Uint8Array(Buffer.from(stored.publicKey, "base64url")) },
        })
      : await verifyRegistrationResponse({ ...expected, supportedAlgorithmIDs: [-8, -7, -257] });
    return [verified, ""];
  } catch (error) {
    return [false, String(error)];
  }
}

const ceremonies = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const ceremony of ceremonies) {
  const [verified, why] = await accepts(ceremony);
  if (verified !== (ceremony.accepted !== (ceremony.difference !== "")))
    console.log(`${ceremony.name}: ${verified ? "accepted" : "refused"} ${why}`);
}
console.log(`${ceremonies.length} ceremonies`);
