// An S3 server on loopback that refuses unsigned requests. s3rver stores the objects, but accepts any Signature Version 4. So a server in
// front of s3rver computes the signature of every received request again with AWS's own signer, and compares the two.
//
//     node s3_server.mjs FOLDER     writes FOLDER/port when it listens; bucket `attachments`, key id and secret `S3RVER`
//
// A second port, in FOLDER/issuer-port, issues short-lived keys: as the agent of a container (GET /credentials) and as AWS STS (POST /).
// PUT /behaviour changes its responses, GET /seen returns the requests that it received.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
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

/** By key id: `secretAccessKey`; issued keys also have `sessionToken` and `expires` (ms). */
const keys = new Map([["S3RVER", { secretAccessKey: "S3RVER" }]]);

const signerOf = (accessKeyId) =>
  new SignatureV4({
    service: "s3",
    region,
    credentials: { accessKeyId, ...keys.get(accessKeyId) },
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });

const same = (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

const parseDate = (text) =>
  new Date((text ?? "").replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

/** The received headers that a signature names; undefined if one of them is missing. */
function signedHeaders(request, names) {
  const headers = {};
  for (const name of names) {
    if (request.headers[name] === undefined) return undefined;
    headers[name] = request.headers[name];
  }
  return headers.host === undefined ? undefined : headers;
}

/** The key id in a request. */
const keyOf = (request, url) =>
  (url.searchParams.get("X-Amz-Credential") ?? /Credential=([^,]+)/.exec(request.headers.authorization ?? "")?.[1] ?? "").split("/")[0];

async function presignatureFits(request, url) {
  const query = Object.fromEntries(url.searchParams);
  const claimed = query["X-Amz-Signature"] ?? "";
  const names = (query["X-Amz-SignedHeaders"] ?? "").split(";");
  const signingDate = parseDate(query["X-Amz-Date"]);
  const expiresIn = Number(query["X-Amz-Expires"]);
  const headers = signedHeaders(request, names);
  const id = keyOf(request, url);
  if (!headers || Number.isNaN(signingDate.getTime()) || !(expiresIn > 0)) return false;
  if (query["X-Amz-Security-Token"] !== keys.get(id).sessionToken) return false;
  if (Date.now() > signingDate.getTime() + expiresIn * 1000) return false;
  for (const name of Object.keys(query)) if (name.startsWith("X-Amz-")) delete query[name];
  const expected = await signerOf(id).presign(
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
  const id = keyOf(request, url);
  if (request.headers["x-amz-security-token"] !== keys.get(id).sessionToken) return false;
  const hash = createHash("sha256").update(body).digest("hex");
  if (!headers || Math.abs(Date.now() - signingDate.getTime()) > 15 * 60 * 1000) return false;
  if (request.headers["x-amz-content-sha256"] !== hash) return false;
  const expected = await signerOf(id).sign(
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

const asItsOwn = (path) =>
  path.replace(/(X-Amz-Credential=)[^%&]+/, "$1S3RVER").replace(/&?X-Amz-Security-Token=[^&]*/, "");

const ownHeaders = ({ "x-amz-security-token": _, ...headers }) => ({
  ...headers,
  ...(headers.authorization ? { authorization: headers.authorization.replace(/(Credential=)[^/]+/, "$1S3RVER") } : {}),
});

/** s3rver's response with its complete body. */
function forward(request, body, port) {
  return new Promise((resolve, reject) => {
    const inner = http.request(
      // s3rver knows only one key and does not check signatures.
      { host: "127.0.0.1", port, method: request.method, path: asItsOwn(request.url), headers: ownHeaders(request.headers) },
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
  const id = keyOf(request, url);
  if (!keys.has(id)) return refuse(response, 403, "InvalidAccessKeyId");
  if (keys.get(id).expires <= Date.now()) return refuse(response, 400, "ExpiredToken");
  if (!(await authorised(request, url, body))) return refuse(response, 403, "SignatureDoesNotMatch");
  if (!(await copyConditionHolds(request, inner))) return refuse(response, 412, "PreconditionFailed");
  const answer = await forward(request, body, inner);
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
});

let behaviour = {};
const seen = { asked: 0, issued: 0 };

/** New keys. The server in front of s3rver accepts them until they expire. */
function issue() {
  ++seen.issued;
  const id = "ASIA" + randomBytes(8).toString("hex").toUpperCase();
  const made = {
    secretAccessKey: randomBytes(30).toString("base64"),
    sessionToken: randomBytes(300).toString("base64"),
    expires: Math.floor(Date.now() / 1000 + behaviour.lifetime) * 1000,
  };
  keys.set(id, made);
  return { id, ...made, expiration: new Date(made.expires).toISOString().replace(".000Z", "Z") };
}

function answerContainer(request, response) {
  if (behaviour.status !== 200) return response.writeHead(behaviour.status).end();
  if (request.headers.authorization !== behaviour.token) return response.writeHead(401).end();
  const made = issue();
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      AccessKeyId: made.id,
      SecretAccessKey: made.secretAccessKey,
      Token: made.sessionToken,
      Expiration: made.expiration,
      RoleArn: "arn:aws:iam::123456789012:role/app",
    }),
  );
}

const sts = 'xmlns="https://sts.amazonaws.com/doc/2011-06-15/"';

function refuseSts(response, status, code) {
  response.writeHead(status, { "content-type": "text/xml" });
  response.end(`<ErrorResponse ${sts}><Error><Type>Sender</Type><Code>${code}</Code><Message>No.</Message></Error></ErrorResponse>`);
}

function answerSts(request, response, body) {
  const form = new URLSearchParams(body);
  if (behaviour.status !== 200) return refuseSts(response, behaviour.status, "ServiceUnavailable");
  if (request.headers.authorization) return refuseSts(response, 403, "SignatureDoesNotMatch"); // AssumeRoleWithWebIdentity is not signed
  if (!request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded")) return refuseSts(response, 400, "InvalidAction");
  if (form.get("Action") !== "AssumeRoleWithWebIdentity" || form.get("Version") !== "2011-06-15") return refuseSts(response, 400, "InvalidAction");
  if (!/^arn:aws:iam::\d{12}:role\/.+/.test(form.get("RoleArn") ?? "")) return refuseSts(response, 400, "ValidationError");
  if (!/^[\w+=,.@-]{2,64}$/.test(form.get("RoleSessionName") ?? "")) return refuseSts(response, 400, "ValidationError");
  if (form.get("WebIdentityToken") !== behaviour.token) return refuseSts(response, 400, "InvalidIdentityToken");
  const made = issue();
  const name = form.get("RoleSessionName");
  response.writeHead(200, { "content-type": "text/xml" });
  response.end(`<AssumeRoleWithWebIdentityResponse ${sts}>
  <AssumeRoleWithWebIdentityResult>
    <Audience>sts.amazonaws.com</Audience>
    <AssumedRoleUser><AssumedRoleId>AROAEXAMPLE:${name}</AssumedRoleId><Arn>arn:aws:sts::123456789012:assumed-role/app/${name}</Arn></AssumedRoleUser>
    <Credentials>
      <AccessKeyId>${made.id}</AccessKeyId>
      <SecretAccessKey>${made.secretAccessKey}</SecretAccessKey>
      <SessionToken>${made.sessionToken}</SessionToken>
      <Expiration>${made.expiration}</Expiration>
    </Credentials>
  </AssumeRoleWithWebIdentityResult>
  <ResponseMetadata><RequestId>ad4156e9-bce1-11e2-82e6-6b6ef249b618</RequestId></ResponseMetadata>
</AssumeRoleWithWebIdentityResponse>`);
}

const issuer = http.createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const call = `${request.method} ${request.url}`;
  if (call === "PUT /behaviour") {
    behaviour = { lifetime: 3600, status: 200, token: "", ...JSON.parse(body) };
    return response.writeHead(204).end();
  }
  if (call === "GET /seen") {
    response.writeHead(200, { "content-type": "application/json" });
    return response.end(JSON.stringify(seen));
  }
  ++seen.asked;
  if (call === "GET /credentials") return answerContainer(request, response);
  if (call === "POST /") return answerSts(request, response, body);
  return response.writeHead(404).end();
});

function listen(server, name) {
  server.listen(0, "127.0.0.1", () => {
    writeFileSync(join(folder, `${name}.new`), String(server.address().port));
    renameSync(join(folder, `${name}.new`), join(folder, name));
  });
}
listen(front, "port");
listen(issuer, "issuer-port");
