#include "domain/session.hpp"

namespace auth_mfa {

Refresh check_refresh(
    Session const& session, std::int64_t generation, core::Time now, core::Time database_now) noexcept
{
    if (!session.live(now) || generation > session.generation) return Refresh::refused;
    if (generation == session.generation) return Refresh::current;
    bool const is_last = generation + 1 == session.generation;
    bool const is_retry = is_last && database_now - session.rotated_at <= refresh_retry_window;
    return is_retry ? Refresh::retry : Refresh::reused;
}

} // namespace auth_mfa
