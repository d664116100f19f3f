// Compares Twilio's own client with the service's signatures (argv[2]: JSON {authToken, url, form, signature}). Prints whether
// the client accepts `signature` for the request, whether it accepts it for another URL, and the signature that Twilio would send.
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
