#pragma once
// Private to the delivery workers.

#include "crypto/hash.hpp"
#include "domain/prune.hpp"

#include <map>
#include <mutex>

namespace notify {

/// A PruneBreaker for each credential, in this process's memory: every replica judges by what it sees itself,
/// and begins anew when it is restarted. A credential that is put in the place of another has its own. Safe
/// from any thread.
class PruneBreakers {
public:
    /// Counts one push that the carrier answered. True: that was one too many, just now.
    bool count(crypto::Digest const& credential, bool gone);

    /// Whether devices may be removed on the word of that credential's carrier.
    bool may_prune(crypto::Digest const& credential) const;

private:
    mutable std::mutex mutex_;
    std::map<crypto::Digest, PruneBreaker> breakers_;
};

} // namespace notify
