#pragma once

#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/member.hpp>
#include <boost/multi_index/sequenced_index.hpp>
#include <boost/multi_index_container.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace core {

/// A bounded cache. When it is full, it evicts the least recently used entry. Each entry expires after its
/// time to live. Each `put` also removes up to two expired entries. Values are shared and immutable, so a
/// reader may keep a value after its entry was evicted. Thread-safe. A value's destructor must not use the
/// cache. `boost::hash<Key>` must be defined (Boost defines it for the standard types).
template <class Key, class Value> class Cache {
public:
    using Clock = std::chrono::steady_clock;

    /// Holds at most `capacity` entries, each for at most `ttl`.
    Cache(std::size_t capacity, std::chrono::milliseconds ttl) : capacity_(capacity), ttl_(ttl) {}

    /// The value, or null when it is absent or has expired.
    template <class K> std::shared_ptr<Value const> find(K const& key, Clock::time_point now = Clock::now())
    {
        std::lock_guard const lock(mutex_);
        auto& by_key = entries_.template get<1>();
        auto const it = by_key.find(key);
        if (it == by_key.end()) return nullptr;
        if (it->expires <= now) {
            by_key.erase(it);
            return nullptr;
        }
        entries_.relocate(entries_.begin(), entries_.template project<0>(it));
        return it->value;
    }

    /// Inserts or replaces an entry. It expires after the cache's time to live, or at `expires` if that is
    /// earlier.
    void put(
        Key key, std::shared_ptr<Value const> value, Clock::time_point expires = Clock::time_point::max())
    {
        auto const now = Clock::now();
        Entry entry{std::move(key), std::move(value), std::min(expires, now + ttl_)};
        std::lock_guard const lock(mutex_);
        // Each insertion adds one entry and removes up to two expired ones. So the number of expired entries
        // decreases, and no call takes long.
        for (int i = 0; i < 2 && !entries_.empty() && entries_.back().expires <= now; ++i)
            entries_.pop_back();
        auto& by_key = entries_.template get<1>();
        if (auto const it = by_key.find(entry.key); it != by_key.end()) by_key.erase(it);
        entries_.push_front(std::move(entry));
        if (entries_.size() > capacity_) entries_.pop_back();
    }

    /// Removes the entry, if there is one.
    template <class K> void erase(K const& key)
    {
        std::lock_guard const lock(mutex_);
        auto& by_key = entries_.template get<1>();
        if (auto const it = by_key.find(key); it != by_key.end()) by_key.erase(it);
    }

    /// Removes all entries.
    void clear()
    {
        std::lock_guard const lock(mutex_);
        entries_.clear();
    }

    /// The number of entries, including expired ones.
    std::size_t size() const
    {
        std::lock_guard const lock(mutex_);
        return entries_.size();
    }

private:
    struct Entry {
        Key key;
        std::shared_ptr<Value const> value;
        Clock::time_point expires;
    };

    using Entries = boost::multi_index_container<Entry,
        boost::multi_index::indexed_by<boost::multi_index::sequenced<>,
            boost::multi_index::hashed_unique<boost::multi_index::member<Entry, Key, &Entry::key>>>>;

    mutable std::mutex mutex_;
    Entries entries_;
    std::size_t const capacity_;
    std::chrono::milliseconds const ttl_;
};

} // namespace core
