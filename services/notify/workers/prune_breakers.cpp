#include "workers/prune_breakers.hpp"

namespace notify {

namespace {

/// At this number of credentials, breakers that have not tripped are discarded, to limit the memory.
constexpr std::size_t remembered = 10'000;

} // namespace

bool PruneBreakers::count(CredentialVersion const& credential, bool gone)
{
    std::lock_guard const lock(mutex_);
    if (breakers_.size() >= remembered && !breakers_.contains(credential))
        std::erase_if(breakers_, [](auto const& entry) { return !entry.second.tripped(); });
    PruneBreaker& breaker = breakers_[credential];
    bool const before = breaker.tripped();
    breaker.count(gone);
    return breaker.tripped() && !before;
}

bool PruneBreakers::may_prune(CredentialVersion const& credential) const
{
    std::lock_guard const lock(mutex_);
    auto const it = breakers_.find(credential);
    return it == breakers_.end() || !it->second.tripped();
}

} // namespace notify
