#pragma once
// Private to pg: the threads behind a Database.

#include "pg/connection.hpp"
#include "pg/database.hpp"
#include "pg/job_queue.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace pg {

using AnyJob = std::variant<Database::Job, Database::Task>;

/// A thread of a Database and its connection.
struct DatabaseThread {
    std::optional<Connection> connection;
    bool hopeful = true; ///< has no connection, but has not failed to make one either
    /// Whose job it runs, and since when; the lock of the Database protects it.
    std::optional<core::Owner> owner;
    std::chrono::steady_clock::time_point started;
    std::thread thread;
};

/// The queue, the threads that take from it, and what they know of the server.
struct Database::Impl {
    explicit Impl(DatabaseOptions given);

    void submit(AnyJob job);
    std::shared_ptr<void const> reserve(Scopes const& scopes);
    void set_silent(bool now);
    WireOptions wire_options(bool binary) const;
    void stop();

    void work(DatabaseThread& self);
    bool connect(DatabaseThread& self);
    void disconnect(DatabaseThread& self);
    bool back_off(unsigned attempt);
    bool next(DatabaseThread& self, std::optional<AnyJob>& item);
    void free_place(DatabaseThread& self);
    /// Whether a job is there that may start. Takes it for this thread. The lock is held.
    bool take(DatabaseThread& self, std::optional<AnyJob>& item);
    /// The thread's job counts as running no more. The lock is held.
    void end_job(DatabaseThread& self);
    void run(DatabaseThread& self, AnyJob& job);
    void run_transaction(Connection& connection, Job& job);
    void leave();
    void supervise();

    /// Whether a job has a chance: there is a connection, or one may be made any moment. The lock is held.
    bool reachable() const { return connected + hopeful > 0; }

    /// What is told to `options.report`: each once until a connection is made, which ends the trouble.
    void report_lost(std::string_view why);
    void report_unreachable(std::string_view why);
    void report_connected();

    DatabaseOptions const options;
    std::shared_ptr<void const> const identity = std::make_shared<char>();
    /// Outlives the database with callers that do.
    std::shared_ptr<std::atomic<std::int64_t>> const apart_callers =
        std::make_shared<std::atomic<std::int64_t>>();
    std::string const transaction_settings; ///< "" unless sessions are shared
    std::string const conninfo, batch_conninfo;

    std::mutex mutex;
    std::condition_variable work_or_stop; ///< for idle workers
    std::condition_variable stopping;     ///< for workers without a connection, and the supervisor
    JobQueue<AnyJob> queue;
    unsigned idle = 0;    ///< workers waiting for a job
    unsigned hopeful = 0; ///< workers that are
    unsigned working = 0; ///< workers that have not ended
    bool stopped = false;
    std::atomic<bool> silent = false;               ///< the server, as its heartbeat finds
    std::atomic<unsigned> connected = 0;            ///< workers with a connection
    std::atomic<unsigned> busy = 0;                 ///< workers that run a job
    std::atomic<bool> loss_reported = false;        ///< and no connection has been made since
    std::atomic<bool> unreachable_reported = false; ///< and no connection has been made since

    std::vector<std::unique_ptr<DatabaseThread>> workers;
    std::thread supervisor;
    std::once_flag joined;
};

} // namespace pg
