#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/scope.hpp"
#include "crypto/hash.hpp"
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
#include <tuple>
#include <vector>

namespace notify {

/// The breakers of this process, one per carrier and origin, such as `https://fcm.googleapis.com`. All
/// tenants share them. The origins of FCM and APNs come from the configuration. Apps choose the origins of
/// Web Push within an allow-list. So at most `capacity` of these are kept, the most recently used ones. The
/// breakers belong to PushSender's thread; the other functions are thread-safe.
///
/// A credential for FCM or APNs has a breaker of its own at its origin, too. So a tenant whose project does
/// not respond stops only its own pushes. In the same way, a scope has a breaker of its own at each origin of
/// Web Push where its pushes fail. At most `capacity` of these are kept, too.
class Breakers {
public:
    static constexpr std::size_t capacity = 1'000;
    /// Failures of at least two tenants open the breaker of their origin (`note_failure`).
    static constexpr unsigned most_of_one = CarrierBreaker::most_failures - 2;
    /// After this time without use, a breaker of Web Push is forgotten.
    static constexpr std::chrono::hours kept{1};
    static constexpr std::chrono::minutes unused{1};

    /// A credential, by its fingerprint. For Web Push: a scope (`sender_of`). Failures are counted by tenant
    /// (`sender_of`). `everyone` stands for all senders.
    using Sender = crypto::Digest;
    static constexpr Sender everyone{};

    static Sender sender_of(core::ScopeId scope_id);
    static Sender sender_of(core::TenantId tenant);

    /// Called when a breaker opens (`open`) or closes, on PushSender's thread.
    using Observer = std::function<void(Carrier carrier, std::string_view origin, bool open)>;

    Breakers(core::Clock const& clock, Observer observer) : clock_(clock), observer_(std::move(observer)) {}

    /// The breaker of an origin, or of one sender at it. The reference stays valid as long as this object
    /// or until `forget`; for Web Push, only until the next call.
    CarrierBreaker& of(Carrier carrier, std::string const& origin, Sender const& sender = everyone);

    /// As `of`, but makes no breaker. If there is none, returns null: the breaker is closed.
    CarrierBreaker const* find(Carrier carrier, std::string const& origin, Sender const& sender = everyone);

    /// As the functions of CarrierBreaker. They publish the new state.
    bool begin(Carrier carrier, std::string const& origin, Sender const& sender = everyone);
    void end(Carrier carrier, std::string const& origin, CarrierBreaker::Event event, bool probe,
        Sender const& sender = everyone);
    void withdraw_probe(Carrier carrier, std::string const& origin, Sender const& sender = everyone);

    /// Tells the closed breaker of the origin that a request of the tenant has failed. It opens after
    /// `CarrierBreaker::most_failures` failed requests in a row. At most `most_of_one` of one tenant count,
    /// over all its credentials.
    void note_failure(Carrier carrier, std::string const& origin, Sender const& tenant);

    /// Removes the sender's own breaker.
    void forget(Carrier carrier, std::string const& origin, Sender const& sender);

    /// Forgets the breakers of Web Push that were not used lately.
    void forget_idle();

    struct Open {
        Carrier carrier{};
        std::string origin;
        Sender sender; ///< `everyone` for the breaker of the origin
        core::Time since;
        CarrierBreaker::Time next_probe{};
        /// Whether the origin has ever answered. Apps can register endpoints at hosts that never do.
        bool has_answered = false;
    };

    /// The state of the breaker while it is open; nullopt if it is closed. Thread-safe.
    std::optional<Open> find_open(
        Carrier carrier, std::string const& origin, Sender const& sender = everyone) const;

    /// The open breakers, except breakers of senders whose probe has been due for `unused`: these senders
    /// have no pushes. Thread-safe.
    std::vector<Open> all_open() const;

private:
    using Key = std::tuple<Carrier, std::string, Sender>;

    struct Entry {
        CarrierBreaker breaker;
        CarrierBreaker::Time used{};
        bool has_answered = false;
        std::map<Sender, unsigned> failures{}; ///< in a row, by tenant
    };

    using Entries = std::map<Key, Entry>;

    static bool is_of_sender(Key const& key) { return std::get<Sender>(key) != everyone; }

    Entry& entry_of(Key const& key);
    void evict_one(bool of_sender);

    std::size_t& count_of(Key const& key) { return of_web_push_[is_of_sender(key) ? 1 : 0]; }

    Entries::iterator forget(Entries::iterator it);
    void publish(Key const& key, Entry const& entry);

    core::Clock const& clock_;
    Observer const observer_;
    Entries entries_;
    std::size_t of_web_push_[2] = {0, 0}; ///< number of entries; [0]: of origins, [1]: of senders
    mutable std::mutex mutex_;
    std::map<Key, Open> open_; ///< protected by the mutex
};

} // namespace notify
