#pragma once
// Only PushSender uses this header. A PushQueue decides the order of pushes and collects their results.

#include "providers/dropped_devices.hpp"
#include "providers/push_batch.hpp"

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>

namespace notify {

/// The batches of one credential. Hands out their pushes one by one. Pushes of urgent batches (batches that
/// are not `bulk`) come first. Returns a batch when all of its targets have a result. Does no I/O. Not
/// thread-safe.
class PushQueue {
    struct Work;

public:
    using Time = std::chrono::steady_clock::time_point;
    using Finished = std::function<void(std::unique_ptr<PushBatch>)>;

    /// A push that was handed out.
    class Sent : public boost::intrusive::list_base_hook<> {
    public:
        PushBatch const& batch() const noexcept;
        PushTarget const& target() const noexcept;

        /// Whether a batch still waits for the response.
        bool awaited() const noexcept { return work_ != nullptr; }

        bool renewed() const noexcept { return renewed_; }

        /// Called when the batch no longer waits for the response. The batch is destroyed after this call.
        virtual void abandoned() noexcept = 0;

        /// Called when a push that was held has got a result from the queue (`PushQueue::hold`). May destroy
        /// this object.
        virtual void dropped() noexcept {}

    protected:
        ~Sent() = default;

    private:
        friend class PushQueue;

        Work* work_ = nullptr;
        std::uint32_t target_ = 0;
        std::uint8_t refusals_ = 0;
        bool renewed_ = false;
        bool held_ = false;
    };

    /// `finished` receives each batch whose targets all have a result. `finished` must not use the queue.
    /// `dropped` must outlive the queue.
    PushQueue(Finished finished, DroppedDevices const& dropped)
        : finished_(std::move(finished)), dropped_(dropped)
    {
    }

    void add(std::unique_ptr<PushBatch> batch);

    bool waiting() const noexcept; ///< whether there is a push to hand out
    bool empty() const noexcept;   ///< whether there is no batch

    /// The number of pushes to hand out.
    std::size_t backlog() const noexcept { return backlog_; }

    /// Hands out the next push. Returns false if there is no push to hand out. Pushes to dropped devices are
    /// not handed out. They get the result DEVICE_REMOVED.
    bool take(bool urgent_only, Sent& sent);

    /// The caller holds a push that was handed out until it can be sent. Until `release`, its deadline and a
    /// stop request apply as if it had not been handed out.
    static void hold(Sent& sent) noexcept { sent.held_ = true; }

    static void release(Sent& sent) noexcept { sent.held_ = false; }

    /// Sets the result of a push that was handed out and is awaited.
    void finish(Sent& sent, PushResult result);

    /// Sets the result of a push that was handed out, but was not sent. `handed_out` of the result stays
    /// false.
    void withdraw(Sent& sent, PushResult result);

    /// Call this function if the server did not process the push. The queue hands the push out again, at
    /// most three times, before other pushes of the same priority (urgent or bulk). After that, the push gets
    /// the result CONNECTION_LOST. After a stop request, the push gets the result STOPPED instead.
    void refused(Sent& sent);

    /// Call this function if the access token was refused. The queue hands the push out again, with
    /// `renewed()` true.
    void renew(Sent& sent);

    /// Gives the result `why` to every push that is not handed out. `up_to`: only to pushes whose credential
    /// was not stored later (`PushBatch::stored_at`).
    void drop(PushResult const& why, core::Time up_to = core::Time::max());

    /// Sets the result of every push to STOPPED. Pushes that were handed out are no longer awaited
    /// (`Sent::abandoned`).
    void stop();

    /// Enforces the deadlines of pushes that were not handed out, or are held: they get the result
    /// NOT_SENT_IN_TIME. In batches with a stop request, they get the result STOPPED. Responses to the other
    /// pushes of such a batch are awaited for two more seconds.
    void sweep(Time now);

private:
    struct Work {
        explicit Work(std::unique_ptr<PushBatch> b);

        std::size_t lane() const noexcept { return batch->bulk ? 1 : 0; }

        bool all_taken() const noexcept { return next == batch->targets.size(); }

        std::unique_ptr<PushBatch> batch;
        std::size_t next = 0; ///< index of the first target that was never handed out
        std::size_t left;     ///< targets without a result
        boost::intrusive::list<Sent> sent;
        std::optional<Time> abandoned_at; ///< after a stop request: end of the wait for responses
        std::list<Work>::iterator self; ///< in `running_` if all targets were handed out, else in `waiting_`
    };

    /// A push to be handed out again.
    struct Again {
        Work* work = nullptr;
        std::uint32_t target = 0;
        std::uint8_t refusals = 0;
        bool renewed = false;
    };

    std::optional<Again> next(std::size_t lane);
    void hand_out(Sent& sent, Again const& push);
    void finish(Work& work, std::uint32_t target, PushResult result);
    void drop(Work& work, PushResult const& why);
    void abandon(Work& work);
    void sweep(Work& work, Time now);

    Finished const finished_;
    DroppedDevices const& dropped_;
    std::list<Work> waiting_[2]; ///< batches with targets that were never handed out; [0]: urgent, [1]: bulk
    std::list<Work> running_;    ///< batches whose targets were all handed out
    std::deque<Again> again_[2]; ///< [0]: urgent, [1]: bulk
    std::size_t backlog_ = 0;
};

} // namespace notify
