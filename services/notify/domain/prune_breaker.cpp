#include "domain/prune_breaker.hpp"

namespace notify {

void PruneBreaker::count(bool gone) noexcept
{
    if (pushes_ == most) {
        pushes_ /= 2;
        gone_ /= 2;
    }
    ++pushes_;
    if (gone) ++gone_;
    tripped_ = tripped_ || (pushes_ >= least && gone_ * 2 > pushes_);
}

} // namespace notify
