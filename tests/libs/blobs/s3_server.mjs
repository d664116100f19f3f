// An S3 server on loopback that refuses what is not signed: s3rver keeps the objects, and in front of it every request's
// signature is computed again by AWS's own signer from what arrived (s3rver itself takes any Signature Version 4).
//
//     node s3_server.mjs FOLDER     writes FOLDER/port once it listens; bucket `attachments`, key id and secret `S3RVER`
import { createHash, timingSafeEqual } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { Sha256 } from "@aws-crypto/sha256-js";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import S3rver from "s3rver";

const folder = process.argv[2];
const bucket = "attachments";
const region = "eu-central-1";
const signer = new SignatureV4({
  service: "s3",
  region,
  credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
  sha256: Sha256,
  uriEscapePath: false,
  applyChecksum: false,
});

const same = (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

const parseDate = (text) =>
  new Date((text ?? "").replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

/** The headers a signature names, as they arrived; undefined when one did not. */
function signedHeaders(request, names) {
  const headers = {};
  for (const name of names) {
    if (request.headers[name] === undefined) return undefined;
    headers[name] = request.headers[name];
  }
  return headers.host === undefined ? undefined : headers;
}

async function presignatureFits(request, url) {
  const query = Object.fromEntries(url.searchParams);
  const claimed = query["X-Amz-Signature"] ?? "";
  const names = (query["X-Amz-SignedHeaders"] ?? "").split(";");
  const signingDate = parseDate(query["X-Amz-Date"]);
  const expiresIn = Number(query["X-Amz-Expires"]);
  const headers = signedHeaders(request, names);
  if (!headers || Number.isNaN(signingDate.getTime()) || !(expiresIn > 0)) return false;
  if (Date.now() > signingDate.getTime() + expiresIn * 1000) return false;
  for (const name of Object.keys(query)) if (name.startsWith("X-Amz-")) delete query[name];
  const expected = await signer.presign(
    new HttpRequest({
      method: request.method,
      path: url.pathname,
      query,
      headers: { ...headers, "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD" },
    }),
    { signingDate, expiresIn, signableHeaders: new Set(names), unhoistableHeaders: new Set(names) },
  );
  return same(expected.query["X-Amz-Signature"], claimed);
}

async function signatureFits(request, url, body) {
  const claimed = request.headers.authorization;
  const names = (/SignedHeaders=([^,]+)/.exec(claimed)?.[1] ?? "").split(";");
  const signingDate = parseDate(request.headers["x-amz-date"]);
  const headers = signedHeaders(request, names);
  const hash = createHash("sha256").update(body).digest("hex");
  if (!headers || Math.abs(Date.now() - signingDate.getTime()) > 15 * 60 * 1000) return false;
  if (request.headers["x-amz-content-sha256"] !== hash) return false;
  const expected = await signer.sign(
    new HttpRequest({
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
      body,
    }),
    { signingDate, signableHeaders: new Set(names) },
  );
  return same(expected.headers.authorization, claimed);
}

const authorised = (request, url, body) => {
  if (url.searchParams.has("X-Amz-Algorithm")) return presignatureFits(request, url);
  return request.headers.authorization ? signatureFits(request, url, body) : false;
};

function refuse(response, status, code) {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`);
}

/** s3rver's answer, with its body whole. */
function forward(request, body, port) {
  return new Promise((resolve, reject) => {
    const inner = http.request(
      { host: "127.0.0.1", port, method: request.method, path: request.url, headers: request.headers },
      async (answer) => {
        const chunks = [];
        for await (const chunk of answer) chunks.push(chunk);
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) });
      },
    );
    inner.on("error", reject);
    inner.end(body);
  });
}

/** s3rver copies unconditionally. */
async function copyConditionHolds(request, port) {
  const tag = request.headers["x-amz-copy-source-if-match"];
  if (tag === undefined) return true;
  const path = request.headers["x-amz-copy-source"];
  const source = await forward({ method: "HEAD", url: path, headers: { host: request.headers.host } }, "", port);
  return source.status !== 200 || source.headers.etag === tag;
}

const store = new S3rver({
  address: "127.0.0.1",
  port: 0,
  directory: join(folder, "objects"),
  silent: true,
  resetOnClose: false,
  configureBuckets: [{ name: bucket }],
});
const { port: inner } = await store.run();

const front = http.createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const url = new URL(request.url, "http://front");
  if (!(await authorised(request, url, body))) return refuse(response, 403, "SignatureDoesNotMatch");
  if (!(await copyConditionHolds(request, inner))) return refuse(response, 412, "PreconditionFailed");
  const answer = await forward(request, body, inner);
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
});
front.listen(0, "127.0.0.1", () => {
  writeFileSync(join(folder, "port.new"), String(front.address().port));
  renameSync(join(folder, "port.new"), join(folder, "port"));
});
