#pragma once
// Private to the delivery workers.

#include "domain/prune.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace notify {

/// A platform's credential as it was put there: scope and kind; `updated_at`.
using PlatformVersion = std::pair<std::int64_t, std::int64_t>;

/// A PruneBreaker for each credential, in this process's memory: every replica counts what it sees itself,
/// and begins anew when it is restarted. A credential that is put in the place of another, the same one
/// included, has its own. Safe from any thread.
class PruneBreakers {
public:
    /// Counts one push that the carrier answered. True: that was one too many, just now.
    bool count(PlatformVersion const& credential, bool gone);

    /// Whether devices may be removed on the word of that credential's carrier.
    bool may_prune(PlatformVersion const& credential) const;

private:
    mutable std::mutex mutex_;
    std::map<PlatformVersion, PruneBreaker> breakers_;
};

} // namespace notify
