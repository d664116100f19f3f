#include "domain/template.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"
#include "domain/template_html.hpp"
#include "domain/template_pieces.hpp"
#include "domain/template_url.hpp"
#include "domain/url_scheme.hpp"

#include <algorithm>
#include <set>

namespace notify {

namespace {

constexpr std::string_view closing = Pieces::closing;

/// Finds the style sheets within an HTML text. Offsets must be queried in ascending order.
class StyleSheets {
public:
    explicit StyleSheets(std::string_view html) : html_(html) { read(0); }

    bool contain(std::size_t at)
    {
        while (at >= end_ && end_ < html_.size())
            read(end_);
        return at >= begin_ && at < end_;
    }

private:
    std::size_t find(std::string_view tag, std::size_t from) const
    {
        auto const found =
            std::ranges::search(html_.substr(from), tag, {}, [](char c) { return core::lower(c); });
        return from + static_cast<std::size_t>(found.begin() - html_.substr(from).begin());
    }

    void read(std::size_t from)
    {
        constexpr std::string_view tag = "<style";
        do {
            begin_ = find(tag, from);
            from = std::min(begin_ + tag.size(), html_.size());
        } while (from < html_.size() &&
                 std::string_view(" \t\r\n\f/>").find(html_[from]) == std::string_view::npos);
        end_ = find("</style", from);
    }

    std::string_view html_;
    std::size_t begin_ = 0, end_ = 0;
};

/// The detail of an error at offset `at` of `text`: `has an error in line 3, column 7: <what>`.
std::string place(std::string_view text, std::size_t at, std::string_view what)
{
    std::string_view const before = text.substr(0, at);
    auto const line = 1 + std::ranges::count(before, '\n');
    auto const column = 1 + core::count_code_points(before.substr(before.rfind('\n') + 1));
    return "has an error in line " + std::to_string(line) + ", column " + std::to_string(column) + ": " +
           std::string(what);
}

std::string describe_malformed(std::string_view text, std::size_t at)
{
    if (text.find(closing, at) == std::string_view::npos)
        return place(text, at, "this `{{` is never closed; add `}}` after the name");
    return place(
        text, at, "a placeholder has the form `{{name}}`; a name consists of A-Z, a-z, 0-9, _ and `.`");
}

/// The first error in the syntax of placeholders; nullopt if there is none.
std::optional<std::string> find_syntax_fault(std::string_view text, Format format)
{
    StyleSheets css(format == Format::html ? text : std::string_view());
    for (Pieces pieces(text);; pieces.next()) {
        std::string_view const literal = pieces.literal();
        for (auto at = literal.find(closing); at != std::string_view::npos;
            at = literal.find(closing, at + closing.size())) {
            if (!css.contain(pieces.begin() + at))
                return place(text, pieces.begin() + at,
                    "this `}}` closes no placeholder; remove it, or open one with `{{`");
        }
        if (pieces.is_last()) return std::nullopt;
        if (pieces.name().empty()) return describe_malformed(text, pieces.begin() + literal.size());
    }
}

/// The positions of the placeholders in the body. Only HTML has positions.
HtmlLayout layout_of(Template const& t)
{
    return t.format == Format::html ? read_html(t.body) : HtmlLayout();
}

core::FieldError fault_of_body(Template const& t, HtmlFault const& fault)
{
    return {"/body", "format", place(t.body, fault.at, fault.what)};
}

std::optional<core::FieldError> find_fault_of_body(Template const& t)
{
    if (auto fault = find_syntax_fault(t.body, t.format))
        return core::FieldError{"/body", "format", *std::move(fault)};
    auto const layout = layout_of(t);
    return layout.fault ? std::optional(fault_of_body(t, *layout.fault)) : std::nullopt;
}

bool has_line_break(std::string_view text) noexcept
{
    using namespace std::string_view_literals;
    return text.find_first_of("\r\n\0"sv) != std::string_view::npos;
}

/// The subject that is rendered. Text messages have no subject, so theirs is empty.
std::string_view subject_of(Template const& t) noexcept
{
    return t.channel == Channel::sms ? std::string_view() : t.subject;
}

void collect_names(std::string_view text, std::set<std::string_view>& names)
{
    for (Pieces pieces(text); !pieces.is_last(); pieces.next())
        names.insert(pieces.name());
}

core::FieldError fault_of(std::string_view name, std::string code, std::string detail)
{
    return {"/variables/" + std::string(name), std::move(code), std::move(detail)};
}

/// The errors in the variables: names without a value, line breaks in values of the subject, and URLs that
/// are not permitted.
std::vector<core::FieldError> faults_of(
    Template const& t, HtmlLayout const& layout, Variables const& variables)
{
    std::set<std::string_view> all, in_subject;
    collect_names(subject_of(t), in_subject);
    collect_names(t.body, all);
    all.insert(in_subject.begin(), in_subject.end());
    std::set<std::string_view> refused;
    if (t.format == Format::html) refused = refused_urls(t.body, layout.slots, variables);
    std::vector<core::FieldError> faults;
    for (std::string_view const name : all) {
        auto const it = variables.find(name);
        if (it == variables.end())
            faults.push_back(
                fault_of(name, "required", "is required, because the template uses this variable"));
        else if (in_subject.contains(name) && has_line_break(it->second))
            faults.push_back(fault_of(name, "format",
                "must not contain line breaks, because the subject uses this variable and is one line"));
        else if (refused.contains(name))
            faults.push_back(fault_of(name, "format",
                "does not give a permitted URL in the body; the URL must " + std::string(permitted_urls)));
    }
    return faults;
}

/// Replaces the placeholders of `text`. Stops and returns nullopt if the result would exceed `limit` bytes.
/// `slots` are the positions of the placeholders in HTML; null for text.
std::optional<std::string> fill(std::string_view text, Variables const& variables, std::size_t limit,
    std::vector<HtmlSlot> const* slots = nullptr)
{
    std::string out;
    std::size_t index = 0;
    for (Pieces pieces(text);; pieces.next()) {
        out += pieces.literal();
        if (pieces.is_last()) break;
        std::string_view const value = variables.find(pieces.name())->second;
        if (out.size() + value.size() > limit) return std::nullopt;
        if (slots != nullptr)
            append_value(out, slots->at(index++), value);
        else
            out += value;
    }
    return out.size() <= limit ? std::optional(std::move(out)) : std::nullopt;
}

constexpr std::size_t max_code_point = 4; ///< bytes

std::optional<std::string> fill_subject(Template const& t, Variables const& variables)
{
    auto subject = fill(subject_of(t), variables, max_rendered_subject * max_code_point);
    if (subject && core::count_code_points(*subject) > max_rendered_subject) return std::nullopt;
    return subject;
}

std::optional<std::string> fill_body(Template const& t, HtmlLayout const& layout, Variables const& variables)
{
    if (t.format == Format::html) return fill(t.body, variables, max_rendered_body, &layout.slots);
    if (t.channel != Channel::sms) return fill(t.body, variables, max_rendered_body);
    auto body = fill(t.body, variables, max_rendered_sms * max_code_point);
    if (body && core::count_code_points(*body) > max_rendered_sms) return std::nullopt;
    return body;
}

constexpr char const* shorten = "shorten the template or the values";

std::string limit_of(Channel channel)
{
    return channel == Channel::sms ? std::to_string(max_rendered_sms) + " characters; "
                                   : std::to_string(max_rendered_body) + " bytes; ";
}

} // namespace

std::vector<core::FieldError> faults_of(Template const& t)
{
    std::vector<core::FieldError> faults;
    if (t.format == Format::html && t.channel != Channel::email)
        faults.push_back(
            {"/format", "not_allowed", "must be `text`, because only email templates support HTML"});
    if (t.push && t.channel != Channel::push)
        faults.push_back({"/push", "not_allowed",
            "must be null or absent, because only templates of the push channel have push options"});
    if (t.subject.empty() && t.channel == Channel::email)
        faults.push_back({"/subject", "required", "is required for an email template"});
    else if (has_line_break(t.subject))
        faults.push_back({"/subject", "format", "must be one line, without line breaks"});
    else if (auto fault = find_syntax_fault(t.subject, Format::text))
        faults.push_back({"/subject", "format", *std::move(fault)});
    if (auto fault = find_fault_of_body(t)) faults.push_back(*std::move(fault));
    return faults;
}

std::vector<std::string> placeholders_of(Template const& t)
{
    std::set<std::string_view> names;
    collect_names(subject_of(t), names);
    collect_names(t.body, names);
    return {names.begin(), names.end()};
}

Rendering render(Template const& t, Variables const& variables)
{
    auto const layout = layout_of(t);
    if (layout.fault) return {.content = {}, .faults = {fault_of_body(t, *layout.fault)}};
    Rendering r{.content = {}, .faults = faults_of(t, layout, variables)};
    if (!r.faults.empty()) return r;
    auto subject = fill_subject(t, variables);
    auto body = fill_body(t, layout, variables);
    if (!subject)
        r.faults.push_back({"/variables", "too_long",
            "must give a rendered subject of at most " + std::to_string(max_rendered_subject) +
                " characters; " + shorten});
    else if (!body)
        r.faults.push_back({"/variables", "too_long",
            "must give a rendered body of at most " + limit_of(t.channel) + shorten});
    else
        r.content = {
            .subject = *std::move(subject), .body = *std::move(body), .html = t.format == Format::html};
    return r;
}

} // namespace notify
