// The parts that fcm.mjs and apns.mjs have in common: an HTTP/2 server for pushes, and an HTTP/1.1 control server for the
// test. Both use free ports of 127.0.0.1 and print them: {port, url, control}. The option {port} sets the port for pushes.
//
// The response to a push is selected by a name (fcm.mjs and apns.mjs list the names). The name comes from the first of
// these that is set: the test's setting for all pushes or for a token, the token itself up to its first colon, or `ok`.
// Further names: hang (no response), reset (RST_STREAM), refuse (REFUSED_STREAM), goaway (a GOAWAY that excludes this
// stream), drop (closes the connection). `NAME-once` applies only to the first push of a token; later pushes get `ok`.
//
//   POST   /script  {all?: name | null, times?: N, tokens?: {token: name}, delay?: ms, streams?: N}
//   GET    /seen    [{token, connection, answer, headers, body}]: the received pushes, in order; DELETE clears them
//   POST   /goaway  sends GOAWAY on every connection
//   GET    /counts  {connections, pushes}
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import http2 from "node:http2";

const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = http2.constants;

export const options = JSON.parse(process.argv[2] ?? "{}"); // {port?, key?, cert?, streams?, publicKey?}

const script = { all: null, times: Infinity, tokens: {}, delay: 0 };
const done = new Set(); // tokens that got their `NAME-once` response
const sessions = new Map(); // -> {number, answered: highest answered stream, last: last stream that will be answered}
let connections = 0;
let pushes = 0;
let seen = [];

const deeds = ["hang", "reset", "refuse", "goaway", "drop"];

function nameFor(token, knows) {
  if (script.all && script.times-- > 0) return script.all;
  const said = script.tokens[token] ?? /^([A-Za-z_-]+)(:|$)/.exec(token)?.[1] ?? "ok";
  const name = said.replace(/-once$/, "");
  if (!deeds.includes(name) && !knows(name)) return "ok";
  if (said !== name && done.has(token)) return "ok";
  done.add(token);
  return name;
}

/// Sends a GOAWAY that excludes this stream and all other streams without a response.
function sayGoodbye(session, state) {
  state.last = state.answered;
  session.goaway(NGHTTP2_NO_ERROR, state.last);
}

function deal(stream, state, name, answer) {
  const session = stream.session;
  if (!session || stream.destroyed || stream.id > state.last) return;
  switch (name) {
    case "hang":
      return;
    case "reset":
      return stream.close(NGHTTP2_INTERNAL_ERROR);
    case "refuse":
      return stream.close(NGHTTP2_REFUSED_STREAM);
    case "goaway":
      return sayGoodbye(session, state);
    case "drop":
      return session.destroy();
  }
  state.answered = Math.max(state.answered, stream.id);
  const { status, body, headers } = answer;
  stream.respond({ ":status": status, ...headers });
  stream.end(body ?? "");
}

/// `read(headers, body)` -> {token, error?}: `error` is the response to an invalid request.
/// `answer(name, token, headers)` -> {status, body?, headers?}.
/// `more(request, body, reply)` handles further requests to the control server; false for an unknown request.
/// `knows(name)`: whether a response has this name.
export async function serve({ read, answer, knows, accepted = () => {}, more, streams }) {
  const settings = { maxConcurrentStreams: options.streams ?? streams ?? 1000, enablePush: false };
  const server = options.key
    ? http2.createSecureServer({ key: readFileSync(options.key), cert: readFileSync(options.cert), settings })
    : http2.createServer({ settings });
  server.on("session", (session) => {
    sessions.set(session, { number: ++connections, answered: 0, last: Infinity });
    session.on("error", () => {});
    session.on("close", () => sessions.delete(session));
  });
  server.on("sessionError", () => {});
  server.on("stream", (stream, headers) => {
    const chunks = [];
    const state = sessions.get(stream.session);
    stream.on("error", () => {});
    stream.on("data", (chunk) => chunks.push(chunk));
    stream.on("end", () => {
      if (stream.id > state.last) return; // excluded by the GOAWAY
      const text = Buffer.concat(chunks).toString();
      const { token, error, body } = read(headers, text);
      const name = error ? "MALFORMED" : nameFor(token, knows);
      const said = error ?? (deeds.includes(name) ? null : answer(name, token, headers));
      pushes += 1;
      const push = { token, connection: state.number, answer: said?.error ?? name, headers: { ...headers }, body: body ?? text };
      if (seen.length < 100_000) seen.push(push);
      if (said?.status === 200) accepted(stream.session);
      if (script.delay > 0) setTimeout(() => deal(stream, state, name, said), script.delay);
      else deal(stream, state, name, said);
    });
  });

  const control = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const reply = (value, status = 200) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    const asked = `${request.method} ${request.url}`;
    if (asked === "POST /script") {
      const { streams: count, ...rest } = JSON.parse(text);
      Object.assign(script, { times: Infinity }, rest);
      if (count) for (const session of sessions.keys()) session.settings({ maxConcurrentStreams: count });
      return reply({});
    }
    if (asked === "GET /seen") return reply(seen);
    if (asked === "DELETE /seen") return reply((seen = []));
    if (asked === "GET /counts") return reply({ connections, pushes });
    if (asked === "POST /goaway") {
      for (const session of sessions.keys()) session.goaway(NGHTTP2_NO_ERROR);
      return reply({});
    }
    if (more?.(request, text, reply)) return undefined;
    return reply({ error: `unknown: ${asked}` }, 404);
  });

  for (const [listener, port] of [[server, options.port ?? 0], [control, 0]]) {
    listener.listen(port, "127.0.0.1");
    await once(listener, "listening");
  }
  const scheme = options.key ? "https" : "http";
  console.log(
    JSON.stringify({
      port: server.address().port,
      url: `${scheme}://127.0.0.1:${server.address().port}`,
      control: `http://127.0.0.1:${control.address().port}`,
    }),
  );
}

/// The header and claims of a JWT; null if the JWT is malformed, has another algorithm, or `verify` refuses its signature.
export function readJwt(token, algorithm, verify) {
  const [header, claims, signature, rest] = token.split(".");
  if (!signature || rest !== undefined) return null;
  const parse = (part) => JSON.parse(Buffer.from(part, "base64url").toString());
  try {
    const jwt = { header: parse(header), claims: parse(claims) };
    const sound = verify(Buffer.from(`${header}.${claims}`), Buffer.from(signature, "base64url"));
    return jwt.header.alg === algorithm && sound ? jwt : null;
  } catch {
    return null;
  }
}
