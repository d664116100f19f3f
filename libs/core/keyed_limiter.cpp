#include "core/keyed_limiter.hpp"

#include "core/keyed_budget.hpp"

namespace core {

KeyedLimiter::KeyedLimiter(std::size_t per_key) : uses_(std::make_shared<KeyedBudget>(per_key)) {}

std::shared_ptr<void const> KeyedLimiter::enter(std::int64_t key)
{
    if (!uses_->take(key, 1)) return nullptr;
    return {static_cast<void const*>(this), [uses = uses_, key](void const*) { uses->give_back(key, 1); }};
}

} // namespace core
