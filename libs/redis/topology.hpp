#pragma once

#include "redis/address.hpp"
#include "redis/reply.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redis {

// Hash slots and redirections according to the Redis Cluster specification. These functions do no I/O.

/// The slot of a key, 0 to 16383: the CRC16 of its hash tag (the text between its first `{` and the next
/// `}`), or of the whole key if it has none.
std::uint16_t slot_of(std::string_view key) noexcept;

/// A range of slots and the nodes that hold them.
struct SlotRange {
    std::uint16_t first = 0;
    std::uint16_t last = 0; ///< inclusive
    Endpoint master;
    std::vector<Endpoint> replicas;
};

/// Parses the answer to CLUSTER SLOTS. Returns the ranges in ascending order. If the answer names no host for
/// a node, the node gets the host of `asked`, the node that answered. Throws std::bad_variant_access or
/// std::out_of_range if the answer has another form.
std::vector<SlotRange> read_slots(Reply const& answer, Endpoint const& asked);

/// A redirection that a node returns instead of executing a command.
struct Redirection {
    enum class Kind : std::uint8_t {
        moved, ///< `to` holds the slot
        ask,   ///< the slot is moving to `to`, which executes this command after ASKING
        again, ///< the slot is moving, and the command's keys are on two nodes: retry later
    };

    Kind kind = Kind::moved;
    Endpoint to; ///< not set if `again`

    /// Parses the text of an error. Returns nullopt if the error is not a redirection. If the error names no
    /// host, `to` gets the host of `asked`, the node that answered.
    static std::optional<Redirection> read(std::string_view error, Endpoint const& asked);
};

} // namespace redis
