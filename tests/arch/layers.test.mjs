// The layers of the tree, and the check itself. Run this file in the root folder of the checkout.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { brokenLayers } from "./layers.mjs";

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const at = path.posix.join(folder, entry.name);
    if (entry.name === "node_modules") return [];
    return entry.isDirectory() ? filesBelow(at) : [at];
  });

test("libs/ and services/ keep to their layers", () => {
  const tree = new Map([...filesBelow("libs"), ...filesBelow("services")].map((file) => [file, readFileSync(file, "utf8")]));
  const { faults, unused, folders } = brokenLayers(tree);
  assert.deepEqual(faults, []);
  assert.deepEqual(unused, [], "no include needs these words of the tables");
  assert.ok(folders > 20);
});

// --- the check itself ------------------------------------------------------------------------------------------------------------

const include = (...headers) => headers.map((header) => `#include ${header}\n`).join("");
const good = {
  "libs/CMakeLists.txt": "# order\nforeach(lib third core crypto http http_server http_client pg tenancy)\n",
  "libs/core/CMakeLists.txt": "tetrad_library(core SOURCES id.cpp config.cpp DEPS third)\n",
  "libs/core/id.hpp": include("<array>", "<boost/json.hpp>"),
  "libs/core/id.cpp": include('"core/id.hpp"', "<openssl/rand.h>"),
  "libs/core/config.hpp": "",
  "libs/core/config.cpp": include('"core/config.hpp"', "<fstream>") + 'auto const value = std::getenv("X");\n',
  "libs/crypto/CMakeLists.txt": "tetrad_library(crypto SOURCES rsa.cpp DEPS core third OpenSSL::Crypto)\n",
  "libs/crypto/rsa.hpp": "",
  "libs/crypto/rsa.cpp": include('"crypto/rsa.hpp"', '"core/id.hpp"'),
  "libs/http/CMakeLists.txt": "tetrad_library(http SOURCES message.cpp DEPS)\n",
  "libs/http/message.hpp": include("<string>"),
  "libs/http_server/CMakeLists.txt": "tetrad_library(http_server SOURCES request_parser.cpp DEPS core)\n",
  "libs/http_server/request_parser.hpp": include('"core/id.hpp"', "<boost/beast/http/basic_parser.hpp>", "<boost/asio/awaitable.hpp>"),
  "libs/http_client/CMakeLists.txt": "tetrad_library(http_client SOURCES client.cpp DEPS)\n",
  "libs/http_client/curl_handles.hpp": include("<curl/curl.h>", "<sys/socket.h>"),
  "libs/http_client/transfer.hpp": include('"http_client/curl_handles.hpp"'),
  "libs/pg/CMakeLists.txt": "tetrad_library(pg\n  SOURCES wire.cpp\n  DEPS core third)\n",
  "libs/pg/wire.hpp": include('"core/id.hpp"', "<libpq-fe.h>") + 'auto const sql = "SELECT 1";\n',
  "libs/tenancy/CMakeLists.txt": "tetrad_library(tenancy SOURCES tenant.hpp DEPS pg)\n",
  "libs/tenancy/migrations/0001_tenants.sql": "CREATE TABLE tenants ();\n",
  "libs/tenancy/tenant.hpp": include('"pg/wire.hpp"') + 'auto const sql = R"(\n    DELETE FROM tenants)";\n',
  "services/a/CMakeLists.txt": "target_link_libraries(a_service PUBLIC core pg tenancy)\n",
  "services/a/main.cpp": include('"definition.hpp"'),
  "services/a/definition.hpp": include('"core/config.hpp"'),
  "services/a/app.hpp": include('"definition.hpp"', '"config.hpp"', '"deps.hpp"', '"workers/send.hpp"'),
  "services/a/config.hpp": include('"core/config.hpp"'),
  "services/a/routes.hpp": include('"api/things.hpp"'),
  "services/a/deps.hpp": "",
  "services/a/batchers.hpp": include('"storage/things.hpp"', '"domain/thing.hpp"'),
  "services/a/workers/send.hpp": include('"storage/things.hpp"', '"providers/mail.hpp"'),
  "services/a/api/things.hpp": include('"flows/send.hpp"', "<boost/asio/awaitable.hpp>"),
  "services/a/flows/send.hpp": include('"deps.hpp"', '"batchers.hpp"'),
  "services/a/ingest/take.hpp": include('"storage/things.hpp"'),
  "services/a/storage/things.hpp": include('"domain/thing.hpp"', '"pg/wire.hpp"') + 'auto const sql = "SELECT 1";\n',
  "services/a/state/codes.hpp": include('"domain/thing.hpp"'),
  "services/a/providers/mail.hpp": include('"domain/thing.hpp"', "<fcntl.h>"),
  "services/a/domain/thing.hpp": include('"core/id.hpp"', '"tenancy/tenant.hpp"', "<string>", "<boost/asio/ip/address.hpp>"),
  "services/b/domain/thing.hpp": "",
};
const faultsOf = (changes) => brokenLayers(new Map(Object.entries({ ...good, ...changes }))).faults;

test("allowed includes are accepted", () => assert.deepEqual(faultsOf({}), []));
test("comments are not code", () => assert.deepEqual(faultsOf({ "services/a/domain/thing.hpp": `${good["services/a/domain/thing.hpp"]}/*\n#include "api/things.hpp"\n*/ // getenv()\n` }), []));

/** Files and a header that they must not include. */
const forbidden = [
  // layers of a service
  ["services/a/domain/thing.hpp", '"storage/things.hpp"'],
  ["services/a/domain/thing.hpp", '"providers/mail.hpp"'],
  ["services/a/storage/things.hpp", '"api/things.hpp"'],
  ["services/a/storage/things.hpp", '"deps.hpp"'],
  ["services/a/storage/things.hpp", '"providers/mail.hpp"'],
  ["services/a/storage/things.hpp", '"state/codes.hpp"'],
  ["services/a/state/codes.hpp", '"storage/things.hpp"'],
  ["services/a/providers/mail.hpp", '"storage/things.hpp"'],
  ["services/a/providers/mail.hpp", '"config.hpp"'],
  ["services/a/storage/things.hpp", '"ingest/take.hpp"'],
  ["services/a/ingest/take.hpp", '"api/things.hpp"'],
  ["services/a/ingest/take.hpp", '"deps.hpp"'],
  ["services/a/flows/send.hpp", '"api/things.hpp"'],
  ["services/a/deps.hpp", '"flows/send.hpp"'],
  ["services/a/deps.hpp", '"api/things.hpp"'],
  ["services/a/deps.hpp", '"storage/things.hpp"'],
  ["services/a/deps.hpp", '"batchers.hpp"'],
  ["services/a/batchers.hpp", '"deps.hpp"'],
  ["services/a/batchers.hpp", '"ingest/take.hpp"'],
  ["services/a/api/things.hpp", '"routes.hpp"'],
  ["services/a/api/things.hpp", '"workers/send.hpp"'],
  ["services/a/main.cpp", '"app.hpp"'],
  ["services/a/definition.hpp", '"app.hpp"'],
  ["services/a/api/things.hpp", '"app.hpp"'],
  ["services/a/routes.hpp", '"workers/send.hpp"'],
  ["services/a/routes.hpp", '"app.hpp"'],
  ["services/a/workers/send.hpp", '"app.hpp"'],
  ["services/a/config.hpp", '"deps.hpp"'],
  // I/O in domain/
  ["services/a/domain/thing.hpp", '"pg/wire.hpp"'],
  ["services/a/domain/thing.hpp", '"core/config.hpp"'],
  ["services/a/domain/thing.hpp", "<boost/asio/awaitable.hpp>"],
  ["services/a/domain/thing.hpp", "<fstream>"],
  // the operating system
  ["libs/core/id.cpp", "<fcntl.h>"],
  ["services/a/api/things.hpp", "<sys/stat.h>"],
  // packages
  ["libs/http_server/request_parser.hpp", "<boost/asio.hpp>"],
  ["libs/core/id.cpp", "<boost/beast/core.hpp>"],
  ["libs/crypto/rsa.cpp", "<argon2.h>"],
  ["libs/core/id.cpp", "<ares.h>"],
  ["libs/core/id.cpp", "<cmark.h>"],
  ["services/a/providers/mail.hpp", "<curl/curl.h>"],
  ["services/a/providers/mail.hpp", "<gmime/gmime.h>"],
  ["services/a/state/codes.hpp", "<hiredis/hiredis.h>"],
  ["services/a/storage/things.hpp", "<libpq-fe.h>"],
  ["libs/http_client/transfer.hpp", "<nghttp2/nghttp2.h>"],
  ["services/a/providers/mail.hpp", "<opendkim/dkim.h>"],
  ["libs/core/id.hpp", "<openssl/evp.h>"],
  ["libs/crypto/rsa.hpp", "<openssl/evp.h>"],
  ["services/a/storage/things.hpp", "<pqxx/except>"],
  ["services/a/api/things.hpp", "<prometheus/counter.h>"],
  ["libs/core/id.cpp", "<spdlog/logger.h>"],
  ["libs/core/id.cpp", "<yaml-cpp/yaml.h>"],
  ["libs/core/id.cpp", "<zlib.h>"],
  ["libs/core/id.cpp", "<other/package.hpp>"],
  ["libs/core/id.cpp", "<other.h>"],
  // headers of the project for few files
  ["services/a/storage/things.hpp", '"crypto/rsa.hpp"', { "services/a/CMakeLists.txt": "target_link_libraries(a_service PUBLIC core crypto pg tenancy)\n" }],
  ["libs/http_client/transfer.hpp", '"http_server/request_parser.hpp"', { "libs/http_client/CMakeLists.txt": "tetrad_library(http_client DEPS http_server)\n" }],
  ["services/a/providers/mail.hpp", '"http_client/curl_handles.hpp"', { "services/a/CMakeLists.txt": "target_link_libraries(a_service PUBLIC core http_client pg tenancy)\n" }],
  ["services/a/providers/mail.hpp", '"http_client/transfer.hpp"', { "services/a/CMakeLists.txt": "target_link_libraries(a_service PUBLIC core http_client pg tenancy)\n" }],
  // other folders
  ["services/a/api/things.hpp", '"services/b/domain/thing.hpp"'],
  ["services/a/api/things.hpp", '"../b/domain/thing.hpp"'],
  ["services/a/api/things.hpp", '"support/postgres.hpp"'],
  ["libs/pg/wire.hpp", '"support/postgres.hpp"'],
  ["libs/pg/wire.hpp", '"domain/thing.hpp"'],
];
for (const [file, header, others] of forbidden) {
  test(`${file} must not include ${header}`, () => {
    const faults = faultsOf({ [file]: good[file] + include(header), ...others });
    assert.equal(faults.length, 1, faults.join("\n"));
    assert.ok(faults[0].startsWith(`${file}:${good[file].split("\n").length}: `) && faults[0].includes(header.slice(1, -1)), faults[0]);
  });
}

const bad = [
  ["a library that includes a later one", { "libs/core/id.hpp": include('"pg/wire.hpp"'), "libs/core/CMakeLists.txt": "tetrad_library(core DEPS pg)" }, /^libs\/core\/id\.hpp:1: libs\/CMakeLists\.txt lists pg after core$/],
  ["a library that is not listed", { "libs/extra/a.hpp": "" }, /^libs\/extra\/a\.hpp:1: libs\/CMakeLists\.txt does not list extra$/],
  ["a library that is not linked", { "libs/pg/CMakeLists.txt": "tetrad_library(pg DEPS third)" }, /^libs\/pg\/CMakeLists\.txt links "", but libs\/pg\/ includes headers of "core"$/],
  ["a library that is linked and not needed", { "libs/core/CMakeLists.txt": "tetrad_library(core DEPS crypto)" }, /links "crypto", but libs\/core\/ includes headers of ""/],
  ["another order of links", { "services/a/CMakeLists.txt": "target_link_libraries(a PUBLIC tenancy pg core)" }, /links "tenancy pg core", but services\/a\/ includes headers of "core pg tenancy"/],
  ["test code that is linked", { "services/a/CMakeLists.txt": "target_link_libraries(a PUBLIC core pg tenancy testing)" }, /must not link testing/],
  ["a header with the name of another", { "services/a/flows/deps.hpp": "" }, /^services\/a\/flows\/send\.hpp:1: deps\.hpp means services\/a\/flows\/deps\.hpp here/],
  ["a folder that is not a layer", { "services/a/helpers/x.cpp": "" }, /^services\/a\/helpers\/x\.cpp:1: helpers is not a layer$/],
  ["SQL in a handler", { "services/a/api/x.cpp": 'int a;\nauto sql = "DELETE FROM " + table;' }, /^services\/a\/api\/x\.cpp:2: SQL belongs to storage/],
  ["SQL in a raw string", { "services/a/workers/x.cpp": 'auto sql = R"sql(\n  WITH a AS (SELECT 1) SELECT "x" FROM a)sql";' }, /^services\/a\/workers\/x\.cpp:1: SQL/],
  ["SQL in a library without tables", { "libs/core/id.cpp": 'auto sql = "UPDATE x SET y = 1";' }, /^libs\/core\/id\.cpp:1: SQL/],
  ["an environment variable", { "services/a/config.hpp": 'auto value = getenv("X");' }, /^services\/a\/config\.hpp:1: only core\/config reads the environment/],
];
for (const [what, changes, expected] of bad) {
  test(`a fault is reported: ${what}`, () => {
    const faults = faultsOf(changes);
    assert.equal(faults.length, 1, faults.join("\n"));
    assert.match(faults[0], expected);
  });
}

test("words of the tables that no include needs are reported", () => {
  const { unused } = brokenLayers(new Map(Object.entries(good)));
  assert.ok(unused.includes("sms/phone.hpp") && unused.includes("gmime/") && unused.includes("pqxx/: libs/jobs/failure.cpp"));
  assert.ok(!unused.includes("core/") && !unused.includes("storage"));
});
