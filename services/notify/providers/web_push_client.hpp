#pragma once
// Only PushSender uses this header. A WebPushClient handles all Web Push messages with one credential.

#include "core/cache.hpp"
#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/shares.hpp"
#include "domain/web_subscription.hpp"
#include "http_client/async_client.hpp"
#include "observe/log.hpp"
#include "providers/breakers.hpp"
#include "providers/carrier_sender.hpp"
#include "providers/push_options.hpp"
#include "providers/push_queue.hpp"
#include "providers/web_push_lanes.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace notify {

namespace asio = boost::asio;

/// The requests for Web Push in flight, per tenant. The limit of a tenant is the number of requests that the
/// process may still begin.
struct WebPushLoad : core::Shares<core::TenantId> {
    WebPushLoad() : Shares(1'024, 1, 1) {}
};

/// Sends the batches of one credential, which belongs to one scope, by Web Push (RFC 8030), encrypted for
/// each device (RFC 8291) and signed with the key that the device registered under (RFC 8292).
///
/// The endpoints are chosen by apps. So each request may reach only the hosts of
/// `PushOptions::web_push_hosts` and the addresses that the client's AddressPolicy allows, follows no
/// redirect, and reads at most `max_answer` bytes. No response applies to more than one device.
///
/// An origin that does not respond delays no push to another origin, and no push of another scope:
/// - Requests in flight are limited per origin (WebPushLanes), client and process (WebPushLoad). The other
///   pushes wait. Before a push is sent, its deadline, its device and the breakers are checked again.
/// - Each origin has a breaker. In addition, the scope has a breaker of its own at an origin where its pushes
///   fail. The origin's breaker opens if no connection can be made, or if pushes of several tenants fail
///   (Breakers::note_failure).
class WebPushClient final : public CarrierSender, public std::enable_shared_from_this<WebPushClient> {
public:
    static constexpr std::size_t max_in_flight = 256; ///< requests of one client
    static constexpr std::size_t max_answer = 4'096;  ///< bytes; the rest of a response is not read

    struct Deps {
        asio::any_io_executor executor; ///< of PushSender's thread
        http_client::AsyncClient& client;
        PushOptions const& options;
        core::Clock const& clock;
        observe::Logger& logger;
        DroppedDevices const& dropped;
        Breakers& breakers;
        WebPushLoad& load;
    };

    /// The references in `deps` outlive this object. `scope_id`: the scope that sends. Precondition:
    /// `credential` is for Web Push.
    WebPushClient(
        Credential::Ptr credential, core::ScopeId scope_id, Deps deps, PushQueue::Finished finished);

    ~WebPushClient() override;
    WebPushClient(WebPushClient const&) = delete;
    WebPushClient& operator=(WebPushClient const&) = delete;

    void add(std::unique_ptr<PushBatch> batch) override;
    void tick(SteadyTime now) override;

    bool idle() const noexcept override { return queue_.empty() && in_flight_ == 0; }

    SteadyTime used() const noexcept override { return used_; }

    /// The requests in flight, each of which has a connection.
    std::size_t connections() const noexcept override { return in_flight_; }

    /// Always nullopt: a push service throttles a device, not a credential.
    std::optional<SteadyTime> held_until() const noexcept override { return std::nullopt; }

private:
    class Slot;

    void pump();
    void sort();
    std::size_t free() const;
    std::optional<PushResult> fault(PushTarget const& target, std::optional<WebOrigin> const& origin) const;
    std::optional<PushResult> obstacle(Slot const& slot);
    void send(Slot& slot);
    std::optional<Breakers::Sender> begin_probe(std::string const& origin);
    std::optional<http_client::Request> request_for(Slot const& slot);
    std::string authorization_for(VapidKey const& key, std::string const& origin);
    void note(
        std::string const& origin, CarrierBreaker::Event event, std::optional<Breakers::Sender> const& probe);
    void ended(Slot& slot, http_client::Result const& result);
    void withdraw(Slot& slot, PushResult result);

    Credential::Ptr const credential_;
    core::TenantId const tenant_;
    Breakers::Sender const own_; ///< the scope, as the sender of a breaker
    Deps const deps_;
    PushQueue::Finished const finished_;
    PushQueue queue_;
    WebPushLanes lanes_;
    std::list<Slot> slots_; ///< pushes in a lane or in flight
    std::size_t in_flight_ = 0;
    core::Cache<std::string, std::string> authorizations_; ///< by public key and origin
    std::stop_source stop_;                                ///< ends the requests in flight
    SteadyTime used_ = std::chrono::steady_clock::now();
};

/// The meaning of a push service's response, or of its absence, for the device (RFC 8030, 5 and 7.3; RFC
/// 8292, 4.2). A refusal of the signature (401, 403) is about this device, because other devices may have
/// other keys and push services.
PushResult web_push_result(http_client::Result const& result);

/// What the response, or its absence, tells about the push service; nullopt if it tells nothing.
std::optional<CarrierBreaker::Event> web_push_event(http_client::Result const& result);

} // namespace notify
