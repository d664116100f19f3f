#include "domain/parameters.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace auth_mfa {

bool is_parameter_text(std::string_view text) noexcept
{
    bool const has_controls =
        std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; });
    return !has_controls && core::is_utf8(text);
}

std::optional<std::string> single_value(Parameters const& parameters, std::string_view name)
{
    std::string const* value = nullptr;
    for (auto const& [key, text] : parameters) {
        if (key != name) continue;
        if (value != nullptr) return std::nullopt;
        value = &text;
    }
    if (value == nullptr || value->empty() || !is_parameter_text(*value)) return std::nullopt;
    return *value;
}

std::string encode_parameters(NewParameters parameters)
{
    std::string text;
    for (auto const& [name, value] : parameters) {
        if (value.empty()) continue;
        if (!text.empty()) text += '&';
        text.append(name).append("=").append(core::percent_encode(value));
    }
    return text;
}

std::string with_parameters(std::string uri, NewParameters parameters)
{
    auto const query = encode_parameters(parameters);
    if (query.empty()) return uri;
    uri += uri.find('?') == std::string::npos ? '?' : '&';
    uri += query;
    return uri;
}

} // namespace auth_mfa
