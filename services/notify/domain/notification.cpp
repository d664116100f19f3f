#include "domain/notification.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace notify {

namespace {

template <class Enum> Enum parse(std::span<std::string_view const> names, std::string_view name)
{
    auto const it = std::ranges::find(names, name);
    if (it == names.end()) throw std::invalid_argument("not a known value: " + std::string(name));
    return static_cast<Enum>(it - names.begin());
}

} // namespace

Channel parse_channel(std::string_view name)
{
    return parse<Channel>(channels, name);
}

Status parse_status(std::string_view name)
{
    return parse<Status>(statuses, name);
}

DeliveryStatus parse_delivery_status(std::string_view name)
{
    return parse<DeliveryStatus>(delivery_statuses, name);
}

} // namespace notify
