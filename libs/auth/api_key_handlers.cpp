#include "auth/api_key_handlers.hpp"

#include "audit/audit.hpp"
#include "auth/api_key_format.hpp"
#include "auth/api_key_rows.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "http/query.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

namespace auth {

namespace {

constexpr std::int64_t max_grace_seconds = 604'800;

/// The scope of the given environment. Through the host of the sandbox, only the operator can manage
/// production keys.
core::Scope scope_in(http::Request const& request, core::Environment environment)
{
    bool const is_operator = request.caller().kind == core::Access::master;
    bool const crosses = request.scope().environment() == core::Environment::sandbox &&
                         environment == core::Environment::production;
    if (crosses && !is_operator)
        throw core::Error(core::codes::forbidden,
            "The sandbox cannot manage production keys. Send the request to the production host.");
    return core::Scope::of(request.scope().tenant_id(), environment, request.scope().slug);
}

http::Context context_in(http::Request const& request, core::Scope const& scope)
{
    http::Context context = request.context;
    context.scope = scope;
    return context;
}

/// The environment in the path. Throws VALIDATION_ERROR for another value.
core::Environment environment_param(http::Request const& request)
{
    auto const environment = core::parse_enum<core::Environment>(request.param("environment"));
    if (environment) return *environment;
    throw core::Error::validation({{":environment", "not_allowed", "must be production or sandbox"}});
}

bool names_kind(ApiKeys const& keys)
{
    return keys.kinds().size() > 1;
}

audit::Entry entry(std::string action, std::string_view prefix, boost::json::object details)
{
    audit::Entry out;
    out.action = std::move(action);
    out.subject_type = "key";
    out.subject_id = prefix;
    if (!details.empty()) out.after = std::move(details);
    return out;
}

boost::json::object details_of(core::Scope const& scope, std::string_view kind)
{
    return {{"kind", kind}, {"environment", core::to_string(scope.environment())}};
}

/// Only this response contains a raw key, so caches must not store the response.
http::Response minted_response(api_key_rows::Minted const& minted, ApiKeys const& keys,
    ApiKeyKind const& kind, core::Environment environment)
{
    core::JsonWriter w(256);
    w.begin_object().member("key", minted.key);
    if (names_kind(keys)) w.member("kind", kind.name);
    w.member("environment", core::to_string(environment))
        .member("prefix", api_key_format::shown(minted.key))
        .member("createdAt", minted.created_at)
        .end_object();
    return http::Response::created(std::move(w).str()).header("Cache-Control", "no-store");
}

struct MintRequest {
    core::Environment environment = core::Environment::production;
    std::size_t kind = 0;
};

MintRequest parse_mint(http::Request const& request, ApiKeys const& keys)
{
    core::Fields f(request.json());
    MintRequest mint;
    mint.environment = f.one_of<core::Environment>("environment");
    if (names_kind(keys)) {
        std::vector<std::string_view> names;
        for (auto const& kind : keys.kinds())
            names.push_back(kind.name);
        mint.kind = f.one_of("kind", names);
    }
    f.check();
    return mint;
}

std::chrono::seconds parse_grace(http::Request const& request)
{
    if (request.body.find_first_not_of(" \t\r\n") == std::string::npos) return {};
    core::Fields f(request.json());
    auto const seconds = f.optional_integer("gracePeriodSeconds", 0, max_grace_seconds);
    f.check();
    return std::chrono::seconds(seconds.value_or(0));
}

void write_record(
    core::JsonWriter& w, api_key_rows::Record const& record, bool with_kind, core::Environment environment)
{
    w.begin_object().member("prefix", record.prefix);
    if (with_kind) w.member("kind", record.kind);
    w.member("environment", core::to_string(environment))
        .member("createdAt", record.created_at)
        .member("lastUsedAt", record.last_used_at)
        .member("expiresAt", record.expires_at)
        .end_object();
}

} // namespace

asio::awaitable<http::Response> mint_key(http::Request const& request, ApiKeys& keys)
{
    MintRequest const mint = parse_mint(request, keys);
    ApiKeyKind const& kind = keys.kinds()[mint.kind];
    core::Scope const scope = scope_in(request, mint.environment);
    http::Context const context = context_in(request, scope);
    auto work = [&](pg::Tx& tx) {
        auto fresh = api_key_rows::insert(tx, scope.id, kind);
        audit::record(
            tx, context, entry("key.mint", api_key_format::shown(fresh.key), details_of(scope, kind.name)));
        return fresh;
    };
    auto const minted = co_await keys.database().transact(scope, work);
    co_return minted_response(minted, keys, kind, mint.environment);
}

asio::awaitable<http::Response> rotate_key(
    http::Request const& request, ApiKeys& keys, std::size_t kind_index)
{
    ApiKeyKind const& kind = keys.kinds().at(kind_index);
    core::Environment const environment = environment_param(request);
    std::chrono::seconds const grace = parse_grace(request);
    core::Scope const scope = scope_in(request, environment);
    http::Context const context = context_in(request, scope);
    auto work = [&](pg::Tx& tx) {
        auto fresh = api_key_rows::insert(tx, scope.id, kind);
        core::Time const now = keys.clock().now();
        auto const ended = api_key_rows::end_others(
            tx, scope.id, kind.name, api_key_format::shown(fresh.key), now, now + grace);
        boost::json::object details = details_of(scope, kind.name);
        details["gracePeriodSeconds"] = grace.count();
        details["replaced"] = boost::json::array(ended.begin(), ended.end());
        audit::record(tx, context, entry("key.rotate", api_key_format::shown(fresh.key), std::move(details)));
        return fresh;
    };
    auto const minted = co_await keys.database().transact(scope, work);
    co_return minted_response(minted, keys, kind, environment);
}

asio::awaitable<http::Response> list_keys(http::Request const& request, ApiKeys& keys)
{
    http::Query query(request);
    auto const environment =
        query.one_of<core::Environment>("environment").value_or(request.scope().environment());
    auto const asked = paging::PageRequest::read(
        query, paging::FilterHash().add("environment", core::to_string(environment)).value());
    query.check();
    core::Scope const scope = scope_in(request, environment);
    core::Time const now = keys.clock().now();
    auto work = [&](pg::Tx& tx) { return api_key_rows::list(tx, scope.id, now, asked.after, asked.rows()); };
    auto const page = asked.page(co_await keys.database().read(scope, work));
    auto const write = [&](core::JsonWriter& w, api_key_rows::Record const& record) {
        write_record(w, record, names_kind(keys), environment);
    };
    co_return http::Response::ok(paging::to_json(page, write));
}

asio::awaitable<http::Response> revoke_key(http::Request const& request, ApiKeys& keys)
{
    std::string const& prefix = request.param("prefix");
    core::Time const now = keys.clock().now();
    auto work = [&](pg::Tx& tx) {
        bool const found = api_key_rows::revoke(tx, request.scope().id, prefix, now);
        if (found) audit::record(tx, request.context, entry("key.revoke", prefix, {}));
        return found;
    };
    bool const revoked = co_await keys.database().transact(request.scope(), work);
    if (!revoked)
        throw core::Error(core::codes::not_found, "This environment has no valid API key with this prefix.");
    co_return http::Response::deleted();
}

} // namespace auth
