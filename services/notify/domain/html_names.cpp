#include "domain/html_names.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>

namespace notify::html_names {

namespace {

constexpr std::array<std::string_view, 2> rcdata{"textarea", "title"};
constexpr std::array<std::string_view, 6> rawtext{"iframe", "noembed", "noframes", "script", "style", "xmp"};

/// SVG and MathML have ordinary elements with these names. `select` and `frameset` ignore most start tags.
constexpr std::array<std::string_view, 4> other_content{"frameset", "math", "select", "svg"};

/// No attribute of these elements may have a placeholder: code, and SVG's changes of other attributes.
constexpr std::array<std::string_view, 9> unsafe_elements{"animate", "animatecolor", "animatemotion",
    "animatetransform", "applet", "param", "script", "set", "style"};

constexpr std::array<std::string_view, 7> unsafe_attributes{
    "attributename", "charset", "http-equiv", "imagesrcset", "srcdoc", "srcset", "style"};

constexpr std::array<std::string_view, 20> url_attributes{"action", "althref", "background", "base", "cite",
    "classid", "codebase", "data", "dynsrc", "formaction", "href", "icon", "longdesc", "lowsrc", "manifest",
    "ping", "poster", "profile", "src", "usemap"};

template <std::size_t size>
bool contains(std::array<std::string_view, size> const& names, std::string_view name) noexcept
{
    return std::ranges::find(names, name) != names.end();
}

/// The name without its prefix.
std::string_view local(std::string_view name) noexcept
{
    return name.substr(name.rfind(':') + 1); // npos + 1 is 0
}

/// Names with other characters are instructions of scripts, such as `@click` and `[href]`.
bool is_plain(std::string_view name) noexcept
{
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
               c == ':';
    });
}

} // namespace

bool is_raw(std::string_view element) noexcept
{
    return contains(rcdata, element) || contains(rawtext, element);
}

bool has_references(std::string_view raw_element) noexcept
{
    return contains(rcdata, raw_element);
}

bool changes_raw(std::string_view element) noexcept
{
    return contains(other_content, element);
}

bool is_safe_attribute(std::string_view element, std::string_view attribute) noexcept
{
    return is_plain(attribute) && !contains(unsafe_elements, local(element)) &&
           !local(attribute).starts_with("on") && !attribute.starts_with("on") &&
           !contains(unsafe_attributes, local(attribute));
}

bool is_url(std::string_view attribute) noexcept
{
    return contains(url_attributes, local(attribute));
}

bool is_spoilable(std::string_view element, std::string_view attribute) noexcept
{
    return (element == "meta" && attribute == "content") || (element == "link" && attribute == "href");
}

bool is_spoiler(std::string_view element, std::string_view attribute) noexcept
{
    return (element == "meta" && attribute == "http-equiv") || (element == "link" && attribute == "rel");
}

} // namespace notify::html_names
