#pragma once

#include "auth/key_store.hpp"
#include "core/clock.hpp"

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace auth {

/// When keys were last used, gathered until it is time to write it. Pure bookkeeping; safe from any thread.
class KeyUsage {
public:
    explicit KeyUsage(std::chrono::milliseconds interval) : interval_(interval) {}

    void mark(std::int64_t scope_id, std::string const& prefix, core::Time at);

    /// The uses to write now: of keys whose last write is an interval ago, or of `all` keys with something to
    /// write.
    std::vector<key_store::Use> due(core::Time now, bool all);

    /// `uses` were written at `now`. Forgets keys that have gone quiet.
    void written(std::vector<key_store::Use> const& uses, core::Time now);

private:
    struct State {
        core::Time used;
        core::Time written = core::Time::min(); ///< when a write last happened, not what it said
        bool dirty = false;
    };

    std::chrono::milliseconds const interval_;
    std::mutex mutex_;
    std::map<std::pair<std::int64_t, std::string>, State> keys_;
};

} // namespace auth
