// An SMTP server (argv[2]: JSON {key?, cert?, secure?, auth?, port?, delay?, throttle?}) on 127.0.0.1, by default on a free port. It
// prints events as JSON lines: {port}, {connected}, {login}, and each received message, parsed. `delay`: milliseconds before the reply
// to a message. `throttle`: {domain: count} refuses the first `count` recipients of the domain with `421 4.7.0`.
//
// The local part of the recipient selects the behaviour: `refuse-550-5.1.1` refuses the recipient with that reply,
// `fail-451-4.3.0` refuses the whole message, `hang` never replies to the message, `cut` closes the connection after the
// start of the message, `vanish` after its end. All other recipients receive the message. The password of every user is
// "right"; user `busy` gets a temporary refusal. With {auth} a login is required. With {secure} the connection begins
// with TLS; otherwise STARTTLS is offered if {key} is given.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";

const options = JSON.parse(process.argv[2]);
const say = (what) => console.log(JSON.stringify(what));
const fault = (code, text) => Object.assign(new Error(text), { responseCode: code });
const behaviour = (address) => /^(refuse|fail)-(\d{3})-(\S+)@/.exec(address) ?? /^(hang|cut|vanish)@/.exec(address) ?? [];
const throttle = { ...options.throttle }; // refusals left, by domain
let connections = 0;

function told(raw, mail, session) {
  return {
    raw: raw.toString("latin1"),
    secure: session.secure,
    user: session.user ?? null,
    connection: session.id,
    envelope: { from: session.envelope.mailFrom.address, to: session.envelope.rcptTo.map((r) => r.address) },
    from: mail.from?.value ?? [],
    to: mail.to?.value ?? [],
    subject: mail.subject ?? "",
    date: mail.date?.toISOString() ?? null,
    messageId: mail.messageId ?? null,
    headers: mail.headerLines.map((h) => h.key),
    text: mail.text ?? "",
    html: mail.html || null,
    attachments: mail.attachments.map((a) => ({
      filename: a.filename,
      contentType: a.contentType,
      size: a.size,
      sha256: createHash("sha256").update(a.content).digest("hex"),
    })),
  };
}

const server = new SMTPServer({
  secure: Boolean(options.secure),
  hideSTARTTLS: !options.key,
  ...(options.key && { key: readFileSync(options.key), cert: readFileSync(options.cert) }),
  authOptional: !options.auth,
  allowInsecureAuth: true,
  disableReverseLookup: true,
  size: 20 << 20,
  onConnect(session, done) {
    say({ connected: ++connections });
    done();
  },
  onAuth({ method, username, password }, session, done) {
    say({ login: username, method });
    if (username === "busy") return done(fault(454, "4.7.0 Not now"));
    if (password !== "right") return done(fault(535, "5.7.8 Wrong password"));
    done(null, { user: username });
  },
  onRcptTo({ address }, session, done) {
    const [, kind, code, text] = behaviour(address);
    const domain = address.slice(address.lastIndexOf("@") + 1);
    if (throttle[domain] > 0) {
      --throttle[domain];
      return done(fault(421, "4.7.0 Too many messages"));
    }
    done(kind === "refuse" ? fault(Number(code), `${text} Refused`) : null);
  },
  onData(stream, session, done) {
    const [, kind, code, text] = behaviour(session.envelope.rcptTo[0].address);
    const chunks = [];
    const hang_up = () => server.connections.forEach((c) => c.session.id === session.id && c._socket.destroy());
    stream.on("data", (chunk) => {
      chunks.push(chunk);
      if (kind === "cut") hang_up();
    });
    stream.on("end", async () => {
      if (kind === "cut") return;
      if (kind === "fail") return done(fault(Number(code), `${text} Not taken`));
      const raw = Buffer.concat(chunks);
      say(told(raw, await simpleParser(raw), session));
      if (kind === "vanish") return hang_up();
      if (kind !== "hang") setTimeout(() => done(null, "2.0.0 Taken"), options.delay ?? 0);
    });
  },
});
server.on("error", () => {}); // connections may end early
server.listen(options.port ?? 0, "127.0.0.1", () => say({ port: server.server.address().port }));
// Closes the open connections, like a server that closes idle connections.
process.on("SIGUSR2", () => {
  server.connections.forEach((c) => c._socket.destroy());
  say({ closed: true });
});
