#include "pages/view.hpp"

#include <array>
#include <stdexcept>

namespace auth_mfa::pages {

// files of pages/templates/
extern std::string_view const layout_html, part_activity_html, part_code_html, part_email_html,
    part_method_html, part_providers_html, part_reveal_html;

namespace {

/// The parts that several templates share.
constexpr auto parts = std::to_array<hosted_pages::Part>({{"[[>activity]]", &part_activity_html},
    {"[[>code]]", &part_code_html}, {"[[>email]]", &part_email_html}, {"[[>method]]", &part_method_html},
    {"[[>providers]]", &part_providers_html}, {"[[>reveal]]", &part_reveal_html}});

/// The text of a language for HTML. Its placeholders stay Mustache variables.
std::string for_html(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
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

View::View(std::string_view file)
{
    auto const whole = hosted_pages::assemble(layout_html, file, parts);
    for (auto const& language : languages())
        templates_.emplace(language.code(), hosted_pages::Template(translate(whole, language)));
}

std::string View::render(Language const& language, Data const& data) const
{
    return templates_.at(language.code()).render(data);
}

} // namespace auth_mfa::pages
