#include "core/backoff.hpp"

#include <algorithm>

namespace core {

std::chrono::milliseconds backoff(unsigned attempt, std::chrono::milliseconds base,
    std::chrono::milliseconds max, std::uint64_t entropy) noexcept
{
    using std::chrono::milliseconds;
    if (base <= milliseconds::zero() || max <= milliseconds::zero()) return milliseconds::zero();
    milliseconds ceiling = std::min(base, max);
    for (unsigned i = 0; i < attempt && ceiling < max; ++i)
        ceiling = ceiling > max / 2 ? max : ceiling * 2;
    auto const half = ceiling.count() / 2;
    auto const spread = static_cast<std::uint64_t>(ceiling.count() - half) + 1;
    return milliseconds(half + static_cast<std::int64_t>(entropy % spread));
}

} // namespace core
