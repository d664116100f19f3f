// The input is an HTML body of a template with values: two lines with a value each, then the body. The
// placeholders get the values in turn, in alphabetical order of their names.
#include "core/text.hpp"
#include "domain/html_names.hpp"
#include "domain/template.hpp"
#include "fuzz.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

using fuzz::is_text, fuzz::require;
using notify::Template, notify::Variables;

namespace {

constexpr std::string_view spaces = " \t\n\f\r";

/// The tags of an HTML text, with the names of their attributes, and the values of URL attributes. It reads
/// HTML as the WHATWG tokenizer does, and the HTML in conditional comments as Outlook does.
class Skeleton {
public:
    explicit Skeleton(std::string_view html) : rest_(html)
    {
        while (seek('<'))
            markup();
    }

    std::vector<std::string> names;
    std::vector<std::string> urls;

private:
    /// Moves behind the next `mark`; false if there is none.
    bool seek(char mark)
    {
        auto const at = rest_.find(mark);
        rest_ = at == std::string_view::npos ? std::string_view() : rest_.substr(at + 1);
        return at != std::string_view::npos;
    }

    std::string take_until(std::string_view marks)
    {
        auto const taken = rest_.substr(0, rest_.find_first_of(marks));
        rest_.remove_prefix(taken.size());
        return core::lower(taken);
    }

    bool skip(std::string_view characters)
    {
        auto const end = std::min(rest_.find_first_not_of(characters), rest_.size());
        rest_.remove_prefix(end);
        return !rest_.empty();
    }

    void markup()
    {
        bool const end_tag = rest_.starts_with('/');
        auto const letter = core::lower(rest_.substr(end_tag ? 1 : 0, 1));
        if (letter >= "a" && letter < "{") {
            tag(end_tag);
        } else if (rest_.starts_with("!--")) {
            comment();
        } else if (rest_.starts_with('!') || rest_.starts_with('?') ||
                   (end_tag && !rest_.starts_with("/>"))) {
            names.emplace_back("declaration");
            seek('>');
        }
    }

    void tag(bool end_tag)
    {
        if (end_tag) rest_.remove_prefix(1);
        auto const name = take_until(" \t\n\f\r/>");
        names.push_back(end_tag ? "/" + name : name);
        while (skip(" \t\n\f\r/") && rest_[0] != '>')
            attribute();
        seek('>');
        if (end_tag) return;
        if (name == "plaintext") rest_ = {};
        if (notify::html_names::is_raw(name)) raw(name);
    }

    void attribute()
    {
        std::string name(rest_.substr(0, 1));
        rest_.remove_prefix(1);
        name += take_until(" \t\n\f\r/>=");
        names.push_back("  " + core::lower(name));
        skip(spaces);
        if (!rest_.starts_with('=')) return;
        rest_.remove_prefix(1);
        if (skip(spaces) && rest_[0] != '>') value(core::lower(name));
    }

    void value(std::string const& name)
    {
        char const quote = rest_[0];
        if (quote != '"' && quote != '\'') {
            take_until(" \t\n\f\r>");
            return;
        }
        rest_.remove_prefix(1);
        if (notify::html_names::is_url(name)) urls.emplace_back(rest_.substr(0, rest_.find(quote)));
        seek(quote);
    }

    void raw(std::string const& name)
    {
        while (seek('<')) {
            if (!core::equal_ignoring_case(rest_.substr(0, name.size() + 1), "/" + name)) continue;
            auto const after = rest_.substr(std::min(name.size() + 1, rest_.size()), 1);
            if (!after.empty() && std::string_view(" \t\n\f\r/>").find(after) != std::string_view::npos)
                return markup();
        }
    }

    void comment()
    {
        names.emplace_back("comment");
        if (rest_.starts_with("!-->") || rest_.starts_with("!--->")) {
            seek('>');
            return;
        }
        rest_.remove_prefix(3);
        auto const end = std::min(rest_.find("-->"), rest_.find("--!>"));
        auto const text = rest_.substr(0, end);
        if (core::equal_ignoring_case(text.substr(0, 3), "[if"))
            conditional(text.substr(std::min(text.find('>'), text.size())));
        rest_.remove_prefix(text.size());
        seek('>');
    }

    void conditional(std::string_view html)
    {
        Skeleton inner(html);
        std::ranges::move(inner.names, std::back_inserter(names));
        std::ranges::move(inner.urls, std::back_inserter(urls));
        names.emplace_back("end of comment");
    }

    std::string_view rest_;
};

/// Whether browsers permit no script in the URL, by its scheme. Character references are not decoded.
bool is_harmless(std::string_view url)
{
    std::string text;
    std::ranges::copy_if(url, std::back_inserter(text), [](char c) { return c < 0 || c > ' '; });
    auto const end = text.find_first_of(":/?#&");
    if (end == std::string::npos || text[end] != ':') return true;
    constexpr std::array<std::string_view, 4> permitted{"http", "https", "mailto", "tel"};
    return std::ranges::find(permitted, core::lower(text.substr(0, end))) != permitted.end();
}

/// Renders the template. Values that are refused in URLs are first made URLs.
std::string render_any(Template const& t, Variables variables)
{
    auto rendering = render(t, variables);
    for (auto const& fault : rendering.faults) {
        constexpr std::string_view before = "/variables/";
        if (!fault.pointer.starts_with(before)) return {}; // the text is too long
        auto& value = variables.at(fault.pointer.substr(before.size()));
        value = "https://x.example/?" + value;
    }
    if (!rendering.faults.empty()) rendering = render(t, variables);
    return rendering.faults.empty() ? rendering.content.body : std::string();
}

void check(Skeleton const& plain, Skeleton const& other)
{
    require(plain.names == other.names);
    require(plain.urls.size() == other.urls.size());
    for (std::size_t i = 0; i < other.urls.size(); ++i)
        require(plain.urls[i] == other.urls[i] || is_harmless(other.urls[i]));
}

void check_values(Template const& t, std::array<std::string_view, 2> const& values)
{
    Variables plain, empty, given;
    std::size_t count = 0;
    for (auto const& name : placeholders_of(t)) {
        plain[name] = "x";
        empty[name] = "";
        given[name] = values[count++ % 2];
    }
    auto const expected = render_any(t, plain);
    auto const actual = render_any(t, given);
    if (expected.empty() || actual.empty()) return;
    Skeleton const skeleton(expected);
    check(skeleton, Skeleton(actual));
    if (auto const without = render(t, empty); without.faults.empty())
        check(skeleton, Skeleton(without.content.body));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    fuzz::Input input(data, size);
    std::array<std::string_view, 2> const values{input.line(), input.line()};
    Template t;
    t.channel = notify::Channel::email;
    t.format = notify::Format::html;
    t.subject = "s";
    t.body = input.rest();
    if (!is_text(t.body) || !is_text(values[0]) || !is_text(values[1])) return 0;
    if (faults_of(t).empty()) check_values(t, values);
    return 0;
}
