#include "auth/api_key_usage.hpp"

#include <algorithm>

namespace auth {

void ApiKeyUsage::mark(core::ScopeId scope_id, std::string const& prefix, core::Time at)
{
    std::lock_guard const lock(mutex_);
    State& state = keys_[{scope_id, prefix}];
    state.used = std::max(state.used, at);
    state.dirty = true;
}

std::vector<api_key_rows::Use> ApiKeyUsage::due(core::Time now, bool all)
{
    std::lock_guard const lock(mutex_);
    std::vector<api_key_rows::Use> out;
    for (auto const& [key, state] : keys_) {
        if (!state.dirty) continue;
        bool const rested = state.written == core::Time::min() || now - state.written >= interval_;
        if (all || rested) out.push_back({key.first, key.second, state.used});
    }
    return out;
}

void ApiKeyUsage::written(std::vector<api_key_rows::Use> const& uses, core::Time now)
{
    std::lock_guard const lock(mutex_);
    for (auto const& use : uses) {
        auto const it = keys_.find({use.scope_id, use.prefix});
        if (it == keys_.end()) continue;
        it->second.written = now;
        it->second.dirty = it->second.used > use.at; // used again during the write
    }
    std::erase_if(keys_, [&](auto const& entry) {
        State const& state = entry.second;
        return !state.dirty && state.written != core::Time::min() && now - state.written >= interval_;
    });
}

} // namespace auth
