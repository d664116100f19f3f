// Simulates the part of the purchase provider's REST API that billing uses. Listens on a free port of 127.0.0.1 and
// prints it: {port}. The server serves subscriber documents. A test controls the server:
//
//   PUT  /test/answers/{user}  {status?: 200, headers?: {}, document?: {}, text?: "", deed?: "hang" | "drop" | "trickle", held?: false}
// sets the response for that user from now on; `*` is for all other users GET  /test/seen            [{user,
// authorization, trace}]: the received requests, in order GET  /test/waiting         {count}: the number of held
// requests POST /test/release         responds to the held requests, and holds no more requests until the next PUT
//
// A user without a response is new to the provider: 201 and a document without purchases.
import { once } from "node:events";
import http from "node:http";

const answers = new Map();
const seen = [];
let waiting = [];

const nobody = {
  request_date: "2026-01-01T00:00:00Z",
  request_date_ms: 1767225600000,
  subscriber: { entitlements: {}, first_seen: "2026-01-01T00:00:00Z", non_subscriptions: {}, subscriptions: {}, other_purchases: {} },
};

function reply(response, status, text, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(text);
}

function serve(response, { status = 200, headers, document, text, deed }) {
  if (response.destroyed) return;
  if (deed === "drop") return response.socket.destroy();
  if (deed === "hang") return;
  const body = text ?? JSON.stringify(document ?? nobody);
  if (deed !== "trickle") return reply(response, status, body, headers);
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length + 1 });
  response.write(body); // the last byte is never sent
}

async function textOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const server = http.createServer(async (request, response) => {
  response.on("error", () => {});
  const path = request.url.split("/").slice(1).map(decodeURIComponent);
  const text = await textOf(request);
  if (request.method === "GET" && path[0] === "v1" && path[1] === "subscribers" && path.length === 3) {
    const user = path[2];
    seen.push({ user, authorization: request.headers.authorization ?? null, trace: request.headers.traceparent ?? null });
    const answer = answers.get(user) ?? answers.get("*") ?? { status: 201 };
    if (answer.held) return void waiting.push(() => serve(response, answer));
    return void serve(response, answer);
  }
  switch (`${request.method} ${path.slice(0, 2).join("/")}`) {
    case "PUT test/answers":
      answers.set(path[2], JSON.parse(text));
      return void reply(response, 200, "{}");
    case "GET test/seen":
      return void reply(response, 200, JSON.stringify(seen));
    case "GET test/waiting":
      return void reply(response, 200, JSON.stringify({ count: waiting.length }));
    case "POST test/release": {
      for (const answer of answers.values()) answer.held = false;
      const released = waiting;
      waiting = [];
      for (const go of released) go();
      return void reply(response, 200, "{}");
    }
  }
  reply(response, 404, JSON.stringify({ code: 7259, message: "Subscriber not found." }));
});

server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log(JSON.stringify({ port: server.address().port }));
