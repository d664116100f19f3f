#pragma once

#include <algorithm>
#include <optional>

namespace core {

/// An exponentially weighted mean. Sample number n has the weight 1/n, but at least 1/16. Not thread-safe.
class MovingAverage {
public:
    MovingAverage() = default;

    /// `guess` has the weight of two samples.
    explicit MovingAverage(double guess) : value_(guess), samples_(2) {}

    void add(double sample) noexcept
    {
        samples_ = std::min(samples_ + 1, 16U);
        double const before = value_.value_or(0);
        value_ = before + (sample - before) / samples_;
    }

    /// nullopt if there is neither a sample nor a guess.
    std::optional<double> value() const noexcept { return value_; }

private:
    std::optional<double> value_;
    unsigned samples_ = 0;
};

} // namespace core
