#pragma once

#include "redis/address.hpp"
#include "redis/reply.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redis {

// What the Redis Cluster specification says of slots, without a connection.

/// The slot of a key, 0 to 16383: CRC16 of what stands between its first `{` and the next `}`, or of all of
/// it when nothing does.
std::uint16_t slot_of(std::string_view key) noexcept;

/// A run of slots and who keeps them.
struct SlotRange {
    std::uint16_t first = 0;
    std::uint16_t last = 0; ///< within the run
    Endpoint master;
    std::vector<Endpoint> replicas;
};

/// The answer to CLUSTER SLOTS, ascending. Nodes that do not say their host have that of `asked`, who
/// answered. Throws std::bad_variant_access or std::out_of_range when it is no such answer.
std::vector<SlotRange> read_slots(Reply const& answer, Endpoint const& asked);

/// What a node says instead of serving a command.
struct Redirection {
    enum class Kind : std::uint8_t {
        moved, ///< `to` keeps the slot
        ask,   ///< the slot is on its way to `to`, which serves this command when asked with ASKING
        again, ///< the slot is on its way and its keys are on both sides: later
    };

    Kind kind = Kind::moved;
    Endpoint to; ///< not when `again`

    /// nullopt when `error` is of another kind. A node that is named without its host has that of `asked`.
    static std::optional<Redirection> read(std::string_view error, Endpoint const& asked);
};

} // namespace redis
