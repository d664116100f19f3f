#pragma once

#include <cstdint>

namespace notify {

/// Counts how many of a credential's pushes the carrier answers with "token gone". The breaker trips if it
/// has counted at least 50 pushes and more than half of them got this response. The credential then probably
/// belongs to another app. After the breaker has tripped, workers remove no device because of responses for
/// this credential. Only about the last hundred pushes count, so that the breaker can also trip after a
/// million pushes without such responses. A tripped breaker stays tripped.
class PruneBreaker {
public:
    static constexpr std::int64_t min_pushes = 50;

    /// Counts one push that the carrier answered. `gone`: the response was "token gone".
    void count(bool gone) noexcept;

    /// Whether the breaker has tripped, so that devices are no longer removed.
    bool tripped() const noexcept { return tripped_; }

private:
    /// When the count of pushes reaches this number, the counts of pushes and of gone tokens are halved.
    static constexpr std::int64_t max_pushes = 2 * min_pushes;

    std::int64_t pushes_ = 0;
    std::int64_t gone_ = 0;
    bool tripped_ = false;
};

} // namespace notify
