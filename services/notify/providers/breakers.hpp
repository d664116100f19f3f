#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "domain/carrier_breaker.hpp"
#include "domain/credential.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// The breakers of this process, one per carrier and origin, such as `https://fcm.googleapis.com`. All
/// tenants share them. The origins of FCM and APNs come from the configuration. Apps choose the origins of
/// Web Push within an allow-list. So at most `capacity` of these are kept, the most recently used ones. The
/// breakers belong to PushSender's thread; the other functions are thread-safe.
class Breakers {
public:
    static constexpr std::size_t capacity = 1'000;
    /// After this time without use, a breaker of Web Push is forgotten.
    static constexpr std::chrono::hours kept{1};

    /// Called when a breaker opens (`open`) or closes, on PushSender's thread.
    using Observer = std::function<void(Carrier carrier, std::string_view origin, bool open)>;

    Breakers(core::Clock const& clock, Observer observer) : clock_(clock), observer_(std::move(observer)) {}

    /// The breaker of an origin. The reference stays valid as long as this object; for Web Push, only until
    /// the next call.
    CarrierBreaker& of(Carrier carrier, std::string const& origin);

    /// As the functions of CarrierBreaker. They publish the new state.
    bool begin(Carrier carrier, std::string const& origin);
    void end(Carrier carrier, std::string const& origin, CarrierBreaker::Event event, bool probe);
    void withdraw_probe(Carrier carrier, std::string const& origin);

    /// Forgets the breakers of Web Push that were not used lately.
    void forget_idle();

    struct Open {
        Carrier carrier{};
        std::string origin;
        core::Time since;
        CarrierBreaker::Time next_probe{};
        /// Whether the origin has ever answered. Apps can register endpoints at hosts that never do.
        bool has_answered = false;
    };

    /// The state of an origin's breaker while it is open; nullopt if it is closed. Thread-safe.
    std::optional<Open> find_open(Carrier carrier, std::string const& origin) const;

    /// The open breakers. Thread-safe.
    std::vector<Open> all_open() const;

private:
    using Key = std::pair<Carrier, std::string>;

    struct Entry {
        CarrierBreaker breaker;
        CarrierBreaker::Time used{};
        bool has_answered = false;
    };

    using Entries = std::map<Key, Entry>;

    Entry& entry_of(Key const& key);
    void evict_one();
    Entries::iterator forget(Entries::iterator it);
    void publish(Key const& key, Entry const& entry);

    core::Clock const& clock_;
    Observer const observer_;
    Entries entries_;
    std::size_t of_web_push_ = 0; ///< number of entries
    mutable std::mutex mutex_;
    std::map<Key, Open> open_; ///< protected by the mutex
};

} // namespace notify
