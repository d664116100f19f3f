import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";

type Lookup = (name: string, options: object, done: (error: null, addresses: { address: string; family: number }[]) => void) => void;
const loopback: Lookup = (_name, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]);

/**
 * A `fetch` for Node.js that also reaches names below `.localhost`, such as `demo-sandbox.feedback.localhost`. They are always this
 * machine (RFC 6761), but the resolver of Node.js does not know them. Other names go to the global `fetch`. For local trials and tests.
 * It follows no redirects of names below `.localhost`.
 */
export async function localhostFetch(request: Request): Promise<Response> {
  const url = new URL(request.url);
  if (!url.hostname.endsWith(".localhost")) return fetch(request);
  const body = Buffer.from(await request.arrayBuffer());
  const sent = Object.fromEntries(request.headers);
  const hasBody = body.length > 0 || !["GET", "HEAD", "DELETE"].includes(request.method);
  const { request: open } = url.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const options = {
      method: request.method,
      headers: hasBody ? { ...sent, "content-length": String(body.length) } : sent,
      lookup: loopback,
      signal: request.signal,
    };
    const call = open(url, options, (answer) => resolve(responseOf(answer)));
    call.on("error", (error) => reject(request.signal.aborted ? request.signal.reason : error));
    call.end(body);
  });
}

function responseOf(answer: http.IncomingMessage): Response {
  const status = answer.statusCode!;
  const headers = new Headers();
  for (let i = 0; i < answer.rawHeaders.length; i += 2) headers.append(answer.rawHeaders[i]!, answer.rawHeaders[i + 1]!);
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  if (!hasBody) answer.resume();
  const body = hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null;
  return new Response(body, { status, statusText: answer.statusMessage ?? "", headers });
}
