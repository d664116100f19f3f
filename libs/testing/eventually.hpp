#pragma once

#include <chrono>
#include <thread>

namespace testing {

/// Asks `condition` every few milliseconds until it holds or `limit` has passed; whether it held. For tests
/// of what happens soon on another thread or in another process; `limit` is for a machine that stalls, and
/// never what is tested.
template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds limit = std::chrono::seconds(30))
{
    auto const deadline = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

} // namespace testing
