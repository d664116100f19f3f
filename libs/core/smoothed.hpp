#pragma once

#include <algorithm>
#include <optional>

namespace core {

/// An exponentially weighted mean: each new sample counts for a sixteenth, the first ones for more. Not
/// thread-safe.
class Smoothed {
public:
    Smoothed() = default;

    /// `guess` counts like two samples.
    explicit Smoothed(double guess) : value_(guess), samples_(2) {}

    void add(double sample) noexcept
    {
        samples_ = std::min(samples_ + 1, 16U);
        double const before = value_.value_or(0);
        value_ = before + (sample - before) / samples_;
    }

    /// nullopt before the first sample, without a guess.
    std::optional<double> value() const noexcept { return value_; }

private:
    std::optional<double> value_;
    unsigned samples_ = 0;
};

} // namespace core
