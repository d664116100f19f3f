#include "api/event_json.hpp"

#include <optional>
#include <string>

namespace billing {

namespace {

std::optional<std::string> text_or_null(std::string const& text)
{
    return text.empty() ? std::nullopt : std::optional(text);
}

} // namespace

void write_event_members(
    core::JsonWriter& w, event_archive::ArchivedEvent const& event, std::string_view type_name)
{
    w.member("eventId", event.event_id)
        .member("provider", to_string(event.provider))
        .member(type_name, text_or_null(event.type))
        .member("result", to_string(event.result))
        .member("reason", text_or_null(event.reason))
        .member("userId", event.user_id)
        .member("receivedAt", event.received_at)
        .member("erasedAt", event.erased_at)
        .key("payload");
    if (event.is_json())
        w.raw(event.payload);
    else
        w.value(event.payload);
}

} // namespace billing
