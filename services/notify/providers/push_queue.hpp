#pragma once
// Private to Push: the order of pushes and their pending answers.

#include "providers/push.hpp"

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>

namespace notify {

/// The batches of one credential. Hands out their pushes one by one, urgent before bulk, and returns a batch
/// when all of its targets have an answer. Not thread-safe; no I/O.
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

        /// False once no batch waits for the answer.
        bool awaited() const noexcept { return work_ != nullptr; }

        bool renewed() const noexcept { return renewed_; }

        /// Called when the batch no longer waits; the batch is destroyed after this call.
        virtual void forsaken() noexcept = 0;

    protected:
        ~Sent() = default;

    private:
        friend class PushQueue;

        Work* work_ = nullptr;
        std::uint32_t target_ = 0;
        std::uint8_t refusals_ = 0;
        bool renewed_ = false;
    };

    /// `finished` receives batches that are done. It must not use the queue.
    explicit PushQueue(Finished finished) : finished_(std::move(finished)) {}

    void add(std::unique_ptr<PushBatch> batch);

    bool waiting() const noexcept; ///< whether there is a push to hand out
    bool empty() const noexcept;   ///< whether there is no batch

    /// Hands out the next push. Returns false if there is none.
    bool take(bool urgent_only, Sent& sent);

    /// Sets the answer of a push that was handed out and is awaited.
    void answer(Sent& sent, PushAnswer answer);

    /// Call it if the server did not process the push. The queue hands the push out again before other
    /// pushes, but only a few times.
    void refused(Sent& sent);

    /// Call it if the access token was refused. The queue hands the push out again, with `renewed()` true.
    void renew(Sent& sent);

    /// Sets the answer of every push that was not handed out to `why`.
    void drop(PushAnswer const& why);

    /// Sets the answer of every push to STOPPED. Pushes that were handed out are no longer awaited
    /// (`Sent::forsaken`).
    void stop();

    /// Enforces the deadlines of pushes that were not handed out. The answer is NOT_SENT_IN_TIME if the
    /// deadline has passed, or `why_not` if the deadline is before `sendable_from`. In batches with a stop
    /// request, pushes that were not handed out get the answer STOPPED. Answers to the other pushes of such a
    /// batch are awaited for two more seconds.
    void sweep(Time now, Time sendable_from, PushAnswer const& why_not);

private:
    struct Work {
        explicit Work(std::unique_ptr<PushBatch> b);

        std::size_t lane() const noexcept { return batch->bulk ? 1 : 0; }

        bool all_taken() const noexcept { return next == batch->targets.size(); }

        std::unique_ptr<PushBatch> batch;
        std::size_t next = 0; ///< index of the first target that was never handed out
        std::size_t left;     ///< targets without an answer
        boost::intrusive::list<Sent> sent;
        std::optional<Time> forsaken_at; ///< after a stop request: end of the wait for answers
        std::list<Work>::iterator self;  ///< in `running_` if all targets were handed out, else in its lane
    };

    /// A push to be handed out again.
    struct Again {
        Work* work = nullptr;
        std::uint32_t target = 0;
        std::uint8_t refusals = 0;
        bool renewed = false;
    };

    void hand_out(Sent& sent, Again const& push);
    void answer(Work& work, std::uint32_t target, PushAnswer answer);
    void drop(Work& work, PushAnswer const& why);
    void forsake(Work& work);
    void sweep(Work& work, Time now, Time sendable_from, PushAnswer const& why_not);

    Finished const finished_;
    std::list<Work> waiting_[2]; ///< batches with targets that were never handed out; [1]: bulk
    std::list<Work> running_;    ///< batches without such targets
    std::deque<Again> again_[2]; ///< [1]: bulk
};

/// Gives every target of a refused batch the same answer.
void answer_all(PushBatch& batch, PushAnswer const& answer);

} // namespace notify
