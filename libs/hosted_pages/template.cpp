#include "hosted_pages/template.hpp"

#include <stdexcept>

namespace hosted_pages {

namespace {

constexpr std::string_view place = "[[page]]"; // in the layout

kainjow::mustache::mustache parse(std::string const& text)
{
    if (text.find("{{{") != std::string::npos || text.find("{{&") != std::string::npos)
        throw std::invalid_argument("a template has an unescaped value");
    kainjow::mustache::mustache parsed(text);
    if (!parsed.is_valid()) throw std::invalid_argument(parsed.error_message());
    return parsed;
}

} // namespace

void set(Data& data, std::string const& name, std::string const& value)
{
    if (!value.empty()) data.set(name, value);
}

std::string assemble(std::string_view layout, std::string_view page, std::span<Part const> parts)
{
    std::string whole(layout);
    whole.replace(whole.find(place), place.size(), page);
    for (auto const& [name, file] : parts)
        for (auto at = whole.find(name); at != std::string::npos; at = whole.find(name, at))
            whole.replace(at, name.size(), file->substr(0, file->rfind('\n')));
    return whole;
}

Template::Template(std::string const& text, Format format) : parsed_(parse(text))
{
    if (format == Format::text) parsed_.set_custom_escape([](std::string const& value) { return value; });
}

std::string Template::render(Data const& data) const
{
    // Rendering may change a template, so each call uses a copy. To copy a template takes a sixth of the time
    // of parsing it.
    auto copy = parsed_;
    return copy.render(data);
}

} // namespace hosted_pages
