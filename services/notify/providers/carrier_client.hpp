#pragma once
// Only PushSender uses this header. A CarrierClient handles all pushes to one carrier with one credential.

#include "http2_client/client.hpp"
#include "observe/log.hpp"
#include "providers/carrier_protocol.hpp"
#include "providers/push_options.hpp"
#include "providers/push_queue.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

namespace notify {

namespace asio = boost::asio;

/// Sends the batches of one credential over its connections. Used only on PushSender's thread.
class CarrierClient final : private http2_client::RequestSource {
public:
    struct Deps {
        asio::any_io_executor executor;
        std::shared_ptr<http2_client::Context> context;
        PushOptions const& options;
        core::Clock const& clock;
        observe::Logger& logger;
        DroppedDevices const& dropped;
    };

    /// The references in `deps` outlive this object.
    CarrierClient(std::shared_ptr<CarrierProtocol> protocol, Deps deps, PushQueue::Finished finished);

    /// Finishes all pushes with the result STOPPED.
    ~CarrierClient();
    CarrierClient(CarrierClient const&) = delete;
    CarrierClient& operator=(CarrierClient const&) = delete;

    void add(std::unique_ptr<PushBatch> batch);

    /// Called when the carrier has a new access token, or its request for an access token was refused.
    void authorization_changed();

    /// Enforces the deadlines. Call this function about every 100 ms.
    void tick(std::chrono::steady_clock::time_point now);

    /// Whether there is no batch and no push in flight. A push whose batch no longer waits stays in flight
    /// until its response arrives or its time limit ends.
    bool idle() const noexcept;

    /// The last time at which the client had an unfinished batch.
    std::chrono::steady_clock::time_point used() const noexcept { return used_; }

    std::size_t connections() const noexcept { return http_.connections(); }

private:
    class Slot;
    using Steady = std::chrono::steady_clock;

    Request next(bool urgent_only) noexcept override;
    bool waiting() const noexcept override;
    void unreachable(std::string_view detail) noexcept override;
    void disconnected(std::string_view detail) noexcept override;

    void ended(Slot& slot, http2_client::StreamEnd end);
    void read(Slot& slot);
    void hold(PushResult const& result);
    void update(Steady::time_point now);

    Deps const deps_;
    std::shared_ptr<CarrierProtocol> const protocol_;
    PushQueue::Finished const finished_;
    PushQueue queue_;
    std::deque<Slot> slots_; ///< as many as the highest number of pushes in flight so far
    std::vector<Slot*> free_;
    Steady::time_point held_until_{}; ///< no push is sent before this time (Retry-After)
    PushResult held_;                 ///< result of pushes whose deadline is before that time
    Steady::time_point used_ = Steady::now();
    bool open_ = false; ///< whether pushes may be sent: there is a token and no Retry-After is in effect
    http2_client::Client http_; ///< destroyed first, because it calls this object
};

} // namespace notify
