#include "providers/provider_answers.hpp"

#include "crypto/random.hpp"

#include <algorithm>

namespace auth_mfa {

namespace {

using sms::Outcome;

constexpr std::chrono::minutes failure_lasts{1};

bool is_failure_of_provider(Outcome outcome)
{
    return outcome == Outcome::refused || outcome == Outcome::not_sent || outcome == Outcome::unknown;
}

/// Whether the provider refused this message, and not the operator's account. An attacker can cause such a
/// refusal, for example with the sender's own number.
bool is_about_message(sms::SendResult const& sent)
{
    return sent.outcome == Outcome::refused && sent.status >= 400 && sent.status < 500 &&
           sent.status != 401 && sent.status != 403 && sent.status != 429;
}

} // namespace

void ProviderAnswers::add(sms::SendResult const& sent, Clock::duration took, Clock::time_point now)
{
    if (is_about_message(sent)) return;
    std::lock_guard const lock(mutex_);
    last_ = {sent.outcome, took};
    last_at_ = now;
    if (sent.outcome == Outcome::accepted) accepted_[number_accepted_++ % capacity] = took;
}

ProviderAnswers::Answer ProviderAnswers::probable(Clock::time_point now) const
{
    auto const random = static_cast<std::size_t>(crypto::random_u64());
    std::lock_guard const lock(mutex_);
    if (is_failure_of_provider(last_.outcome) && now - last_at_ < failure_lasts) return last_;
    return {.took = accepted_[random % std::clamp(number_accepted_, std::size_t{1}, capacity)]};
}

} // namespace auth_mfa
