#pragma once
// Internal to pg: the threads of a Database.

#include "pg/admission_queue.hpp"
#include "pg/connection.hpp"
#include "pg/database.hpp"

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

using QueuedCall = std::variant<Database::QueuedTransaction, Database::Task>;

/// A thread of a Database and its connection.
struct DatabaseThread {
    std::optional<Connection> connection;
    bool connecting = true; ///< the thread has no connection, and no attempt to make one has failed yet
    /// The owner of the running call, and its start time. Protected by the Database's lock.
    std::optional<core::Owner> owner;
    std::chrono::steady_clock::time_point started;
    std::thread thread;
};

/// The queue, its threads, and the state of their connections.
struct Database::Impl {
    explicit Impl(DatabaseOptions given);

    void submit(QueuedCall call);
    std::shared_ptr<void const> reserve(Scopes const& scopes);
    void set_silent(bool now);
    WireOptions wire_options(bool binary) const;
    void stop();

    void work(DatabaseThread& self);
    bool connect(DatabaseThread& self);
    void disconnect(DatabaseThread& self);
    bool back_off(unsigned attempt);
    bool next(DatabaseThread& self, std::optional<QueuedCall>& item);
    void free_place(DatabaseThread& self);
    /// Takes the next call that may start and assigns it to this thread. Returns whether there was such a
    /// call. The lock must be held.
    bool take(DatabaseThread& self, std::optional<QueuedCall>& item);
    /// Records that the thread's call no longer runs. The lock must be held.
    void end_call(DatabaseThread& self);
    void run(DatabaseThread& self, QueuedCall& call);
    void run_transaction(Connection& connection, QueuedTransaction& call);
    void leave();
    void supervise();

    /// Whether calls may succeed: there is a connection, or one may be made soon. The lock must be held.
    bool reachable() const { return connected + connecting > 0; }

    /// These functions call `options.report`. Each kind of failure is reported once until a connection is
    /// made.
    void report_lost(std::string_view why);
    void report_unreachable(std::string_view why);
    void report_connected();

    DatabaseOptions const options;
    std::shared_ptr<void const> const identity = std::make_shared<char>();
    /// Shared with callers, which may outlive the Database.
    std::shared_ptr<std::atomic<std::int64_t>> const separate_callers =
        std::make_shared<std::atomic<std::int64_t>>();
    std::string const transaction_settings; ///< "" unless `options.transaction_pooling`
    std::string const conninfo, batch_conninfo;

    std::mutex mutex;
    std::condition_variable work_or_stop; ///< for idle workers
    std::condition_variable stopping;     ///< for workers without a connection, and the supervisor
    AdmissionQueue<QueuedCall> queue;
    unsigned idle = 0;       ///< workers waiting for a call
    unsigned connecting = 0; ///< workers with `DatabaseThread::connecting`
    unsigned working = 0;    ///< workers that have not ended
    bool stopped = false;
    /// Whether the server is silent, according to the heartbeat.
    std::atomic<bool> silent = false;
    std::atomic<unsigned> connected = 0;            ///< workers with a connection
    std::atomic<unsigned> busy = 0;                 ///< workers that run a call
    std::atomic<bool> loss_reported = false;        ///< no connection has been made since the report
    std::atomic<bool> unreachable_reported = false; ///< no connection has been made since the report

    std::vector<std::unique_ptr<DatabaseThread>> workers;
    std::thread supervisor;
    std::once_flag joined;
};

} // namespace pg
