#include "domain/template.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using notify::Channel, notify::Format, notify::Template, notify::Variables;

namespace {

Template template_of(std::string body, Channel channel = Channel::push, std::string subject = "")
{
    Template t;
    t.channel = channel;
    t.format = notify::default_format(channel);
    t.subject = std::move(subject);
    t.body = std::move(body);
    return t;
}

/// Each fault as `pointer code: detail`, one per line.
std::string described(std::vector<core::FieldError> const& faults)
{
    std::string text;
    for (auto const& fault : faults)
        text += (text.empty() ? "" : "\n") + fault.pointer + ' ' + fault.code + ": " + fault.detail;
    return text;
}

std::string faults_of_body(std::string body, Channel channel = Channel::push)
{
    return described(faults_of(template_of(std::move(body), channel, "A subject")));
}

std::string const malformed =
    "a placeholder has the form `{{name}}`; a name consists of A-Z, a-z, 0-9, _ and `.`";
std::string const unclosed = "this `{{` is never closed; add `}}` after the name";
std::string const stray = "this `}}` closes no placeholder; remove it, or open one with `{{`";

} // namespace

TEST_CASE("a placeholder is a name in double braces", "[templates][domain]")
{
    for (auto const* good :
        {"", "{{name}}", "a {{a.b_C.9}}{{_}} b", "{ {{x}} }", "{}{ } }", "{{x}}}", "{\n{x}"}) {
        CAPTURE(good);
        CHECK(faults_of_body(good) == "");
    }

    struct Case {
        char const* body;
        std::string place, fault;
    };

    for (auto const& [body, place, fault] : {
             Case{"{{", "has an error in line 1, column 1: ", unclosed},
             Case{"{{name", "has an error in line 1, column 1: ", unclosed},
             Case{"{{name} }", "has an error in line 1, column 1: ", unclosed},
             Case{"{{a}} and {{b", "has an error in line 1, column 11: ", unclosed},
             Case{"one\ntwo {{name} and {{other}}", "has an error in line 2, column 5: ", malformed},
             Case{"\n\n\xc3\xa9\xf0\x9f\x98\x80{{}}", "has an error in line 3, column 3: ", malformed},
             Case{"{{ name }}", "has an error in line 1, column 1: ", malformed},
             Case{"{{na-me}}", "has an error in line 1, column 1: ", malformed},
             Case{"{{\xc3\xa9}}", "has an error in line 1, column 1: ", malformed},
             Case{"x{{{name}}}", "has an error in line 1, column 2: ", malformed},
             Case{"x }}", "has an error in line 1, column 3: ", stray},
             Case{"{{a}}\n{{b}}}}", "has an error in line 2, column 6: ", stray},
             Case{R"({"a":{"b":1}})", "has an error in line 1, column 12: ", stray},
         }) {
        CAPTURE(body);
        CHECK(faults_of_body(body) == "/body format: " + place + fault);
    }
}

TEST_CASE("only style sheets in HTML may contain a double closing brace", "[templates][domain]")
{
    std::string const sheet = "<p>{{a}}</p><STYLE type=\"text/css\">@media print{p{color:red}}</Style>{{b}}";
    Template const page = template_of(sheet, Channel::email, "A subject");
    CHECK(described(faults_of(page)) == "");
    CHECK(placeholders_of(page) == std::vector<std::string>{"a", "b"});

    auto const line = [](std::string const& column) {
        return "/body format: has an error in line 1, column " + column + ": " + stray;
    };
    CHECK(faults_of_body("<style>a{b:{c:d}}</style>}}", Channel::email) == line("26"));
    CHECK(faults_of_body("}}<style>a{b:{c:d}}</style>", Channel::email) == line("1"));
    CHECK(faults_of_body("<style>a{}</style>{{x}} <style>a{b:{c:d}}", Channel::email) == "");
    CHECK(faults_of_body("<styles>a{b:{c:d}}</styles>", Channel::email) == line("17"));
    CHECK(faults_of_body("<style>a{b:{c:d}}</style>", Channel::push) == line("16"));
}

TEST_CASE("whether a template needs a subject and may be HTML depends on the channel", "[templates][domain]")
{
    CHECK(described(faults_of(template_of("x", Channel::email))) ==
          "/subject required: is required for an email template");
    CHECK(described(faults_of(template_of("x", Channel::push))) == "");
    for (auto const channel : {Channel::email, Channel::push, Channel::sms}) {
        CHECK(described(faults_of(template_of("x", channel, "a\nb"))) ==
              "/subject format: must be one line, without line breaks");
        CHECK(described(faults_of(template_of("{{", channel, "a {{b} }}"))) ==
              "/subject format: has an error in line 1, column 3: " + malformed +
                  "\n/body format: has an error in line 1, column 1: " + unclosed);
    }
    Template t = template_of("x");
    t.format = Format::html;
    CHECK(described(faults_of(t)) ==
          "/format not_allowed: must be `text`, because only email templates support HTML");
    // A text message has no subject, so it needs no values for a subject.
    CHECK(placeholders_of(template_of("{{b}}{{a}}{{b}}", Channel::sms, "{{c}}")) ==
          std::vector<std::string>{"a", "b"});
    CHECK(
        placeholders_of(template_of("{{b}}", Channel::push, "{{c}}")) == std::vector<std::string>{"b", "c"});
}

TEST_CASE("values are escaped only in HTML bodies of email", "[templates][domain]")
{
    Variables const values{{"x", R"(<a href="?b=1&c='2'">)"}, {"y", "{{x}}"}, {"not.needed", "z"}};
    Template t = template_of("<b>{{x}}</b>{{y}}{{x}}", Channel::email, "{{x}} & {{y}}");
    auto r = render(t, values);
    REQUIRE(described(r.faults) == "");
    std::string const escaped = "&lt;a href=&quot;?b=1&amp;c=&#39;2&#39;&quot;&gt;";
    CHECK(r.content.subject == values.at("x") + " & {{x}}");
    CHECK(r.content.body == "<b>" + escaped + "</b>{{x}}" + escaped);
    CHECK(r.content.html);

    t.format = Format::text;
    r = render(t, values);
    CHECK(r.content.body == "<b>" + values.at("x") + "</b>{{x}}" + values.at("x"));
    CHECK_FALSE(r.content.html);

    t.channel = Channel::sms;
    t.subject = "{{without.value}}";
    r = render(t, values);
    CHECK(described(r.faults) == "");
    CHECK(r.content.subject.empty());
}

TEST_CASE("every invalid variable is reported", "[templates][domain]")
{
    Template const t = template_of("{{a}}{{b}}{{c}}", Channel::email, "{{d}}{{c}}{{e}}");
    CHECK(described(render(t, {{"b", ""}, {"c", "1\r\n2"}, {"d", "\n"}, {"f", "\n"}}).faults) ==
          "/variables/a required: is required, because the template uses this variable\n"
          "/variables/c format: must not contain line breaks, because the subject uses this variable and is "
          "one line\n"
          "/variables/d format: must not contain line breaks, because the subject uses this variable and is "
          "one line\n"
          "/variables/e required: is required, because the template uses this variable");
    CHECK(described(render(t, {{"a", "1\n2"}, {"b", "\r"}, {"c", ""}, {"d", ""}, {"e", ""}}).faults) == "");
}

TEST_CASE("rendered texts are limited in size", "[templates][domain]")
{
    std::string const half(notify::max_rendered_body / 2, 'x');
    Template const page = template_of("{{a}}{{b}}", Channel::email, "s");
    CHECK(render(page, {{"a", half}, {"b", half}}).content.body.size() == notify::max_rendered_body);
    for (auto const* more : {"x", "&"}) {
        auto const r = render(page, {{"a", half + more}, {"b", half}});
        CHECK(described(r.faults) == "/variables too_long: must give a rendered body of at most 1048576 "
                                     "bytes; shorten the template or the values");
    }
    std::string ands = half; // within the limit until it is escaped
    std::ranges::fill(ands, '&');
    CHECK(render(page, {{"a", ands}, {"b", ""}}).faults.size() == 1);

    std::string sms;
    for (std::size_t i = 0; i < notify::max_rendered_sms; ++i)
        sms += "\xe2\x82\xac";
    Template const text_message = template_of("{{a}}", Channel::sms);
    CHECK(render(text_message, {{"a", sms}}).content.body == sms);
    CHECK(described(render(text_message, {{"a", sms + "x"}}).faults) ==
          "/variables too_long: must give a rendered body of at most 1600 characters; shorten the template "
          "or the values");

    std::string const subject(notify::max_rendered_subject, 'x');
    Template const push = template_of("b", Channel::push, "{{a}}");
    CHECK(render(push, {{"a", subject}}).content.subject == subject);
    CHECK(described(render(push, {{"a", subject + "x"}}).faults) ==
          "/variables too_long: must give a rendered subject of at most 1000 characters; shorten the "
          "template or the values");
}
