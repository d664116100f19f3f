// Holds Twilio's own client against our signatures (argv[2]: JSON {authToken, url, form, signature}): prints whether it takes
// `signature` for a request of ours, whether it would for another address, and the signature that Twilio would send itself.
import { readFileSync } from "node:fs";
import twilio from "twilio";

const { authToken, url, form, signature } = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log(
  JSON.stringify({
    valid: twilio.validateRequest(authToken, signature, url, form),
    validForAnother: twilio.validateRequest(authToken, signature, url.replace(/scope=\d+/, "scope=1"), form),
    signature: twilio.getExpectedTwilioSignature(authToken, url, form),
  }),
);
