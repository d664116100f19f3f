#pragma once

#include "core/id.hpp"
#include "core/identity.hpp"
#include "redis/client.hpp"
#include "state/keyed_hash.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace auth_mfa {

namespace asio = boost::asio;

/// A sign-in whose first factor was right, as it is kept.
struct Challenge {
    std::string key; ///< in Redis; made of the token's hash
    core::Uuid user_id;
    std::int64_t credentials_version = 0; ///< of the user, when the first factor was shown
    std::vector<std::string> amr;         ///< how it was shown
};

/// Login challenges in Redis: one hash each, found by the keyed hash of its token within its scope, changed
/// only by scripts that count before anything is done. Redis' clock is the only clock. 5 minutes from its
/// creation it ends; after its 5th wrong code it stays as a dead one until then.
///
/// All throw redis::Unavailable; what is said of errors holds for every call that finds, counts or compares:
/// MFA_CHALLENGE_EXPIRED when the challenge is unknown, over or used, MFA_RATE_LIMITED when it is dead.
class Challenges {
public:
    /// Both outlive this object.
    Challenges(redis::Client& client, KeyedHash const& hash);

    struct Created {
        std::string token; ///< 256 bits, base64url: for the client alone
        Challenge challenge;
    };

    asio::awaitable<Created> create(core::Scope const& scope, core::Uuid user_id,
        std::int64_t credentials_version, std::vector<std::string> amr);

    asio::awaitable<Challenge> find(core::Scope const& scope, std::string_view token);

    /// A send that was counted.
    struct Send {
        int remaining = 0;
        std::chrono::seconds expires_in{}; ///< until the challenge ends, rounded up
        std::string code_hash;
        std::string replaced; ///< hash of the code before; empty: none
    };

    /// Counts a send and makes `code`, sent to `phone`, the one that works. Guesses stay counted.
    /// MFA_RATE_LIMITED as well when all sends have been used.
    asio::awaitable<Send> count_send(
        Challenge const& challenge, std::string_view phone, std::string_view code);

    /// The message was not handed to the provider: it is not counted, and the code before works again.
    asio::awaitable<void> take_back(Challenge const& challenge, Send const& send);

    /// What `task` yields; when it ends the request instead, the message did not go out, and the send is
    /// taken back.
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
        } catch (redis::Unavailable const&) { // NOLINT(bugprone-empty-catch): it stays counted
        }
        std::rethrow_exception(failure);
    }

    /// The provider refused the message, or was not reached: it stays counted, and the code before works
    /// again.
    asio::awaitable<void> put_code_back(Challenge const& challenge, Send const& send);

    struct Attempt {
        bool right = false;
        int remaining = 0;
    };

    /// Counts an attempt, then compares: a right code uses the challenge up, for one caller alone.
    asio::awaitable<Attempt> try_code(
        Challenge const& challenge, std::string_view phone, std::string_view code);

    /// Counts an attempt with a code that is compared elsewhere; answers how many remain.
    asio::awaitable<int> count_attempt(Challenge const& challenge);

    /// Uses the challenge up; false when it has been. Dead ones too: the attempt was counted before.
    asio::awaitable<bool> consume(Challenge const& challenge);

    /// What keys of a scope begin with, for its erasure.
    static std::string prefix(core::Scope const& scope);

private:
    asio::awaitable<redis::Reply> ask(
        redis::Script const& script, std::string const& key, std::vector<std::string_view> args = {});
    asio::awaitable<redis::Reply> run(
        redis::Script const& script, std::string const& key, std::vector<std::string_view> args = {});
    asio::awaitable<void> undo(Challenge const& challenge, Send const& send, std::string_view sends);

    redis::Client& client_;
    KeyedHash const& hash_;
    redis::Script const create_, find_, send_, undo_, try_code_, count_attempt_, consume_;
};

} // namespace auth_mfa
