#include "core/keyed_budget.hpp"

namespace core {

KeyedBudget::Part& KeyedBudget::part_of(std::int64_t key) noexcept
{
    // Fibonacci hashing: the upper bits of the product depend on all bits of the key.
    auto const mixed = static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15U;
    return parts_[(mixed >> 60) % std::tuple_size_v<decltype(parts_)>];
}

bool KeyedBudget::take(std::int64_t key, std::size_t amount)
{
    if (amount == 0) return true;
    if (amount > per_key_) return false;
    Part& part = part_of(key);
    std::lock_guard const lock(part.mutex);
    auto const [entry, added] = part.held.try_emplace(key, amount);
    if (added) return true;
    if (entry->second > per_key_ - amount) return false;
    entry->second += amount;
    return true;
}

void KeyedBudget::give_back(std::int64_t key, std::size_t amount) noexcept
{
    if (amount == 0) return;
    Part& part = part_of(key);
    std::lock_guard const lock(part.mutex);
    auto const entry = part.held.find(key);
    if (entry->second == amount)
        part.held.erase(entry);
    else
        entry->second -= amount;
}

} // namespace core
