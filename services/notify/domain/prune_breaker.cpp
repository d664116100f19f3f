#include "domain/prune_breaker.hpp"

namespace notify {

void PruneBreaker::count(bool gone) noexcept
{
    if (pushes_ == max_pushes) {
        pushes_ /= 2;
        gone_ /= 2;
    }
    ++pushes_;
    if (gone) ++gone_;
    tripped_ = tripped_ || (pushes_ >= min_pushes && gone_ * 2 > pushes_);
}

} // namespace notify
