#include "providers/push_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace notify {

namespace {

constexpr std::uint8_t max_refusals = 3;
constexpr std::chrono::seconds stop_grace{2};

PushResult passing(std::string_view reason)
{
    return push_result(Verdict::transient, std::string(reason));
}

} // namespace

PushQueue::Work::Work(std::unique_ptr<PushBatch> b) : batch(std::move(b)), left(batch->targets.size())
{
    batch->results.clear();
    batch->results.resize(left);
}

PushBatch const& PushQueue::Sent::batch() const noexcept
{
    return *work_->batch;
}

PushTarget const& PushQueue::Sent::target() const noexcept
{
    return work_->batch->targets[target_];
}

void PushQueue::add(std::unique_ptr<PushBatch> batch)
{
    if (batch->targets.empty()) return finished_(std::move(batch));
    backlog_ += batch->targets.size();
    auto& lane = waiting_[batch->bulk ? 1 : 0];
    lane.emplace_back(std::move(batch));
    lane.back().self = std::prev(lane.end());
}

bool PushQueue::waiting() const noexcept
{
    return !waiting_[0].empty() || !waiting_[1].empty() || !again_[0].empty() || !again_[1].empty();
}

bool PushQueue::empty() const noexcept
{
    return waiting_[0].empty() && waiting_[1].empty() && running_.empty();
}

bool PushQueue::take(bool urgent_only, Sent& sent)
{
    for (std::size_t lane = 0; lane < (urgent_only ? 1U : 2U); ++lane) {
        while (auto const push = next(lane)) {
            if (!dropped_.contains(push->work->batch->targets[push->target].device_id)) {
                hand_out(sent, *push);
                return true;
            }
            finish(
                *push->work, push->target, push_result(Verdict::refused, std::string(push_reasons::removed)));
        }
    }
    return false;
}

/// Takes the next push out of a lane.
std::optional<PushQueue::Again> PushQueue::next(std::size_t lane)
{
    if (!again_[lane].empty()) {
        Again const push = again_[lane].front();
        again_[lane].pop_front();
        --backlog_;
        return push;
    }
    if (waiting_[lane].empty()) return std::nullopt;
    Work& work = waiting_[lane].front();
    Again const push{&work, static_cast<std::uint32_t>(work.next++)};
    --backlog_;
    if (work.all_taken()) running_.splice(running_.end(), waiting_[lane], work.self);
    return push;
}

void PushQueue::hand_out(Sent& sent, Again const& push)
{
    sent.work_ = push.work;
    sent.target_ = push.target;
    sent.refusals_ = push.refusals;
    sent.renewed_ = push.renewed;
    sent.held_ = false;
    push.work->sent.push_back(sent);
}

void PushQueue::finish(Sent& sent, PushResult result)
{
    result.handed_out = true;
    withdraw(sent, std::move(result));
}

void PushQueue::withdraw(Sent& sent, PushResult result)
{
    Work& work = *std::exchange(sent.work_, nullptr);
    work.sent.erase(work.sent.iterator_to(sent));
    finish(work, sent.target_, std::move(result));
}

void PushQueue::finish(Work& work, std::uint32_t target, PushResult result)
{
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.Move): it is null only after the last target
    work.batch->results[target] = std::move(result);
    if (--work.left > 0) return;
    auto batch = std::move(work.batch);
    running_.erase(work.self); // all targets have a result, so all were handed out
    finished_(std::move(batch));
}

void PushQueue::refused(Sent& sent)
{
    if (sent.refusals_ >= max_refusals) return finish(sent, passing(push_reasons::lost));
    Again const again{sent.work_, sent.target_, static_cast<std::uint8_t>(sent.refusals_ + 1), sent.renewed_};
    if (again.work->abandoned_at) return finish(sent, passing(push_reasons::stopped));
    again.work->sent.erase(again.work->sent.iterator_to(sent));
    sent.work_ = nullptr;
    again_[again.work->lane()].push_back(again);
    ++backlog_;
}

void PushQueue::renew(Sent& sent)
{
    sent.renewed_ = true;
    refused(sent);
}

void PushQueue::drop(PushResult const& why, core::Time up_to)
{
    std::vector<Work*> works;
    for (auto& lane : waiting_)
        for (auto& work : lane)
            works.push_back(&work);
    for (auto& lane : again_)
        for (auto const& push : lane)
            works.push_back(push.work);
    std::ranges::sort(works);
    auto const repeated = std::ranges::unique(works);
    works.erase(repeated.begin(), repeated.end());
    for (auto* const work : works)
        if (work->batch->stored_at <= up_to) drop(*work, why);
}

void PushQueue::drop(Work& work, PushResult const& why)
{
    std::vector<std::uint32_t> targets;
    std::erase_if(again_[work.lane()], [&](Again const& push) {
        if (push.work == &work) targets.push_back(push.target);
        return push.work == &work;
    });
    if (!work.all_taken()) {
        while (!work.all_taken())
            targets.push_back(static_cast<std::uint32_t>(work.next++));
        running_.splice(running_.end(), waiting_[work.lane()], work.self);
    }
    backlog_ -= targets.size();
    std::vector<Sent*> held;
    for (auto& sent : work.sent)
        if (sent.held_) held.push_back(&sent);
    // The last result may destroy `work`.
    for (std::uint32_t const target : targets)
        finish(work, target, why);
    for (auto* const sent : held) {
        withdraw(*sent, why);
        sent->dropped();
    }
}

void PushQueue::abandon(Work& work)
{
    std::size_t left = work.sent.size();
    while (left-- > 0) {
        Sent& sent = work.sent.front();
        sent.abandoned();
        finish(sent, passing(push_reasons::stopped));
    }
}

void PushQueue::stop()
{
    drop(passing(push_reasons::stopped));
    while (!running_.empty())
        abandon(running_.front());
}

void PushQueue::sweep(Time now)
{
    for (auto* const works : {&waiting_[0], &waiting_[1], &running_}) {
        for (auto it = works->begin(); it != works->end();)
            sweep(*it++, now);
    }
}

void PushQueue::sweep(Work& work, Time now)
{
    if (work.abandoned_at) {
        if (now >= *work.abandoned_at) abandon(work);
    } else if (work.batch->stop.stop_requested()) {
        work.abandoned_at = now + stop_grace;
        drop(work, passing(push_reasons::stopped));
    } else if (work.batch->deadline <= now) {
        drop(work, passing(push_reasons::not_sent));
    }
}

} // namespace notify
