#pragma once

#include "core/fair_queue.hpp"
#include "core/moving_average.hpp"
#include "core/scope.hpp"
#include "core/secret.hpp"
#include "core/shares.hpp"
#include "core/thread_pool.hpp"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace crypto {

namespace asio = boost::asio;

/// Argon2id with the parameters of OWASP's Password Storage Cheat Sheet: 19 MiB, 2 passes, 1 lane.
struct Argon2Cost {
    std::uint32_t memory_kib = 19 * 1024;
    std::uint32_t passes = 2;
    std::uint32_t lanes = 1;

    bool operator==(Argon2Cost const&) const = default;
};

/// The highest cost of an imported hash (`is_importable_hash`). A comparison with such a hash takes up to
/// about one second of CPU time: bcrypt of cost 14, or Argon2id with 64 MiB and 10 passes.
inline constexpr Argon2Cost max_imported_cost{.memory_kib = 64 * 1024, .passes = 10, .lanes = 4};
inline constexpr unsigned max_imported_bcrypt_cost = 14;

/// Returns the PHC string (`$argon2id$v=19$m=19456,t=2,p=1$…`) of a secret under a new random salt. Takes
/// about 25 ms of CPU time, so do not call it on an I/O thread; see PasswordHasher.
std::string hash_password(std::string const& secret, Argon2Cost const& cost = {});

/// Whether `secret` matches the hash: a PHC string of Argon2id, or a bcrypt hash that begins with `$2b$` or
/// `$2y$`. Returns false for any other text. bcrypt reads at most 72 bytes of a secret, so a longer secret
/// matches if its first 72 bytes do.
bool verify_password(std::string const& secret, std::string const& hash);

/// Whether other software may have made this hash, and `verify_password` may compare it:
/// - a PHC string of Argon2id version 19, of at most `max_imported_cost`, with 8 to 64 bytes of salt and 16
///   to 64 bytes of hash, or
/// - a bcrypt hash that begins with `$2b$` or `$2y$`, of at most cost 14.
bool is_importable_hash(std::string_view text);

/// Whether a comparison with the hash takes longer than one with a hash of this cost: a bcrypt hash, or more
/// memory or passes of Argon2id.
bool is_slower(std::string_view hash, Argon2Cost const& cost = {});

/// Whether the hash differs from the hashes of `hash_password` with this cost: in the algorithm, the cost, or
/// the size of salt or hash. After a successful sign-in, replace such a hash.
bool needs_rehash(std::string_view hash, Argon2Cost const& cost = {});

class HashMemory;

struct PasswordHasherOptions {
    unsigned threads = 2;
    /// The maximum number of callers that wait for a thread or use one. Further callers get UNAVAILABLE
    /// (503). 0 means 48 per thread.
    std::size_t queue_limit = 0;
    /// A caller whose hash would begin later than this, as estimated from recent hashes, gets UNAVAILABLE.
    std::chrono::milliseconds longest_wait{1500};
    Argon2Cost cost{};
    /// Called once for each hash or comparison, before its caller resumes. For metrics. Called on the
    /// hasher's threads. Must not throw.
    std::function<void()> on_hash = {};
};

/// The maximum number of hashes that run before the hash of a new caller. Tenants take turns, and so do the
/// scopes within a tenant. `own` is the number of callers of the new caller's scope, and `queued` the number
/// of all callers. `scopes` is the number of scopes with callers in the new caller's tenant, and `tenants`
/// the number of tenants with callers. Both include the new caller's own.
constexpr std::size_t hashes_ahead(
    std::size_t own, std::size_t scopes, std::size_t tenants, std::size_t queued) noexcept
{
    return std::min((own + 1) * scopes * tenants - 1, queued);
}

/// Hashes passwords on low-priority threads of its own, so that many sign-ins do not delay other requests.
/// Tenants take turns for the threads, and so do the scopes within a tenant. Therefore, even very many
/// sign-ins of one tenant delay another tenant's sign-in by only one or two hashes. Comparisons with slower
/// hashes (`is_slower`), which only imports can have, take turns for a thread of their own with the lowest
/// priority, so that they delay each other only. Each thread has its own memory, which it releases when the
/// queue is empty. After a comparison with an imported hash of a higher memory cost, the thread frees the
/// larger memory at once. Thread-safe.
class PasswordHasher {
public:
    explicit PasswordHasher(PasswordHasherOptions options);

    /// A caller's place in the queue. Must not outlive the hasher.
    class Reservation {
    public:
        Reservation(Reservation&& other) noexcept
            : hasher_(std::exchange(other.hasher_, nullptr)), scope_id_(other.scope_id_)
        {
        }

        Reservation& operator=(Reservation&&) = delete;

        ~Reservation()
        {
            if (hasher_ != nullptr) hasher_->leave(scope_id_);
        }

    private:
        friend PasswordHasher;

        Reservation(PasswordHasher& hasher, core::ScopeId scope_id) noexcept
            : hasher_(&hasher), scope_id_(scope_id)
        {
        }

        PasswordHasher* hasher_;
        core::ScopeId scope_id_;
    };

    /// Takes a place in the queue. Call it before other work of the request, so that a refusal costs little.
    /// With `scope_id` 0 there is no limit per tenant or scope. Throws UNAVAILABLE if
    /// - the queue is full,
    /// - the tenant uses half of the queue,
    /// - the scope uses its share of that half (`core::share_of`), or
    /// - the hash would begin too late (`longest_wait`).
    Reservation reserve(core::ScopeId scope_id = core::no_scope);

    /// Like `hash_password`, on a thread of the hasher. Resumes the caller on its own executor.
    asio::awaitable<std::string> hash(Reservation const& reservation, core::Secret secret);

    /// Like `verify_password`, on a thread of the hasher. If `hash` is nullopt, does the work for a hash of
    /// today's cost and returns false, so that a sign-in takes the same time for an unknown user and for a
    /// wrong password. An imported hash of another cost takes another time, until it is replaced: the time
    /// shows that the user exists and has not signed in since the import. `is_importable_hash` bounds it.
    /// Throws UNAVAILABLE if `hash` is slower than today's hashes and 16 such comparisons wait or run, or the
    /// caller's tenant has its share of them (half of the free ones).
    asio::awaitable<bool> verify(
        Reservation const& reservation, core::Secret secret, std::optional<std::string> hash);

    /// Like the function of the same name, with the cost of this hasher.
    bool needs_rehash(std::string_view hash) const;

    /// Runs other slow work on a password on a thread of the hasher, when it is the scope's turn. Does not
    /// count as a hash. Returns when `work` has ended, and rethrows its exception. `work` must not take
    /// longer than a hash.
    asio::awaitable<void> compute(Reservation const& reservation, std::function<void()> work);

    /// The number of callers that wait for a thread or use one. For metrics.
    std::size_t queued() const;

private:
    /// Threads, and the jobs that take turns for them.
    struct Lane {
        Lane(unsigned threads, int niceness) : niceness(niceness), workers(threads) {}

        int const niceness; ///< of the threads
        core::FairQueue<std::function<void()>> waiting;
        core::ThreadPool workers; ///< last, so that its threads end before the objects that they use
    };

    /// Runs `work(HashMemory&)`, which computes one hash, on one of the threads when it is the scope's turn.
    template <class Work>
    auto run(Lane& lane, Reservation const& reservation, Work work)
        -> asio::awaitable<std::invoke_result_t<Work&, HashMemory&>>;
    /// Runs `job(HashMemory&)`, which must not throw, on one of the threads when it is the scope's turn.
    asio::awaitable<void> on_thread(
        Lane& lane, Reservation const& reservation, std::function<void(HashMemory&)> job);
    void leave(core::ScopeId scope_id) noexcept;
    class SlowPlace;
    void enqueue(Lane& lane, core::ScopeId scope_id, std::function<void()> job);
    std::function<void()> next_job(Lane& lane);
    bool is_full_for(core::Owner owner) const;
    std::size_t ahead_of(core::Owner owner) const;
    void tidy(Lane const& lane, HashMemory& memory) const;

    PasswordHasherOptions const options_;
    std::string const dummy_hash_; ///< PHC string of a discarded random secret
    mutable std::mutex mutex_;
    std::size_t queued_ = 0;
    std::unordered_map<core::ScopeId, std::size_t> queued_by_scope_; ///< callers per scope
    std::unordered_map<core::TenantId, std::size_t> queued_by_tenant_;
    core::OwnerShares slow_places_; ///< comparisons with slower hashes that wait or run
    core::MovingAverage seconds_;   ///< duration of a hash of today's cost
    Lane usual_; ///< last members, so that their threads end before the objects that they use
    Lane slow_;
};

} // namespace crypto
