#pragma once

#include <optional>
#include <string_view>

namespace core {

/// The value of the first cookie `name` in the value of a request's header `Cookie` (RFC 6265, 4.2); nullopt
/// if there is none. Refers to `header`.
std::optional<std::string_view> find_cookie(std::string_view header, std::string_view name) noexcept;

} // namespace core
