#include "domain/status.hpp"

namespace notify {

std::optional<Status> advance(Status from, Status to) noexcept
{
    bool const arrived = to == Status::delivered || to == Status::opened;
    if (from == Status::failed) return arrived ? std::optional(to) : std::nullopt;
    if (to == Status::failed)
        return from == Status::queued || from == Status::sent ? std::optional(to) : std::nullopt;
    return to > from ? std::optional(to) : std::nullopt;
}

bool advance(Notification& n, Status to, std::string const& reason, core::Time at)
{
    if (!advance(n.status, to)) return false;
    n.status = to;
    n.failed_at = to == Status::failed ? std::optional(at) : std::nullopt;
    n.failure_reason = to == Status::failed ? std::optional(reason) : std::nullopt;
    if (to == Status::sent) n.sent_at = at;
    if (to == Status::delivered || to == Status::opened) n.delivered_at = n.delivered_at.value_or(at);
    if (to == Status::opened) n.opened_at = at;
    return true;
}

bool awaits_sending(Notification const& n) noexcept
{
    return n.status == Status::queued || (n.channel == Channel::push && n.status == Status::sent);
}

} // namespace notify
