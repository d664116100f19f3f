#pragma once

#include "core/fair_queue.hpp"
#include "core/secret.hpp"
#include "core/smoothed.hpp"
#include "core/workers.hpp"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
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

class HashMemory;

struct PasswordHasherOptions {
    unsigned threads = 2;
    /// Callers that wait for a thread or have one, beyond which the next is UNAVAILABLE (503); 0: 48 for each
    /// thread.
    std::size_t queue_limit = 0;
    /// A caller whose hash would begin later than this, by the time that hashes take of late, is UNAVAILABLE.
    std::chrono::milliseconds longest_wait{1500};
    Argon2Cost cost{};
    /// Called once for each secret that was hashed, to be kept or to be compared, before its caller resumes:
    /// for metrics. On the hasher's threads, and throws nothing.
    std::function<void()> on_hash = {};
};

/// The number of hashes ahead of a new caller's. `own`: places its scope holds already. `scopes`: scopes of
/// its tenant that hold places, its own included. `tenants`: tenants that hold places, its own included.
/// `queued`: all places in use. Tenants take turns, and within a tenant its scopes.
constexpr std::size_t hashes_ahead(
    std::size_t own, std::size_t scopes, std::size_t tenants, std::size_t queued) noexcept
{
    return std::min((own + 1) * scopes * tenants - 1, queued);
}

/// Lowers the calling thread's scheduling for good, so that a thread of another kind which becomes runnable
/// on its core runs at once: 10 more of niceness (Linux has one for each thread), and the shortest slice
/// there is, since the scheduler lets a thread use up its slice before another one takes the core (EEVDF,
/// Linux 6.12 and later; older ones ignore the slice). Not SCHED_IDLE: a busy machine would leave it nothing.
void yield_to_other_threads() noexcept;

/// Hashes passwords on threads of its own, which yield to all others (`yield_to_other_threads`), so that
/// many sign-ins do not delay other requests. Tenants take turns for the threads, and within a tenant its
/// scopes, so that many sign-ins of one tenant delay another tenant's sign-in by one or two hashes. Each
/// thread hashes in memory of its own, which it gives back when nothing waits. Safe from any thread.
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

    /// Takes a place ahead of the work, for a caller that has more to do before it. UNAVAILABLE when all are
    /// taken, when the tenant has half of them, when the scope has its share of that half (`core::share_of`),
    /// or when the hash would begin too late (`longest_wait`). 0: no scope, held to no share.
    Turn enter(std::int64_t scope_id = 0);

    /// As `hash_password`; resumes the caller on its own executor.
    asio::awaitable<std::string> hash(Turn const& turn, core::Secret secret);

    /// As `verify_password`. Without a `phc` it does the same work for nothing and says false, so that a
    /// secret nobody has takes as long as a wrong one.
    asio::awaitable<bool> verify(Turn const& turn, core::Secret secret, std::optional<std::string> phc);

    /// Callers that wait or are served: for metrics.
    std::size_t queued() const;

private:
    /// What `work(HashMemory&)` yields, which is one hash, done on one of the threads in the scope's turn.
    template <class Work>
    auto run(Turn const& turn, Work work) -> asio::awaitable<std::invoke_result_t<Work&, HashMemory&>>;
    void leave(std::int64_t scope_id) noexcept;
    void enqueue(std::int64_t scope_id, std::function<void()> job);
    std::function<void()> next_job();
    bool is_full_for(core::Owner owner) const;
    std::size_t ahead_of(core::Owner owner) const;
    void hashed(std::chrono::duration<double> took, HashMemory& memory);

    PasswordHasherOptions const options_;
    std::string const nobodys_; ///< PHC string of a secret that was thrown away
    mutable std::mutex mutex_;
    std::size_t queued_ = 0;
    std::unordered_map<std::int64_t, std::size_t> places_; ///< that each scope has, of those `queued_`
    std::unordered_map<std::int64_t, std::size_t> tenants_places_;
    core::FairQueue<std::function<void()>> waiting_;
    core::Smoothed seconds_; ///< that a hash takes
    core::Workers workers_;  ///< last: it ends before what its work uses
};

} // namespace crypto
