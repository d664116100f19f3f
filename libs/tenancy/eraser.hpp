#pragma once

#include "core/clock.hpp"
#include "core/identity.hpp"
#include "pg/database.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace tenancy {

namespace asio = boost::asio;

struct EraserOptions {
    std::size_t batch = 2'000;                      ///< rows a statement deletes at most
    std::chrono::milliseconds purge_budget{20'000}; ///< how long `purge` keeps its caller waiting
    /// After a tenant is gone its scopes are swept once more, for what a request that was under way still
    /// wrote.
    std::chrono::milliseconds sweep_after{300'000};
};

/// Erases tenants: everything outside the database through hooks, every row of every table that has a
/// `scope_id` or `tenant_id`, and last the tenant itself. Each step can be repeated, so that a crash or a
/// failing hook costs nothing but another try; replicas that erase the same tenant take turns.
class Eraser {
public:
    /// Deletes what is kept of a scope outside the database (blobs, Redis keys), blocking; the scope's rows
    /// are still there. It may be called again for the same scope, and with nothing left to delete. What it
    /// throws puts the tenant off.
    using Hook = std::function<void(core::Scope const&)>;

    /// `database` and `clock` outlive this object.
    Eraser(pg::Database& database, core::Clock const& clock, std::vector<Hook> hooks,
        EraserOptions options = {});

    /// As `stop()`.
    ~Eraser();
    Eraser(Eraser const&) = delete;
    Eraser& operator=(Eraser const&) = delete;

    /// Erases the next tenant that is due, or sweeps one that is gone, blocking: one step of a periodic task
    /// (jobs::Periodic). True: there may be more to do. `stop` is looked at between batches. A tenant whose
    /// erasure fails is passed over in the run that began with it, and its error is thrown at the end of that
    /// run.
    bool step(std::stop_token const& stop);

    /// Erases a condemned tenant now, on the eraser's own thread. Returns when it is gone, or after the
    /// budget: then `step` goes on with it. False: there is something left.
    asio::awaitable<bool> purge(std::int64_t tenant_id);

    /// Ends what is under way after its batch. Once `database` is stopped nothing is erased any more.
    void stop() noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace tenancy
