#pragma once

#include "core/json_writer.hpp"
#include "storage/event_archive.hpp"

#include <string_view>

namespace billing {

/// Writes the members of an archived event, as responses and exports show it. `type_name` is the name of the
/// member with the event's type.
void write_event_members(
    core::JsonWriter& w, event_archive::ArchivedEvent const& event, std::string_view type_name = "type");

} // namespace billing
