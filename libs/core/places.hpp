#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace core {

/// Limits concurrency per key (a scope, a tenant) in this process, so that no key takes the whole capacity.
/// Thread-safe.
class Places {
public:
    /// `of_each`: the maximum number of concurrent uses per key.
    explicit Places(std::size_t of_each);

    /// Takes one of the key's places. Returns null if all of them are taken. The place is free again when the
    /// last copy of the result is destroyed. The result may outlive the Places.
    std::shared_ptr<void const> enter(std::int64_t key);

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace core
