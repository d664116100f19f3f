#include "domain/html_tokenizer.hpp"

#include "core/text.hpp"
#include "domain/html_names.hpp"
#include "domain/url_scheme.hpp"

#include <algorithm>
#include <utility>

namespace notify {

namespace {

constexpr std::string_view spaces = " \t\n\f\r";

constexpr bool is_letter(char c) noexcept
{
    return core::lower(c) >= 'a' && core::lower(c) <= 'z';
}

constexpr bool is_space(char c) noexcept
{
    return spaces.find(c) != std::string_view::npos;
}

bool begins_with(std::string_view text, std::string_view lower_case) noexcept
{
    return core::equal_ignoring_case(text.substr(0, lower_case.size()), lower_case);
}

/// Whether `</` at `at` begins the end tag of `element` ("appropriate end tag token").
bool closes(std::string_view text, std::size_t at, std::string_view element)
{
    auto const name = at + 2;
    if (!text.substr(at).starts_with("</") || !begins_with(text.substr(name), element)) return false;
    auto const end = name + element.size();
    return end < text.size() && (is_space(text[end]) || text[end] == '/' || text[end] == '>');
}

/// Whether the text ends with the beginning of a character reference, such as `&#` or `&am`.
bool ends_in_reference(std::string_view text)
{
    auto const last =
        text.find_last_not_of("#0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return last != std::string_view::npos && text[last] == '&';
}

std::string quoted(std::string_view name)
{
    return '`' + std::string(name) + '`';
}

} // namespace

CommentEnd::Result CommentEnd::read(char c) noexcept
{
    if (doubtful_ && (c == '-' || c == '>' || c == '!')) return Result::ambiguous;
    if (c == '>' && (opening_ || dashes_ == 2 || bang_)) return Result::ended;
    doubtful_ = false;
    if (c == '-') {
        dashes_ = bang_ ? 1 : std::min(dashes_ + 1, 2);
        bang_ = false;
        return Result::inside;
    }
    bang_ = c == '!' && dashes_ == 2;
    dashes_ = 0;
    opening_ = false;
    return Result::inside;
}

// --- reading

void HtmlTokenizer::read(std::string_view text, std::size_t from)
{
    literal_ = from;
    while (from < text.size() && !fault_)
        from = step(text, from);
}

std::size_t HtmlTokenizer::step(std::string_view text, std::size_t at)
{
    switch (state_) {
    case State::data:
    case State::markup:
        return read_data(text, at);
    case State::tag_name:
        return read_tag_name(text, at);
    case State::before_name:
        return before_name(text, at);
    case State::name:
        return read_name(text, at);
    case State::after_name:
        return after_name(text, at);
    case State::before_value:
        return before_value(text, at);
    case State::quoted:
        return until(text, at, {&quote_, 1}, State::before_name) + 1;
    case State::unquoted:
        return until(text, at, " \t\n\f\r>", State::before_name);
    case State::declaration:
        return until(text, at, ">", State::data) + 1;
    case State::comment:
        return read_comment(text, at);
    case State::raw:
        return read_raw(text, at);
    case State::plaintext:
        break;
    }
    return text.size();
}

/// Reads up to one of `marks`, and changes to the state `after`.
std::size_t HtmlTokenizer::until(std::string_view text, std::size_t at, std::string_view marks, State after)
{
    auto const end = text.find_first_of(marks, at);
    if (end == std::string_view::npos) return text.size();
    state_ = after;
    return end;
}

std::size_t HtmlTokenizer::read_data(std::string_view text, std::size_t at)
{
    state_ = State::data;
    auto const found = text.find('<', at);
    return found == std::string_view::npos ? text.size() : open_markup(text, found + 1);
}

/// "Tag open state" and "end tag open state". `at` is the offset after `<`.
std::size_t HtmlTokenizer::open_markup(std::string_view text, std::size_t at)
{
    std::string_view const rest = text.substr(at);
    if (rest.empty() || rest == "/" || rest == "!") {
        state_ = State::markup;
        return text.size();
    }
    if (is_letter(rest[0])) return open_tag(false, at);
    if (rest[0] == '!') return open_declaration(text, at + 1);
    if (rest[0] == '/' && is_letter(rest[1])) return open_tag(true, at + 1);
    if (rest.starts_with("/>")) return at + 2;
    if (rest[0] == '/' || rest[0] == '?') state_ = State::declaration;
    return at;
}

std::size_t HtmlTokenizer::open_tag(bool end_tag, std::size_t name)
{
    state_ = State::tag_name;
    token_ = name;
    end_tag_ = end_tag;
    spoiler_seen_ = false;
    spoilable_.reset();
    return name;
}

/// "Markup declaration open state". `at` is the offset after `<!`.
std::size_t HtmlTokenizer::open_declaration(std::string_view text, std::size_t at)
{
    std::string_view const rest = text.substr(at);
    if (rest.starts_with("--")) return open_comment(text, at + 2);
    // In SVG and MathML it ends at `]]>`, elsewhere at `>`.
    if (rest.starts_with("[CDATA[")) give_up("after `<![CDATA[`");
    state_ = State::declaration;
    return at;
}

std::size_t HtmlTokenizer::open_comment(std::string_view text, std::size_t at)
{
    state_ = State::comment;
    comment_end_ = CommentEnd();
    outlook_.reset();
    if (view_ == View::outlook || !begins_with(text.substr(at), "[if")) return at;
    auto const end = text.find('>', at);
    if (end == std::string_view::npos || text[end - 1] != ']') return at;
    outlook_ = std::make_unique<HtmlTokenizer>(View::outlook);
    comment_end_.read(']'); // only the end of the condition matters for the end of the comment
    return end + 1;
}

std::size_t HtmlTokenizer::read_tag_name(std::string_view text, std::size_t at)
{
    auto const end = until(text, at, " \t\n\f\r/>", State::before_name);
    element_ = core::lower(text.substr(token_, end - token_));
    return end;
}

std::size_t HtmlTokenizer::before_name(std::string_view text, std::size_t at)
{
    char const c = text[at];
    if (c == '>')
        finish_tag();
    else if (c != '/' && !is_space(c)) {
        state_ = State::name;
        token_ = at; // a `=` here is the first character of the name
    }
    return at + 1;
}

std::size_t HtmlTokenizer::read_name(std::string_view text, std::size_t at)
{
    auto const end = until(text, at, " \t\n\f\r/>=", State::after_name);
    if (state_ == State::after_name) finish_name(text.substr(token_, end - token_));
    return end;
}

std::size_t HtmlTokenizer::after_name(std::string_view text, std::size_t at)
{
    char const c = text[at];
    if (is_space(c)) return at + 1;
    state_ = c == '=' ? State::before_value : State::before_name;
    return c == '=' ? at + 1 : at;
}

std::size_t HtmlTokenizer::before_value(std::string_view text, std::size_t at)
{
    char const c = text[at];
    if (is_space(c)) return at + 1;
    value_has_placeholder_ = false;
    quote_ = c;
    token_ = at + 1;
    if (c == '"' || c == '\'') {
        state_ = State::quoted;
        return at + 1;
    }
    state_ = c == '>' ? State::before_name : State::unquoted;
    return at;
}

std::size_t HtmlTokenizer::read_comment(std::string_view text, std::size_t at)
{
    auto end = at;
    auto result = CommentEnd::Result::inside;
    while (end < text.size() && result == CommentEnd::Result::inside)
        result = comment_end_.read(text[end++]);
    if (result == CommentEnd::Result::ambiguous) {
        refuse(last_in_comment_, "with an empty value, the comment could end here; move the placeholder away "
                                 "from `-`");
        return end;
    }
    if (outlook_) outlook_->read(text.substr(0, end), at);
    if (outlook_ && outlook_->fault_) fault_ = outlook_->fault_;
    if (result == CommentEnd::Result::ended) finish_comment();
    return end;
}

std::size_t HtmlTokenizer::read_raw(std::string_view text, std::size_t at)
{
    auto const found = text.find('<', at);
    if (found == std::string_view::npos) return text.size();
    if (closes(text, found, element_)) {
        open_tag(true, found + 2);
        return found + 2;
    }
    // Where these elements are not raw, for example in SVG, `<` begins a tag. In a script, `<!--` can hide
    // the end tag ("script data double escaped state").
    bool const hides_end = element_ == "script" && text.substr(found).starts_with("<!--");
    if (unsure_of_raw_ || html_names::has_references(element_) || hides_end)
        give_up("after a `<` in the element " + quoted(element_));
    return found + 1;
}

void HtmlTokenizer::finish_name(std::string_view name)
{
    attribute_ = core::lower(name);
    if (!html_names::is_spoiler(element_, attribute_)) return;
    spoiler_seen_ = true;
    if (spoilable_) refuse_spoiled(*spoilable_);
}

void HtmlTokenizer::finish_tag()
{
    state_ = State::data;
    if (end_tag_) return;
    unsure_of_raw_ = unsure_of_raw_ || html_names::changes_raw(element_);
    if (element_ == "plaintext")
        state_ = State::plaintext;
    else if (html_names::is_raw(element_))
        state_ = State::raw;
}

void HtmlTokenizer::finish_comment()
{
    state_ = State::data;
    if (!outlook_) return;
    if (outlook_->state_ != State::data)
        give_up(
            "after a conditional comment that ends within a tag, a comment or an element such as `style`");
    if (!outlook_->ambiguity_.empty()) give_up(outlook_->ambiguity_);
    outlook_.reset();
}

void HtmlTokenizer::give_up(std::string reason)
{
    if (ambiguity_.empty()) ambiguity_ = std::move(reason);
}

// --- placeholders

std::optional<HtmlSlot> HtmlTokenizer::refuse(std::size_t at, std::string what)
{
    fault_ = HtmlFault{at, std::move(what)};
    return std::nullopt;
}

std::optional<HtmlSlot> HtmlTokenizer::place(std::string_view text)
{
    auto const at = text.size();
    if (!ambiguity_.empty())
        return refuse(at, "a placeholder is not allowed " + ambiguity_ +
                              ", because mail programs read the text "
                              "from there in different ways");
    switch (state_) {
    case State::data:
        return HtmlSlot();
    case State::raw:
        if (html_names::has_references(element_)) return HtmlSlot();
        return refuse(at, "a placeholder is not allowed in the element " + quoted(element_) +
                              ", because its value cannot be escaped there");
    case State::plaintext:
        return refuse(at, "a placeholder is not allowed after `<plaintext>`");
    case State::quoted:
        return place_in_attribute(text);
    case State::before_value:
    case State::unquoted:
        return refuse(at, "the value of the attribute " + quoted(attribute_) +
                              " contains a placeholder; put the value in quotes");
    case State::comment:
        return place_in_comment(text);
    case State::declaration:
        return refuse(at, "a placeholder is not allowed in a declaration or comment");
    default:
        return refuse(at, "in a tag, a placeholder is allowed only in a quoted attribute value; to show `<`, "
                          "write `&lt;`");
    }
}

std::optional<HtmlSlot> HtmlTokenizer::place_in_comment(std::string_view text)
{
    if (!outlook_) return refuse(text.size(), "a placeholder is not allowed in a comment");
    auto slot = outlook_->place(text);
    if (slot)
        slot->in_comment = true;
    else
        fault_ = outlook_->fault_;
    comment_end_.placeholder_seen();
    last_in_comment_ = text.size();
    return slot;
}

std::optional<HtmlSlot> HtmlTokenizer::place_in_attribute(std::string_view text)
{
    auto const at = text.size();
    if (end_tag_) return refuse(at, "a placeholder is not allowed in an end tag");
    if (!html_names::is_safe_attribute(element_, attribute_))
        return refuse(at, "a placeholder is not allowed in the attribute " + quoted(attribute_) + " of " +
                              quoted(element_) + ", because its value cannot be escaped there");
    if (html_names::is_spoilable(element_, attribute_)) {
        spoilable_ = at;
        if (refuse_spoiled(at)) return std::nullopt;
    }
    bool const is_first = !std::exchange(value_has_placeholder_, true);
    if (!html_names::is_url(attribute_)) return HtmlSlot();
    HtmlSlot const slot{
        .quote = quote_, .is_first = is_first, .before = is_first ? text.substr(token_) : std::string_view()};
    UrlScheme scheme;
    scheme.read_literal(slot.before);
    if (scheme.is_refused())
        return refuse(at, "a URL with a placeholder must " + std::string(permitted_urls));
    if (ends_in_reference(text.substr(std::max(token_, literal_))))
        return refuse(at, "write `&amp;` instead of `&` before a placeholder in a URL");
    return slot;
}

/// Whether another attribute of the tag makes the placeholder at `at` unsafe. Then sets `fault_`.
bool HtmlTokenizer::refuse_spoiled(std::size_t at)
{
    if (!spoiler_seen_) return false;
    refuse(at, "a placeholder is not allowed in an attribute of " + quoted(element_) +
                   " together with `http-equiv` or `rel`");
    return true;
}

} // namespace notify
