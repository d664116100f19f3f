#include "domain/text_template.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <stdexcept>

namespace auth_mfa {

namespace {

constexpr std::string_view opening = "{{", closing = "}}";

std::invalid_argument fault(std::string_view problem, std::string_view placeholder)
{
    return std::invalid_argument(
        std::string(problem).append(" {{").append(placeholder.substr(0, 40)).append("}}"));
}

} // namespace

TextTemplate::TextTemplate(std::string_view text, std::span<std::string_view const> names)
{
    std::vector<std::size_t> sections; // indexes of the open sections
    for (auto at = text.find(opening); at != std::string_view::npos; at = text.find(opening)) {
        if (at > 0) pieces_.push_back({Kind::text, std::string(text.substr(0, at))});
        text.remove_prefix(at + opening.size());
        auto const end = text.find(closing);
        auto const written = text.substr(0, end);
        if (end == std::string_view::npos) throw fault("no end of placeholder", written);
        text.remove_prefix(end + closing.size());

        auto kind = Kind::value;
        if (written.starts_with('#')) kind = Kind::section;
        if (written.starts_with('/')) kind = Kind::section_end;
        auto const name = kind == Kind::value ? written : written.substr(1);
        if (std::ranges::find(names, name) == names.end()) throw fault("unknown placeholder", written);
        if (kind == Kind::section) sections.push_back(pieces_.size());
        if (kind == Kind::section_end) {
            if (sections.empty() || pieces_[sections.back()].text != name)
                throw fault("no section begins before", written);
            pieces_[sections.back()].end = pieces_.size();
            sections.pop_back();
        }
        pieces_.push_back({kind, std::string(name)});
    }
    if (!sections.empty()) throw fault("no end of section", pieces_[sections.back()].text);
    if (!text.empty()) pieces_.push_back({Kind::text, std::string(text)});
}

template <class Append>
std::string TextTemplate::render(TemplateValues const& values, Append const& append) const
{
    std::string out;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        auto const& piece = pieces_[i];
        switch (piece.kind) {
        case Kind::text:
            out += piece.text;
            break;
        case Kind::value:
            append(out, values.at(piece.text));
            break;
        case Kind::section:
            if (values.at(piece.text).empty()) i = piece.end;
            break;
        case Kind::section_end:
            break;
        }
    }
    return out;
}

std::string TextTemplate::render(TemplateValues const& values) const
{
    return render(values, [](std::string& out, std::string_view value) { out += value; });
}

std::string TextTemplate::render_html(TemplateValues const& values) const
{
    return render(values, core::append_html_escaped);
}

} // namespace auth_mfa
