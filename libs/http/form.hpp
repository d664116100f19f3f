#pragma once

#include "http/message.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace http {

/// The fields of an HTML form, in the order of the body. A name may occur several times.
using Form = std::vector<std::pair<std::string, std::string>>;

/// Whether the `Content-Type` of the request is `application/x-www-form-urlencoded`, with or without
/// parameters.
bool is_form(Request const& req) noexcept;

/// Parses a body of the type `application/x-www-form-urlencoded`. Returns nullopt if the body is malformed or
/// has more than 100 fields. The values may be any bytes.
std::optional<Form> parse_form(std::string_view body);

/// The value of the first field `name`; empty if it is absent. Valid as long as the form.
std::string_view find(Form const& form, std::string_view name) noexcept;

} // namespace http
