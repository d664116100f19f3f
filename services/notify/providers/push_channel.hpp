#pragma once
// Private to Push: everything that goes to one carrier under one credential.

#include "http/h2_client.hpp"
#include "observe/log.hpp"
#include "providers/carrier.hpp"
#include "providers/push_queue.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

namespace notify {

/// The batches of one credential on their way through its connections. For the thread of Push.
class PushChannel final : private http::h2::Source {
public:
    struct Deps {
        asio::any_io_executor executor;
        std::shared_ptr<http::h2::Context> context;
        PushOptions const& options;
        core::Clock const& clock;
        observe::Logger& logger;
    };

    /// What `deps` refers to outlives this object.
    PushChannel(std::shared_ptr<Carrier> carrier, Deps deps, PushQueue::Finished finished);

    /// Everything is answered as STOPPED.
    ~PushChannel();
    PushChannel(PushChannel const&) = delete;
    PushChannel& operator=(PushChannel const&) = delete;

    void add(std::unique_ptr<PushBatch> batch);

    /// The carrier has another token, or was refused one.
    void authorization_changed();

    /// Keeps the deadlines; to be called about every tenth of a second.
    void tick(std::chrono::steady_clock::time_point now);

    /// Whether no batch is here, and no push under way: what was sent for one that waits no longer is, until
    /// it is answered or its time is over.
    bool idle() const noexcept;

    /// When there was last something to do.
    std::chrono::steady_clock::time_point used() const noexcept { return used_; }

    std::size_t connections() const noexcept { return client_.connections(); }

private:
    class Slot;
    using Steady = std::chrono::steady_clock;

    Request next(bool urgent_only) noexcept override;
    bool waiting() const noexcept override;
    void unreachable(std::string_view detail) noexcept override;
    void disconnected(std::string_view detail) noexcept override;

    void ended(Slot& slot, http::h2::End end);
    void read(Slot& slot);
    void hold(PushAnswer const& answer);
    void update(Steady::time_point now);

    Deps const deps_;
    std::shared_ptr<Carrier> const carrier_;
    PushQueue::Finished const finished_;
    PushQueue queue_;
    std::deque<Slot> slots_; ///< as many as there ever were pushes under way at once
    std::vector<Slot*> free_;
    Steady::time_point held_until_{}; ///< a Retry-After
    PushAnswer held_;                 ///< what it came with
    Steady::time_point used_ = Steady::now();
    bool open_ = false;       ///< pushes may be sent: there is a token, and nothing holds them
    http::h2::Client client_; ///< first to go
};

} // namespace notify
