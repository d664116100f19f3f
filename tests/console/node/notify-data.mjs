// Data for the walk through the area Notifications: credentials, devices, and stand-ins of Twilio and the DNS.
import { createHmac, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { text } from "node:stream/consumers";

const pem = { publicKeyEncoding: { type: "spki", format: "pem" }, privateKeyEncoding: { type: "pkcs8", format: "pem" } };

/** A service account of Firebase, with a key of its own. */
export const serviceAccount = () => ({
  type: "service_account",
  project_id: "console-walk",
  private_key_id: "1f2e3d",
  private_key: generateKeyPairSync("rsa", { modulusLength: 2048, ...pem }).privateKey,
  client_email: "push@console-walk.iam.gserviceaccount.com",
});

/** A private key of APNs, as the file `.p8` has it. */
export const appleKey = () => generateKeyPairSync("ec", { namedCurve: "P-256", ...pem }).privateKey;

/** A line of a private key that appears nowhere else. */
export const lineOf = (key) => key.split("\n")[1];

/** Registers devices of the users `NAME-1`, `NAME-2` and so on. Their tokens begin with `token`. */
export async function addDevices(notify, name, count, platform, token = platform) {
  for (let n = 1; n <= count; ++n) await notify.registerDevice({ userId: `${name}-${n}`, token: `${token}-${name}-${n}`, platform });
}

/** Twilio. It accepts messages, except to numbers that have opted out. */
export class Twilio {
  token = "a violet teapot";
  /** The public address of notify's webhook. Its host does not exist: `report` returns the request that Twilio would send there. */
  webhook = "https://sms.example.com/webhooks/sms/twilio";
  messages = [];
  optedOut = new Set();
  #server = http.createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const refused = this.optedOut.has(form.get("To"));
    if (!refused) this.messages.push(form);
    const json = refused ? { code: 21610, message: "Attempt to send to unsubscribed recipient" } : { sid: this.#sid(form), status: "queued" };
    response.writeHead(refused ? 400 : 201, { "Content-Type": "application/json" }).end(JSON.stringify(json));
  });
  #sid = (form) => `SM${String(this.messages.indexOf(form) + 1).padStart(32, "0")}`;

  async open() {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }
  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** The variables with which notify uses this server. */
  get settings() {
    return {
      NOTIFY_SMS_PROVIDER: "twilio",
      NOTIFY_TWILIO_BASE_URL: `http://127.0.0.1:${this.#server.address().port}`,
      NOTIFY_TWILIO_ACCOUNT_SID: "AC1",
      NOTIFY_TWILIO_AUTH_TOKEN: this.token,
      NOTIFY_TWILIO_FROM: "+14155550100",
      NOTIFY_TWILIO_WEBHOOK_URL: this.webhook,
    };
  }

  /** The accepted message to a number whose text contains `part`; undefined if there is none. */
  find(to, part) {
    return this.messages.find((form) => form.get("To") === to && form.get("Body").includes(part));
  }

  /** The request with which Twilio reports that a message was delivered: path with query, headers, body. */
  report(message) {
    const url = message.get("StatusCallback");
    const form = { MessageSid: this.#sid(message), MessageStatus: "delivered" };
    const signed = Object.keys(form).sort().reduce((all, name) => all + name + form[name], url);
    const signature = createHmac("sha1", this.token).update(signed).digest("base64");
    const { pathname, search } = new URL(url);
    const headers = { "Content-Type": "application/x-www-form-urlencoded", "X-Twilio-Signature": signature };
    return { path: pathname + search, headers, body: new URLSearchParams(form).toString() };
  }
}

/** The records of the stand-in of the DNS (scripts/standins.mjs). */
export class Dns {
  /** `file`: the variable DNS_RECORDS of scripts/run. */
  constructor(file) {
    this.file = file;
  }
  add({ name, value }) {
    appendFileSync(this.file, `${JSON.stringify({ name, type: "TXT", value })}\n`);
  }
  remove({ name }) {
    const lines = readFileSync(this.file, "utf8").split("\n").filter((line) => line && JSON.parse(line).name !== name);
    writeFileSync(this.file, lines.map((line) => `${line}\n`).join(""));
  }
}
