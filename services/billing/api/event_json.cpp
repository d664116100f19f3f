#include "api/event_json.hpp"

#include "domain/text_or_null.hpp"

namespace billing {

void write_event_members(
    core::JsonWriter& w, event_archive::ArchivedEvent const& event, std::string_view type_name)
{
    w.member("eventId", event.event_id)
        .member("provider", to_string(event.provider))
        .member(type_name, text_or_null(event.type))
        .member("result", to_string(event.result))
        .member("reason", text_or_null(event.reason))
        .member("userId", event.user_id)
        .member("eventAt", event.event_at)
        .member("receivedAt", event.received_at)
        .member("erasedAt", event.erased_at)
        .key("payload");
    if (event.is_json())
        w.raw(event.payload);
    else
        w.value(event.payload);
}

} // namespace billing
