#pragma once

#include "auth/api_key_rows.hpp"
#include "core/clock.hpp"
#include "core/scope.hpp"

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace auth {

/// Collects the last use of each API key until the use is due to be written to the database. Does no I/O.
/// Thread-safe.
class ApiKeyUsage {
public:
    explicit ApiKeyUsage(std::chrono::milliseconds interval) : interval_(interval) {}

    void mark(core::ScopeId scope_id, std::string const& prefix, core::Time at);

    /// The unwritten uses that are due: those of keys that were never written, or last written at least one
    /// interval ago. With `all`, every unwritten use.
    std::vector<api_key_rows::Use> due(core::Time now, bool all);

    /// Records that `uses` were written to the database at `now`. Removes keys that have no unwritten use and
    /// were last written at least one interval ago.
    void written(std::vector<api_key_rows::Use> const& uses, core::Time now);

private:
    struct State {
        core::Time used;
        core::Time written = core::Time::min(); ///< when `used` was last written to the database
        bool dirty = false;
    };

    std::chrono::milliseconds const interval_;
    std::mutex mutex_;
    std::map<std::pair<core::ScopeId, std::string>, State> keys_;
};

} // namespace auth
