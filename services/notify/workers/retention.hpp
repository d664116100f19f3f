#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "observe/metrics.hpp"
#include "storage/retention.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <string_view>
#include <vector>

namespace pg {
class Database;
}

namespace notify {

/// The size of a step of RetentionPurge.
struct RetentionLimits {
    std::size_t scopes = 100; ///< per transaction
    std::size_t rows = 2'000; ///< notifications or broadcasts per transaction, in equal shares for the scopes
    std::size_t files = 50;   ///< per transaction; a file may have 10 MiB
};

/// The periodic task that purges old notifications and broadcasts (storage/retention.hpp). A run visits all
/// scopes once. Then the scopes that have more rows take turns until no scope has more. So many rows of one
/// scope do not delay the other scopes. Used by one thread.
class RetentionPurge {
public:
    static constexpr char const* task = "notifications.purge";

    /// The references must outlive this object. Creates the counters
    /// `tetrad_retention_purged_total{kind}`.
    RetentionPurge(
        pg::Database& db, core::Clock const& clock, observe::Metrics& metrics, RetentionLimits limits = {});

    /// Runs one step in a few short transactions. Returns false if the run has ended; the next call begins
    /// another run. If it throws, the next call begins another run, too.
    bool step();

private:
    /// One of the functions of storage/retention.hpp.
    struct Kind {
        retention::Purged (*purge)(pg::Tx& tx, retention::Step const& step);
        prometheus::Counter* purged;
        std::map<core::ScopeId, retention::Position> unfinished{};
    };

    std::vector<core::ScopeId> next_scopes();
    void purge(std::vector<core::ScopeId> const& scopes);
    void purge(Kind& kind, std::vector<core::ScopeId> const& scopes);
    void reset();

    pg::Database& db_;
    core::Clock const& clock_;
    RetentionLimits const limits_;
    std::array<Kind, 4> kinds_;
    core::ScopeId visited_ = core::no_scope; ///< the last scope that this run has visited
    bool visited_all_ = false;
    std::deque<core::ScopeId> waiting_; ///< the scopes that are unfinished, in the order of their next turns
};

} // namespace notify
