#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace core {

/// So many places for each key in this process (a scope, a tenant): what keeps one from taking all that there
/// is. Safe from any thread.
class Places {
public:
    explicit Places(std::size_t of_each);

    /// A place of the key's, free again when the last copy of this is gone, which may be after the Places;
    /// null when all are taken.
    std::shared_ptr<void const> enter(std::int64_t key);

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace core
