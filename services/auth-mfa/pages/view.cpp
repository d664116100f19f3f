#include "pages/view.hpp"

#include "core/text.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace auth_mfa::pages {

// files of pages/templates/
extern std::string_view const layout_html, part_activity_html, part_code_html, part_email_html,
    part_method_html, part_providers_html, part_reveal_html;

namespace {

constexpr std::string_view place = "[[page]]"; // in the layout

/// The parts that several templates share.
constexpr auto parts = std::to_array<std::pair<std::string_view, std::string_view const*>>(
    {{"[[>activity]]", &part_activity_html}, {"[[>code]]", &part_code_html}, {"[[>email]]", &part_email_html},
        {"[[>method]]", &part_method_html}, {"[[>providers]]", &part_providers_html},
        {"[[>reveal]]", &part_reveal_html}});

/// Replaces the names of the parts by their files, without the newline at the end.
void insert_parts(std::string& page)
{
    for (auto const& [name, file] : parts)
        for (auto at = page.find(name); at != std::string::npos; at = page.find(name, at))
            page.replace(at, name.size(), file->substr(0, file->rfind('\n')));
}

/// The text of a language for HTML. Its placeholders stay Mustache variables.
std::string for_html(std::string_view text)
{
    std::string out;
    for (char const c : text) {
        if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '&')
            out += "&amp;";
        else if (c == '"')
            out += "&quot;";
        else
            out += c;
    }
    return out;
}

/// Replaces each `[[key]]`.
std::string translate(std::string_view page, Language const& language)
{
    std::string out;
    while (true) {
        auto const begin = page.find("[[");
        out += page.substr(0, begin);
        if (begin == std::string_view::npos) return out;
        auto const end = page.find("]]", begin);
        if (end == std::string_view::npos) throw std::invalid_argument("a template has [[ without ]]");
        auto const key = page.substr(begin + 2, end - begin - 2);
        if (!language.contains(key))
            throw std::invalid_argument("a template uses the unknown text " + std::string(key));
        out += for_html(language.raw(key));
        page.remove_prefix(end + 2);
    }
}

} // namespace

void set(Data& data, std::string const& name, std::string value)
{
    if (!value.empty()) data.set(name, std::move(value));
}

View::View(std::string_view file)
{
    std::string whole(layout_html);
    whole.replace(whole.find(place), place.size(), file);
    insert_parts(whole);
    if (whole.find("{{{") != std::string::npos || whole.find("{{&") != std::string::npos)
        throw std::invalid_argument("a template has an unescaped value");
    for (auto const& language : languages()) {
        kainjow::mustache::mustache parsed(translate(whole, language));
        if (!parsed.is_valid()) throw std::invalid_argument(parsed.error_message());
        templates_.emplace(language.code(), std::move(parsed));
    }
}

std::string View::render(Language const& language, Data const& data) const
{
    // Rendering may change a template, so each call uses a copy. To copy a template takes a sixth of the time
    // of parsing it.
    auto copy = templates_.at(language.code());
    return copy.render(data);
}

} // namespace auth_mfa::pages
