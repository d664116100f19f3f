#pragma once
// Only PushSender uses this header. A CarrierClient handles all pushes to one carrier with one credential.

#include "core/cache.hpp"
#include "http2_client/client.hpp"
#include "observe/log.hpp"
#include "providers/breakers.hpp"
#include "providers/carrier_protocol.hpp"
#include "providers/carrier_sender.hpp"
#include "providers/latency_floor.hpp"
#include "providers/push_options.hpp"
#include "providers/push_queue.hpp"
#include "providers/push_quota.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace notify {

namespace asio = boost::asio;

/// Sends the batches of one credential to FCM or APNs, over HTTP/2 connections of its own.
///
/// If FCM throttles the project, the project's other keys and the other replicas stop, too (`PushQuota`). If
/// APNs throttles a device, only pushes to this device stop.
class CarrierClient final : public CarrierSender,
                            public std::enable_shared_from_this<CarrierClient>,
                            private http2_client::RequestSource {
public:
    /// The longest time that a carrier can ask this client to wait.
    static constexpr std::chrono::hours longest_hold{1};
    /// Maximum number of devices that are held. Beyond it, the device whose hold was used longest ago is
    /// forgotten.
    static constexpr std::size_t max_held_devices = 1'000;

    struct Deps {
        asio::any_io_executor executor;
        std::shared_ptr<http2_client::Context> context;
        PushOptions const& options;
        core::Clock const& clock;
        observe::Logger& logger;
        DroppedDevices const& dropped;
        Breakers& breakers;
        LatencyFloor& latency;      ///< of the carrier
        PushQuota* quota = nullptr; ///< null if the pushes are not paced
    };

    /// The references in `deps` outlive this object. `tenant` is the tenant whose quota is used.
    CarrierClient(std::shared_ptr<CarrierProtocol> protocol, Credential const& credential,
        core::TenantId tenant, Deps deps, PushQueue::Finished finished);

    ~CarrierClient() override;
    CarrierClient(CarrierClient const&) = delete;
    CarrierClient& operator=(CarrierClient const&) = delete;

    void add(std::unique_ptr<PushBatch> batch) override;

    /// Called when the carrier has a new access token, or its request for an access token was refused.
    void authorization_changed();

    void tick(SteadyTime now) override;

    /// A push whose batch no longer waits stays in flight until its response arrives or its time limit ends.
    bool idle() const noexcept override;

    SteadyTime used() const noexcept override { return used_; }

    std::size_t connections() const noexcept override { return http_.connections(); }

    std::optional<SteadyTime> held_until() const noexcept override;

private:
    class Slot;
    using Steady = std::chrono::steady_clock;

    Request next(bool urgent_only) noexcept override;
    std::size_t backlog() const noexcept override;
    void unreachable(std::string_view detail) noexcept override;
    void disconnected(std::string_view detail, bool announced) noexcept override;

    void ended(Slot& slot, http2_client::StreamEnd end);
    void read(Slot& slot, bool failed_probe);
    void finish(Slot& slot, PushResult result, bool failed_probe);
    void hold(PushResult const& result);
    void hold_for(Steady::duration wait);
    void hold_device(std::int64_t device_id, PushResult const& result);
    bool take(bool urgent_only, Slot& slot);
    void take_grant(PushQuota::Grant grant);
    void refuse(PushResult const& result, core::Time stored_at);
    std::optional<PushResult> obstacle(Steady::time_point now) const;
    void update(Steady::time_point now);
    void ask_for_permits();
    void note(CarrierBreaker::Event event, bool probe);
    void withdraw_probe();
    void drop_if_closed();
    bool is_refused() const;

    /// The breaker that decides about this client's pushes: the origin's while it is open, else its own.
    CarrierBreaker& breaker() const noexcept { return all_.open() ? all_ : own_.breaker; }

    /// The breaker of this credential. It lasts as long as the client, and longer than the client's
    /// connections.
    struct OwnBreaker {
        Breakers& breakers;
        Carrier carrier;
        std::string const& origin;
        Breakers::Sender const& sender;
        CarrierBreaker& breaker = breakers.of(carrier, origin, sender);

        ~OwnBreaker() { breakers.forget(carrier, origin, sender); }
    };

    Deps const deps_;
    std::shared_ptr<CarrierProtocol> const protocol_;
    Carrier const carrier_;
    std::string const origin_;
    core::TenantId const tenant_;
    std::string const project_; ///< whose quota is used
    Breakers::Sender const sender_;
    CarrierBreaker& all_; ///< of the origin
    OwnBreaker const own_;
    PushQueue::Finished const finished_;
    PushQueue queue_;
    std::deque<Slot> slots_; ///< as many as the highest number of pushes in flight so far
    std::vector<Slot*> free_;
    Steady::time_point held_until_{};                    ///< no push is sent before this time (Retry-After)
    Steady::time_point told_until_{};                    ///< end of the hold that was told to the quota
    core::Cache<std::int64_t, core::Time> held_devices_; ///< no push is sent to a device before this time
    PushResult refusal_;                                 ///< the carrier's refusal of the credential
    core::Time refused_{};                               ///< `stored_at` of the refused credential
    core::Time newest_{};                                ///< the latest `stored_at` of a batch
    core::Time refused_until_{}; ///< until this time, the credential is not tried again
    std::size_t permits_ = 0;    ///< of the quota
    bool asking_ = false;        ///< for permits
    bool failing_ = false;       ///< whether `own_` has counted failures
    bool probing_ = false;       ///< this client sends the breaker's probe
    bool probe_sent_ = false;
    Breakers::Sender probed_ = Breakers::everyone; ///< whose breaker the probe belongs to
    Steady::time_point used_ = Steady::now();
    bool open_ = false; ///< whether pushes may be sent: there is a token and no Retry-After is in effect
    http2_client::Client http_; ///< destroyed first, because it calls this object
};

} // namespace notify
