#include "support.hpp"

#include "audit/audit.hpp"
#include "auth/api_key_handlers.hpp"
#include "auth/erased_user_rows.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "support/redis_fixture.hpp"
#include "tenancy/settings.hpp"
#include "tenancy/tenant_rows.hpp"

#include <chrono>
#include <stdexcept>

using http::Method;
namespace asio = boost::asio;
namespace codes = core::codes;

asio::awaitable<void> TextBody::read_all(std::string& out, std::size_t limit)
{
    touched = true;
    if (text_.size() > limit)
        throw core::Error(
            codes::payload_too_large, "The body is larger than this route allows. Send less data.");
    out += text_;
    co_return;
}

asio::awaitable<std::string_view> TextBody::read_some()
{
    touched = true;
    co_return std::exchange(ended_, true) ? std::string_view() : std::string_view(text_);
}

std::string Answer::header(std::string const& name) const
{
    auto const found = headers.find(name);
    return found == headers.end() ? "" : found->second;
}

std::string Answer::code() const
{
    boost::json::error_code error;
    auto const value = boost::json::parse(body, error);
    if (error || !value.is_object() || !value.get_object().contains("error")) return "";
    return std::string(value.at("error").as_string());
}

namespace {

asio::awaitable<http::Response> echo(http::Request const& request)
{
    auto const& context = request.context;
    std::string scope = core::to_string(context.scope.id) + " " + context.scope.slug;
    std::string caller = context.caller.id + " " + context.caller.role;
    co_return http::Response::ok(boost::json::serialize(
        boost::json::object{{"scope", scope}, {"caller", caller}, {"email", context.caller.email},
            {"session", context.caller.session_id}, {"body", request.body}, {"key", context.idempotency_key},
            {"remote", request.remote_address}, {"traceparent", context.traceparent}}));
}

asio::awaitable<http::Response> fail(http::Request const& request)
{
    std::string const& how = request.param("how");
    if (how == "error") throw core::Error(codes::conflict, "It is taken.").member("taken", true);
    if (how == "redis") throw redis::Unavailable("connection to secret-redis-host refused");
    if (how == "database") throw core::Error::unavailable("The database is down.", 3);
    if (how == "bug")
        throw std::runtime_error("secret detail of the inside\nDETAIL: Key (phone)=(+15550100)");
    // NOLINTNEXTLINE(hicpp-exception-baseclass): the test needs an exception that is no std::exception
    if (how == "number") throw 42;
    if (how == "challenge")
        throw core::Error(codes::unauthorized, "No.").header("WWW-Authenticate", "Bearer realm=\"x\"");
    co_return http::Response::ok("{}").header("Vary", "Accept");
}

asio::awaitable<http::Response> stream(http::Request const& request)
{
    std::string const piece(co_await request.body_reader->read_some());
    co_return http::Response::ok(
        boost::json::serialize(boost::json::object{{"body", request.body}, {"piece", piece}}));
}

/// Reads the body as a handler does. Then returns the number of bytes of the budget that are still held.
asio::awaitable<http::Response> parse(http::Request const& request, http::BodyBudget const& bodies)
{
    auto const read = [&] {
        core::Fields fields(request.json());
        return fields.optional_array("items", 1000)->size();
    };
    if (read() != 100) throw std::runtime_error("not what was sent");
    co_return http::Response::ok(std::to_string(bodies.held()));
}

/// The errors of a protocol with a form of its own.
http::Response own_error(http::Request const& request, core::Error const& error)
{
    return http::Response{.status = error.code().status,
        .body = "own " + std::string(error.code().name) + " " + std::string(request.path),
        .content_type = "text/plain"}
        .header("X-Own", "yes");
}

std::vector<http::Endpoint> table(http::BodyBudget const& bodies)
{
    auto const parsing = [&bodies](http::Request const& request) { return parse(request, bodies); };
    using core::Access;
    http::RouteOptions const small{.body_limit = 8};
    http::RouteOptions const protocol{.body_limit = 8, .error_response = own_error};
    http::RouteOptions const files{.body_limit = 2 << 20};
    http::RouteOptions const streaming{.streams_body = true};
    http::RouteOptions const upload{.tenantless = true, .streams_body = true};
    http::RouteOptions const serves_suspended{.serves_suspended = true};
    std::vector<http::Endpoint> endpoints{
        {Method::get, "/v1/things", Access::key_or_user, {}, echo},
        {Method::post, "/v1/things", Access::key_or_user, http::idempotent, echo},
        {Method::post, "/v1/small", Access::key_or_user, small, echo},
        {Method::post, "/v1/files", Access::key_or_user, files, echo},
        {Method::post, "/v1/stream", Access::key_or_user, streaming, stream},
        {Method::patch, "/v1/staff", Access::staff, {}, echo},
        {Method::put, "/v1/devices/{token}", Access::publishable_key | Access::staff, {}, echo},
        {Method::get, "/v1/open", Access::anonymous, {}, echo},
        {Method::get, "/v1/half-open", Access::anonymous | Access::any_user, {}, echo},
        {Method::get, "/v1/client", Access::any_user | Access::client, {}, echo},
        {Method::post, "/v1/protocol", Access::user | Access::client, protocol, echo},
        {Method::get, "/v1/enrol", Access::any_user | Access::enrolment, {}, echo},
        {Method::post, "/v1/parse", Access::key_or_user | Access::publishable_key, {}, parsing},
        {Method::post, "/v1/open-parse", Access::anonymous, {}, parsing},
        {Method::get, "/v1/users/{userId}/things/{thingId}", Access::key_or_user, {}, echo},
        {Method::get, "/v1/fail/{how}", Access::key_or_user, {}, fail},
        {Method::put, "/v1/admin/tenants/{slug}", Access::master, http::tenantless, echo},
        {Method::post, "/v1/erasures", Access::erasure, {}, echo},
        {Method::post, "/v1/reports", Access::key_or_user, serves_suspended, echo},
        {Method::post, "/webhooks/provider", Access::anonymous, serves_suspended, echo},
        {Method::put, "/uploads/{token}", Access::anonymous, upload, echo},
        {Method::get, "/page", Access::user, http::tenantless, echo},
    };
    for (std::size_t i = 0; i < endpoints.size(); ++i)
        endpoints[i].index = i;
    return endpoints;
}

gateway::TrustedProxies proxies(std::string const& text)
{
    auto const parsed = gateway::TrustedProxies::parse(text);
    if (!parsed) throw std::invalid_argument(text);
    return *parsed;
}

} // namespace

Fixture::Fixture(FixtureOptions const& options)
    : postgres(testing::Postgres::migrated(
          {&tenancy::migrations(), &audit::migrations(), &auth::migrations()}, "gateway")),
      database({.url = postgres.service_url(), .threads = 2}), live(options.memory),
      keys(database, clock,
          {.kinds = {{"secret", "fbk_", core::Access::key},
               {"publishable", "pk_", core::Access::publishable_key}},
              .flush_interval = std::chrono::milliseconds(0)},
          [this] { return live.load(); }),
      jwks_([this]() -> std::optional<std::string> { return issuer.jwks(); }, {}),
      tokens_(jwks_, clock,
          {.issuer_host = "auth.localhost",
              .accept_enrolment = true,
              .erasure_audience = "things",
              .clients_apart = true,
              .own_clients = {"own"}}),
      erased_users_(database, clock, [this] { return live.load(); }), master_key_(core::Secret(master)),
      directory_(database, [this] { return live.load(); }),
      logger_("test", observe::Level::info, captured_.fd()), metrics_("test")
{
    make_tenants();
    if (!options.redis_url.empty()) {
        redis_ = std::make_unique<redis::Client>(
            testing::patient_client(options.redis_url), std::vector{&context_}, logger_);
        limiter_ = std::make_unique<redis::RateLimiter>(*redis_, "test");
        requests_.emplace(gateway::RequestLimit::Options{.of_user = options.user_requests_per_minute,
                              .fails_open = options.fails_open},
            *limiter_, logger_);
    }
    bodies_ = http::BodyBudget::make(options.body_budget);
    auto endpoints = table(*bodies_);
    http_metrics_ = std::make_unique<observe::HttpMetrics>(metrics_, gateway::route_labels(endpoints));
    gateway_ = std::make_unique<gateway::Gateway>(gateway::Options{.base_host = "things.localhost",
                                                      .tenant_headers = options.tenant_headers,
                                                      .trusted_proxies = proxies(options.proxies),
                                                      .auth_host = "auth.localhost",
                                                      .board_host = "board.localhost"},
        gateway::Deps{.tenants = directory_,
            .master_key = master_key_,
            .keys = &keys,
            .user_tokens = &tokens_,
            .erased_users = &erased_users_,
            .requests = requests_ ? &*requests_ : nullptr,
            .bodies = bodies_,
            .logger = logger_,
            .metrics = *http_metrics_},
        http::Router(std::move(endpoints)));
}

Fixture::~Fixture()
{
    keys.stop();
    jwks_.stop();
    if (redis_) redis_->stop();
    context_.restart();
    context_.run();
    database.stop();
}

void Fixture::make_tenants()
{
    database.transact_blocking({}, [this](pg::Tx& tx) {
        for (char const* slug : {"demo", "other", "asleep"})
            tenancy::tenant_rows::upsert(tx,
                {.slug = slug, .display_name = slug, .suspended = std::string_view(slug) == "asleep"},
                clock.now());
        return true;
    });
}

core::Scope Fixture::scope(std::string const& slug, core::Environment environment)
{
    return database.transact_blocking(
        {}, [&](pg::Tx& tx) { return tenancy::tenant_rows::find(tx, slug).value().scope(environment); });
}

std::string Fixture::mint(std::string const& slug, core::Environment environment, std::string const& kind)
{
    http::Request request;
    request.context.scope = scope(slug, environment);
    request.context.caller = {.kind = core::Access::master, .id = "master", .role = "owner"};
    request.context.request_id = "mint";
    request.headers.push_back({"Content-Type", "application/json"});
    request.body = boost::json::serialize(
        boost::json::object{{"environment", core::to_string(environment)}, {"kind", kind}});
    auto const response = testing::run_awaitable(auth::mint_key(request, keys));
    return std::string(boost::json::parse(response.body).at("key").as_string());
}

void Fixture::set_origins(
    std::string const& slug, core::Environment environment, std::vector<std::string> const& origins)
{
    auto const at = scope(slug, environment);
    boost::json::object const document{
        {"allowedOrigins", boost::json::array(origins.begin(), origins.end())}};
    database.transact_blocking(at, [&](pg::Tx& tx) {
        return tenancy::settings::write(tx, at, document, std::nullopt, clock.now()).version;
    });
    forget();
}

void Fixture::set_limit(std::string const& slug, std::int64_t requests_per_minute)
{
    database.transact_blocking({}, [&](pg::Tx& tx) {
        tenancy::Limits const limits({{"requestsPerMinute", requests_per_minute}});
        return tenancy::tenant_rows::upsert(
            tx, {.slug = slug, .display_name = slug, .limits = limits}, clock.now())
            .created;
    });
    forget();
}

void Fixture::erase_user(std::string const& slug, core::Environment environment, std::string const& user_id)
{
    auto const scope_id = scope(slug, environment).id;
    database.transact_blocking({}, [&](pg::Tx& tx) {
        return auth::erased_user_rows::insert(
            tx, {.scope_id = scope_id,
                    .user_hash = auth::erased_user_rows::hash_of(scope_id, user_id),
                    .erasure_id = core::Uuid::v7(),
                    .sealed_user_id = "sealed",
                    .refuse_until = clock.now() + auth::refusal_time});
    });
    erased_users_.on_gap();
}

void Fixture::schedule_erasure(std::string const& slug)
{
    database.transact_blocking({}, [&](pg::Tx& tx) {
        auto const now = clock.now();
        return tenancy::tenant_rows::schedule_erasure(tx, slug, now + std::chrono::days(7), now).has_value();
    });
    forget();
}

void Fixture::forget()
{
    directory_.on_gap();
    keys.on_gap();
}

Answer Fixture::send(Call const& call)
{
    http::Request request;
    TextBody body(call.body);
    request.method = call.method;
    request.method_text = http::to_string(call.method);
    request.target = call.path;
    request.path = request.target.substr(0, request.target.find('?'));
    if (request.path.size() < request.target.size())
        request.query = request.target.substr(request.path.size() + 1);
    for (auto const& [name, value] : call.headers)
        request.headers.push_back({name, value});
    request.remote_address = call.peer;
    request.body_reader = &body;

    std::optional<http::Response> response;
    asio::co_spawn(
        context_, gateway_->handle(request), [&](std::exception_ptr failure, http::Response&& made) {
            if (failure) std::rethrow_exception(failure); // the gateway never throws
            response = std::move(made);
        });
    context_.restart();
    while (!response && context_.run_one() > 0) {
    }
    Answer answer{.status = response.value().status, .body = response->body, .headers = {}};
    for (auto const& [name, value] : response->headers) {
        std::string lower = name;
        std::ranges::transform(
            lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
        auto& all = answer.headers[lower];
        all += (all.empty() ? "" : ", ") + value;
    }
    return answer;
}

std::string Fixture::log()
{
    logger_.flush(std::chrono::seconds(30));
    return captured_.text();
}

std::pair<std::string, std::string> bearer(std::string const& token)
{
    return {"Authorization", "Bearer " + token};
}

std::pair<std::string, std::string> host(std::string const& name)
{
    return {"Host", name};
}
