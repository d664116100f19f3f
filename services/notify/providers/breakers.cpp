#include "providers/breakers.hpp"

#include <iterator>

namespace notify {

namespace {

using Steady = std::chrono::steady_clock;

} // namespace

CarrierBreaker& Breakers::of(Carrier carrier, std::string const& origin)
{
    return entry_of({carrier, origin}).breaker;
}

Breakers::Entry& Breakers::entry_of(Key const& key)
{
    auto it = entries_.find(key);
    if (it == entries_.end()) {
        if (key.first == Carrier::webpush && of_web_push_++ >= capacity) evict_one();
        it = entries_.try_emplace(key).first;
    }
    it->second.used = Steady::now();
    return it->second;
}

/// Removes the breaker of Web Push that was used longest ago.
void Breakers::evict_one()
{
    auto longest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
        if (it->first.first != Carrier::webpush) continue;
        if (longest == entries_.end() || it->second.used < longest->second.used) longest = it;
    }
    forget(longest);
}

Breakers::Entries::iterator Breakers::forget(Entries::iterator it)
{
    {
        std::lock_guard const lock(mutex_);
        open_.erase(it->first);
    }
    --of_web_push_;
    return entries_.erase(it);
}

void Breakers::forget_idle()
{
    auto const now = Steady::now();
    for (auto it = entries_.begin(); it != entries_.end();) {
        bool const is_idle = it->first.first == Carrier::webpush && now - it->second.used > kept;
        it = is_idle ? forget(it) : std::next(it);
    }
}

bool Breakers::begin(Carrier carrier, std::string const& origin)
{
    Key const key{carrier, origin};
    auto& entry = entry_of(key);
    bool const probe = entry.breaker.begin();
    if (probe) publish(key, entry);
    return probe;
}

void Breakers::end(Carrier carrier, std::string const& origin, CarrierBreaker::Event event, bool probe)
{
    Key const key{carrier, origin};
    auto& entry = entry_of(key);
    bool const was_open = entry.breaker.open();
    bool const changed = entry.breaker.end(event, probe, Steady::now());
    entry.has_answered = entry.has_answered || event == CarrierBreaker::Event::answered;
    if (was_open || changed) publish(key, entry);
    if (changed && observer_) observer_(carrier, origin, entry.breaker.open());
}

void Breakers::withdraw_probe(Carrier carrier, std::string const& origin)
{
    Key const key{carrier, origin};
    auto& entry = entry_of(key);
    entry.breaker.withdraw_probe();
    publish(key, entry);
}

void Breakers::publish(Key const& key, Entry const& entry)
{
    std::lock_guard const lock(mutex_);
    if (!entry.breaker.open()) {
        open_.erase(key);
        return;
    }
    auto& open = open_.try_emplace(key, Open{key.first, key.second, clock_.now(), {}}).first->second;
    open.next_probe = entry.breaker.next_probe(Steady::now());
    open.has_answered = entry.has_answered;
}

std::optional<Breakers::Open> Breakers::find_open(Carrier carrier, std::string const& origin) const
{
    std::lock_guard const lock(mutex_);
    auto const it = open_.find({carrier, origin});
    return it == open_.end() ? std::nullopt : std::optional(it->second);
}

std::vector<Breakers::Open> Breakers::all_open() const
{
    std::lock_guard const lock(mutex_);
    std::vector<Open> all;
    all.reserve(open_.size());
    for (auto const& [key, open] : open_)
        all.push_back(open);
    return all;
}

} // namespace notify
