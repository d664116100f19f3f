#pragma once

#include <boost/json/object.hpp>

#include <string_view>

namespace core {

/// The text of a member, for JSON from other servers; empty if the member is absent or not a string. Valid
/// while `object` is.
inline std::string_view text_of(boost::json::object const& object, std::string_view name)
{
    auto const* value = object.if_contains(name);
    auto const* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string_view() : std::string_view(*text);
}

} // namespace core
