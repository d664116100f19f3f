#pragma once

#include "core/secret.hpp"
#include "core/workers.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace crypto {

namespace asio = boost::asio;

/// Argon2id as OWASP's password storage sheet has it: 19 MiB, 2 passes, 1 lane.
struct Argon2Cost {
    std::uint32_t memory_kib = 19 * 1024;
    std::uint32_t passes = 2;
    std::uint32_t lanes = 1;
};

/// The PHC string (`$argon2id$v=19$m=19456,t=2,p=1$…`) of a secret under a new random salt. Takes some 25 ms
/// of a core: off the I/O threads, see PasswordHasher.
std::string hash_password(std::string const& secret, Argon2Cost const& cost = {});

/// Whether `secret` is the one of that PHC string; false as well when the string is not one.
bool verify_password(std::string const& secret, std::string const& phc);

struct PasswordHasherOptions {
    unsigned threads = 2;
    /// Callers that wait for a thread or have one, beyond which the next is UNAVAILABLE (503); 0: 32 for each
    /// thread, which is some 0.8 s.
    std::size_t queue_limit = 0;
    Argon2Cost cost{};
    /// Called once for each secret that was hashed, to be kept or to be compared, before its caller resumes:
    /// for metrics. On the hasher's threads, and throws nothing.
    std::function<void()> on_hash = {};
};

/// Hashes passwords on threads of its own, at a lower scheduling priority than the rest of the process, so
/// that a storm of sign-ins delays nobody else. Scopes take turns for the threads, so that one's storm delays
/// another's sign-in by a hash or two. Safe from any thread.
class PasswordHasher {
public:
    explicit PasswordHasher(PasswordHasherOptions options);

    /// A place among the callers. Lives no longer than the hasher.
    class Turn {
    public:
        Turn(Turn&& other) noexcept
            : hasher_(std::exchange(other.hasher_, nullptr)), scope_id_(other.scope_id_)
        {
        }

        Turn& operator=(Turn&&) = delete;

        ~Turn()
        {
            if (hasher_ != nullptr) hasher_->leave(scope_id_);
        }

    private:
        friend PasswordHasher;

        Turn(PasswordHasher& hasher, std::int64_t scope_id) noexcept : hasher_(&hasher), scope_id_(scope_id)
        {
        }

        PasswordHasher* hasher_;
        std::int64_t scope_id_;
    };

    /// Takes a place ahead of the work, for whoever has more to do before it. UNAVAILABLE when all are taken,
    /// or half of them by that scope: a storm in one leaves room for the others. 0: nobody's, held to no
    /// share.
    Turn enter(std::int64_t scope_id = 0);

    /// As `hash_password`; resumes the caller on its own executor.
    asio::awaitable<std::string> hash(Turn const& turn, core::Secret secret);

    /// As `verify_password`. Without a `phc` it does the same work for nothing and says false, so that a
    /// secret nobody has takes as long as a wrong one.
    asio::awaitable<bool> verify(Turn const& turn, core::Secret secret, std::optional<std::string> phc);

    /// Callers that wait or are served: for metrics.
    std::size_t queued() const;

private:
    /// What `work()` yields, which is one hash, done on one of the threads when the turn is its scope's.
    template <class Work>
    auto run(Turn const& turn, Work work) -> asio::awaitable<std::invoke_result_t<Work&>>;
    void leave(std::int64_t scope_id) noexcept;
    void enqueue(std::int64_t scope_id, std::function<void()> job);
    std::function<void()> next_job();

    PasswordHasherOptions const options_;
    std::string const nobodys_; ///< PHC string of a secret that was thrown away
    mutable std::mutex mutex_;
    std::size_t queued_ = 0;
    std::unordered_map<std::int64_t, std::size_t> places_; ///< that each scope has, of those `queued_`
    std::unordered_map<std::int64_t, std::deque<std::function<void()>>>
        waiting_;                    ///< of each scope; none is empty
    std::deque<std::int64_t> turns_; ///< the scopes of `waiting_`, whose turn is first
    core::Workers workers_;          ///< last: it ends before what its work uses
};

} // namespace crypto
