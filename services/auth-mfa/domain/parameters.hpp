#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The parameters of requests of OAuth, in queries and forms.
namespace auth_mfa {

/// The decoded parameters of a request, in their order. A name may occur several times. The same type as
/// http::Form.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// Parameters to encode. Their names need no encoding.
using NewParameters = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// Whether the text is UTF-8 without control characters, as a parameter must be.
bool is_parameter_text(std::string_view text) noexcept;

/// The value of the parameter. nullopt if it is absent, empty or repeated, or not UTF-8, or if it contains a
/// control character.
std::optional<std::string> single_value(Parameters const& parameters, std::string_view name);

/// The parameters as a form, percent-encoded. Those with an empty value are left out.
std::string encode_parameters(NewParameters parameters);

/// `uri` with these query parameters added, percent-encoded. Those with an empty value are left out.
std::string with_parameters(std::string uri, NewParameters parameters);

} // namespace auth_mfa
