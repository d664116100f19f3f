#include "support.hpp"

#include "audit/audit.hpp"
#include "auth/api_key_handlers.hpp"
#include "core/error.hpp"
#include "support/eventually.hpp"
#include "tenancy/tenant.hpp"

std::vector<auth::ApiKeyKind> one_kind()
{
    return {{"secret", "fbk_", core::Access::key}};
}

std::vector<auth::ApiKeyKind> two_kinds()
{
    return {{"secret", "ntf_", core::Access::key}, {"publishable", "pk_", core::Access::publishable_key}};
}

http::Request KeyRequest::make() const
{
    http::Request request;
    request.method = http::Method::post;
    request.context.request_id = "request-1";
    request.context.scope = scope;
    request.context.caller.kind = caller;
    request.context.caller.id = "master";
    request.context.caller.role = "owner";
    request.query = query;
    request.body = body;
    if (!body.empty()) request.headers.push_back({"Content-Type", "application/json"});
    if (!environment.empty()) request.params.emplace_back("environment", environment);
    if (!prefix.empty()) request.params.emplace_back("prefix", prefix);
    return request;
}

KeysFixture::KeysFixture(std::vector<auth::ApiKeyKind> kinds)
    : postgres(testing::Postgres::migrated({&audit::migrations(), &auth::migrations()}, "auth")),
      database({.url = postgres.service_url(), .threads = 2}),
      keys(database, clock, {.kinds = std::move(kinds), .flush_interval = std::chrono::milliseconds(0)},
          [this] { return live.load(); })
{
}

KeysFixture::~KeysFixture()
{
    keys.stop();
    database.stop();
}

std::optional<auth::ApiKey> KeysFixture::verify(std::string const& raw)
{
    return testing::run_awaitable(keys.verify(raw));
}

namespace {

/// Throws instead of checking, because Catch2's assertions are for one thread at a time.
boost::json::object body_of(http::Response const& response, unsigned status)
{
    if (response.status != status)
        throw std::runtime_error("not " + std::to_string(status) + ": " + response.body);
    return boost::json::parse(response.body).as_object();
}

} // namespace

boost::json::object KeysFixture::mint(KeyRequest const& request)
{
    auto const made = request.make();
    return body_of(testing::run_awaitable(auth::mint_key(made, keys)), 201);
}

std::string KeysFixture::mint_raw(std::string const& environment)
{
    auto const answer = mint({.body = R"({"environment":")" + environment + R"("})"});
    return std::string(answer.at("key").as_string());
}

boost::json::object KeysFixture::rotate(KeyRequest const& request, std::size_t kind)
{
    auto const made = request.make();
    return body_of(testing::run_awaitable(auth::rotate_key(made, keys, kind)), 201);
}

boost::json::object KeysFixture::list(KeyRequest const& request)
{
    auto const made = request.make();
    return body_of(testing::run_awaitable(auth::list_keys(made, keys)), 200);
}

void KeysFixture::revoke(std::string const& prefix, KeyRequest request)
{
    request.prefix = prefix;
    auto const made = request.make();
    auto const response = testing::run_awaitable(auth::revoke_key(made, keys));
    CHECK(response.body == R"({"deleted":true})");
}

Replica::Replica(KeysFixture& fixture)
    : database({.url = fixture.postgres.service_url(), .threads = 1}),
      keys(database, fixture.clock, {.kinds = one_kind(), .flush_interval = std::chrono::milliseconds(0)},
          [this] { return listening_ && listener->live(); })
{
    listener = std::make_unique<pg::Listener>(fixture.postgres.service_url(),
        std::map<std::string, std::function<void(std::string const&)>>{
            {auth::ApiKeys::channel, [this](std::string const& payload) { keys.on_notify(payload); }}},
        [this] { keys.on_gap(); });
    listening_ = true;
    REQUIRE(testing::eventually([&] { return listener->live(); }));
}

std::optional<auth::ApiKey> Replica::verify(std::string const& raw)
{
    return testing::run_awaitable(keys.verify(raw));
}

std::string code_of(std::function<void()> const& action)
{
    try {
        action();
    } catch (core::Error const& error) {
        return std::string(error.code().name);
    }
    return "";
}
