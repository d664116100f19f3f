#include "domain/notification_filter.hpp"

#include "domain/send_request.hpp"
#include "paging/cursor.hpp"

namespace notify {

namespace {

template <class Enum> std::optional<std::string_view> name_of(std::optional<Enum> const& value)
{
    return value ? std::optional(to_string(*value)) : std::nullopt;
}

std::optional<std::string> text_of(std::optional<core::Time> const& time)
{
    return time ? std::optional(std::to_string(time->time_since_epoch().count())) : std::nullopt;
}

} // namespace

std::vector<std::string> NotificationFilter::names_of(std::optional<Channel> channel, std::string const& to)
{
    auto const known = recipient_of(channel.value_or(Channel::email), to).value_or(to);
    return channel || known == to ? std::vector{known} : std::vector{to, known};
}

std::uint64_t NotificationFilter::hash() const
{
    paging::FilterHash hash;
    hash.add("list", "notifications").add("status", name_of(status)).add("channel", name_of(channel));
    for (auto const& name : to)
        hash.add("to", name);
    return hash.add("createdAfter", text_of(created_after)).value();
}

} // namespace notify
