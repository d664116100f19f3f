#include "domain/template_html.hpp"

#include "core/text.hpp"
#include "domain/html_tokenizer.hpp"
#include "domain/template_pieces.hpp"

#include <algorithm>

namespace notify {

namespace {

void append_without_dashes(std::string& out, std::string_view escaped)
{
    for (char const c : escaped) {
        if (c == '-')
            out += "&#45;";
        else
            out += c;
    }
}

void append_outside_comment(std::string& out, HtmlSlot const& slot, std::string_view value)
{
    if (slot.quote != '\0' && !slot.begins_url())
        out += core::percent_encode(value); // without characters that HTML escapes
    else
        core::append_html_escaped(out, value);
}

} // namespace

bool HtmlSlot::begins_url() const noexcept
{
    return is_first && before.find_first_not_of(" \t\n\f\r") == std::string_view::npos;
}

HtmlLayout read_html(std::string_view text)
{
    HtmlLayout layout;
    HtmlTokenizer tokenizer(HtmlTokenizer::View::browser);
    for (Pieces pieces(text);; pieces.next()) {
        std::string_view const before = text.substr(0, pieces.end());
        tokenizer.read(before, pieces.begin());
        std::optional<HtmlSlot> slot;
        if (!tokenizer.fault() && !pieces.is_last()) slot = tokenizer.place(before);
        layout.fault = tokenizer.fault();
        if (!slot) return layout;
        layout.slots.push_back(*slot);
    }
}

void append_value(std::string& out, HtmlSlot const& slot, std::string_view value)
{
    if (!slot.in_comment) return append_outside_comment(out, slot, value);
    std::string escaped;
    append_outside_comment(escaped, slot, value);
    append_without_dashes(out, escaped);
}

} // namespace notify
