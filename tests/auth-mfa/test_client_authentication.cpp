#include "crypto/encoding.hpp"
#include "crypto/jwt.hpp"
#include "crypto/rsa_key.hpp"
#include "domain/client_assertion.hpp"
#include "oauth.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdio>

namespace {

namespace json = boost::json;

constexpr char const* jwt_bearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// A grant that no client has. So the error is `invalid_grant` once the client is authenticated.
oauth::Fields const no_grant{{"grant_type", "refresh_token"}, {"refresh_token", "x"}};

testing::HttpResponse send(World const& world, oauth::Fields const& credentials,
    oauth::Headers const& headers = {}, std::string const& tenant = "demo-sandbox")
{
    return oauth::post(world, tenant, "/oauth/token", oauth::with(no_grant, credentials), headers);
}

/// Whether the client is authenticated; otherwise the error must be `invalid_client`.
bool accepts(World const& world, oauth::Fields const& credentials, oauth::Headers const& headers = {},
    std::string const& tenant = "demo-sandbox")
{
    auto const r = send(world, credentials, headers, tenant);
    auto const error = oauth::error_of(r);
    INFO(r.body);
    CHECK((error == "invalid_grant" || error == "invalid_client"));
    CHECK(r.status == (error == "invalid_grant" ? 400 : 401));
    return error == "invalid_grant";
}

/// A client that authenticates with a key.
template <class Key> struct KeyedClient {
    explicit KeyedClient(World const& w)
        : world(w), client(oauth::new_confidential_client(
                        w, {{"jwks", {{"keys", json::array{key.public_jwk("key-1")}}}}})),
          issuer(oauth::issuer_of(w))
    {
    }

    /// The claims of a new assertion. Members of `changes` replace claims; null removes one.
    json::object claims(json::object const& changes = {}) const
    {
        json::object all{{"iss", client.id}, {"sub", client.id}, {"aud", issuer},
            {"jti", oauth::Pkce::make().verifier}, {"exp", now() + 60}, {"iat", now()}};
        for (auto const& change : changes) {
            all[change.key()] = change.value();
            if (change.value().is_null()) all.erase(change.key());
        }
        return all;
    }

    std::string assertion(json::object const& changes = {}) const
    {
        return key.sign({{"kid", "key-1"}}, claims(changes));
    }

    bool accepts(std::string const& assertion) const
    {
        return ::accepts(world, {{"client_assertion_type", jwt_bearer}, {"client_assertion", assertion}});
    }

    std::int64_t now() const { return core::unix_seconds(world.clock.now()); }

    World const& world;
    Key key = Key::generate();
    oauth::Client client;
    std::string issuer;
};

} // namespace

TEST_CASE("a client with a secret authenticates with Basic or in the body", "[oauth]")
{
    World const world;
    auto const client = oauth::new_confidential_client(world);
    CHECK_FALSE(client.secret.empty());
    CHECK(accepts(world, {}, oauth::basic(client.id, client.secret)));
    CHECK(accepts(world, {{"client_id", client.id}}, oauth::basic(client.id, client.secret)));
    CHECK(accepts(world, {{"client_id", client.id}, {"client_secret", client.secret}}));
    CHECK(accepts(
        world, {}, {{"Authorization", "basic " + crypto::base64::encode(client.id + ':' + client.secret)}}));

    auto const wrong = client.secret.substr(1);
    CHECK_FALSE(accepts(world, {}, oauth::basic(client.id, wrong)));
    CHECK_FALSE(accepts(world, {}, oauth::basic(client.id, "")));
    CHECK_FALSE(accepts(world, {{"client_id", client.id}, {"client_secret", wrong}}));
    CHECK_FALSE(accepts(world, {{"client_id", client.id}}));
    CHECK_FALSE(accepts(world, {{"client_id", client.id + "x"}, {"client_secret", client.secret}}));
}

TEST_CASE("id and secret of Basic are encoded as in a form", "[oauth]")
{
    World const world;
    auto const client = oauth::new_confidential_client(world, {{"clientId", "a~b-c.d_e"}});
    std::string encoded;
    for (char const c : client.secret) {
        std::array<char, 4> hex{};
        std::snprintf(hex.data(), hex.size(), "%%%02X", static_cast<unsigned char>(c));
        encoded += hex.data();
    }
    auto const pair = "a%7Eb-c.d_e:" + encoded;
    CHECK(accepts(world, {}, {{"Authorization", "Basic " + crypto::base64::encode(pair)}}));
}

TEST_CASE("a refused client gets a challenge only if it used the header", "[oauth]")
{
    World const world;
    auto const in_header = send(world, {}, oauth::basic("unknown", "secret"));
    CHECK(in_header.status == 401);
    CHECK(oauth::error_of(in_header) == "invalid_client");
    CHECK(in_header.header("www-authenticate").starts_with("Basic "));
    auto const in_body = send(world, {{"client_id", "unknown"}, {"client_secret", "secret"}});
    CHECK(in_body.status == 401);
    CHECK(oauth::error_of(in_body) == "invalid_client");
    CHECK(in_body.header("www-authenticate").empty()); // a browser would ask the user for a password
    for (auto const* const malformed : {"Basic", "Basic ???", "Basic YWJj", "Basic YSU6Yg==", "Digest abc"}) {
        auto const r = send(world, {}, {{"Authorization", malformed}});
        INFO(malformed);
        CHECK(r.status == 401);
        CHECK(oauth::error_of(r) == "invalid_client");
    }
}

TEST_CASE("a request uses one method of client authentication", "[oauth]")
{
    World const world;
    auto const client = oauth::new_confidential_client(world);
    auto const basic = oauth::basic(client.id, client.secret);
    oauth::Fields const in_body{{"client_id", client.id}, {"client_secret", client.secret}};
    CHECK(oauth::error_of(send(world, in_body, basic)) == "invalid_request");
    CHECK(oauth::error_of(send(world, {{"client_assertion_type", jwt_bearer}, {"client_assertion", "a.b.c"}},
              basic)) == "invalid_request");
    CHECK(oauth::error_of(send(world, {{"client_id", "other"}}, basic)) == "invalid_request");
    CHECK(oauth::error_of(send(world, {})) == "invalid_request");
    CHECK(oauth::error_of(send(world, {{"client_secret", client.secret}})) == "invalid_request");
    CHECK(oauth::error_of(send(world, {{"client_assertion_type", "other"}, {"client_assertion", "a.b.c"}})) ==
          "invalid_request");
}

TEST_CASE("a public client authenticates with its id only", "[oauth]")
{
    World const world;
    auto const client = oauth::new_client(world);
    CHECK(client.secret.empty());
    CHECK(accepts(world, {{"client_id", client.id}}));
    CHECK_FALSE(accepts(world, {{"client_id", client.id}, {"client_secret", "x"}}));
    CHECK_FALSE(accepts(world, {}, oauth::basic(client.id, "x")));
    CHECK_FALSE(accepts(world, {}, oauth::basic(client.id, "")));
    CHECK(accepts(world, {{"client_id", "tetrad-console"}}));
    CHECK(accepts(world, {{"client_id", "tetrad-board"}}));
    CHECK_FALSE(accepts(world, {{"client_id", "tetrad-other"}}));
    CHECK_FALSE(accepts(world, {{"client_id", "' OR 1=1 --"}}));
}

TEST_CASE("a client exists in its environment only", "[oauth]")
{
    World const world;
    auto const app = oauth::new_client(world);
    auto const server = oauth::new_confidential_client(world);
    for (auto const* const tenant : {"demo", "other-sandbox", "other"}) {
        INFO(tenant);
        CHECK_FALSE(accepts(world, {{"client_id", app.id}}, {}, tenant));
        CHECK_FALSE(accepts(world, {}, oauth::basic(server.id, server.secret), tenant));
    }
}

TEST_CASE("the previous secret works until the grace period ends", "[oauth]")
{
    World const world;
    auto const client = oauth::new_confidential_client(world);
    auto const rotated =
        world.as_master().post("/v1/clients/" + client.id + "/secret", body({{"gracePeriodSeconds", 60}}));
    REQUIRE(rotated.status == 200);
    auto const secret = text(rotated.json(), "secret");
    CHECK(accepts(world, {}, oauth::basic(client.id, secret)));
    world.clock.advance(60s - 1ms);
    CHECK(accepts(world, {}, oauth::basic(client.id, client.secret)));
    world.clock.advance(1ms);
    CHECK_FALSE(accepts(world, {}, oauth::basic(client.id, client.secret)));
    CHECK(accepts(world, {}, oauth::basic(client.id, secret)));
}

TEMPLATE_TEST_CASE("a client with keys authenticates with a signed assertion, once each", "[oauth]",
    crypto::SigningKey, crypto::RsaSigningKey)
{
    World const world;
    KeyedClient<TestType> const client(world);
    CHECK(client.client.secret.empty());
    auto const assertion = client.assertion();
    CHECK(client.accepts(assertion));
    CHECK_FALSE(client.accepts(assertion));
    auto const again = client.claims();
    CHECK(client.accepts(client.key.sign({{"kid", "key-1"}}, again)));
    CHECK_FALSE(client.accepts(client.key.sign({{"kid", "key-1"}, {"typ", "JWT"}}, again))); // the same jti

    CHECK(client.accepts(client.key.sign({}, client.claims()))); // without `kid`, each key is tried
    CHECK(client.accepts(client.assertion({{"aud", client.issuer + "/oauth/token"}})));
    CHECK(client.accepts(client.assertion({{"aud", json::array{client.issuer}}})));
    CHECK(client.accepts(client.assertion({{"iat", nullptr}})));
    CHECK(client.accepts(client.assertion({{"exp", client.now() + 600}})));
    CHECK(::accepts(world, {{"client_id", client.client.id}, {"client_assertion_type", jwt_bearer},
                               {"client_assertion", client.assertion()}}));
}

TEST_CASE("an assertion that is not for this server and time, or not of the client, is refused", "[oauth]")
{
    World const world;
    KeyedClient<crypto::SigningKey> const client(world);
    std::vector<json::object> const bad{{{"iss", "other"}}, {{"sub", "other"}}, {{"sub", nullptr}},
        {{"iss", nullptr}}, {{"aud", nullptr}}, {{"aud", "https://other.example"}},
        {{"aud", client.issuer + "/"}}, {{"aud", json::array{}}},
        {{"aud", json::array{client.issuer, "https://other.example"}}},
        {{"aud", oauth::issuer_of(world, "demo")}}, {{"aud", oauth::issuer_of(world, "other-sandbox")}},
        {{"exp", nullptr}}, {{"exp", "soon"}}, {{"exp", client.now() - 30}}, {{"exp", client.now() + 631}},
        {{"nbf", client.now() + 31}}, {{"iat", client.now() + 31}}, {{"jti", nullptr}}, {{"jti", ""}},
        {{"jti", std::string(256, 'j')}}};
    for (auto const& changes : bad) {
        INFO(json::serialize(changes));
        CHECK_FALSE(client.accepts(client.assertion(changes)));
    }
    auto const other = crypto::SigningKey::generate();
    CHECK_FALSE(client.accepts(other.sign({{"kid", "key-1"}}, client.claims())));
    CHECK_FALSE(client.accepts(client.key.sign({{"kid", "key-2"}}, client.claims())));
    auto const unsigned_token = crypto::base64url::encode(R"({"alg":"none"})") + '.' +
                                crypto::base64url::encode(json::serialize(client.claims())) + '.';
    CHECK_FALSE(client.accepts(unsigned_token));
    CHECK_FALSE(client.accepts("a.b.c"));
    CHECK_FALSE(client.accepts("x"));
    // A refused assertion is not used up.
    auto const claims = client.claims();
    CHECK_FALSE(client.accepts(other.sign({{"kid", "key-1"}}, claims)));
    CHECK(client.accepts(client.key.sign({{"kid", "key-1"}}, claims)));
}

TEST_CASE("a client authenticates with its registered method only", "[oauth]")
{
    World const world;
    KeyedClient<crypto::SigningKey> const keyed(world);
    auto const server = oauth::new_confidential_client(world);
    CHECK_FALSE(accepts(world, {{"client_id", keyed.client.id}}));
    CHECK_FALSE(accepts(world, {}, oauth::basic(keyed.client.id, "x")));
    CHECK_FALSE(accepts(world, {{"client_id", keyed.client.id}, {"client_secret", "x"}}));
    CHECK_FALSE(keyed.accepts(keyed.assertion({{"iss", server.id}, {"sub", server.id}})));
    // The public key is not a secret: it cannot be used as one, and HS256 is not supported.
    auto const secret = json::serialize(keyed.key.public_jwk("key-1"));
    CHECK_FALSE(accepts(world, {}, oauth::basic(keyed.client.id, secret)));
    // Two clients may use the same jti.
    KeyedClient<crypto::SigningKey> const second(world);
    CHECK(keyed.accepts(keyed.assertion({{"jti", "same"}})));
    CHECK(second.accepts(second.assertion({{"jti", "same"}})));
}

TEST_CASE("failures of client authentication are limited per network", "[oauth]")
{
    World world;
    auto const server = oauth::new_confidential_client(world);
    auto anyone = world.client();
    std::string const form =
        "grant_type=refresh_token&refresh_token=x&client_id=" + server.id + "&client_secret=";
    oauth::Headers const type{{"Content-Type", "application/x-www-form-urlencoded"}};
    for (int i = 0; i < 100; ++i)
        REQUIRE(anyone.post("/oauth/token", form + "wrong", type).status == 401);
    auto const limited = anyone.post("/oauth/token", form + "wrong", type);
    CHECK(limited.status == 429);
    CHECK(oauth::error_of(limited) == "temporarily_unavailable");
    CHECK_FALSE(limited.header("retry-after").empty());
    // The right secret still works from there, and all others from elsewhere.
    CHECK(anyone.post("/oauth/token", form + server.secret, type).status == 400);
    CHECK_FALSE(accepts(world, {{"client_id", server.id}, {"client_secret", "wrong"}}));
    CHECK_THAT(world.logged(), !Catch::Contains(server.secret));
}

TEST_CASE("an assertion is refused, not accepted twice, while Redis is down", "[oauth]")
{
    World const world;
    KeyedClient<crypto::SigningKey> const client(world);
    world.redis.ask({"CONFIG", "SET", "maxmemory", "1"});
    auto const r =
        send(world, {{"client_assertion_type", jwt_bearer}, {"client_assertion", client.assertion()}});
    CHECK(r.status == 503);
    CHECK(oauth::error_of(r) == "temporarily_unavailable");
    world.redis.ask({"CONFIG", "SET", "maxmemory", "0"});
    CHECK(client.accepts(client.assertion()));
}
