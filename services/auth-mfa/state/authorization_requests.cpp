#include "state/authorization_requests.hpp"

#include "crypto/encoding.hpp"
#include "crypto/random.hpp"
#include "state/times.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace auth_mfa {

namespace {

constexpr std::size_t id_bytes = 32;

/// ARGV: the time, the expiry (ms), the value.
constexpr char const* create_script = R"lua(
redis.call('HSET', KEYS[1], 'created', string.format('%.0f', now), 'value', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
)lua";

/// Returns the value or nil. ARGV: the time, the lifetime.
constexpr char const* find_script = R"lua(
local f = redis.call('HMGET', KEYS[1], 'created', 'value')
if not f[1] or now - tonumber(f[1]) > tonumber(ARGV[2]) then return false end
return f[2]
)lua";

/// As `find_script`, and deletes the request.
constexpr char const* take_script = R"lua(
local f = redis.call('HMGET', KEYS[1], 'created', 'value')
redis.call('DEL', KEYS[1])
if not f[1] or now - tonumber(f[1]) > tonumber(ARGV[2]) then return false end
return f[2]
)lua";

/// Sets the value of an existing request. ARGV: the time (not used), the value.
constexpr char const* replace_script = R"lua(
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'value', ARGV[2])
return 1
)lua";

std::string new_id()
{
    return crypto::base64url::encode(crypto::random_bytes(id_bytes));
}

std::string associated_data(core::Scope const& scope, std::string_view kind)
{
    return "auth-mfa.authorization." + std::string(kind) + ':' + core::to_string(scope.id);
}

std::string text_of(PendingAuthorization const& pending)
{
    return boost::json::serialize(boost::json::object{{"request", to_json(pending.request)},
        {"clientName", pending.client_name}, {"browser", pending.browser}});
}

PendingAuthorization pending_of(std::string const& text)
{
    auto const stored = boost::json::parse(text).as_object();
    return {.request = authorization_request_of(stored.at("request").as_object()),
        .client_name = std::string(stored.at("clientName").as_string()),
        .browser = std::string(stored.at("browser").as_string())};
}

} // namespace

AuthorizationRequests::AuthorizationRequests(
    redis::Client& client, KeyedHash const& hash, crypto::Keyring const& keyring)
    : client_(client), hash_(hash), keyring_(keyring), create_(timed(create_script)),
      find_(timed(find_script)), take_(timed(take_script)), replace_(timed(replace_script))
{
}

std::string AuthorizationRequests::prefix(core::Scope const& scope)
{
    return "auth-mfa:authorization:{" + core::to_string(scope.id) + ':';
}

/// The keys under each key of `hash_`, the current one first. `client_id` is empty for requests that wait for
/// their user.
std::vector<std::string> AuthorizationRequests::keys_of(
    core::Scope const& scope, std::string_view client_id, std::string_view id) const
{
    auto keys = hash_.under_each({"authorization request", core::to_string(scope.id), client_id, id});
    for (auto& key : keys)
        key = prefix(scope) + key + '}';
    return keys;
}

asio::awaitable<void> AuthorizationRequests::store(
    std::string const& key, std::string const& value, std::chrono::seconds lifetime)
{
    auto const time = client_.script_time();
    auto const expiry = expiry_of(lifetime);
    std::vector<std::string_view> const keys{key};
    std::vector<std::string_view> const args{time, expiry, value};
    co_await client_.eval(create_, keys, args);
}

asio::awaitable<std::optional<std::string>> AuthorizationRequests::read(
    redis::Script const& script, std::vector<std::string> const& keys, std::chrono::seconds lifetime)
{
    auto const time = client_.script_time();
    auto const limit = microseconds(lifetime);
    for (auto const& key : keys) {
        std::vector<std::string_view> const names{key};
        std::vector<std::string_view> const args{time, limit};
        auto const stored = co_await client_.eval(script, names, args);
        if (!stored.is_nil()) co_return std::string(stored.text());
    }
    co_return std::nullopt;
}

asio::awaitable<std::string> AuthorizationRequests::create(
    core::Scope const& scope, PendingAuthorization const& pending)
{
    auto id = new_id();
    auto const value = keyring_.seal(text_of(pending), associated_data(scope, "pending"));
    co_await store(keys_of(scope, {}, id).front(), value, authorization_lifetime);
    co_return id;
}

asio::awaitable<std::optional<PendingAuthorization>> AuthorizationRequests::find(
    core::Scope const& scope, std::string_view id)
{
    auto const sealed = co_await read(find_, keys_of(scope, {}, id), authorization_lifetime);
    auto const text =
        sealed ? keyring_.open(*sealed, associated_data(scope, "pending")) : std::optional<std::string>();
    co_return text ? std::optional(pending_of(*text)) : std::nullopt;
}

asio::awaitable<void> AuthorizationRequests::replace(
    core::Scope const& scope, std::string_view id, PendingAuthorization const& pending)
{
    auto const time = client_.script_time();
    auto const value = keyring_.seal(text_of(pending), associated_data(scope, "pending"));
    for (auto const& key : keys_of(scope, {}, id)) {
        std::vector<std::string_view> const keys{key};
        std::vector<std::string_view> const args{time, value};
        co_await client_.eval(replace_, keys, args);
    }
}

asio::awaitable<bool> AuthorizationRequests::remove(core::Scope const& scope, std::string_view id)
{
    auto const removed = co_await read(take_, keys_of(scope, {}, id), authorization_lifetime);
    co_return removed.has_value();
}

asio::awaitable<std::string> AuthorizationRequests::push(
    core::Scope const& scope, AuthorizationRequest const& request)
{
    auto id = new_id();
    auto const value =
        keyring_.seal(boost::json::serialize(to_json(request)), associated_data(scope, "pushed"));
    co_await store(keys_of(scope, request.client_id, id).front(), value, pushed_request_lifetime);
    co_return id;
}

asio::awaitable<std::optional<AuthorizationRequest>> AuthorizationRequests::take_pushed(
    core::Scope const& scope, std::string_view client_id, std::string_view id)
{
    auto const sealed = co_await read(take_, keys_of(scope, client_id, id), pushed_request_lifetime);
    auto const text =
        sealed ? keyring_.open(*sealed, associated_data(scope, "pushed")) : std::optional<std::string>();
    if (!text) co_return std::nullopt;
    co_return authorization_request_of(boost::json::parse(*text).as_object());
}

} // namespace auth_mfa
