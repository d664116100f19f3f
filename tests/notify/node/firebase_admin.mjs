// Sends messages with the official firebase-admin package to the server at argv[2] instead of Google's, with access token
// argv[3]. argv[4] is a file with [message, ...] in firebase-admin's form. Prints the responses.
import { readFileSync } from "node:fs";
import http2 from "node:http2";

const [, , url, token, file] = process.argv;
const connect = http2.connect;
http2.connect = (_authority, ...rest) => {
  const session = connect(url, ...rest);
  const request = session.request.bind(session);
  // firebase-admin sends `https:` with a colon, which Google's servers accept and Node's do not.
  session.request = (headers, ...more) => request({ ...headers, ":scheme": "http" }, ...more);
  return session;
};

const { default: admin } = await import("firebase-admin");
admin.initializeApp({
  projectId: "demo-project",
  credential: { getAccessToken: async () => ({ access_token: token, expires_in: 3600 }) },
});
const { responses } = await admin.messaging().sendEach(JSON.parse(readFileSync(file, "utf8")));
console.log(JSON.stringify(responses.map(({ success, messageId, error }) => ({ success, messageId, code: error?.code }))));
process.exit(0);
