// A local HTTP server whose responses a test writes down.
import { once } from "node:events";
import http from "node:http";
import { buffer } from "node:stream/consumers";
import { after } from "node:test";

/** Response with JSON. */
export const json = (status, value, headers = {}) => ({ status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) });

/** Response with a problem (RFC 9457). */
export const problem = (status, error, headers = {}, more = {}) => ({
  status,
  headers: { "content-type": "application/problem+json", ...headers },
  body: JSON.stringify({ type: "about:blank", title: "Refused", status, detail: "No.", error, requestId: "r1", ...more }),
});

/**
 * Starts a server. `answers`: the responses in order, of which the last one is repeated, or a function of the request. Instead of a
 * response, an answer may be a function of Node's request and response. `requests` has the received requests.
 */
export async function serve(answers) {
  const requests = [];
  const server = http.createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    requests.push({ method: request.method, url: request.url, headers: request.headers, body });
    const answer = typeof answers === "function" ? answers(requests.at(-1), requests.length) : answers[Math.min(requests.length, answers.length) - 1];
    if (typeof answer === "function") return answer(request, response);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  after(close);
  return { baseUrl: `http://127.0.0.1:${server.address().port}`, requests, close };
}

/** An answer that breaks the connection before the response. */
export const broken = (request) => request.socket.destroy();
/** An answer that never comes. */
export const silence = () => undefined;
