// Checks the layers of libs/ and services/ (docs/architecture/overview.md). The compiler cannot check the layers, because every file
// can include the headers of all libraries and of all installed packages.
import path from "node:path";

/**
 * The layers of a service: folders and files of `services/<name>/`. A layer may include the layers that are listed for it, and
 * the layers that these may include. Every layer may include libs/.
 */
const layers = {
  main: ["definition"],
  definition: [],
  app: ["config", "definition", "routes", "workers"],
  workers: ["routes"],
  routes: ["api", "oauth", "pages"],
  pages: ["api"],
  oauth: ["flows"],
  api: ["flows", "email_domain_deps"],
  flows: ["deps", "batchers", "ingest", "tokens", "metrics", "config", "state"],
  deps: [],
  email_domain_deps: [],
  batchers: ["storage"],
  ingest: ["storage", "providers"],
  config: ["providers"],
  tokens: ["storage"],
  metrics: ["domain"],
  storage: ["domain"],
  state: ["domain"],
  providers: ["domain"],
  domain: [],
};

// Below, lists of words are beginnings of paths, in which `*` stands for any part of a name. `!` before a word excludes the path. The
// first word that matches decides.

/** The headers of libs/ that domain/ may include: values and rules, no I/O. */
const usedByDomain =
  "!core/append_file.hpp !core/config.hpp !core/thread_pool.hpp core/ crypto/ paging/ auth/tenant_urls.hpp auth/token_claims.hpp http_client/url.hpp sms/gsm7.hpp sms/phone.hpp mail/address.hpp tenancy/tenant.hpp";

/**
 * Headers, and the files that may include them. The first line that matches a header decides. A header of a package must have a line.
 * A header of the project without a line may be included everywhere.
 */
const headers = [
  // the operating system
  ["fstream filesystem iostream dirent.h fcntl.h poll.h pthread.h sched.h unistd.h arpa/ linux/ netinet/ sys/",
    "libs/core/append_file.cpp libs/core/config.cpp !libs/core/ libs/ services/*/providers/"],
  // packages
  ["boost/asio.hpp", ""], // include single headers of Asio
  ["boost/asio/ip/address.hpp boost/asio/ip/network_v", "libs/ services/"],
  ["boost/asio/", "!services/*/domain/ libs/ services/"],
  ["boost/beast/", "libs/third/ libs/http_server/request_parser."],
  ["boost/", "libs/ services/"],
  ["argon2.h", "libs/crypto/argon2id.cpp"],
  ["ares.h", "libs/http_client/name_resolver. services/notify/providers/dns.cpp"],
  ["cbor.h", "services/auth-mfa/domain/webauthn_cbor.cpp"],
  ["cmark.h yaml-cpp/", "libs/docs/"],
  ["zlib.h", "libs/docs/ libs/core/gzip.cpp"],
  ["crypt.h", "libs/crypto/bcrypt.cpp"],
  ["curl/", "libs/http_client/"],
  ["fido.h fido/", "services/auth-mfa/domain/webauthn.cpp"],
  ["gmime/", "libs/mail/mime.cpp"],
  ["hiredis/", "libs/redis/"],
  ["kainjow/", "libs/hosted_pages/"],
  ["libpq-fe.h", "libs/pg/"],
  ["libpsl.h", "services/auth-mfa/domain/public_suffix.cpp"],
  ["magic.h", "libs/blobs/type_detector.cpp"],
  ["libxml/", "libs/mail/html_tree.cpp"],
  ["nghttp2/", "libs/http2_client/"],
  ["opendkim/", "libs/mail/dkim.cpp"],
  ["openssl/",
    "libs/core/id.cpp libs/core/secret.cpp libs/crypto/openssl.hpp libs/crypto/*.cpp libs/http2_client/tls. libs/pg/*.cpp libs/redis/client.cpp " +
    "libs/blobs/*.cpp libs/mail/dkim.cpp services/auth-mfa/domain/webauthn.cpp"],
  ["utf8proc.h", "libs/core/characters.cpp libs/core/nfc.cpp services/feedback/domain/search_"],
  ["png.h webp/", "libs/hosted_pages/image.cpp"],
  ["pqxx/", "libs/pg/ libs/jobs/failure.cpp libs/service/run.cpp"],
  ["prometheus/", "libs/observe/ services/billing/metrics.cpp"],
  ["qrencode.h", "services/auth-mfa/pages/qr_code.cpp"],
  ["spdlog/", "libs/observe/"],
  ["zxcvbn.h", "services/auth-mfa/domain/password_policy.cpp"],
  // headers of the project for few files
  ["crypto/argon2id.hpp crypto/bcrypt.hpp crypto/openssl.hpp crypto/p256.hpp crypto/rsa.hpp", "libs/crypto/"],
  ["http_server/request_parser.hpp http_server/wire.hpp", "libs/http_server/"],
  ["http_client/curl_handles.hpp", "libs/http_client/"],
  ["http_client/name_resolver.hpp http_client/transfer.hpp", "libs/http_client/"],
];

const sqlAtStart = /^\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|LOCK TABLE|TRUNCATE|CREATE|ALTER|DROP|BEGIN|COMMIT|NOTIFY|LISTEN)\s/;

/** The word of a list that decides about a path; undefined if no word matches. */
const deciding = (list, file) =>
  list.split(" ").find((word) => word !== "" && new RegExp("^" + word.replace("!", "").replaceAll(".", "\\.").replaceAll("*", "[^/]*")).test(file));
const allows = (word) => word !== undefined && !word.startsWith("!");

/** The layers that `layer` may include. */
function below(layer, found = new Set([layer])) {
  for (const each of layers[layer]) if (!found.has(each)) below(each, found.add(each));
  return found;
}

/** Source text without comments, with the same lines. */
const withoutComments = (text) =>
  text.replace(/R"([^()\s\\"]{0,16})\([\s\S]*?\)\1"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
    /^\/[/*]/.test(part) ? part.replace(/[^\n]+/g, " ") : part);

/**
 * The faults of a tree (path -> text of every file), and the words of the tables above that no include needs.
 */
export function brokenLayers(tree) {
  const faults = [], used = new Set();
  const libraries = /^foreach\(lib ([^)]*)\)/m.exec(tree.get("libs/CMakeLists.txt") ?? "")?.[1].split(" ") ?? [];
  const ownTables = new Set(["libs/pg", ...[...tree.keys()].flatMap((file) => /^(libs\/[^/]+)\/migrations\//.exec(file)?.[1] ?? [])]);
  const uses = new Map(); // folder -> the libraries whose headers it includes

  for (const [file, text] of tree) {
    const [, top, unit, rest] = /^(libs|services)\/([^/]+)\/(.+)\.[ch]pp$/.exec(file) ?? [];
    if (top === undefined) continue;
    const folder = `${top}/${unit}`, layer = top === "services" ? rest.split("/")[0] : undefined;
    const code = withoutComments(text);
    const fault = (index, what) => faults.push(`${file}:${code.slice(0, index).split("\n").length}: ${what}`);
    if (layer === undefined && !libraries.includes(unit)) fault(0, `libs/CMakeLists.txt does not list ${unit}`);
    if (layer !== undefined && layers[layer] === undefined) fault(0, `${layer} is not a layer`);
    uses.set(folder, uses.get(folder) ?? new Set());

    for (const { index, 1: bracket, 2: header } of code.matchAll(/^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)/gm)) {
      const line = headers.find(([names]) => deciding(names, header) !== undefined);
      if (line !== undefined) {
        const word = deciding(line[1], file);
        used.add(deciding(line[0], header)).add(`${line[0]}: ${word}`);
        if (!allows(word)) fault(index, `must not include ${header}`);
      } else if (bracket === "<" && /[./]/.test(header)) fault(index, `${header} is not in the list of packages`);
      if (bracket === "<") continue;

      const sibling = path.posix.join(path.posix.dirname(file), header);
      if (sibling !== `${folder}/${header}` && tree.has(sibling)) fault(index, `${header} means ${sibling} here, because the compiler looks beside the file first`);
      const first = header.split("/")[0].replace(/\.hpp$/, "");
      if (layer !== undefined && tree.has(`${folder}/${header}`)) {
        used.add(layer).add(first);
        if (layers[layer] !== undefined && !below(layer).has(first)) fault(index, `${layer} must not include ${header}`);
      } else if (!tree.has(`libs/${header}`)) {
        fault(index, `there is no ${header} in libs/${layer === undefined ? "" : ` or ${folder}/`}`);
      } else if (first !== unit || layer !== undefined) {
        uses.get(folder).add(first);
        if (layer === undefined && libraries.indexOf(first) > libraries.indexOf(unit)) fault(index, `libs/CMakeLists.txt lists ${first} after ${unit}`);
        if (layer === "domain") {
          const word = deciding(usedByDomain, header);
          used.add(word);
          if (!allows(word)) fault(index, `domain must not include ${header}`);
        }
      }
    }

    if (layer !== "storage" && !ownTables.has(folder))
      for (const { index, 2: raw, 3: plain } of code.matchAll(/R"([^()\s\\"]{0,16})\(([\s\S]*?)\)\1"|"((?:[^"\\\n]|\\.)*)"/g))
        if (sqlAtStart.test(raw ?? plain)) fault(index, "SQL belongs to storage/ and to libraries that own tables");
    if (file !== "libs/core/config.cpp")
      for (const { index } of code.matchAll(/\b(?:secure_)?getenv\s*\(|\benviron\b/g)) fault(index, "only core/config reads the environment");
  }

  // A folder links the libraries whose headers it includes, in the order of libs/CMakeLists.txt. `third` comes with `core`.
  for (const [folder, included] of uses) {
    const list = (tree.get(`${folder}/CMakeLists.txt`) ?? "").replace(/#.*/g, "");
    const words = [...new Set([...list.matchAll(/\b(?:DEPS|PUBLIC|PRIVATE)\s([^)]*)\)/g)].flatMap(([, links]) => links.split(/\s+/)))];
    const linked = words.filter((word) => word !== "third" && libraries.includes(word)).join(" ");
    const needed = libraries.filter((library) => included.has(library)).join(" ");
    if (linked !== needed) faults.push(`${folder}/CMakeLists.txt links "${linked}", but ${folder}/ includes headers of "${needed}"`);
    if (words.includes("testing")) faults.push(`${folder}/CMakeLists.txt must not link testing`);
  }

  const positive = (list) => list.split(" ").filter((word) => word !== "" && allows(word));
  const words = [
    ...Object.keys(layers),
    ...positive(usedByDomain),
    ...headers.flatMap(([names, files]) => (files === "" ? [] : [...positive(names), ...positive(files).map((word) => `${names}: ${word}`)])),
  ];
  return { faults, unused: words.filter((word) => !used.has(word)), folders: uses.size };
}
