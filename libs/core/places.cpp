#include "core/places.hpp"

#include <mutex>
#include <unordered_map>

namespace core {

struct Places::State {
    explicit State(std::size_t n) : of_each(n) {}

    bool take(std::int64_t key)
    {
        std::lock_guard const lock(mutex);
        auto& taken = by_key[key];
        if (taken >= of_each) return false;
        ++taken;
        return true;
    }

    void give_back(std::int64_t key)
    {
        std::lock_guard const lock(mutex);
        auto const it = by_key.find(key);
        if (--it->second == 0) by_key.erase(it);
    }

    std::size_t const of_each;
    std::mutex mutex;
    std::unordered_map<std::int64_t, std::size_t> by_key; ///< number of uses
};

Places::Places(std::size_t of_each) : state_(std::make_shared<State>(of_each)) {}

std::shared_ptr<void const> Places::enter(std::int64_t key)
{
    if (!state_->take(key)) return nullptr;
    return {static_cast<void const*>(this), [state = state_, key](void const*) { state->give_back(key); }};
}

} // namespace core
