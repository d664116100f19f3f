#include "mail/smtp_queue.hpp"

#include <algorithm>
#include <utility>

namespace mail {

void SmtpQueue::push(SmtpJobPtr job)
{
    core::Owner const owner{.tenant = job->envelope.tenant};
    waiting_.push(owner, std::move(job));
}

SmtpJobPtr SmtpQueue::next()
{
    while (auto found = waiting_.pop([this](auto const& owner) { return sending_.admits(owner.tenant); })) {
        auto& [owner, job] = *found;
        if (job->ended()) continue;
        sending_.take(owner.tenant);
        return std::move(job);
    }
    return nullptr;
}

std::vector<SmtpJobPtr> SmtpQueue::take_late(SteadyTime now)
{
    auto removed =
        waiting_.remove_late([now](auto const& job) { return job->ended() || job->start_by <= now; });
    std::vector<SmtpJobPtr> late;
    late.reserve(removed.size());
    for (auto& [owner, job] : removed)
        if (!job->ended()) late.push_back(std::move(job));
    return late;
}

void SmtpQueue::forget_ended()
{
    waiting_.remove_late([](auto const& job) { return job->ended(); });
}

std::size_t SmtpQueue::usable() const
{
    bool const is_ready =
        waiting_.has_ready([this](auto const& owner) { return sending_.admits(owner.tenant); });
    return is_ready ? std::min(waiting_.size(), sending_.capacity() - sending_.used()) : 0;
}

} // namespace mail
