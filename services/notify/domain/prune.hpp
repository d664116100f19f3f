#pragma once

#include <cstdint>

namespace notify {

/// Watches how many of a credential's pushes come back "token gone". When over half of at least 50 do, it is
/// more likely that the credential belongs to another app than that so many devices are gone: from then on no
/// device is removed on its word. It looks at the last hundred or so, for a credential that was right for a
/// million pushes may be replaced by a wrong one; once it has tripped it stays so.
class PruneBreaker {
public:
    static constexpr std::int64_t least = 50;

    /// Counts one push that the carrier answered.
    void count(bool gone) noexcept;

    /// Whether no device is removed any more.
    bool tripped() const noexcept { return tripped_; }

private:
    static constexpr std::int64_t most = 2 * least; ///< where old pushes begin to count half

    std::int64_t pushes_ = 0;
    std::int64_t gone_ = 0;
    bool tripped_ = false;
};

} // namespace notify
