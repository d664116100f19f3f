#include "mail/plain_text.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace mail {

namespace {

using Entity = std::pair<std::string_view, char32_t>;

/// The common named character references, sorted by name. Other names are not decoded.
constexpr std::array<Entity, 39> entities{{{"amp", '&'}, {"apos", '\''}, {"bull", 0x2022}, {"cent", 0xA2},
    {"copy", 0xA9}, {"deg", 0xB0}, {"emsp", ' '}, {"ensp", ' '}, {"euro", 0x20AC}, {"frac12", 0xBD},
    {"frac14", 0xBC}, {"gt", '>'}, {"hellip", 0x2026}, {"laquo", 0xAB}, {"larr", 0x2190}, {"ldquo", 0x201C},
    {"lsquo", 0x2018}, {"lt", '<'}, {"mdash", 0x2014}, {"middot", 0xB7}, {"nbsp", 0xA0}, {"ndash", 0x2013},
    {"para", 0xB6}, {"plusmn", 0xB1}, {"pound", 0xA3}, {"quot", '"'}, {"raquo", 0xBB}, {"rarr", 0x2192},
    {"rdquo", 0x201D}, {"reg", 0xAE}, {"rsquo", 0x2019}, {"sect", 0xA7}, {"shy", 0xAD}, {"thinsp", ' '},
    {"times", 0xD7}, {"trade", 0x2122}, {"yen", 0xA5}, {"zwj", 0x200D}, {"zwnj", 0x200C}}};
static_assert(std::ranges::is_sorted(entities, {}, &Entity::first));

constexpr std::size_t max_reference = 10; // `&#1114111;` without the ampersand

constexpr std::array<std::string_view, 18> own_line{"address", "article", "aside", "dd", "div", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "header", "li", "main", "nav", "section", "tbody",
    "tr"};
constexpr std::array<std::string_view, 14> own_paragraph{
    "blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "p", "pre", "table", "ul"};
constexpr std::array<std::string_view, 5> unseen{"script", "style", "template", "textarea", "title"};
constexpr std::array<std::string_view, 8> of_head{
    "base", "link", "meta", "noscript", "script", "style", "template", "title"};
static_assert(std::ranges::is_sorted(own_line) && std::ranges::is_sorted(own_paragraph) &&
              std::ranges::is_sorted(unseen) && std::ranges::is_sorted(of_head));

bool is_one_of(std::string_view name, auto const& names)
{
    return std::ranges::binary_search(names, name);
}

bool is_blank(char c) noexcept
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

bool is_letter(char c) noexcept
{
    return core::lower(c) >= 'a' && core::lower(c) <= 'z';
}

void append_utf8(std::string& out, char32_t c)
{
    auto const put = [&](char32_t bits) { out += static_cast<char>(static_cast<unsigned char>(bits)); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6);
        put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3F));
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    }
}

/// The character for a reference such as `#8364`, `#x20AC` or `euro`; nullopt if the reference is not known.
std::optional<char32_t> character_of(std::string_view reference)
{
    if (!reference.starts_with('#')) {
        auto const* const found = std::ranges::lower_bound(entities, reference, {}, &Entity::first);
        if (found == entities.end() || found->first != reference) return std::nullopt;
        return found->second;
    }
    reference.remove_prefix(1);
    bool const hex = reference.starts_with('x') || reference.starts_with('X');
    if (hex) reference.remove_prefix(1);
    std::uint32_t number = 0;
    auto const* const end = reference.data() + reference.size();
    auto const [last, failed] = std::from_chars(reference.data(), end, number, hex ? 16 : 10);
    bool const surrogate = number >= 0xD800 && number < 0xE000;
    bool const shown = number >= ' ' || number == '\t' || number == '\n';
    if (failed != std::errc() || last != end || !shown || surrogate || number > 0x10FFFF) return std::nullopt;
    return number;
}

/// `text` with its character references decoded.
std::string decoded(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        auto const plain = std::min(text.find('&'), text.size());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        auto const semicolon = text.substr(0, max_reference).find(';');
        auto const c =
            semicolon == std::string_view::npos ? std::nullopt : character_of(text.substr(1, semicolon - 1));
        if (c)
            append_utf8(out, *c);
        else
            out += '&';
        text.remove_prefix(c ? semicolon + 1 : 1);
    }
    return out;
}

/// A tag, such as `<a href="...">`, `</p>` or `<br/>`.
struct Tag {
    std::string name; ///< lower case
    bool closing = false;
    std::string href, alt;
};

/// Builds text word by word and line by line. White space is collected and written before the next word.
class Page {
public:
    void say(std::string_view text)
    {
        for (char const c : text) {
            if (is_blank(c))
                space_ = true;
            else
                put(c);
        }
    }

    /// Appends text with its white space unchanged.
    void say_verbatim(std::string_view text)
    {
        for (char const c : text) {
            if (c == '\n')
                ++breaks_;
            else if (c != '\r')
                put(c);
        }
    }

    void space() noexcept { space_ = true; }

    /// Starts the next text on a new line after `lines - 1` empty lines; directly after a bullet, the text
    /// stays on the bullet's line.
    void begin_line(unsigned lines) noexcept
    {
        if (!behind_bullet_) breaks_ = std::max(breaks_, lines);
    }

    void bullet()
    {
        say("- ");
        behind_bullet_ = true;
    }

    void break_line() noexcept { ++breaks_; }

    std::size_t size() const noexcept { return text_.size(); }

    std::string_view since(std::size_t place) const noexcept { return std::string_view(text_).substr(place); }

    std::string text() &&
    {
        if (!text_.empty()) text_ += '\n';
        return std::move(text_);
    }

private:
    void put(char c)
    {
        if (breaks_ > 0 && !text_.empty())
            text_.append(std::min(breaks_, max_breaks), '\n');
        else if (space_ && !text_.empty() && breaks_ == 0)
            text_ += ' ';
        space_ = behind_bullet_ = false;
        breaks_ = 0;
        text_ += c;
    }

    static constexpr unsigned max_breaks = 3;

    std::string text_;
    bool space_ = false;
    bool behind_bullet_ = false;
    unsigned breaks_ = 0;
};

class Reader {
public:
    explicit Reader(std::string_view html) : rest_(html) {}

    std::string read() &&
    {
        while (!rest_.empty()) {
            auto const text = take_to("<");
            if (!in_head_) say(decoded(text));
            if (!rest_.empty()) read_markup();
        }
        return std::move(page_).text();
    }

private:
    void say(std::string_view text)
    {
        if (preformatted_)
            page_.say_verbatim(text);
        else
            page_.say(text);
    }

    /// Consumes and returns the text before `mark`, or the whole rest if `mark` does not occur.
    std::string_view take_to(std::string_view mark)
    {
        auto const end = std::min(rest_.find(mark), rest_.size());
        auto const taken = rest_.substr(0, end);
        rest_.remove_prefix(end);
        return taken;
    }

    void drop_past(std::string_view mark)
    {
        take_to(mark);
        rest_.remove_prefix(std::min(mark.size(), rest_.size()));
    }

    void read_markup()
    {
        if (rest_.starts_with("<!--")) return drop_past("-->");
        char const next = rest_.size() > 1 ? rest_[1] : ' ';
        if (next == '!' || next == '?') return drop_past(">");
        bool const closing = next == '/' && rest_.size() > 2 && is_letter(rest_[2]);
        if (!closing && !is_letter(next)) { // plain text, not markup
            if (!in_head_) page_.say("<");
            return rest_.remove_prefix(1);
        }
        rest_.remove_prefix(closing ? 2 : 1);
        handle(read_tag(closing));
    }

    Tag read_tag(bool closing)
    {
        Tag tag{.closing = closing};
        auto const end =
            std::ranges::find_if(rest_, [](char c) { return is_blank(c) || c == '>' || c == '/'; });
        auto const size = static_cast<std::size_t>(end - rest_.begin());
        tag.name = core::lower(rest_.substr(0, size));
        rest_.remove_prefix(size);
        while (read_attribute(tag)) {
        }
        return tag;
    }

    /// Returns false at the end of the tag.
    bool read_attribute(Tag& tag)
    {
        while (!rest_.empty() && (is_blank(rest_[0]) || rest_[0] == '/'))
            rest_.remove_prefix(1);
        if (rest_.empty()) return false;
        if (rest_[0] == '>') {
            rest_.remove_prefix(1);
            return false;
        }
        auto const ends_name = [](char c) { return is_blank(c) || c == '=' || c == '>' || c == '/'; };
        auto const end = std::ranges::find_if(rest_.substr(1), ends_name); // a name may begin with `=`
        auto const size = static_cast<std::size_t>(end - rest_.begin());
        std::string const name = core::lower(rest_.substr(0, size));
        rest_.remove_prefix(size);
        auto const value = read_value();
        if (name == "href") tag.href = core::trim(decoded(value));
        if (name == "alt") tag.alt = decoded(value);
        return true;
    }

    std::string_view read_value()
    {
        auto const skip_blank = [this] {
            while (!rest_.empty() && is_blank(rest_[0]))
                rest_.remove_prefix(1);
        };
        skip_blank();
        if (!rest_.starts_with('=')) return {};
        rest_.remove_prefix(1);
        skip_blank();
        if (rest_.starts_with('"') || rest_.starts_with('\'')) {
            std::string_view const quote = rest_.substr(0, 1);
            rest_.remove_prefix(1);
            auto const value = take_to(quote);
            rest_.remove_prefix(std::min<std::size_t>(1, rest_.size()));
            return value;
        }
        auto const end = std::ranges::find_if(rest_, [](char c) { return is_blank(c) || c == '>'; });
        auto const value = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
        rest_.remove_prefix(value.size());
        return value;
    }

    void handle(Tag const& tag)
    {
        if (tag.name == "head")
            in_head_ = !tag.closing;
        else if (!is_one_of(tag.name, of_head)) // as in browsers, any other element ends the head
            in_head_ = false;
        if (!tag.closing && is_one_of(tag.name, unseen)) return skip_content(tag.name);
        if (in_head_) return;
        if (is_one_of(tag.name, own_paragraph)) page_.begin_line(2);
        if (is_one_of(tag.name, own_line)) page_.begin_line(1);
        if (tag.name == "pre") preformatted_ = !tag.closing;
        if (tag.name == "a") return tag.closing ? end_link() : begin_link(tag);
        if (tag.closing) return;
        if (tag.name == "br") page_.break_line();
        if (tag.name == "td" || tag.name == "th") page_.space();
        if (tag.name == "li") page_.bullet();
        if (tag.name == "hr") page_.say("----------");
        if (tag.name == "hr") page_.begin_line(2);
        if (tag.name == "img") page_.say(tag.alt);
    }

    /// Skips the text up to and including the closing tag, or the whole rest if there is no closing tag.
    void skip_content(std::string_view name)
    {
        while (!rest_.empty()) {
            drop_past("</");
            if (!core::equal_ignoring_case(rest_.substr(0, name.size()), name)) continue;
            return drop_past(">");
        }
    }

    void begin_link(Tag const& tag)
    {
        link_ = tag.href;
        link_begin_ = page_.size();
    }

    void end_link()
    {
        std::string const link = std::exchange(link_, {});
        bool const leads_out =
            link.starts_with("http://") || link.starts_with("https://") || link.starts_with("mailto:");
        auto const text = core::trim(page_.since(std::min(link_begin_, page_.size())));
        if (!leads_out || link == text || link == "mailto:" + std::string(text)) return;
        bool const has_text = !text.empty();
        page_.space();
        page_.say(has_text ? "(" + link + ")" : link);
    }

    std::string_view rest_;
    Page page_;
    bool in_head_ = false;
    bool preformatted_ = false;
    std::string link_;           ///< target of the open link
    std::size_t link_begin_ = 0; ///< where the link's text begins
};

} // namespace

std::string plain_text(std::string_view html)
{
    return Reader(html).read();
}

} // namespace mail
