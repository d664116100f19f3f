#pragma once

#include "core/fair_queue.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <memory>

namespace core {

namespace asio = boost::asio;

/// Limits how many operations run at once in this process. Further callers wait without a thread. Tenants
/// take turns, and so do the scopes of a tenant. One tenant may have at most four fifths of the slots and
/// half of the waiting callers (core::OwnerShares), so that other tenants find a free slot. Thread-safe.
class FairSlots {
public:
    struct Limits {
        std::size_t slots = 1;   ///< maximum number of operations that run at once
        std::size_t waiting = 0; ///< maximum number of callers that wait
    };

    using Deadline = std::chrono::steady_clock::time_point;
    /// The use of a slot. It ends when the last copy is destroyed. A slot may outlive its FairSlots.
    using Slot = std::shared_ptr<void const>;

    explicit FairSlots(Limits limits);

    /// Waits for a slot until `deadline`. Returns null if none was free by then, and at once if the maximum
    /// number of callers wait already. Call it on an execution context that only one thread runs, and that
    /// outlives the slots in use.
    asio::awaitable<Slot> take(Owner owner, Deadline deadline);

    std::size_t in_use() const;
    std::size_t waiting() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace core
