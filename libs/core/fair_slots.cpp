#include "core/fair_slots.hpp"

#include "core/shares.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace core {

namespace {

enum class Entry : std::uint8_t { started, waits, refused };

struct Waiter {
    Waiter(asio::any_io_executor const& executor, FairSlots::Deadline deadline) : timer(executor, deadline) {}

    asio::steady_timer timer; ///< ends the wait; used on the caller's executor only
    bool has_slot = false;
    bool has_left = false;
};

using WaiterPtr = std::shared_ptr<Waiter>;

} // namespace

/// The mutex protects all members, and the flags of the waiters.
struct FairSlots::State {
    explicit State(Limits limits) : slots(limits.slots, 4, 1), places(limits.waiting, 1, 1) {}

    Entry enter(Owner const& owner, WaiterPtr const& waiter)
    {
        std::lock_guard const lock(mutex);
        if (slots.admits(owner)) {
            slots.take(owner);
            return Entry::started;
        }
        if (!places.admits(owner)) return Entry::refused;
        places.take(owner);
        queue.push(owner, waiter);
        return Entry::waits;
    }

    /// Ends the wait of a caller. Returns whether the caller has got a slot.
    bool leave(Waiter& waiter)
    {
        std::lock_guard const lock(mutex);
        waiter.has_left = true;
        // The callers of a scope leave in about the order of their arrival, because they wait equally long.
        for (auto const& [owner, left] : queue.remove_late([](auto const& w) { return w->has_left; }))
            places.give_back(owner);
        return waiter.has_slot;
    }

    void release(Owner const& owner)
    {
        for (auto const& waiter : start_next(owner))
            asio::post(waiter->timer.get_executor(), [waiter] { waiter->timer.cancel(); });
    }

    /// Gives a slot back, and gives the free slots to waiting callers. Returns these callers.
    std::vector<WaiterPtr> start_next(Owner const& released)
    {
        std::vector<WaiterPtr> started;
        std::lock_guard const lock(mutex);
        slots.give_back(released);
        while (auto next = queue.pop([this](Owner const& owner) { return slots.admits(owner); })) {
            auto& [owner, waiter] = *next;
            places.give_back(owner);
            if (waiter->has_left) continue;
            slots.take(owner);
            waiter->has_slot = true;
            started.push_back(std::move(waiter));
        }
        return started;
    }

    mutable std::mutex mutex;
    OwnerShares slots;
    OwnerShares places; ///< of the queue
    FairQueue<WaiterPtr> queue;
};

FairSlots::FairSlots(Limits limits) : state_(std::make_shared<State>(limits)) {}

asio::awaitable<FairSlots::Slot> FairSlots::take(Owner owner, Deadline deadline)
{
    auto const waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor, deadline);
    auto const entry = state_->enter(owner, waiter);
    if (entry == Entry::refused) co_return nullptr;
    if (entry == Entry::waits) {
        boost::system::error_code cancelled;
        co_await waiter->timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
        if (!state_->leave(*waiter)) co_return nullptr;
    }
    co_return Slot(
        static_cast<void const*>(this), [state = state_, owner](void const*) { state->release(owner); });
}

std::size_t FairSlots::in_use() const
{
    std::lock_guard const lock(state_->mutex);
    return state_->slots.used();
}

std::size_t FairSlots::waiting() const
{
    std::lock_guard const lock(state_->mutex);
    return state_->places.used();
}

} // namespace core
