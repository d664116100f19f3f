#include "workers/push_run.hpp"

#include "domain/retry.hpp"

#include <algorithm>

namespace notify {

namespace {

using namespace std::chrono_literals;

/// Prevents a job from being due again at once.
constexpr auto least_wait = 1s;

/// Whether the answer does not count as an attempt, because this process ended the push: a stop was
/// requested, or the queue or the channels were full. After a stop, the push may have been sent, and its
/// answer is not awaited.
bool uncounted(PushAnswer const& answer) noexcept
{
    return answer.verdict == Verdict::transient &&
           (answer.reason == push_reasons::stopped || answer.reason == push_reasons::busy);
}

} // namespace

PushRun::PushRun(Notification notification, std::vector<deliveries::Target> targets,
    std::vector<platforms::Sealed> platforms, core::Time now)
    : notification_(std::move(notification)), targets_(std::move(targets)), platforms_(std::move(platforms)),
      began_(now), now_(now)
{
    for (std::size_t i = 0; i < targets_.size(); ++i) {
        if (targets_[i].delivery.status == DeliveryStatus::pending) sort_out(i);
    }
}

platforms::Sealed const* PushRun::platform_of(PlatformKind kind) const noexcept
{
    auto const it = std::ranges::find(platforms_, kind, &platforms::Sealed::kind);
    return it == platforms_.end() ? nullptr : &*it;
}

bool PushRun::may_wait() const noexcept
{
    return now_ < patience_end(notification_.due_at());
}

void PushRun::sort_out(std::size_t index)
{
    auto& target = targets_[index];
    auto const kind = carrier_of(target.delivery.platform);
    auto const* const platform = platform_of(kind);
    if (!target.registered_at) {
        fail(target, failures::device_removed);
    } else if (platform == nullptr) {
        fail(target, failures::platform_missing);
    } else if (!platform->paused_until || *platform->paused_until <= now_) {
        asked_.push_back({target.delivery.device_id, kind, target.delivery.token});
        indices_.push_back(index);
    } else if (!may_wait()) {
        fail(target, platform->paused_reason.value_or(""));
    } else {
        target.delivery.reason = platform->paused_reason;
        target.delivery.updated_at = now_;
        changed_.push_back(target.delivery);
        halt(kind, platform->updated_at, std::nullopt);
        wake_after_pause(*platform->paused_until);
    }
}

void PushRun::fail(deliveries::Target& target, std::string_view reason)
{
    target.delivery.status = DeliveryStatus::failed;
    target.delivery.reason = reason;
    target.delivery.updated_at = now_;
    reason_ = reason;
    changed_.push_back(target.delivery);
}

void PushRun::halt(PlatformKind kind, core::Time seen, std::optional<std::string> refused)
{
    if (std::ranges::find(halted_, kind, &Halted::kind) == halted_.end())
        halted_.push_back({kind, seen, std::move(refused)});
}

void PushRun::wake_at(core::Time time)
{
    time = std::max(time, now_ + least_wait);
    again_ = again_ ? std::min(*again_, time) : time;
}

/// The job runs again when the pause ends, or when the push's time limit ends, whichever is earlier.
void PushRun::wake_after_pause(core::Time until)
{
    wake_at(may_wait() ? std::min(until, patience_end(notification_.due_at())) : until);
}

void PushRun::apply(std::span<PushAnswer const> answers, core::Time now, std::uint64_t entropy)
{
    now_ = now;
    std::optional<std::chrono::seconds> retry_after;
    for (auto const& answer : answers) {
        counts_ = counts_ || !uncounted(answer);
        if (answer.retry_after) retry_after = std::max(retry_after.value_or(0s), *answer.retry_after);
    }
    auto const retry = next_attempt({.attempts = notification_.attempts + 1,
                                        .due = notification_.due_at(),
                                        .began = began_,
                                        .now = now,
                                        .retry_after = retry_after},
        entropy);
    for (std::size_t i = 0; i < answers.size(); ++i)
        take(targets_[indices_[i]], answers[i], retry);
}

void PushRun::take(deliveries::Target& target, PushAnswer const& answer, std::optional<core::Time> retry)
{
    auto& delivery = target.delivery;
    delivery.updated_at = now_;
    if (uncounted(answer)) {
        changed_.push_back(delivery);
        wake_at(now_);
        return;
    }
    bool const first = delivery.attempts++ == 0;
    delivery.status = delivery_after(answer.verdict, retry.has_value(), may_wait() || first);
    delivery.reason = answer.verdict == Verdict::accepted ? std::nullopt : std::optional(answer.reason);
    if (!answer.provider_id.empty()) delivery.provider_id = answer.provider_id;
    changed_.push_back(delivery);

    bool const refused = answer.verdict == Verdict::credential;
    auto const kind = carrier_of(delivery.platform);
    if (refused) halt(kind, platform_of(kind)->updated_at, answer.reason);
    switch (delivery.status) {
    case DeliveryStatus::sent:
        accepted_ = true;
        break;
    case DeliveryStatus::pending:
        refused ? wake_after_pause(now_ + platform_pause) : wake_at(*retry);
        break;
    case DeliveryStatus::invalid:
    case DeliveryStatus::failed:
        reason_ = answer.reason;
        break;
    }
}

std::optional<devices::Gone> PushRun::gone(std::size_t i, PushAnswer const& answer) const
{
    auto const& target = targets_[indices_[i]];
    if (!target.registered_at || !answer.is_gone(*target.registered_at)) return std::nullopt;
    return devices::Gone{.device_id = target.delivery.device_id, .registered_at = *target.registered_at};
}

} // namespace notify
