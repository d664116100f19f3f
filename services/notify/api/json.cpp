#include "api/json.hpp"

namespace notify {

std::string to_json(notifications::Shown const& shown)
{
    core::JsonWriter w;
    begin_notification(w, shown.notification);
    if (shown.notification.channel == Channel::push) {
        w.key("deliveries").begin_array();
        for (auto const& delivery : shown.deliveries) {
            begin_delivery(w, delivery);
            w.end_object();
        }
        w.end_array();
    }
    w.end_object();
    return std::move(w).str();
}

std::string to_json(paging::Page<Notification> const& page)
{
    core::JsonWriter w(64 + 512 * page.items.size());
    w.begin_object().key("notifications").begin_array();
    for (auto const& n : page.items)
        write(w, n);
    w.end_array().member("nextCursor", page.cursor).end_object();
    return std::move(w).str();
}

} // namespace notify
