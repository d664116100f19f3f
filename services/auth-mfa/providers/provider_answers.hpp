#pragma once

#include "sms/sender.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>

namespace auth_mfa {

/// The last answers of the SMS provider: how it would probably answer another message. Thread-safe.
class ProviderAnswers {
public:
    using Clock = std::chrono::steady_clock;

    struct Answer {
        sms::Outcome outcome = sms::Outcome::accepted;
        Clock::duration took{};
    };

    /// `guess`: how long the provider takes, until there is an accepted message.
    explicit ProviderAnswers(Clock::duration guess) : accepted_{guess} {}

    /// Adds the provider's answer to a message, which took `took`. A refusal of the message itself says
    /// nothing about the next message, so it is ignored.
    void add(sms::SendResult const& sent, Clock::duration took, Clock::time_point now);

    /// The answer to a message to a number without faults: the last answer if the provider failed less than a
    /// minute ago, otherwise one of the last accepted messages, chosen at random. So the outcome is
    /// `accepted`, `refused`, `not_sent` or `unknown`.
    Answer probable(Clock::time_point now) const;

private:
    static constexpr std::size_t capacity = 64;

    mutable std::mutex mutex_;
    std::array<Clock::duration, capacity> accepted_; ///< how long the last ones took; at first, the guess
    std::size_t number_accepted_ = 0;
    Answer last_{};
    Clock::time_point last_at_{};
};

} // namespace auth_mfa
