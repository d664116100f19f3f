#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace core {

/// How much each key (a tenant, an address) holds of something in this process, and at most: bytes, say. What
/// is counted one by one is better kept with Places. Safe from any thread.
class KeyedLimit {
public:
    explicit KeyedLimit(std::size_t of_each) noexcept : of_each_(of_each) {}

    std::size_t of_each() const noexcept { return of_each_; }

    /// Adds `amount` to what the key holds; false, and nothing is added, when that would be more than its
    /// share.
    bool take(std::int64_t key, std::size_t amount);

    /// Undoes `take`, in one step or several.
    void give_back(std::int64_t key, std::size_t amount) noexcept;

private:
    /// Keys are spread over a few maps, so that threads seldom wait for each other.
    struct Part {
        std::mutex mutex;
        std::unordered_map<std::int64_t, std::size_t> held; ///< never 0
    };

    Part& part_of(std::int64_t key) noexcept;

    std::size_t const of_each_;
    std::array<Part, 16> parts_;
};

} // namespace core
