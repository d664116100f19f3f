#include "workers/push_run.hpp"

#include "domain/retry.hpp"

#include <algorithm>

namespace notify {

namespace {

using namespace std::chrono_literals;

/// Prevents a job from being due again at once.
constexpr auto least_wait = 1s;

/// When an untried push may be sent: after the time that the carrier asks for, plus up to a quarter of it, so
/// that the waiting pushes do not all come at once.
core::Time when_tried(PushResult const& result, core::Time now, std::uint64_t entropy)
{
    std::chrono::milliseconds const wait =
        std::max<std::chrono::milliseconds>(result.retry_after.value_or(1s), 1s);
    return now + wait + std::chrono::milliseconds(entropy % static_cast<std::uint64_t>(wait.count() / 4 + 1));
}

} // namespace

PushRun::PushRun(Notification notification, Carrier carrier, std::vector<push_deliveries::Target> devices,
    std::shared_ptr<carrier_configs::Sealed const> config, core::Time now)
    : notification_(std::move(notification)), carrier_(carrier), devices_(std::move(devices)),
      config_(std::move(config)), began_(now), now_(now)
{
    for (auto const& device : devices_) {
        attempts_ = std::max(attempts_, device.delivery.attempts);
        bool const failed = device.delivery.status == DeliveryStatus::failed ||
                            device.delivery.status == DeliveryStatus::invalid;
        if (failed) reason_ = device.delivery.reason.value_or(reason_);
    }
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        if (devices_[i].delivery.status == DeliveryStatus::pending) classify(i);
    }
}

bool PushRun::may_wait() const noexcept
{
    return now_ < carrier_wait_end(notification_.due_at());
}

void PushRun::classify(std::size_t index)
{
    auto& target = devices_[index];
    if (!target.registered_at) {
        fail(target, failures::device_removed);
    } else if (!config_) {
        fail(target, failures::carrier_missing);
    } else if (!config_->paused_until || *config_->paused_until <= now_) {
        targets_.push_back({target.delivery.device_id, carrier_, target.delivery.token});
        indices_.push_back(index);
    } else if (!may_wait()) {
        fail(target, config_->paused_reason.value_or(""));
    } else {
        wait(target, config_->paused_reason);
        pause(std::nullopt);
        wake_after_pause(*config_->paused_until);
    }
}

void PushRun::fail(push_deliveries::Target& target, std::string_view reason)
{
    target.delivery.status = DeliveryStatus::failed;
    target.delivery.reason = reason;
    target.delivery.updated_at = now_;
    reason_ = reason;
    changed_.push_back(target.delivery);
}

void PushRun::pause(std::optional<std::string> refused)
{
    if (!paused_) paused_.emplace(PausedCarrier{carrier_, config_->updated_at, std::move(refused)});
}

void PushRun::wake_at(core::Time time)
{
    time = std::max(time, now_ + least_wait);
    next_run_ = next_run_ ? std::min(*next_run_, time) : time;
}

/// The job runs again when the pause ends, or when the push's time limit ends, whichever is earlier.
void PushRun::wake_after_pause(core::Time until)
{
    wake_at(may_wait() ? std::min(until, carrier_wait_end(notification_.due_at())) : until);
}

void PushRun::apply(std::span<PushResult const> results, core::Time now, std::uint64_t entropy)
{
    now_ = now;
    std::optional<std::chrono::seconds> retry_after;
    for (auto const& result : results) {
        if (!result.counts()) continue;
        counts_ = true;
        if (result.retry_after) retry_after = std::max(retry_after.value_or(0s), *result.retry_after);
    }
    auto const retry = next_attempt({.attempts = attempts_ + 1,
                                        .due = notification_.due_at(),
                                        .began = began_,
                                        .now = now,
                                        .retry_after = retry_after},
        entropy);
    if (counts_) ++attempts_;
    for (std::size_t i = 0; i < results.size(); ++i) {
        auto& target = devices_[indices_[i]];
        if (results[i].untried())
            keep(target, results[i], entropy);
        else
            apply_one(target, results[i], retry);
    }
}

/// Keeps the place of an untried push, for at most `carrier_wait_end` unless this process is the reason.
void PushRun::keep(push_deliveries::Target& target, PushResult const& result, std::uint64_t entropy)
{
    if (!may_wait() && !result.is_ours()) return fail(target, result.reason);
    wait(target, result.reason);
    core::Time const at = when_tried(result, now_, entropy);
    result.is_ours() ? wake_at(at) : wake_after_pause(at);
}

/// Leaves the delivery pending. It is written only if there is news, because a push may wait many times.
void PushRun::wait(push_deliveries::Target& target, std::optional<std::string> const& reason)
{
    if (target.delivery.reason == reason) return;
    target.delivery.reason = reason;
    target.delivery.updated_at = now_;
    changed_.push_back(target.delivery);
}

void PushRun::apply_one(
    push_deliveries::Target& target, PushResult const& result, std::optional<core::Time> retry)
{
    auto& delivery = target.delivery;
    delivery.updated_at = now_;
    bool const first = delivery.attempts == 0;
    if (result.counts()) ++delivery.attempts;
    delivery.status =
        delivery_status_after(result.verdict, retry.has_value(), may_wait() || (first && result.counts()));
    delivery.reason = result.verdict == Verdict::accepted ? std::nullopt : std::optional(result.reason);
    if (!result.provider_id.empty()) delivery.provider_id = result.provider_id;
    changed_.push_back(delivery);

    bool const refused = result.verdict == Verdict::credential;
    if (refused) pause(result.reason);
    switch (delivery.status) {
    case DeliveryStatus::sent:
        accepted_ = true;
        break;
    case DeliveryStatus::pending:
        refused ? wake_after_pause(now_ + carrier_pause) : wake_at(*retry);
        break;
    case DeliveryStatus::invalid:
    case DeliveryStatus::failed:
        reason_ = result.reason;
        break;
    }
}

std::optional<devices::Gone> PushRun::gone(std::size_t i, PushResult const& result) const
{
    auto const& target = devices_[indices_[i]];
    if (!target.registered_at || !result.is_gone(*target.registered_at)) return std::nullopt;
    return devices::Gone{.device_id = target.delivery.device_id, .registered_at = *target.registered_at};
}

} // namespace notify
