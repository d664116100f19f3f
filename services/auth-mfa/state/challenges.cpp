#include "state/challenges.hpp"

#include "crypto/encoding.hpp"
#include "crypto/random.hpp"
#include "domain/errors.hpp"
#include "domain/limits.hpp"
#include "state/times.hpp"

#include <algorithm>
#include <stdexcept>

namespace auth_mfa {

namespace {

// Fields of a challenge's Redis hash: `user`, `version`, `amr`, `provider`, `created` (µs), `sends`,
// `attempts`, `code` (keyed hash of the valid code), `used`. The first element of a script's reply is the
// script's result; only the reply of `consume_script` is a number.

/// ARGV: the time, then the user, version, amr, identity provider, expiry (ms) and lifetime (µs).
constexpr char const* create_script = R"lua(
redis.call('HSET', KEYS[1], 'user', ARGV[2], 'version', ARGV[3], 'amr', ARGV[4], 'provider', ARGV[5],
    'created', string.format('%.0f', now), 'sends', 0, 'attempts', 0)
redis.call('PEXPIRE', KEYS[1], ARGV[6])
return {'ok'}
)lua";

/// Adds a challenge to the set of the user's challenges, and removes those that have expired. ARGV: the time,
/// the challenge's key and its expiry (ms).
constexpr char const* index_script = R"lua(
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - tonumber(ARGV[3]) * 1000))
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {'ok'}
)lua";

/// Precedes `create_script`: keeps a challenge that has neither expired nor been used.
constexpr char const* keep_open_script = R"lua(
local head = redis.call('HMGET', KEYS[1], 'created', 'used')
if head[1] and not head[2] and tonumber(head[1]) + tonumber(ARGV[7]) >= now then return {'ok'} end
redis.call('DEL', KEYS[1])
)lua";

/// The beginning of every script that requires an open challenge. It ends the script unless the challenge is
/// open (not expired, not used, attempts left). ARGV: the time, lifetime, attempts allowed, then the script's
/// own arguments.
constexpr char const* open_challenge = R"lua(
local key, lifetime, attempts_allowed = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local head = redis.call('HMGET', key, 'created', 'used', 'attempts')
if not head[1] or head[2] then return {'expired'} end
local left = tonumber(head[1]) + lifetime - now
if left < 0 then return {'expired'} end
if tonumber(head[3]) >= attempts_allowed then return {'limited', left} end
)lua";

constexpr char const* find_script = R"lua(
local f = redis.call('HMGET', key, 'user', 'version', 'amr', 'provider', 'code')
return {'ok', f[1], f[2], f[3], f[4] or '', f[5] or ''}
)lua";

constexpr char const* send_script = R"lua(
local sends_allowed = tonumber(ARGV[4])
local f = redis.call('HMGET', key, 'sends', 'code')
if tonumber(f[1]) >= sends_allowed then return {'limited', left} end
local sends = redis.call('HINCRBY', key, 'sends', 1)
redis.call('HSET', key, 'code', ARGV[5])
return {'ok', sends_allowed - sends, left, f[2] or ''}
)lua";

/// ARGV: the code's hash, the previous code's hash, the number of sends to subtract. If a newer code has been
/// stored since, the newer code stays.
constexpr char const* undo_script = R"lua(
local f = redis.call('HMGET', KEYS[1], 'sends', 'code')
if not f[1] then return {'ok'} end
redis.call('HSET', KEYS[1], 'sends', math.max(0, tonumber(f[1]) - tonumber(ARGV[3])))
if f[2] == ARGV[1] then
    if ARGV[2] == '' then redis.call('HDEL', KEYS[1], 'code')
    else redis.call('HSET', KEYS[1], 'code', ARGV[2]) end
end
return {'ok'}
)lua";

/// ARGV, from the 4th on: the code's hash under each key. Only keyed hashes are compared, so the duration
/// reveals nothing about the code.
constexpr char const* try_code_script = R"lua(
local attempts = redis.call('HINCRBY', key, 'attempts', 1)
local code = redis.call('HGET', key, 'code')
for i = 4, #ARGV do
    if code == ARGV[i] then
        redis.call('HSET', key, 'used', 1)
        return {'ok', 1, 0}
    end
end
return {'ok', 0, attempts_allowed - attempts}
)lua";

constexpr char const* count_attempt_script = R"lua(
return {'ok', attempts_allowed - redis.call('HINCRBY', key, 'attempts', 1)}
)lua";

constexpr char const* consume_script = R"lua(
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('HSETNX', KEYS[1], 'used', 1)
)lua";

std::string open_then(char const* script)
{
    return timed(std::string(open_challenge) + script);
}

std::chrono::seconds seconds_left(redis::Reply const& microseconds_left)
{
    return std::chrono::ceil<std::chrono::seconds>(std::chrono::microseconds(microseconds_left.integer()));
}

bool is_expired(redis::Reply const& reply)
{
    return reply.array().at(0).text() == "expired";
}

void require_open(redis::Reply const& reply)
{
    if (is_expired(reply)) throw challenge_expired();
    if (reply.array().at(0).text() == "limited") throw rate_limited(seconds_left(reply.array().at(1)));
}

std::string join(std::vector<std::string> const& words)
{
    std::string joined;
    for (auto const& word : words)
        joined.append(joined.empty() ? "" : ",").append(word);
    return joined;
}

/// The key of the set of the user's challenges.
std::string index_of(core::Scope const& scope, UserId user_id)
{
    return Challenges::prefix(scope) + "user:" + user_id.to_string() + '}';
}

std::vector<std::string> split(std::string_view joined)
{
    std::vector<std::string> words;
    while (!joined.empty()) {
        words.emplace_back(joined.substr(0, joined.find(',')));
        joined.remove_prefix(std::min(words.back().size() + 1, joined.size()));
    }
    return words;
}

} // namespace

Challenges::Challenges(redis::Client& client, KeyedHash const& hash)
    : client_(client), hash_(hash), index_(timed(index_script)), create_(timed(create_script)),
      open_(timed(std::string(keep_open_script) + create_script)), find_(open_then(find_script)),
      send_(open_then(send_script)), undo_(undo_script), try_code_(open_then(try_code_script)),
      count_attempt_(open_then(count_attempt_script)), consume_(consume_script)
{
}

std::string Challenges::prefix(core::Scope const& scope)
{
    return "auth-mfa:challenge:{" + core::to_string(scope.id) + ':';
}

asio::awaitable<redis::Reply> Challenges::ask(
    redis::Script const& script, std::string const& key, std::vector<std::string_view> args)
{
    auto const time = client_.script_time();
    auto const lifetime = microseconds(challenge_lifetime);
    auto const attempts = std::to_string(challenge_attempts);
    std::vector<std::string_view> const keys{key};
    std::vector<std::string_view> all{time, lifetime, attempts};
    all.insert(all.end(), args.begin(), args.end());
    co_return co_await client_.eval(script, keys, all);
}

asio::awaitable<redis::Reply> Challenges::run(
    redis::Script const& script, std::string const& key, std::vector<std::string_view> args)
{
    auto reply = co_await ask(script, key, std::move(args));
    require_open(reply);
    co_return reply;
}

asio::awaitable<void> Challenges::store(
    redis::Script const& script, core::Scope const& scope, Challenge const& challenge)
{
    auto const user = challenge.user_id.to_string();
    auto const version = std::to_string(challenge.credentials_version);
    auto const words = join(challenge.amr);
    auto const provider = challenge.identity_provider.value_or("");
    auto const time = client_.script_time();
    auto const expiry = expiry_of(challenge_lifetime);
    auto const lifetime = microseconds(challenge_lifetime);
    // First, so that `forget` finds every challenge that is stored.
    auto const index = index_of(scope, challenge.user_id);
    std::vector<std::string_view> const index_keys{index};
    std::vector<std::string_view> const index_args{time, challenge.key, expiry};
    co_await client_.eval(index_, index_keys, index_args);
    std::vector<std::string_view> const keys{challenge.key};
    std::vector<std::string_view> const args{time, user, version, words, provider, expiry, lifetime};
    co_await client_.eval(script, keys, args);
}

asio::awaitable<void> Challenges::forget(core::Scope const& scope, UserId user_id)
{
    auto const index = index_of(scope, user_id);
    auto const stored = co_await client_.command({"ZRANGE", index, "0", "-1"});
    for (auto const& key : stored.array()) {
        co_await client_.command({"UNLINK", key.text()});
        co_await client_.command({"ZREM", index, key.text()});
    }
}

asio::awaitable<Challenges::Created> Challenges::create(core::Scope const& scope, Challenge challenge)
{
    Created created{
        .token = crypto::base64url::encode(crypto::random_bytes(32)), .challenge = std::move(challenge)};
    created.challenge.key =
        prefix(scope) + hash_({"mfa_token", core::to_string(scope.id), created.token}) + '}';
    co_await store(create_, scope, created.challenge);
    co_return created;
}

Challenge Challenges::for_session(
    core::Scope const& scope, core::Uuid const& session_id, UserId user_id) const
{
    // The id of a session is no secret. Without a keyed hash, replicas find the challenge also while they
    // have different encryption keys.
    Challenge challenge;
    challenge.key = prefix(scope) + "session:" + session_id.to_string() + '}';
    challenge.user_id = user_id;
    return challenge;
}

asio::awaitable<Challenge> Challenges::open_for_session(
    core::Scope const& scope, core::Uuid const& session_id, Challenge challenge)
{
    challenge.key = for_session(scope, session_id, challenge.user_id).key;
    co_await store(open_, scope, challenge);
    co_return challenge;
}

asio::awaitable<Challenge> Challenges::find(core::Scope const& scope, std::string_view token)
{
    Challenge challenge;
    redis::Reply reply;
    for (auto const& hash : hash_.under_each({"mfa_token", core::to_string(scope.id), token})) {
        challenge.key = prefix(scope) + hash + '}';
        reply = co_await ask(find_, challenge.key);
        if (!is_expired(reply)) break;
    }
    require_open(reply);
    auto const& fields = reply.array();
    challenge.user_id = UserId(core::Uuid::parse(fields.at(1).text()).value());
    challenge.credentials_version = std::stoll(fields.at(2).text());
    challenge.amr = split(fields.at(3).text());
    if (auto const& provider = fields.at(4).text(); !provider.empty()) challenge.identity_provider = provider;
    challenge.has_code = !fields.at(5).text().empty();
    co_return challenge;
}

asio::awaitable<Challenges::Send> Challenges::count_send(
    Challenge const& challenge, std::string_view phone, std::string_view code)
{
    auto const user = challenge.user_id.to_string();
    Send send{.code_hash = hash_({"login code", challenge.key, user, phone, code})};
    auto const allowed = std::to_string(challenge_sends);
    auto const reply = co_await run(send_, challenge.key, {allowed, send.code_hash});
    auto const& fields = reply.array();
    send.remaining = static_cast<int>(fields.at(1).integer());
    send.expires_in = seconds_left(fields.at(2));
    send.replaced = fields.at(3).text();
    co_return send;
}

asio::awaitable<void> Challenges::take_back(Challenge const& challenge, Send const& send)
{
    return undo(challenge, send, "1");
}

asio::awaitable<void> Challenges::put_code_back(Challenge const& challenge, Send const& send)
{
    return undo(challenge, send, "0");
}

asio::awaitable<void> Challenges::undo(Challenge const& challenge, Send const& send, std::string_view sends)
{
    std::vector<std::string_view> const keys{challenge.key};
    std::vector<std::string_view> const args{send.code_hash, send.replaced, sends};
    co_await client_.eval(undo_, keys, args);
}

asio::awaitable<Challenges::Attempt> Challenges::try_code(
    Challenge const& challenge, std::string_view phone, std::string_view code)
{
    auto const user = challenge.user_id.to_string();
    auto const hashes = hash_.under_each({"login code", challenge.key, user, phone, code});
    auto const reply = co_await run(try_code_, challenge.key, {hashes.begin(), hashes.end()});
    auto const& fields = reply.array();
    co_return Attempt{fields.at(1).integer() == 1, static_cast<int>(fields.at(2).integer())};
}

asio::awaitable<int> Challenges::count_attempt(Challenge const& challenge)
{
    auto const reply = co_await run(count_attempt_, challenge.key);
    co_return static_cast<int>(reply.array().at(1).integer());
}

asio::awaitable<bool> Challenges::consume(Challenge const& challenge)
{
    std::vector<std::string_view> const keys{challenge.key};
    auto const reply = co_await client_.eval(consume_, keys, {});
    co_return reply.integer() == 1;
}

} // namespace auth_mfa
