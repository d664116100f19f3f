#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace pg {
class Database;
}

namespace tenancy {

namespace asio = boost::asio;

struct EraserOptions {
    std::size_t batch = 2'000;                           ///< maximum number of rows that a statement deletes
    std::chrono::milliseconds erase_now_timeout{20'000}; ///< time limit of a call of `erase_now`
    /// Time from a tenant's erasure until its scopes are erased a second time. The second erasure deletes
    /// what requests wrote that were still running during the first.
    std::chrono::milliseconds sweep_after{300'000};
};

/// Erases tenants. It first deletes data outside the database through hooks, then every row of every table
/// that has a column `scope_id` or `tenant_id`, and finally the tenant itself. Each step can be repeated
/// after a crash or after a hook that threw. Replicas that erase the same tenant do so one after another.
class Eraser {
public:
    /// Deletes data of a scope outside the database (blobs, Redis keys). Blocks. The scope's rows still exist
    /// when the hook runs. The hook may be called again for the same scope, also if nothing is left to
    /// delete. If it throws, the tenant is not erased, and a later run of `step` tries again.
    using Hook = std::function<void(core::Scope const&)>;

    /// `database` and `clock` must outlive this object.
    Eraser(pg::Database& database, core::Clock const& clock, std::vector<Hook> hooks,
        EraserOptions options = {});

    /// As `stop()`.
    ~Eraser();
    Eraser(Eraser const&) = delete;
    Eraser& operator=(Eraser const&) = delete;

    /// Erases the next tenant whose erasure is due, or erases a tenant's scopes a second time
    /// (`sweep_after`). Blocks. It is the step of a periodic task (jobs::Periodic). Returns true if there may
    /// be more to do. `stop` is checked between batches. A tenant whose erasure fails is skipped for the rest
    /// of the run. The first such failure is rethrown at the end of the run.
    bool step(std::stop_token const& stop);

    /// Erases a tenant whose erasure is due, on the eraser's own thread. Returns true when no data of the
    /// tenant is left. Returns false if `erase_now_timeout` ended first or `stop` was called during the
    /// erasure; later calls of `step` then continue the erasure. Throws the exceptions of hooks and of the
    /// database, and UNAVAILABLE if `stop` was called before.
    asio::awaitable<bool> erase_now(core::TenantId tenant_id);

    /// Ends a running erasure after the current batch and waits for it. Call it before `database` is stopped.
    void stop() noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tenancy
