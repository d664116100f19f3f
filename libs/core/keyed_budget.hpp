#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace core {

/// Limits an amount, such as bytes, per key (a tenant, an address) in this process. To limit a number of
/// concurrent uses, prefer KeyedLimiter. Thread-safe.
class KeyedBudget {
public:
    /// `per_key` is the maximum total per key.
    explicit KeyedBudget(std::size_t per_key) noexcept : per_key_(per_key) {}

    std::size_t per_key() const noexcept { return per_key_; }

    /// Adds `amount` to the key's total. Returns false and adds nothing if the total would exceed `per_key`.
    bool take(std::int64_t key, std::size_t amount);

    /// Subtracts `amount` from the key's total. The amount of one `take` may be given back in several steps.
    void give_back(std::int64_t key, std::size_t amount) noexcept;

private:
    /// Keys are spread over several maps, to reduce lock contention.
    struct Part {
        std::mutex mutex;
        std::unordered_map<std::int64_t, std::size_t> held; ///< never 0
    };

    Part& part_of(std::int64_t key) noexcept;

    std::size_t const per_key_;
    std::array<Part, 16> parts_;
};

} // namespace core
