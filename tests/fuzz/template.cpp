// The input is a template: a character that selects channel and format, the subject on the rest of that line,
// variables as `name=value` lines up to an empty line, then the body.
#include "domain/template.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"
#include "domain/push_payload.hpp"
#include "fuzz.hpp"
#include "mail/plain_text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <string>

using fuzz::is_text, fuzz::require;
using notify::Channel, notify::Format, notify::Template, notify::Variables;

namespace {

Variables read_variables(fuzz::Input& input)
{
    Variables variables;
    for (auto line = input.line(); !line.empty(); line = input.line()) {
        auto const equals = std::min(line.find('='), line.size());
        auto const value = line.substr(std::min(equals + 1, line.size()));
        if (is_text(value)) variables.emplace(line.substr(0, equals), value);
    }
    return variables;
}

void check_plain(std::string const& html)
{
    auto const text = mail::plain_text(html);
    require(is_text(text) && (text.empty() || text.ends_with('\n')));
    require(!text.starts_with('\n') && text.find('\r') == std::string::npos);
}

/// The bodies for both carriers are valid JSON for every input.
void check_push(notify::Content const& content)
{
    auto const push = notify::render_push({.title = content.subject, .body = content.body, .data = {}});
    std::string space;
    auto const fcm = boost::json::parse(
        push.fcm_head + std::string(notify::json_escaped(content.subject, space)) + push.fcm_tail);
    require(fcm.at("message").at("token").as_string() == content.subject);
    require(boost::json::parse(push.apns_body).as_object().contains("aps"));
    require(!push.apns_fits || push.apns_body.size() <= notify::max_push_bytes);
}

void check_content(Template const& t, notify::Content const& content)
{
    require(is_text(content.subject) && is_text(content.body) && content.html == (t.format == Format::html));
    require(content.subject.find_first_of("\r\n") == std::string::npos);
    require(core::count_code_points(content.subject) <= notify::max_rendered_subject);
    require(content.body.size() <= notify::max_rendered_body);
    if (t.channel == Channel::sms)
        require(core::count_code_points(content.body) <= notify::max_rendered_sms && content.subject.empty());
    if (content.html) check_plain(content.body);
    if (t.channel == Channel::push) check_push(content);
}

/// No value opens a tag, ends an attribute or becomes a placeholder.
void check_values_inert(Template const& t)
{
    Variables nasty, marked;
    for (auto const& name : placeholders_of(t)) {
        nasty[name] = "<b>\"'&{{" + name + "}}";
        marked[name] = "*";
    }
    auto const html = render(t, nasty), plain = render(t, marked);
    if (!html.faults.empty() || !plain.faults.empty()) return;
    bool const escaped = t.format == Format::html;
    for (char const c : {'<', '"', '\''}) {
        auto const count = [&](std::string const& text) { return std::ranges::count(text, c); };
        if (escaped) require(count(html.content.body) == count(plain.content.body));
    }
}

void check_rendered(Template const& t, Variables const& variables)
{
    auto const names = placeholders_of(t);
    require(std::ranges::is_sorted(names) && std::ranges::adjacent_find(names) == names.end());
    auto const rendering = render(t, variables);
    bool const complete =
        std::ranges::all_of(names, [&](auto const& name) { return variables.contains(name); });
    require(complete || !rendering.faults.empty());
    if (rendering.faults.empty()) check_content(t, rendering.content);
    if (names.empty() && t.channel != Channel::sms && rendering.faults.empty())
        require(rendering.content.body == t.body && rendering.content.subject == t.subject);
    check_values_inert(t);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    fuzz::Input input(data, size);
    Template t;
    auto const kind = input.choice(6);
    t.channel = static_cast<Channel>(kind / 2);
    t.format = static_cast<Format>(kind % 2);
    t.subject = input.line();
    auto const variables = read_variables(input);
    t.body = input.rest();
    if (!is_text(t.subject) || !is_text(t.body)) return 0;
    check_plain(t.body);
    auto const faults = faults_of(t);
    for (auto const& fault : faults)
        require(fault.pointer == "/subject" || fault.pointer == "/body" || fault.pointer == "/format");
    if (faults.empty()) check_rendered(t, variables);
    return 0;
}
