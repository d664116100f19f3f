#include "providers/breakers.hpp"

#include <algorithm>
#include <iterator>

namespace notify {

namespace {

using Steady = std::chrono::steady_clock;

Carrier carrier_of(auto const& key)
{
    return std::get<Carrier>(key);
}

} // namespace

Breakers::Sender Breakers::sender_of(core::ScopeId scope_id)
{
    return crypto::sha256("scope " + core::to_string(scope_id));
}

Breakers::Sender Breakers::sender_of(core::TenantId tenant)
{
    return crypto::sha256("tenant " + core::to_string(tenant));
}

CarrierBreaker& Breakers::of(Carrier carrier, std::string const& origin, Sender const& sender)
{
    return entry_of({carrier, origin, sender}).breaker;
}

CarrierBreaker const* Breakers::find(Carrier carrier, std::string const& origin, Sender const& sender)
{
    auto const it = entries_.find({carrier, origin, sender});
    if (it == entries_.end()) return nullptr;
    it->second.used = Steady::now();
    return &it->second.breaker;
}

Breakers::Entry& Breakers::entry_of(Key const& key)
{
    auto it = entries_.find(key);
    if (it == entries_.end()) {
        if (carrier_of(key) == Carrier::webpush && count_of(key)++ >= capacity) evict_one(is_of_sender(key));
        it = entries_.try_emplace(key).first;
    }
    it->second.used = Steady::now();
    return it->second;
}

/// Removes the breaker of Web Push that was used longest ago: of an origin, or of a sender.
void Breakers::evict_one(bool of_sender)
{
    auto longest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
        if (carrier_of(it->first) != Carrier::webpush || is_of_sender(it->first) != of_sender) continue;
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
    if (carrier_of(it->first) == Carrier::webpush) --count_of(it->first);
    return entries_.erase(it);
}

void Breakers::forget_idle()
{
    auto const now = Steady::now();
    for (auto it = entries_.begin(); it != entries_.end();) {
        bool const is_idle = carrier_of(it->first) == Carrier::webpush && now - it->second.used > kept;
        it = is_idle ? forget(it) : std::next(it);
    }
}

bool Breakers::begin(Carrier carrier, std::string const& origin, Sender const& sender)
{
    Key const key{carrier, origin, sender};
    auto& entry = entry_of(key);
    bool const probe = entry.breaker.begin();
    if (probe) publish(key, entry);
    return probe;
}

void Breakers::end(
    Carrier carrier, std::string const& origin, CarrierBreaker::Event event, bool probe, Sender const& sender)
{
    Key const key{carrier, origin, sender};
    auto& entry = entry_of(key);
    bool const was_open = entry.breaker.open();
    bool const changed = entry.breaker.end(event, probe, Steady::now());
    entry.has_answered = entry.has_answered || event == CarrierBreaker::Event::answered;
    if (event == CarrierBreaker::Event::answered || entry.breaker.open()) entry.failures.clear();
    if (was_open || changed) publish(key, entry);
    if (changed && observer_) observer_(carrier, origin, entry.breaker.open());
}

void Breakers::note_failure(Carrier carrier, std::string const& origin, Sender const& tenant)
{
    auto& failures = entry_of({carrier, origin, everyone}).failures;
    ++failures[tenant];
    unsigned count = 0;
    for (auto const& [each, own] : failures)
        count += std::min(own, most_of_one);
    if (count >= CarrierBreaker::most_failures)
        end(carrier, origin, CarrierBreaker::Event::unreachable, false); // opens at once
}

void Breakers::forget(Carrier carrier, std::string const& origin, Sender const& sender)
{
    auto const it = entries_.find({carrier, origin, sender});
    if (it != entries_.end()) forget(it);
}

void Breakers::withdraw_probe(Carrier carrier, std::string const& origin, Sender const& sender)
{
    auto const it = entries_.find({carrier, origin, sender});
    if (it == entries_.end()) return;
    it->second.breaker.withdraw_probe();
    publish(it->first, it->second);
}

void Breakers::publish(Key const& key, Entry const& entry)
{
    std::lock_guard const lock(mutex_);
    if (!entry.breaker.open()) {
        open_.erase(key);
        return;
    }
    auto const& [carrier, origin, sender] = key;
    auto& open = open_.try_emplace(key, Open{carrier, origin, sender, clock_.now()}).first->second;
    open.next_probe = entry.breaker.next_probe(Steady::now());
    auto const of_origin = entries_.find({carrier, origin, everyone});
    open.has_answered = of_origin != entries_.end() && of_origin->second.has_answered;
}

std::optional<Breakers::Open> Breakers::find_open(
    Carrier carrier, std::string const& origin, Sender const& sender) const
{
    std::lock_guard const lock(mutex_);
    auto const it = open_.find({carrier, origin, sender});
    return it == open_.end() ? std::nullopt : std::optional(it->second);
}

std::vector<Breakers::Open> Breakers::all_open() const
{
    std::lock_guard const lock(mutex_);
    std::vector<Open> all;
    all.reserve(open_.size());
    auto const long_ago = Steady::now() - unused;
    for (auto const& [key, open] : open_)
        if (std::get<Sender>(key) == everyone || open.next_probe > long_ago) all.push_back(open);
    return all;
}

} // namespace notify
