// Test servers that simulate external systems: in this process, and as separate programs.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type http2 from "node:http2";
import net, { type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";

/** Lets a server listen on a free port; returns its address. */
export const listening = async (server: net.Server | http2.Http2Server): Promise<string> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

export type Answer = { status: number; json?: unknown };

/** Starts an HTTP/1.1 server that passes every request to `answer`. */
export async function played(
  answer: (request: http.IncomingMessage, body: string) => Answer | Promise<Answer>,
): Promise<{ server: http.Server; url: string }> {
  const server = http.createServer(async (request, response) => {
    const { status, json } = await answer(request, (await buffer(request)).toString());
    response.writeHead(status, { "content-type": "application/json" }).end(json === undefined ? "" : JSON.stringify(json));
  });
  return { server, url: await listening(server) };
}

/** Starts a Node program that prints its address as JSON and runs until it is killed. */
export async function program<Where>(file: string, options: object = {}): Promise<{ child: ChildProcess; where: Where }> {
  const child = spawn(process.execPath, [file, JSON.stringify(options)], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface(child.stdout)) return { child, where: JSON.parse(line) as Where };
  return assert.fail(`${file} did not start`);
}
