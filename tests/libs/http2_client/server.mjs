// An HTTP/2 server (argv[2]: JSON {key?, cert?, streams?, old?}) on a free port of 127.0.0.1. Without a key it uses cleartext with prior
// knowledge. With {old} it speaks only HTTP/1.1. It prints its port, and a line for every connection. The path selects the behaviour:
//   /echo       first responds to the waiting streams of /hold, then 200 with the request body
//   /status/N   status N; /wait/N: 429 with `retry-after: N`
//   /hang       no response; /reset: the stream is reset
//   /refuse/K   refuses the first request for each K, and handles later requests like /echo
//   /goaway/K   at the first request: sends a GOAWAY that excludes this stream, then responds to the earlier streams; later like /echo
//   /hold       waits, and gets its response at the next /echo or GOAWAY
//   /drop       closes the connection; /settings/N: allows N streams from now on, then like /echo
import { readFileSync } from "node:fs";
import http2 from "node:http2";
import https from "node:https";

const options = JSON.parse(process.argv[2] ?? "{}");
const settings = { maxConcurrentStreams: options.streams ?? 100, enablePush: false };
const files = options.key && { key: readFileSync(options.key), cert: readFileSync(options.cert) };
const server = options.old
  ? https.createServer(files)
  : options.key
    ? http2.createSecureServer({ ...files, settings })
    : http2.createServer({ settings });

const seen = new Set();
const held = [];

const first = (path) => {
  const before = seen.has(path);
  seen.add(path);
  return !before;
};

const answer = (stream, status, body = "", headers = {}) => {
  stream.respond({ ":status": status, "x-server": "node", ...headers });
  stream.end(body);
};

const letGo = () => {
  for (const { stream, body } of held.splice(0)) answer(stream, 200, body);
};

const act = (stream, path, body) => {
  const [, verb, argument] = path.split("/");
  const session = stream.session;
  switch (verb) {
    case "status":
      return answer(stream, Number(argument), body);
    case "wait":
      return answer(stream, 429, body, { "retry-after": argument });
    case "hang":
      return undefined;
    case "hold":
      return held.push({ stream, body });
    case "reset":
      return stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    case "drop":
      return session.destroy();
    case "refuse":
      return first(path) ? stream.close(http2.constants.NGHTTP2_REFUSED_STREAM) : answer(stream, 200, body);
    case "goaway":
      if (!first(path)) return answer(stream, 200, body);
      session.goaway(http2.constants.NGHTTP2_NO_ERROR, stream.id - 2, Buffer.from("moving house"));
      return letGo();
    case "settings":
      return session.settings({ maxConcurrentStreams: Number(argument) }, () => answer(stream, 200, body));
    default:
      letGo();
      return answer(stream, 200, body);
  }
};

server.on("session", (session) => {
  console.log("connection");
  session.on("error", () => {});
});
server.on("stream", (stream, headers) => {
  const chunks = [];
  stream.on("error", () => {});
  stream.on("data", (chunk) => chunks.push(chunk));
  stream.on("end", () => act(stream, headers[":path"], Buffer.concat(chunks)));
});
server.on("sessionError", () => {});
server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
