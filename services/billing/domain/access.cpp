#include "domain/access.hpp"

#include <algorithm>

namespace billing {

namespace {

std::optional<core::Time> later(std::optional<core::Time> a, std::optional<core::Time> b) noexcept
{
    return a && b ? std::max(a, b) : a ? a : b;
}

/// The end of the leeway; core::Time::min() if no renewal is expected.
core::Time leeway_end(Access const& access, std::chrono::seconds leeway) noexcept
{
    if (!access.renewal_until) return core::Time::min();
    auto const end = *access.renewal_until + leeway;
    return access.leeway_ends_at ? std::min(end, *access.leeway_ends_at) : end;
}

/// Whether the renewal that `b` awaits decides over the one that `a` awaits. One that is still awaited
/// decides over one whose leeway has ended.
bool is_later_renewal(Access const& a, Access const& b) noexcept
{
    if (a.renewal_until && b.renewal_until && a.leeway_ends_at.has_value() != b.leeway_ends_at.has_value())
        return a.leeway_ends_at.has_value();
    auto const usual = AccessSettings().renewal_leeway;
    return leeway_end(a, usual) < leeway_end(b, usual);
}

} // namespace

core::Time end_of(Access const& access, AccessSettings const& settings) noexcept
{
    if (access.until == core::Time::max()) return access.until;
    // Timestamps of responses end with the year 9999.
    auto const leeway = std::min(leeway_end(access, settings.renewal_leeway), core::max_time);
    auto const end = std::max(access.until, leeway);
    return settings.past_due_is_active && access.past_due_until ? std::max(end, *access.past_due_until) : end;
}

std::optional<core::Time> access_until(Access const& access, AccessSettings const& settings) noexcept
{
    auto const end = end_of(access, settings);
    return end == core::Time::max() ? std::nullopt : std::optional(end);
}

bool is_active(Access const& access, AccessSettings const& settings, core::Time now) noexcept
{
    if (settings.past_due_is_active && access.past_due_until && now < *access.past_due_until) return true;
    return !access.is_ended && now < end_of(access, {.renewal_leeway = settings.renewal_leeway});
}

Access ended(Access access, core::Time at) noexcept
{
    access.is_ended = true;
    access.until = std::min(access.until, at);
    if (access.renewal_until)
        access.leeway_ends_at = access.leeway_ends_at ? std::min(*access.leeway_ends_at, at) : at;
    if (access.leeway_ends_at && *access.leeway_ends_at <= access.until) {
        access.renewal_until.reset(); // the leeway has no effect
        access.leeway_ends_at.reset();
    }
    if (access.past_due_until) access.past_due_until = std::min(*access.past_due_until, at);
    return access;
}

Access combined(Access const& a, Access const& b) noexcept
{
    Access both = is_later_renewal(a, b) ? b : a;
    both.is_ended = a.is_ended && b.is_ended;
    both.until = std::max(a.until, b.until);
    both.past_due_until = later(a.past_due_until, b.past_due_until);
    return both;
}

} // namespace billing
