#include "crypto/password.hpp"

#include "core/error.hpp"
#include "core/suspended.hpp"
#include "crypto/argon2id.hpp"
#include "crypto/random.hpp"

#include <exception>
#include <memory>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace crypto {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int usual_niceness = 10;
constexpr int most_niceness = 19;
constexpr std::size_t waiting_for_each_thread = 48;
constexpr std::size_t max_slow =
    16; ///< comparisons with slower hashes that wait or run; each takes up to 1 s

/// The argument of sched_setattr(2), which the C library does not declare.
struct SchedulingAttributes {
    std::uint32_t size = sizeof(SchedulingAttributes);
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 100'000; ///< the time slice in ns for SCHED_OTHER; 0.1 ms is the minimum
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
};

/// Permanently lowers the priority of the calling thread, so that another thread that becomes runnable on the
/// same core runs at once. This function raises the niceness of the thread by `niceness`. It also sets the
/// shortest time slice, because the scheduler lets a thread finish its slice first (EEVDF, Linux 6.12 and
/// later; older kernels ignore the slice). SCHED_IDLE is unsuitable, because on a busy machine the thread
/// would get almost no time.
void lower_thread_priority(int niceness) noexcept
{
    auto const self = static_cast<id_t>(::gettid());
    SchedulingAttributes attributes;
    attributes.nice = std::min(most_niceness, ::getpriority(PRIO_PROCESS, self) + niceness);
    if (::syscall(SYS_sched_setattr, 0, &attributes, 0) == 0) return;
    // A sandbox may forbid sched_setattr(2). Raising the niceness is always allowed.
    ::setpriority(PRIO_PROCESS, self, attributes.nice);
}

core::Error too_many()
{
    return core::Error::unavailable(
        "Too many password checks are in progress. Retry after the time in the Retry-After header.");
}

PasswordHasherOptions complete(PasswordHasherOptions options)
{
    if (options.queue_limit == 0) options.queue_limit = options.threads * waiting_for_each_thread;
    return options;
}

} // namespace

PasswordHasher::PasswordHasher(PasswordHasherOptions options)
    : options_(complete(std::move(options))), dummy_hash_(hash_password(random_base62(16), options_.cost)),
      slow_places_(max_slow, 1, 1), usual_(options_.threads, usual_niceness), slow_(1, most_niceness)
{
}

/// A place for a comparison with a slower hash, until the destructor runs.
class PasswordHasher::SlowPlace {
public:
    SlowPlace(PasswordHasher& hasher, core::Owner owner) : hasher_(hasher), owner_(owner)
    {
        std::lock_guard const lock(hasher_.mutex_);
        if (!hasher_.slow_places_.admits(owner_)) throw too_many();
        hasher_.slow_places_.take(owner_);
    }

    ~SlowPlace()
    {
        std::lock_guard const lock(hasher_.mutex_);
        hasher_.slow_places_.give_back(owner_);
    }

    SlowPlace(SlowPlace const&) = delete;
    SlowPlace& operator=(SlowPlace const&) = delete;

private:
    PasswordHasher& hasher_;
    core::Owner const owner_;
};

PasswordHasher::Reservation PasswordHasher::reserve(core::ScopeId scope_id)
{
    auto const owner = core::Owner::of(scope_id);
    std::lock_guard const lock(mutex_);
    std::size_t const rounds = ahead_of(owner) / options_.threads;
    std::chrono::duration<double> const wait(seconds_.value().value_or(0) * static_cast<double>(rounds));
    if (is_full_for(owner) || wait > options_.longest_wait) throw too_many();
    ++queued_by_scope_[owner.scope];
    ++queued_by_tenant_[owner.tenant];
    ++queued_;
    return Reservation(*this, scope_id);
}

template <class Id> static std::size_t count_of(std::unordered_map<Id, std::size_t> const& counts, Id id)
{
    auto const it = counts.find(id);
    return it == counts.end() ? 0 : it->second;
}

bool PasswordHasher::is_full_for(core::Owner owner) const
{
    if (queued_ >= options_.queue_limit) return true;
    if (owner.scope == core::no_scope) return false;
    std::size_t const half = (options_.queue_limit + 1) / 2;
    return count_of(queued_by_tenant_, owner.tenant) >= half ||
           count_of(queued_by_scope_, owner.scope) >= core::share_of(half);
}

std::size_t PasswordHasher::ahead_of(core::Owner owner) const
{
    std::size_t const own = count_of(queued_by_scope_, owner.scope);
    std::size_t const tenants = count_of(queued_by_tenant_, owner.tenant);
    bool const sibling_has_places = tenants > own;
    return hashes_ahead(
        own, sibling_has_places ? 2 : 1, queued_by_tenant_.size() + (tenants == 0 ? 1 : 0), queued_);
}

void PasswordHasher::leave(core::ScopeId scope_id) noexcept
{
    auto const owner = core::Owner::of(scope_id);
    auto const take_one = [](auto& counts, auto id) {
        auto const it = counts.find(id);
        if (--it->second == 0) counts.erase(it);
    };
    std::lock_guard const lock(mutex_);
    take_one(queued_by_scope_, owner.scope);
    take_one(queued_by_tenant_, owner.tenant);
    --queued_;
}

std::size_t PasswordHasher::queued() const
{
    std::lock_guard const lock(mutex_);
    return queued_;
}

void PasswordHasher::enqueue(Lane& lane, core::ScopeId scope_id, std::function<void()> job)
{
    {
        std::lock_guard const lock(mutex_);
        lane.waiting.push(core::Owner::of(scope_id), std::move(job));
    }
    lane.workers.post([this, &lane] { next_job(lane)(); });
}

std::function<void()> PasswordHasher::next_job(Lane& lane)
{
    std::lock_guard const lock(mutex_);
    return lane.waiting.pop([](core::Owner) { return true; })->second;
}

/// Gives back memory that the thread does not need for its next hash.
void PasswordHasher::tidy(Lane const& lane, HashMemory& memory) const
{
    memory.shrink(std::size_t{options_.cost.memory_kib} * 1024);
    bool is_last = false;
    {
        std::lock_guard const lock(mutex_);
        is_last = lane.waiting.size() == 0;
    }
    if (is_last) memory.release();
}

asio::awaitable<void> PasswordHasher::on_thread(
    Lane& lane, Reservation const& reservation, std::function<void(HashMemory&)> job)
{
    auto const run_job = [&] {
        thread_local bool const yields = (lower_thread_priority(lane.niceness), true);
        thread_local HashMemory memory;
        static_cast<void>(yields);
        job(memory);
        tidy(lane, memory);
    };
    auto const start = [&](core::Suspended caller) {
        // A shared pointer, because std::function needs copyable captures.
        auto const waiting = std::make_shared<core::Suspended>(std::move(caller));
        enqueue(lane, reservation.scope_id_, [&, waiting] {
            run_job();
            core::Suspended::resume(std::move(*waiting));
        });
    };
    co_await core::suspend(start);
}

template <class Work>
auto PasswordHasher::run(Lane& lane, Reservation const& reservation, Work work)
    -> asio::awaitable<std::invoke_result_t<Work&, HashMemory&>>
{
    std::optional<std::invoke_result_t<Work&, HashMemory&>> result;
    std::exception_ptr failure;
    auto const hash_once = [&](HashMemory& memory) noexcept {
        auto const begun = Clock::now();
        try {
            result = work(memory);
            std::chrono::duration<double> const took = Clock::now() - begun;
            if (&lane == &usual_) {
                std::lock_guard const lock(mutex_);
                seconds_.add(took.count());
            }
            if (options_.on_hash) options_.on_hash();
        } catch (...) {
            failure = std::current_exception();
        }
    };
    co_await on_thread(lane, reservation, hash_once);
    if (failure) std::rethrow_exception(failure);
    co_return std::move(*result);
}

asio::awaitable<void> PasswordHasher::compute(Reservation const& reservation, std::function<void()> work)
{
    std::exception_ptr failure;
    auto const compute_once = [&](HashMemory&) noexcept {
        try {
            work();
        } catch (...) {
            failure = std::current_exception();
        }
    };
    co_await on_thread(usual_, reservation, compute_once);
    if (failure) std::rethrow_exception(failure);
}

asio::awaitable<std::string> PasswordHasher::hash(Reservation const& reservation, core::Secret secret)
{
    auto const work = [&](HashMemory& memory) {
        return hash_password(secret.reveal(), options_.cost, memory);
    };
    co_return co_await run(usual_, reservation, work);
}

asio::awaitable<bool> PasswordHasher::verify(
    Reservation const& reservation, core::Secret secret, std::optional<std::string> hash)
{
    auto const work = [&](HashMemory& memory) {
        return verify_password(secret.reveal(), hash.value_or(dummy_hash_), memory) && hash.has_value();
    };
    if (!hash || !is_slower(*hash, options_.cost)) co_return co_await run(usual_, reservation, work);
    SlowPlace const place(*this, core::Owner::of(reservation.scope_id_));
    co_return co_await run(slow_, reservation, work);
}

bool PasswordHasher::needs_rehash(std::string_view hash) const
{
    return crypto::needs_rehash(hash, options_.cost);
}

} // namespace crypto
