// Creates a message at `baseUrl` with Twilio's own client. argv[2] names a JSON file: {baseUrl, accountSid, authToken,
// from, to, webhookUrl, form}. Prints the message or error that the client read, and the signature that Twilio would
// send with `form`.
import { readFileSync } from "node:fs";
import twilio from "twilio";

const input = JSON.parse(readFileSync(process.argv[2], "utf8"));

class Elsewhere extends twilio.RequestClient {
  request(options) {
    return super.request({ ...options, uri: options.uri.replace("https://api.twilio.com", input.baseUrl) });
  }
}

const client = twilio(input.accountSid, input.authToken, { httpClient: new Elsewhere() });
const output = {};
try {
  const message = await client.messages.create({ from: input.from, to: input.to, body: "Demo: 123456 is your code." });
  output.message = {
    sid: message.sid,
    status: message.status,
    to: message.to,
    created: message.dateCreated.toISOString(),
  };
} catch (error) {
  output.error = { status: error.status, code: error.code, moreInfo: error.moreInfo };
}
output.signature = twilio.getExpectedTwilioSignature(input.authToken, input.webhookUrl, input.form);
console.log(JSON.stringify(output));
