// An installation as operators have it: the services of scripts/run, behind a proxy that terminates TLS for *.{area}.example.test with
// a certificate of a private authority. scripts/tenant reaches the proxy because .curlrc leads every connection to it.
// Environment variables: SOURCE is the checkout, BUILD the build folder with the services, RUN the folder for all files of the test.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import path from "node:path";
import { buffer, text } from "node:stream/consumers";

const { SOURCE, BUILD, RUN } = process.env;
assert.ok(SOURCE && BUILD && RUN, "SOURCE, BUILD or RUN is not set");

export const areas = ["feedback", "auth", "notify", "billing"];
export const serviceOf = (area) => (area === "auth" ? "auth-mfa" : area);
export const url = "https://{area}.example.test";
export const source = SOURCE;

/** The values of KEY=VALUE lines. */
export const valuesOf = (lines) => Object.fromEntries(lines.trim().split("\n").map((line) => /^([^=]*)=(.*)$/s.exec(line).slice(1)));

/** Runs a program. Returns its exit status and its output. */
async function ended(file, args, { env, cwd, input = "" }) {
  const child = spawn(file, args, { env, cwd, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => {}).end(input); // the program may end without reading it
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { status, out, err };
}

/** The command lines in the process list. */
const commandLinesNow = () =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((id) => {
    try {
      return [readFileSync(`/proc/${id}/cmdline`, "utf8")];
    } catch {
      return []; // the process has ended
    }
  });

export class Installation {
  folder = path.join(RUN, "files");
  /** The requests that the proxy received: `{area, label, method, path, status}`. */
  requests = [];
  /** The command lines in the process list that contained the master key during a request. */
  exposed = [];
  /** Functions `(request, response) => boolean` by area. If one returns true, it has answered instead of the service. */
  faults = new Map();
  #settings = {};
  #commands = path.join(RUN, "files/commands.txt");

  static async start() {
    const installation = new Installation();
    await installation.#start();
    return installation;
  }

  async #start() {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(path.join(this.folder, "bin"), { recursive: true });
    const ports = execFileSync("bash", ["-c", `source ${SOURCE}/scripts/common.sh && free_ports 8`], { encoding: "utf8" }).trim().split(" ");
    for (const [index, area] of areas.entries()) {
      this.#settings[`${area.toUpperCase()}_PORT`] = ports[2 * index];
      this.#settings[`${area.toUpperCase()}_OPS_PORT`] = ports[2 * index + 1];
      this.#settings[`${area.toUpperCase()}_BASE_HOST`] = `${area}.example.test`;
    }
    const { status, err } = await ended(`${SOURCE}/scripts/run`, ["--detach", "--fresh", "--no-build"], { env: this.#environment() });
    assert.equal(status, 0, err);
    this.env = valuesOf(readFileSync(path.join(RUN, ".run/env"), "utf8"));
    this.#makeCertificates();
    await this.#startProxy();
    this.curlHome = this.#makeCurlHome("curl", "");
    this.carelessCurlHome = this.#makeCurlHome("careless", "insecure\nlocation\n");
    this.keyFile = this.file("master-key", `${this.env.MASTER_KEY}\n`);
    this.#makeWrappers();
  }

  async stop() {
    this.proxy?.close();
    this.proxy?.closeAllConnections();
    await ended(`${SOURCE}/scripts/run`, ["--stop"], { env: this.#environment() });
  }

  /** Writes a file that only its owner can read. Returns its path. */
  file(name, content, mode = 0o600) {
    const file = path.join(this.folder, name);
    writeFileSync(file, content);
    chmodSync(file, mode);
    return file;
  }

  /** Runs scripts/tenant for the local run. */
  local(args, { env = {} } = {}) {
    return ended(`${SOURCE}/scripts/tenant`, args, { env: { ...this.#environment(), ...env }, cwd: this.folder });
  }

  /** Runs scripts/tenant with exactly these options. The master key is not in the environment. */
  raw(args, { env = {}, input } = {}) {
    return ended(`${SOURCE}/scripts/tenant`, args, {
      env: { ...this.#environment(), CURL_HOME: this.curlHome, ...env },
      cwd: this.folder,
      input,
    });
  }

  /** Runs scripts/tenant for the installation behind the proxy. */
  tenant(...args) {
    return this.raw(["--url", url, "--cacert", "ca.pem", "--key-file", this.keyFile, ...args]);
  }

  /** As `tenant`, and returns the standard output. The command must succeed. */
  async ok(...args) {
    const { status, out, err } = await this.tenant(...args);
    assert.equal(status, 0, `${args.join(" ")}: ${err}`);
    return out;
  }

  /** Sends a request to a service for the host with this label. */
  async request(area, label, method, route, { key, body } = {}) {
    const request = http.request({
      host: "127.0.0.1",
      port: this.#settings[`${area.toUpperCase()}_PORT`],
      method,
      path: route,
      agent: false,
      headers: {
        host: `${label}.${area}.example.test`,
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body && { "content-type": "application/json" }),
      },
    });
    request.end(body && JSON.stringify(body));
    const [response] = await once(request, "response");
    const answer = await text(response);
    return { status: response.statusCode, body: answer && JSON.parse(answer) };
  }

  /** The command lines of curl, jq, openssl and stat that scripts/tenant ran. */
  commandLines() {
    return readFileSync(this.#commands, "utf8");
  }

  #environment() {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(TETRAD_|MASTER_KEY|CURL_HOME|.*_proxy$)/i.test(name));
    return {
      ...Object.fromEntries(inherited),
      ...this.#settings,
      BUILD,
      TETRAD_RUN: path.join(RUN, ".run"),
      PATH: `${this.folder}/bin:${process.env.PATH}`,
    };
  }

  /** Writes wrappers that record the command lines of the programs that scripts/tenant starts. */
  #makeWrappers() {
    writeFileSync(this.#commands, "");
    for (const name of ["curl", "jq", "openssl", "stat", "sed"]) {
      const real = execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
      this.file(`bin/${name}`, `#!/bin/sh\nprintf '%s\\n' "${name} $*" >>'${this.#commands}'\nexec ${real} "$@"\n`, 0o755);
    }
  }

  #makeCurlHome(name, more) {
    mkdirSync(path.join(this.folder, name));
    this.file(`${name}/.curlrc`, `connect-to = "::127.0.0.1:${this.proxy.address().port}"\n${more}`);
    return path.join(this.folder, name);
  }

  #makeCertificates() {
    const openssl = (...args) => execFileSync("openssl", args, { cwd: this.folder, stdio: "pipe" });
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    openssl("req", "-x509", ...key, "-days", "2", "-subj", "/CN=private authority", "-keyout", "ca.key", "-out", "ca.pem");
    openssl("req", ...key, "-subj", "/CN=installation", "-keyout", "server.key", "-out", "server.csr");
    this.file("extensions", `subjectAltName=${areas.map((area) => `DNS:*.${area}.example.test`).join(",")}\n`);
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
      "-extfile", "extensions", "-out", "server.pem");
  }

  async #startProxy() {
    const tls = { key: readFileSync(`${this.folder}/server.key`), cert: readFileSync(`${this.folder}/server.pem`) };
    this.proxy = https.createServer(tls, (request, response) =>
      this.#forward(request, response).catch(() => response.destroy()),
    );
    await once(this.proxy.listen(0, "127.0.0.1"), "listening");
  }

  async #forward(request, response) {
    const [label, area] = request.headers.host.split(".");
    const seen = { area, label, method: request.method, path: request.url, status: undefined };
    this.requests.push(seen);
    this.exposed.push(...commandLinesNow().filter((line) => line.includes(this.env.MASTER_KEY)));
    const body = await buffer(request);
    if (this.faults.get(area)?.(request, response)) return;
    const onward = http.request({
      host: "127.0.0.1",
      port: this.#settings[`${area.toUpperCase()}_PORT`],
      method: request.method,
      path: request.url,
      headers: request.headers,
      agent: false,
    });
    onward.end(body);
    const [answer] = await once(onward, "response");
    seen.status = answer.statusCode;
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  }
}
