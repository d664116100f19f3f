#pragma once

#include <chrono>
#include <thread>

namespace testing {

/// Evaluates `condition` every few milliseconds until it is true or `limit` has passed. Returns whether it
/// was true. For effects that appear soon on another thread or in another process. `limit` only allows for
/// slow machines: do not test durations with it.
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
