#include "domain/notification_filter.hpp"

#include "domain/send_request.hpp"
#include "paging/cursor.hpp"

namespace notify {

std::vector<std::string> NotificationFilter::names_of(std::optional<Channel> channel, std::string const& to)
{
    auto const known = recipient_of(channel.value_or(Channel::email), to).value_or(to);
    return channel || known == to ? std::vector{known} : std::vector{to, known};
}

std::uint64_t NotificationFilter::hash() const
{
    paging::FilterHash hash;
    hash.add("list", "notifications").add("status", status).add("channel", channel);
    for (auto const& name : to)
        hash.add("to", name);
    return hash.add("createdAfter", created_after).value();
}

} // namespace notify
