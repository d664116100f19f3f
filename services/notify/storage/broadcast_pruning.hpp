#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/carrier.hpp"
#include "pg/tx.hpp"
#include "storage/broadcasts.hpp"
#include "storage/devices.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

/// The tables `broadcast_answers` and `broadcast_gone`: the devices of a broadcast that its carriers have
/// reported as gone. Whether they are removed is decided when the broadcast is complete. The transaction must
/// see the scopes.
namespace notify::broadcast_pruning {

/// The credential whose pushes were answered.
struct Credential {
    broadcasts::Key broadcast;
    Carrier carrier{};
    core::Time stored_at; ///< `updated_at` of the credential

    friend auto operator<=>(Credential const&, Credential const&) = default;
};

/// The answers to pushes of one credential.
struct Answers {
    std::int64_t answered = 0;       ///< devices that accepted the push or are gone
    std::vector<devices::Gone> gone; ///< the latter
};

/// Adds the answers of one run or several.
void add(pg::Tx& tx, std::map<Credential, Answers> const& answers);

/// The counts of a broadcast.
struct Count {
    Carrier carrier{};
    core::Time stored_at;
    std::int64_t answered = 0, gone = 0;
};

std::vector<Count> counts(pg::Tx& tx, broadcasts::Key const& broadcast);

/// Forgets the gone devices of one credential, without removing them.
void keep_devices(pg::Tx& tx, broadcasts::Key const& broadcast, Count const& count);

/// Takes at most `limit` gone devices of the broadcast.
std::vector<devices::Gone> take(pg::Tx& tx, broadcasts::Key const& broadcast, std::size_t limit);

/// Forgets the counts of the broadcast.
void end(pg::Tx& tx, broadcasts::Key const& broadcast);

} // namespace notify::broadcast_pruning
