#include "pg/connection.hpp"

#include <cerrno>
#include <poll.h>

namespace pg {

Connection::Connection(
    std::string const& conninfo, WireOptions const& options, std::string const& transaction_settings)
    : wire_(connect(conninfo), options), transaction_settings_(transaction_settings)
{
}

Rows Connection::run(std::span<Statement const> statements, bool read_only)
{
    for (auto need = wire_.send(statements, read_only); need != Wire::Need::nothing; need = wire_.advance())
        wait(need);
    return std::move(wire_.take().back());
}

void Connection::wait(Wire::Need need)
{
    short const events = need == Wire::Need::read ? POLLIN : POLLIN | POLLOUT;
    pollfd socket{wire_.socket(), events, 0};
    for (;;) {
        int const ready = ::poll(&socket, 1, static_cast<int>(Wire::check_interval.count()));
        if (ready > 0) return;
        if (ready < 0 && errno != EINTR) wire_.lose("poll failed");
        wire_.check();
    }
}

FailureKind Connection::failure_kind(std::exception_ptr const& failure) const
{
    return lost() ? FailureKind::unavailable : pg::failure_kind(failure);
}

} // namespace pg
