#include "domain/notification.hpp"

#include "core/named.hpp"

namespace notify {

Channel parse_channel(std::string_view name)
{
    return core::named<Channel>(channels, name);
}

Status parse_status(std::string_view name)
{
    return core::named<Status>(statuses, name);
}

DeliveryStatus parse_delivery_status(std::string_view name)
{
    return core::named<DeliveryStatus>(delivery_statuses, name);
}

} // namespace notify
