#include "clients.hpp"
#include "config.hpp"
#include "crypto/rsa_key.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace registration;

TEST_CASE("an owner creates, reads, changes and deletes clients", "[oauth]")
{
    World const world;
    auto owner = world.as(world.new_owner());
    auto const made = owner.post(clients,
        body(new_client({{"postLogoutRedirectUris", {"https://app.example.com/"}},
            {"backchannelLogoutUri", "https://app.example.com/out"}, {"idTokenSigningAlg", "ES256"}})));
    REQUIRE(made.status == 201);
    auto const client = made.json().as_object();
    CHECK(text(client, "clientId").size() == 36);
    CHECK(text(client, "type") == "public");
    CHECK(client.at("redirectUris") == json::array{"https://app.example.com/callback"});
    CHECK(client.at("postLogoutRedirectUris") == json::array{"https://app.example.com/"});
    CHECK(text(client, "backchannelLogoutUri") == "https://app.example.com/out");
    CHECK(text(client, "idTokenSigningAlg") == "ES256");
    CHECK(client.at("jwks").is_null());
    CHECK_FALSE(client.contains("secret"));
    auto const read = owner.get(path_of(client));
    CHECK(read.json() == json::value(client));
    CHECK(read.header("etag") == made.header("etag"));
    CHECK(owner.get(clients).json().at("items") == json::array{client});

    auto const changed = owner.patch(path_of(client), R"({"name":"New","backchannelLogoutUri":null})");
    REQUIRE(changed.status == 200);
    CHECK(text(changed.json(), "name") == "New");
    CHECK(changed.json().at("backchannelLogoutUri").is_null());
    CHECK(changed.json().at("redirectUris") == client.at("redirectUris"));
    CHECK(text(changed.json(), "idTokenSigningAlg") == "ES256");
    CHECK(owner.get(path_of(client)).json() == changed.json());

    CHECK(owner.del(path_of(client)).body == R"({"deleted":true})");
    CHECK(owner.get(path_of(client)).status == 404);
    CHECK(owner.del(path_of(client)).status == 404);
    CHECK(owner.get(clients).json().at("items").as_array().empty());
}

TEST_CASE("a client has the defaults of OpenID Connect", "[oauth]")
{
    World const world;
    auto master = world.as_master();
    auto const client = created(master, new_client());
    CHECK(text(client, "idTokenSigningAlg") == "RS256");
    CHECK(client.at("postLogoutRedirectUris").as_array().empty());
    CHECK(client.at("backchannelLogoutUri").is_null());
}

TEST_CASE("only a confidential client has a secret, which is shown once and stored as a hash", "[oauth]")
{
    World const world;
    auto owner = world.as(world.new_owner());
    auto const made = owner.post(clients, body(new_server()));
    REQUIRE(made.status == 201);
    CHECK(made.header("cache-control") == "no-store");
    auto const secret = text(made.json(), "secret");
    CHECK(secret.size() == 43);
    auto const path = path_of(made.json().as_object());
    for (auto const& r :
        {owner.get(path), owner.get(clients), owner.get("/v1/audit"), owner.patch(path, R"({"name":"x"})")}) {
        CHECK(r.status == 200);
        CHECK(r.body.find(secret) == std::string::npos);
        CHECK(r.body.find("secret\"") == std::string::npos);
    }
    CHECK(
        world.postgres.query("SELECT count(*) FROM clients c WHERE c::text LIKE '%" + secret + "%'") == "0");
    CHECK(accepts(world, text(made.json(), "clientId"), secret));
    CHECK_FALSE(created(owner, new_client()).contains("secret"));
    CHECK_FALSE(created(owner, new_server({{"jwks", key_set()}})).contains("secret"));
}

TEST_CASE("a client that cannot be registered is refused with the name of each field", "[oauth]")
{
    World const world;
    auto master = world.as_master();
    auto const refused = [&](json::object const& changes) {
        return faults_of(master.post(clients, body(new_client(changes))));
    };
    CHECK(faults_of(master.post(clients, "{}")) == "/name required\n/type required\n/redirectUris required");
    CHECK(refused({{"name", ""}}) == "/name too_short");
    CHECK(refused({{"name", std::string(101, 'a')}}) == "/name too_long");
    CHECK(refused({{"type", "native"}}) == "/type not_allowed");
    CHECK(refused({{"redirectUris", json::array()}}) == "/redirectUris too_few");
    CHECK(refused({{"redirectUris", nullptr}}) == "/redirectUris too_few");
    CHECK(refused({{"redirectUris",
              {"https://a.example/", "http://a.example/", "https://a.example/#x", "https://a.example/"}}}) ==
          "/redirectUris/1 scheme\n/redirectUris/2 fragment\n/redirectUris/3 duplicate");
    json::array many;
    for (int i = 0; i < 21; ++i)
        many.emplace_back("https://a.example/" + std::to_string(i));
    CHECK(refused({{"redirectUris", many}}) == "/redirectUris too_many");
    CHECK(refused({{"postLogoutRedirectUris", many}}) == "/postLogoutRedirectUris too_many");
    CHECK(
        refused({{"postLogoutRedirectUris", {"javascript:alert(1)"}}}) == "/postLogoutRedirectUris/0 scheme");
    CHECK(refused({{"type", "confidential"}, {"redirectUris", {"com.example.app:/cb"}}}) ==
          "/redirectUris/0 scheme");
    CHECK(refused({{"backchannelLogoutUri", "https://a.example/#x"}}) == "/backchannelLogoutUri fragment");
    CHECK(refused({{"backchannelLogoutUri", "nonsense"}}) == "/backchannelLogoutUri format");
    CHECK(refused({{"idTokenSigningAlg", "none"}}) == "/idTokenSigningAlg not_allowed");
    CHECK(refused({{"clientId", "a b"}}) == "/clientId format");
    CHECK(refused({{"clientId", std::string(65, 'a')}}) == "/clientId too_long");
    for (auto const* reserved :
        {"tetrad-board", "tetrad-x", "Tetrad-Console", "tetrad", "mfa-enrollment", "Notify"})
        CHECK(refused({{"clientId", reserved}}) == "/clientId reserved");
    CHECK(refused({{"name", ""}, {"clientId", "a/b"}}) == "/name too_short\n/clientId format");
    CHECK(master.get(clients).json().at("items").as_array().empty());
}

TEST_CASE("the keys of a confidential client are valid public keys", "[oauth]")
{
    World const world;
    auto master = world.as_master();
    auto const refused = [&](json::value const& jwks) {
        return faults_of(master.post(clients, body(new_server({{"jwks", jwks}}))));
    };
    auto const with = [](json::object const& changes) {
        json::object set = key_set();
        for (auto const& change : changes)
            set.at("keys").at(0).as_object()[change.key()] = change.value();
        return set;
    };
    CHECK(refused({{"keys", json::array()}}) == "/jwks/keys required");
    CHECK(refused(json::object()) == "/jwks/keys required");
    CHECK(refused("x") == "/jwks type");
    CHECK(refused({{"keys", {"x"}}}).starts_with("/jwks/keys/0 "));
    CHECK(refused(with({{"kid", ""}})) == "/jwks/keys/0/kid too_short");
    CHECK(refused(with({{"d", "AAAA"}})) == "/jwks/keys/0/d not_allowed");
    CHECK(refused(with({{"kty", "oct"}})) == "/jwks/keys/0/kty not_allowed");
    CHECK(refused(with({{"x", "AAAA"}})) == "/jwks/keys/0/kty not_allowed");
    CHECK(refused(with({{"use", "enc"}})) == "/jwks/keys/0/kty not_allowed");
    CHECK(refused(with({{"alg", "HS256"}})) == "/jwks/keys/0/kty not_allowed");
    auto two = key_set();
    two.at("keys").as_array().push_back(key_set().at("keys").at(0));
    CHECK(refused(two) == "/jwks/keys/1/kid duplicate");
    CHECK(faults_of(master.post(clients, body(new_client({{"jwks", key_set()}})))) == "/jwks not_allowed");

    // Members that a public key does not need are not stored, whatever they are.
    auto const ec = with({{"n", std::string("\0", 1)}, {"x5c", {"secret"}}});
    auto const stored = created(master, new_server({{"jwks", ec}})).at("jwks").at("keys").at(0).as_object();
    CHECK_FALSE(stored.contains("n"));
    CHECK_FALSE(stored.contains("x5c"));
    CHECK(stored.at("x") == ec.at("keys").at(0).at("x"));
    json::object const rsa{{"keys", json::array{crypto::RsaSigningKey::generate().public_jwk("r")}}};
    CHECK(created(master, new_server({{"jwks", rsa}})).at("jwks") == json::value(rsa));
}

TEST_CASE("a client may have a chosen id, once in each environment", "[oauth]")
{
    World const world;
    auto master = world.as_master();
    auto const client = created(master, new_client({{"clientId", "My.app_1~x-"}}));
    CHECK(text(client, "clientId") == "My.app_1~x-");
    CHECK(master.get("/v1/clients/My.app_1~x-").status == 200);
    CHECK(master.get("/v1/clients/my.app_1~x-").status == 404);
    CHECK(master.post(clients, body(new_client({{"clientId", "My.app_1~x-"}}))).status == 409);
    for (auto const* elsewhere : {"demo", "other-sandbox"}) {
        auto other = world.as_master(elsewhere);
        CHECK(other.get("/v1/clients/My.app_1~x-").status == 404);
        CHECK(other.get(clients).json().at("items").as_array().empty());
        CHECK(other.post(clients, body(new_client({{"clientId", "My.app_1~x-"}}))).status == 201);
    }
    for (auto const* unknown : {"x", "a%20b", "%00", "tetrad-board", "tetrad-console", "a%2Fb"})
        CHECK(master.get(std::string("/v1/clients/") + unknown).status == 404);
}

TEST_CASE("only owners and the operator manage clients", "[oauth]")
{
    World const world;
    auto const boss = world.new_owner();
    auto owner = world.as(boss);
    auto const client = created(owner, new_server());
    std::vector<testing::HttpClient> others;
    others.push_back(world.as(world.new_member(boss, "admin")));
    others.push_back(world.as(world.new_account()));
    others.push_back(world.with(world.new_key()));
    for (auto& other : others) {
        CHECK(other.get(clients).status == 403);
        CHECK(other.get(path_of(client)).status == 403);
        CHECK(other.post(clients, body(new_client())).status == 403);
        CHECK(other.patch(path_of(client), R"({"name":"x"})").status == 403);
        CHECK(other.post(path_of(client) + "/secret", "{}").status == 403);
        CHECK(other.del(path_of(client)).status == 403);
    }
    CHECK(world.client().get(clients).status == 401);
    CHECK(owner.get(path_of(client)).status == 200);
}

TEST_CASE("a change of a client fails if its ETag has changed", "[oauth]")
{
    World const world;
    auto master = world.as_master();
    auto const made = master.post(clients, body(new_server()));
    auto const path = path_of(made.json().as_object());
    auto const first = made.header("etag");
    auto const changed = master.patch(path, R"({"name":"x"})", {{"If-Match", first}});
    REQUIRE(changed.status == 200);
    CHECK(changed.header("etag") != first); // although the clock did not move
    CHECK(master.patch(path, R"({"name":"y"})", {{"If-Match", first}}).status == 412);
    CHECK(master.post(path + "/secret", "{}", {{"If-Match", first}}).status == 412);
    CHECK(master.del(path, {{"If-Match", first}}).status == 412);
    CHECK(text(master.get(path).json(), "name") == "x");
    CHECK(master.del(path, {{"If-Match", changed.header("etag")}}).status == 200);
}

TEST_CASE("a change of a client checks the fields, and its type cannot change", "[oauth]")
{
    World const world;
    auto master = world.as_master();
    auto const path = path_of(created(master, new_client()));
    auto const refused = [&](json::object const& fields) {
        return faults_of(master.patch(path, body(fields)));
    };
    CHECK(master.patch(path, "{}").status == 400);
    CHECK(refused({{"name", "x"}, {"type", "confidential"}}) == "/type immutable");
    CHECK(master.patch(path, body({{"name", "x"}, {"type", "public"}})).status == 200);
    CHECK(refused({{"redirectUris", json::array()}}) == "/redirectUris too_few");
    CHECK(refused({{"redirectUris", {"http://a.example/"}}}) == "/redirectUris/0 scheme");
    CHECK(refused({{"jwks", key_set()}}) == "/jwks not_allowed");
    CHECK(refused({{"backchannelLogoutUri", "ftp://a.example/"}}) == "/backchannelLogoutUri format");
    CHECK(master.patch(path, body({{"redirectUris", {"com.example.app:/cb"}}})).status == 200);
    CHECK(master.patch("/v1/clients/unknown", R"({"name":"x"})").status == 404);
}

TEST_CASE("an environment has at most 100 clients", "[oauth]")
{
    World const world;
    world.postgres.query(
        "INSERT INTO clients (scope_id, client_id, name, type, redirect_uris, "
        "post_logout_redirect_uris, id_token_signing_alg, created_at, updated_at) SELECT " +
        world.scope_id() +
        ", 'client-' || i, 'x', 'public', '{}'::text[], '{}'::text[], 'RS256', now(), now() FROM "
        "generate_series(1, 99) AS i");
    std::vector<testing::HttpClient> callers;
    for (int i = 0; i < 4; ++i)
        callers.push_back(world.as_master());
    auto const statuses = at_once(
        4, [&](int i) { return callers[static_cast<std::size_t>(i)].post(clients, body(new_client())); });
    CHECK(statuses == std::map<unsigned, int>{{201, 1}, {409, 3}});
    auto master = world.as_master();
    REQUIRE(master.del("/v1/clients/client-1").status == 200);
    CHECK(master.post(clients, body(new_client())).status == 201);
    CHECK(world.as_master("demo").post(clients, body(new_client())).status == 201);
}

TEST_CASE("clients are listed in pages, newest first", "[oauth]")
{
    World const world;
    auto master = world.as_master();
    std::set<std::string> expected;
    for (int i = 0; i < 5; ++i) // at one time of the clock
        expected.insert(text(created(master, new_client()), "clientId"));
    world.clock.advance(1s);
    auto const newest = text(created(master, new_client()), "clientId");
    auto const items = all_items(master, clients, 2);
    REQUIRE(items.size() == 6);
    CHECK(text(items.front(), "clientId") == newest);
    std::set<std::string> found;
    for (std::size_t i = 1; i < items.size(); ++i)
        found.insert(text(items[i], "clientId"));
    CHECK(found == expected);
    CHECK(master.get("/v1/clients?cursor=nonsense").status == 400);
}

TEST_CASE(
    "a repeated request with an idempotency key creates one client and returns the same secret", "[oauth]")
{
    World const world;
    auto master = world.as_master();
    testing::HttpClient::Headers const key{{"Idempotency-Key", "create-1"}};
    auto const first = master.post(clients, body(new_server()), key);
    REQUIRE(first.status == 201);
    auto const again = master.post(clients, body(new_server()), key);
    CHECK(again.body == first.body);
    CHECK(again.header("idempotent-replayed") == "true");
    CHECK(master.get(clients).json().at("items").as_array().size() == 1);
    CHECK(master.post(clients, body(new_client()), key).status == 422);
    // The stored response is encrypted.
    CHECK(world.postgres.query("SELECT count(*) FROM idempotency_keys k WHERE k::text LIKE '%" +
                               text(first.json(), "secret") + "%'") == "0");
    auto const path = path_of(first.json().as_object()) + "/secret";
    testing::HttpClient::Headers const rotation{{"Idempotency-Key", "rotate-1"}};
    CHECK(master.post(path, "{}", rotation).body == master.post(path, "{}", rotation).body);
}

TEST_CASE("changes of clients are in the audit trail, without secrets", "[oauth]")
{
    World const world;
    auto const boss = world.new_owner();
    auto owner = world.as(boss);
    auto const client = created(owner, new_server());
    REQUIRE(owner.patch(path_of(client), R"({"name":"New"})").status == 200);
    REQUIRE(owner.post(path_of(client) + "/secret", R"({"gracePeriodSeconds":60})").status == 200);
    REQUIRE(owner.del(path_of(client)).status == 200);
    for (auto const* action : {"created", "updated", "secret_rotated", "deleted"}) {
        auto const entries = owner.get("/v1/audit?action=client." + std::string(action)).json().at("items");
        INFO(action);
        REQUIRE(entries.as_array().size() == 1);
        auto const& entry = entries.at(0);
        CHECK(text(entry, "subjectType") == "client");
        CHECK(text(entry, "subjectId") == text(client, "clientId"));
        CHECK(text(entry, "actor") == boss.user_id);
    }
    auto const updated = owner.get("/v1/audit?action=client.updated").json().at("items").at(0);
    CHECK(text(updated.at("before"), "name") == "Demo app");
    CHECK(text(updated.at("after"), "name") == "New");
}

TEST_CASE("pages of the tenant's feedback host may call the tenant's environment", "[oauth]")
{
    World const world;
    auto const allowed = [&](std::string const& tenant, std::string const& origin) {
        return world.client(tenant)
            .request("OPTIONS", "/oauth/token",
                {{"Origin", origin}, {"Access-Control-Request-Method", "POST"},
                    {"Access-Control-Request-Headers", "content-type"}})
            .header("access-control-allow-origin");
    };
    for (std::string const tenant : {"demo", "demo-sandbox"}) {
        auto const own = "http://" + tenant + ".feedback.localhost:8101";
        CHECK(allowed(tenant, own) == own);
        for (auto const* other : {"http://other.feedback.localhost:8101", "http://feedback.localhost:8101",
                 "http://x.demo.feedback.localhost", "http://demo.feedback.localhost.evil.example", "null"})
            CHECK(allowed(tenant, other).empty());
    }
    CHECK(allowed("demo", "http://demo-sandbox.feedback.localhost:8101").empty());
    CHECK(allowed("demo-sandbox", "http://demo.feedback.localhost:8101").empty());
}

TEST_CASE("FEEDBACK_BASE_HOST is the host of the boards", "[oauth]")
{
    auto const read = [](std::map<std::string, std::string> variables) {
        variables.emplace("SMS_OUTBOX", "/tmp/x");
        variables.emplace("EMAIL_OUTBOX", "/tmp/y");
        core::Config config("AUTH", {}, [&](std::string const& name) {
            auto const found = variables.find(name);
            return found != variables.end() ? std::optional(found->second) : std::nullopt;
        });
        auto const read_config = auth_mfa::Config::read(config);
        config.check();
        return read_config;
    };
    auto const scope = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "demo");
    CHECK(read({}).board_urls().of(scope) == "http://demo-sandbox.feedback.localhost:8101");
    CHECK(read({{"FEEDBACK_BASE_HOST", "Feedback.Example.com"}}).board_urls().of(scope) ==
          "https://demo-sandbox.feedback.example.com");
    // Without the variable there are no boards, unless the service itself is local.
    CHECK(read({}).below("auth.example.com").feedback_base_host.empty());
    CHECK(read({}).below("auth.localhost").feedback_base_host == "feedback.localhost");
    CHECK(read({{"FEEDBACK_BASE_HOST", "f.example.com"}}).below("auth.example.com").feedback_base_host ==
          "f.example.com");
    for (auto const* wrong :
        {"https://feedback.example.com", "feedback.example.com:8101", ".example.com", "a_b"})
        CHECK_THROWS_AS(read({{"FEEDBACK_BASE_HOST", wrong}}), core::ConfigError);
}
