#pragma once
// Private to Push: whose turn it is, and who still waits for answers.

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

/// The batches of one credential: hands out their pushes one by one, urgent ones before bulk, and gives a
/// batch back when each of its targets has an answer. For one thread; no I/O.
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

        /// False once the answer is of no interest to anybody.
        bool awaited() const noexcept { return work_ != nullptr; }

        bool renewed() const noexcept { return renewed_; }

        /// The batch waits no longer and goes away after this call.
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

    /// `finished` takes batches that are done; it must not use the queue.
    explicit PushQueue(Finished finished) : finished_(std::move(finished)) {}

    void add(std::unique_ptr<PushBatch> batch);

    bool waiting() const noexcept; ///< whether there is a push to hand out
    bool empty() const noexcept;   ///< whether no batch is here

    /// Hands out the next push. False: there is none.
    bool take(bool urgent_only, Sent& sent);

    /// The answer to a push that was handed out and is awaited.
    void answer(Sent& sent, PushAnswer answer);

    /// The server has not processed it: it is handed out again, before others, a few times at most.
    void refused(Sent& sent);

    /// Its token was refused: it is handed out again, with `renewed()`.
    void renew(Sent& sent);

    /// Answers everything that was not handed out.
    void drop(PushAnswer const& why);

    /// Answers everything. What was handed out is forsaken.
    void stop();

    /// Answers what was not handed out and has waited long enough: with `why_not` what has a deadline before
    /// `sendable_from`. Batches whose stop was requested are dropped, and forsaken soon.
    void sweep(Time now, Time sendable_from, PushAnswer const& why_not);

private:
    struct Work {
        explicit Work(std::unique_ptr<PushBatch> b);

        std::size_t lane() const noexcept { return batch->bulk ? 1 : 0; }

        bool all_taken() const noexcept { return next == batch->targets.size(); }

        std::unique_ptr<PushBatch> batch;
        std::size_t next = 0; ///< the first target that was never handed out
        std::size_t left;     ///< targets without an answer
        boost::intrusive::list<Sent> sent;
        std::optional<Time> forsaken_at; ///< stop was requested
        std::list<Work>::iterator self;  ///< in `running_` when all are taken, else in its lane
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
    std::list<Work> waiting_[2]; ///< with targets that were never handed out; [1]: bulk
    std::list<Work> running_;    ///< without
    std::deque<Again> again_[2]; ///< [1]: bulk
};

/// Gives a batch that was never taken the same answer for every target.
void answer_all(PushBatch& batch, PushAnswer const& answer);

} // namespace notify
