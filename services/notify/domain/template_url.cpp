#include "domain/template_url.hpp"

#include "core/text.hpp"
#include "domain/template_pieces.hpp"
#include "domain/url_scheme.hpp"

namespace notify {

namespace {

std::string_view value_of(Variables const& variables, std::string_view name)
{
    auto const it = variables.find(name);
    return it == variables.end() ? std::string_view() : std::string_view(it->second);
}

/// Reads the URL attributes of an HTML text with their values.
class UrlReader {
public:
    void read_literal(std::string_view text)
    {
        if (quote_ == '\0') return;
        auto const end = text.find(quote_);
        scheme_.read_literal(text.substr(0, end));
        if (end != std::string_view::npos) finish();
    }

    void read_placeholder(HtmlSlot const& slot, std::string_view name, std::string_view value)
    {
        if (slot.quote == '\0') return;
        if (slot.is_first) {
            scheme_ = UrlScheme();
            scheme_.read_literal(slot.before);
            quote_ = slot.quote;
            first_ = name;
        }
        if (!scheme_.is_open()) return;
        if (slot.begins_url())
            scheme_.read_value(value);
        else
            scheme_.read_value(core::percent_encode(value));
    }

    std::set<std::string_view> names() &&
    {
        if (quote_ != '\0') finish(); // the text ends within the attribute
        return std::move(names_);
    }

private:
    void finish()
    {
        if (scheme_.is_refused()) names_.insert(first_);
        quote_ = '\0';
    }

    UrlScheme scheme_;
    char quote_ = '\0'; ///< of the attribute that is read
    std::string_view first_;
    std::set<std::string_view> names_;
};

} // namespace

std::set<std::string_view> refused_urls(
    std::string_view html, std::span<HtmlSlot const> slots, Variables const& variables)
{
    UrlReader reader;
    auto slot = slots.begin();
    for (Pieces pieces(html);; pieces.next()) {
        reader.read_literal(pieces.literal());
        if (pieces.is_last()) return std::move(reader).names();
        reader.read_placeholder(*slot++, pieces.name(), value_of(variables, pieces.name()));
    }
}

} // namespace notify
