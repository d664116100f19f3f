#include "http/form.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cstddef>

namespace http {

namespace {

constexpr std::ptrdiff_t max_fields = 100;
constexpr std::string_view form_type = "application/x-www-form-urlencoded";

} // namespace

bool is_form(Request const& req) noexcept
{
    auto const type = req.header("Content-Type").value_or("");
    return core::equal_ignoring_case(core::trim(type.substr(0, type.find(';'))), form_type);
}

std::optional<Form> parse_form(std::string_view body)
{
    if (std::ranges::count(body, '&') >= max_fields) return std::nullopt;
    Form form;
    while (!body.empty()) {
        std::string_view const field = body.substr(0, body.find('&'));
        body.remove_prefix(std::min(field.size() + 1, body.size()));
        if (field.empty()) continue;
        auto const equals = std::min(field.find('='), field.size());
        auto name = core::percent_decode(field.substr(0, equals), true);
        auto value = core::percent_decode(field.substr(std::min(equals + 1, field.size())), true);
        if (!name || !value) return std::nullopt;
        form.emplace_back(std::move(*name), std::move(*value));
    }
    return form;
}

std::string_view find(Form const& form, std::string_view name) noexcept
{
    auto const it =
        std::ranges::find(form, name, [](auto const& field) { return std::string_view(field.first); });
    return it == form.end() ? std::string_view() : std::string_view(it->second);
}

} // namespace http
