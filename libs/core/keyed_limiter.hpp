#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace core {

class KeyedBudget;

/// Limits concurrency per key (a scope, a tenant) in this process, so that no key takes the whole capacity.
/// Thread-safe.
class KeyedLimiter {
public:
    /// `per_key` is the maximum number of concurrent uses per key.
    explicit KeyedLimiter(std::size_t per_key);

    /// Begins a use of `key`. Returns null if the key has the maximum number of uses already. The use ends
    /// when the last copy of the result is destroyed. The result may outlive this object.
    std::shared_ptr<void const> enter(std::int64_t key);

private:
    std::shared_ptr<KeyedBudget> uses_;
};

} // namespace core
