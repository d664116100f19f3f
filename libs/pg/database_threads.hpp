#pragma once
// Private to pg: the threads behind a Database.

#include "pg/connection.hpp"
#include "pg/database.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace pg {

using AnyJob = std::variant<Database::Job, Database::Errand>;

/// The tenant of what is no tenant's, or several tenants'; ids start at 1.
inline constexpr std::int64_t nobody = 0;

/// A job that waits for a thread.
struct QueuedJob {
    AnyJob job;
    std::chrono::steady_clock::time_point queued;
    std::int64_t tenant; ///< whose rows it sees, or nobody
};

/// A thread of a Database and its connection.
struct DatabaseThread {
    Watch watch;
    std::optional<Connection> connection;
    bool hopeful = true;          ///< has no connection, but has not failed to make one either
    std::int64_t tenant = nobody; ///< whose job it runs; the lock of the Database protects it
    std::thread thread;
};

/// The queue, the threads that take from it, and what they know of the server.
struct Database::Impl {
    explicit Impl(DatabaseOptions given);

    void submit(AnyJob job);
    void stop();

    void work(DatabaseThread& self);
    bool connect(DatabaseThread& self);
    void disconnect(DatabaseThread& self);
    bool back_off(unsigned attempt);
    bool next(DatabaseThread& self, std::optional<QueuedJob>& item);
    void free_place(DatabaseThread& self);
    void run(DatabaseThread& self, AnyJob& job);
    void run_transaction(Connection& connection, Job& job);
    void leave();
    void supervise();

    /// Whether a job has a chance: there is a connection, or one may be made any moment. The lock is held.
    bool reachable() const { return connected + hopeful > 0; }

    /// Whether the tenant has less than its share of the threads. The lock is held.
    bool may_start(std::int64_t tenant) const;

    /// The first job that may start. The lock is held.
    std::deque<QueuedJob>::iterator first_ready();

    /// Whether the queue takes no more of the tenant's jobs. The lock is held.
    bool is_full_for(std::int64_t tenant, std::chrono::steady_clock::time_point now) const;

    /// Whether the tenant's oldest job has waited so long that more of them would only wait as well. The lock
    /// is held.
    bool is_behind(std::int64_t tenant, std::chrono::steady_clock::time_point now) const;

    /// What is told to `options.report`: each once until a connection is made, which ends the trouble.
    void report_lost(std::string_view why);
    void report_unreachable(std::string_view why);
    void report_connected();

    DatabaseOptions const options;
    std::shared_ptr<void const> const identity = std::make_shared<char>();
    std::string const transaction_settings; ///< "" unless sessions are shared
    std::string const conninfo, batch_conninfo;

    std::mutex mutex;
    std::condition_variable work_or_stop; ///< for idle workers
    std::condition_variable stopping;     ///< for workers without a connection, and the supervisor
    std::deque<QueuedJob> queue;
    unsigned idle = 0;    ///< workers waiting for a job
    unsigned hopeful = 0; ///< workers that are
    unsigned working = 0; ///< workers that have not ended
    bool stopped = false;
    std::atomic<unsigned> connected = 0;            ///< workers with a connection
    std::atomic<unsigned> busy = 0;                 ///< workers that run a job
    std::atomic<bool> loss_reported = false;        ///< and no connection has been made since
    std::atomic<bool> unreachable_reported = false; ///< and no connection has been made since

    std::vector<std::unique_ptr<DatabaseThread>> workers;
    std::thread supervisor;
    std::once_flag joined;
};

} // namespace pg
