#pragma once
// Internal to pg.

#include "core/scope.hpp"
#include "core/suspended.hpp"
#include "pg/batch.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace pg {

class Database;

/// The part of a Batcher that does not depend on the types of its inputs and results. It is compiled once.
class UntypedBatcher {
public:
    static constexpr std::size_t batch_limit = 128;
    /// When a batch takes longer than this, a second batch of its thread may run at the same time.
    static constexpr std::chrono::milliseconds second_batch_after{5};
    static constexpr unsigned parallel_batches = 2;
    /// Maximum number of scopes of a thread that run separately at a time.
    static constexpr unsigned parallel_scopes = 2;

    /// One caller. The Waiter is a local variable of the coroutine that awaits `wait`. While that coroutine
    /// is suspended, `caller` owns it.
    struct Waiter {
        explicit Waiter(core::ScopeId scope) : scope_id(scope) {}

        ~Waiter()
        {
            if (counted) --*counted;
        }

        Waiter(Waiter const&) = delete;
        Waiter& operator=(Waiter const&) = delete;

        bool is_answered() const { return has_output || failure; }

        core::ScopeId const scope_id;
        bool has_output = false;
        std::exception_ptr failure;
        std::optional<core::Suspended> caller;
        std::chrono::steady_clock::time_point deadline;       ///< set when the scope starts to run separately
        std::shared_ptr<std::atomic<std::int64_t>> counted{}; ///< callers of scopes that run separately
    };

    using Waiters = std::span<Waiter* const>;

    /// Runs a batch. Sets `has_output` of all waiters, or throws and leaves them as they were.
    using Work = std::function<asio::awaitable<void>(BatchConnection&, Waiters)>;

    /// `database` must outlive all calls of `wait`.
    UntypedBatcher(Database& database, Work work);

    /// Returns when the waiter has a result or a failure. `executor` is the executor of the calling
    /// coroutine.
    asio::awaitable<void> wait(asio::any_io_executor const& executor, Waiter& waiter);

private:
    struct DropWaiter;
    using WaiterPtr = std::unique_ptr<Waiter, DropWaiter>;
    struct SeparateScope;
    struct Queue;
    struct Attempt;
    struct BatchRunner;
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace pg
