#include "workers/push_run.hpp"

#include "domain/retry.hpp"

#include <algorithm>

namespace notify {

namespace {

using namespace std::chrono_literals;

/// Prevents a job from being due again at once.
constexpr auto least_wait = 1s;

/// Whether the result does not count as an attempt, because this process ended the push: a stop was
/// requested, or the queue was full, or all clients were in use. After a stop, the push may have been sent,
/// and its response is not awaited.
bool uncounted(PushResult const& result) noexcept
{
    return result.verdict == Verdict::transient &&
           (result.reason == push_reasons::stopped || result.reason == push_reasons::busy);
}

} // namespace

PushRun::PushRun(Notification notification, std::vector<push_deliveries::Target> devices,
    std::vector<carrier_configs::Sealed> configs, core::Time now)
    : notification_(std::move(notification)), devices_(std::move(devices)), configs_(std::move(configs)),
      began_(now), now_(now)
{
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
    auto const carrier = carrier_of(target.delivery.platform);
    auto const* const config = config_of(carrier);
    if (!target.registered_at) {
        fail(target, failures::device_removed);
    } else if (config == nullptr) {
        fail(target, failures::carrier_missing);
    } else if (!config->paused_until || *config->paused_until <= now_) {
        targets_.push_back({target.delivery.device_id, carrier, target.delivery.token});
        indices_.push_back(index);
    } else if (!may_wait()) {
        fail(target, config->paused_reason.value_or(""));
    } else {
        target.delivery.reason = config->paused_reason;
        target.delivery.updated_at = now_;
        changed_.push_back(target.delivery);
        pause(carrier, config->updated_at, std::nullopt);
        wake_after_pause(*config->paused_until);
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

void PushRun::pause(Carrier carrier, core::Time seen, std::optional<std::string> refused)
{
    if (std::ranges::find(paused_carriers_, carrier, &PausedCarrier::carrier) == paused_carriers_.end())
        paused_carriers_.push_back({carrier, seen, std::move(refused)});
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
        counts_ = counts_ || !uncounted(result);
        if (result.retry_after) retry_after = std::max(retry_after.value_or(0s), *result.retry_after);
    }
    auto const retry = next_attempt({.attempts = notification_.attempts + 1,
                                        .due = notification_.due_at(),
                                        .began = began_,
                                        .now = now,
                                        .retry_after = retry_after},
        entropy);
    for (std::size_t i = 0; i < results.size(); ++i)
        apply_one(devices_[indices_[i]], results[i], retry);
}

void PushRun::apply_one(
    push_deliveries::Target& target, PushResult const& result, std::optional<core::Time> retry)
{
    auto& delivery = target.delivery;
    delivery.updated_at = now_;
    if (uncounted(result)) {
        changed_.push_back(delivery);
        wake_at(now_);
        return;
    }
    bool const first = delivery.attempts++ == 0;
    delivery.status = delivery_status_after(result.verdict, retry.has_value(), may_wait() || first);
    delivery.reason = result.verdict == Verdict::accepted ? std::nullopt : std::optional(result.reason);
    if (!result.provider_id.empty()) delivery.provider_id = result.provider_id;
    changed_.push_back(delivery);

    bool const refused = result.verdict == Verdict::credential;
    auto const carrier = carrier_of(delivery.platform);
    if (refused) pause(carrier, config_of(carrier)->updated_at, result.reason);
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
