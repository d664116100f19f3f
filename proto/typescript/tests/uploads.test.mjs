import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Feedback, Notify, ValidationError } from "@tetrad/client";
import { broken, json, problem, serve } from "./server.mjs";

const attachment = { attachmentId: "a1", status: "uploaded" };
const file = new Blob(["x".repeat(100_000)], { type: "image/png" });

/** A service. `puts`: the answers to the uploads, in order. */
function service(puts) {
  const left = [...puts];
  return serve(({ method, headers }) => {
    if (method === "POST")
      return json(201, { attachmentId: "a1", uploadUrl: `http://${headers.host}/uploads/t`, filename: "x.png", contentType: "image/png" });
    return method === "PUT" ? left.shift() : json(200, attachment);
  });
}

afterEach(() => delete globalThis.XMLHttpRequest);

test("an upload presigns, sends the file without a credential, and returns the attachment", async () => {
  for (const Area of [Feedback, Notify]) {
    const server = await service([json(200, {})]);
    const progress = [];
    const onProgress = (...values) => progress.push(values);
    const area = new Area({ ...server, apiKey: "fbk_1" });
    assert.deepEqual(await area.uploadAttachment({ filename: "x.png" }, file, { onProgress }), attachment);
    const [presign, put, get] = server.requests;
    assert.deepEqual(JSON.parse(presign.body), { contentType: "image/png", filename: "x.png", sizeBytes: 100_000 });
    assert.deepEqual([put.url, put.headers.authorization, put.headers["content-type"]], ["/uploads/t", undefined, "image/png"]);
    assert.deepEqual([put.headers["content-length"], put.body.length], ["100000", 100_000]);
    assert.equal(get.url, "/v1/attachments/a1");
    assert.deepEqual(progress, [[100_000, 100_000]]);
  }
});

test("an interrupted upload is repeated with the whole file", async () => {
  const server = await service([broken, problem(503, "UNAVAILABLE", { "retry-after": "0" }), json(200, {})]);
  await new Feedback({ ...server, apiKey: "fbk_1" }).uploadAttachment({ filename: "x.png" }, file);
  const puts = server.requests.filter(({ method }) => method === "PUT");
  assert.deepEqual(puts.map(({ body }) => body.length), [100_000, 100_000, 100_000]);
});

test("an upload whose response was lost is complete", async () => {
  const server = await service([broken, problem(409, "CONFLICT")]);
  assert.deepEqual(await new Feedback({ ...server, apiKey: "fbk_1" }).uploadAttachment({ filename: "x.png" }, file), attachment);
  const other = await service([problem(409, "CONFLICT")]);
  await assert.rejects(new Feedback({ ...other, apiKey: "fbk_1" }).uploadAttachment({ filename: "x.png" }, file), { name: "ConflictError" });
});

test("a refused upload throws the error of the service", async () => {
  const server = await service([problem(400, "VALIDATION_ERROR", {}, { errors: [{ pointer: "/", code: "content", detail: "is not PNG" }] })]);
  const call = new Feedback({ ...server, apiKey: "fbk_1" }).uploadAttachment({ filename: "x.png" }, file);
  await assert.rejects(call, (error) => error instanceof ValidationError && error.errors[0].code === "content");
});

/** XMLHttpRequest as in browsers, reduced to the members that uploads use. */
class Xhr {
  static status = 200;
  upload = {};
  headers = {};
  responseText = "{}";
  open(method, url) {
    Object.assign(this, { method, url });
  }
  setRequestHeader(name, value) {
    this.headers[name] = value;
  }
  getAllResponseHeaders() {
    return "content-type: application/json\r\nx-request-id: r9\r\n";
  }
  abort() {
    this.onabort();
  }
  send(body) {
    Xhr.last = this;
    this.status = Xhr.status;
    this.body = body;
    this.upload.onprogress({ loaded: 10 });
    if (Xhr.status === 0) return;
    queueMicrotask(() => this.onload());
  }
}

test("browsers upload by XMLHttpRequest and report the progress", async () => {
  globalThis.XMLHttpRequest = Xhr;
  Xhr.status = 200;
  const server = await service([]);
  const progress = [];
  const onProgress = (...values) => progress.push(values);
  await new Feedback({ ...server, apiKey: "fbk_1" }).uploadAttachment({ filename: "x.png" }, file, { onProgress });
  assert.deepEqual(progress, [[10, 100_000]]);
  assert.deepEqual([Xhr.last.method, Xhr.last.body, Xhr.last.headers], ["PUT", file, { "content-type": "image/png" }]);
});

test("a refusal and an abort end an upload by XMLHttpRequest", async () => {
  globalThis.XMLHttpRequest = Xhr;
  const server = await service([]);
  const upload = (options) => new Feedback({ ...server, apiKey: "fbk_1" }).uploadAttachment({ filename: "x.png" }, file, options);
  Xhr.status = 404;
  await assert.rejects(upload({ onProgress: () => undefined }), { name: "NotFoundError", requestId: "r9" });
  Xhr.status = 0;
  const controller = new AbortController();
  await assert.rejects(upload({ signal: controller.signal, onProgress: () => controller.abort() }), { name: "AbortError" });
});
