#pragma once
// Only PushSender uses this header. A WebPushClient handles all Web Push messages with one credential.

#include "core/cache.hpp"
#include "core/clock.hpp"
#include "domain/web_subscription.hpp"
#include "http_client/async_client.hpp"
#include "observe/log.hpp"
#include "providers/breakers.hpp"
#include "providers/carrier_sender.hpp"
#include "providers/push_options.hpp"
#include "providers/push_queue.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace notify {

namespace asio = boost::asio;

/// How many WebPushClients have pushes. They share the requests that this process sends at a time.
struct WebPushLoad {
    static constexpr std::size_t max_in_flight = 1'024; ///< requests of all clients

    std::size_t busy = 0; ///< clients
};

/// Sends the batches of one credential by Web Push (RFC 8030), encrypted for each device (RFC 8291) and
/// signed with the key that the device registered under (RFC 8292).
///
/// The endpoints are chosen by apps. So each request may reach only the hosts of
/// `PushOptions::web_push_hosts` and the addresses that the client's AddressPolicy allows, follows no
/// redirect, and reads at most `max_answer` bytes. Each origin has a breaker of its own. No response applies
/// to more than one device.
class WebPushClient final : public CarrierSender, public std::enable_shared_from_this<WebPushClient> {
public:
    static constexpr std::size_t max_in_flight = 64; ///< requests of one client
    static constexpr std::size_t max_answer = 4'096; ///< bytes; the rest of a response is not read

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

    /// The references in `deps` outlive this object. Precondition: `credential` is for Web Push.
    WebPushClient(Credential::Ptr credential, Deps deps, PushQueue::Finished finished);

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
    void count_load();
    std::size_t share() const noexcept;
    Slot& free_slot();
    std::optional<PushResult> obstacle(PushTarget const& target, std::optional<WebOrigin> const& origin);
    void send(Slot& slot);
    std::optional<http_client::Request> request_for(Slot const& slot);
    std::string authorization_for(VapidKey const& key, std::string const& origin);
    void ended(Slot& slot, http_client::Result const& result);

    Credential::Ptr const credential_;
    Deps const deps_;
    PushQueue::Finished const finished_;
    PushQueue queue_;
    std::deque<Slot> slots_; ///< as many as the highest number of requests in flight so far
    std::vector<Slot*> free_;
    std::size_t in_flight_ = 0;
    bool busy_ = false; ///< whether this client is counted in WebPushLoad::busy
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
