#include "domain/session.hpp"

namespace auth_mfa {

Refresh judge_refresh(Session const& session, std::int64_t generation, core::Time now) noexcept
{
    if (!session.live(now) || generation > session.generation) return Refresh::refused;
    if (generation == session.generation) return Refresh::current;
    bool const is_last = generation + 1 == session.generation;
    return is_last && now - session.rotated_at <= refresh_retry_window ? Refresh::retry : Refresh::reused;
}

} // namespace auth_mfa
