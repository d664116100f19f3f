#pragma once

#include "core/scope.hpp"
#include "domain/user_id.hpp"
#include "redis/client.hpp"
#include "state/keyed_hash.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace auth_mfa {

namespace asio = boost::asio;

/// A stored sign-in whose first factor was verified.
struct Challenge {
    std::string key; ///< the key in Redis; contains the token's keyed hash
    UserId user_id;
    std::int64_t credentials_version = 0; ///< the user's version when the first factor was verified
    std::vector<std::string> amr;         ///< how the first factor was proved (RFC 8176)
    /// IdentityProvider::key, if the first factor was an id token.
    std::optional<std::string> identity_provider;
    bool has_code = false; ///< whether a code was sent; `find` sets it
};

/// Login challenges in Redis. Each challenge is one Redis hash, whose key contains the scope and the keyed
/// hash of the token. Scripts count every send and every attempt before it takes effect. Only Redis' clock is
/// used. A challenge ends 5 minutes after its creation. After the 5th wrong code, the challenge accepts no
/// code until it ends. A set for each user contains the keys of the user's challenges, so that they can be
/// deleted with the user.
///
/// All functions throw redis::Unavailable if Redis cannot be used. The functions that find, count or compare
/// also throw MFA_CHALLENGE_EXPIRED when the challenge is unknown, expired or used, and MFA_RATE_LIMITED
/// after too many wrong codes.
class Challenges {
public:
    /// Both arguments must outlive this object.
    Challenges(redis::Client& client, KeyedHash const& hash);

    struct Created {
        std::string token; ///< 256 random bits in base64url; only the client gets it
        Challenge challenge;
    };

    /// `challenge` has no key yet.
    asio::awaitable<Created> create(core::Scope const& scope, Challenge challenge);

    /// The challenge of a session whose user authenticates again. `open_for_session` creates it if there is
    /// none, or it has expired or was used. It has no token: the session's id finds it.
    asio::awaitable<Challenge> open_for_session(
        core::Scope const& scope, core::Uuid const& session_id, Challenge challenge);
    Challenge for_session(core::Scope const& scope, core::Uuid const& session_id, UserId user_id) const;

    asio::awaitable<Challenge> find(core::Scope const& scope, std::string_view token);

    /// A counted send.
    struct Send {
        int remaining = 0;                 ///< sends left
        std::chrono::seconds expires_in{}; ///< until the challenge ends, rounded up
        std::string code_hash;
        std::string replaced; ///< hash of the previous code; empty if there was none
    };

    /// Counts a send and makes `code`, sent to `phone`, the valid code. The send does not reset
    /// the counted attempts. Also throws MFA_RATE_LIMITED when no sends are left.
    asio::awaitable<Send> count_send(
        Challenge const& challenge, std::string_view phone, std::string_view code);

    /// For a message that was not passed to the provider: gives the counted send back and makes the previous
    /// code valid again.
    asio::awaitable<void> take_back(Challenge const& challenge, Send const& send);

    /// Runs `task` and returns its result. If `task` throws, the message was not sent, so the send is taken
    /// back and the exception is rethrown.
    template <class T>
    asio::awaitable<T> or_take_back(Challenge const& challenge, Send const& send, asio::awaitable<T> task)
    {
        std::exception_ptr failure;
        try {
            co_return co_await std::move(task);
        } catch (...) {
            failure = std::current_exception();
        }
        try {
            co_await take_back(challenge, send);
        } catch (redis::Unavailable const&) { // NOLINT(bugprone-empty-catch): the send stays counted
        }
        std::rethrow_exception(failure);
    }

    /// For a message that the provider refused: makes the previous code valid again. The send stays counted.
    asio::awaitable<void> put_code_back(Challenge const& challenge, Send const& send);

    struct Attempt {
        bool right = false;
        int remaining = 0; ///< attempts left
    };

    /// Counts an attempt, then compares the code. A correct code consumes the challenge, so only one caller
    /// gets `right`.
    asio::awaitable<Attempt> try_code(
        Challenge const& challenge, std::string_view phone, std::string_view code);

    /// Counts an attempt with a code that the caller will compare. Returns the number of attempts left.
    asio::awaitable<int> count_attempt(Challenge const& challenge);

    /// Consumes the challenge; false if the challenge was already consumed or has expired. Also succeeds
    /// after the last allowed attempt, because the caller has already counted the correct attempt.
    asio::awaitable<bool> consume(Challenge const& challenge);

    /// Deletes the challenges of a deleted user. A challenge that a sign-in stores at the same time may
    /// remain. Then it ends by itself.
    asio::awaitable<void> forget(core::Scope const& scope, UserId user_id);

    /// The prefix of the scope's keys in Redis. The erasure of a tenant uses it.
    static std::string prefix(core::Scope const& scope);

private:
    asio::awaitable<redis::Reply> ask(
        redis::Script const& script, std::string const& key, std::vector<std::string_view> args = {});
    asio::awaitable<redis::Reply> run(
        redis::Script const& script, std::string const& key, std::vector<std::string_view> args = {});
    asio::awaitable<void> store(
        redis::Script const& script, core::Scope const& scope, Challenge const& challenge);
    asio::awaitable<void> undo(Challenge const& challenge, Send const& send, std::string_view sends);

    redis::Client& client_;
    KeyedHash const& hash_;
    redis::Script const index_, create_, open_, find_, send_, undo_, try_code_, count_attempt_, consume_;
};

} // namespace auth_mfa
