#include "domain/template.hpp"

#include <catch2/catch.hpp>

using notify::Channel, notify::Format, notify::Template, notify::Variables;

namespace {

Template html_template(std::string body)
{
    Template t;
    t.channel = Channel::email;
    t.format = Format::html;
    t.subject = "A subject";
    t.body = std::move(body);
    return t;
}

/// The rendered body, or the errors as `pointer: detail`, one per line.
std::string rendered(std::string body, Variables const& variables)
{
    auto const r = render(html_template(std::move(body)), variables);
    std::string text;
    for (auto const& fault : r.faults)
        text += (text.empty() ? "" : "\n") + fault.pointer + ": " + fault.detail;
    return r.faults.empty() ? r.content.body : text;
}

/// The error of a template with this body: `column: what`; empty if the template is valid.
std::string fault_in(std::string body)
{
    auto const faults = faults_of(html_template(std::move(body)));
    if (faults.empty()) return "";
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].pointer == "/body");
    CHECK(faults[0].code == "format");
    std::string const place = "has an error in line 1, column ";
    REQUIRE(faults[0].detail.starts_with(place));
    return faults[0].detail.substr(place.size());
}

std::string const bad_url = "does not give a permitted URL in the body; the URL must begin with `http:`, "
                            "`https:`, `mailto:` or `tel:`, or be relative";

std::string in_attribute(std::string const& attribute, std::string const& element)
{
    return "a placeholder is not allowed in the attribute `" + attribute + "` of `" + element +
           "`, because its value cannot be escaped there";
}

std::string in_element(std::string const& element)
{
    return "a placeholder is not allowed in the element `" + element +
           "`, because its value cannot be escaped there";
}

std::string ambiguous(std::string const& after)
{
    return "a placeholder is not allowed after " + after +
           ", because mail programs read the text from there in different ways";
}

std::string const in_tag =
    "in a tag, a placeholder is allowed only in a quoted attribute value; to show `<`, write `&lt;`";
std::string const in_comment = "a placeholder is not allowed in a comment";
std::string const in_declaration = "a placeholder is not allowed in a declaration or comment";

std::string unquoted(std::string const& attribute)
{
    return "the value of the attribute `" + attribute + "` contains a placeholder; put the value in quotes";
}

} // namespace

TEST_CASE("a value cannot make a link run a script", "[templates][domain]")
{
    for (auto const* value : {"javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)",
             "\x01javascript:alert(1)", "java\nscript:alert(1)", "java\tscript:alert(1)",
             "javascript\n:alert(1)", "vbscript:x", "data:text/html,<script>alert(1)</script>",
             "file:///etc/passwd", "about:blank", "feed:javascript:alert(1)", "view-source:x",
             "blob:https://a/b", ":alert(1)", "x y:z", "\xc2\xa0javascript:alert(1)", "https :x", "httpss:x",
             "mailtoo:x", "ht\ntps:x", R"(\\server\share)", R"(\javascript:x)"}) {
        CAPTURE(value);
        CHECK(rendered(R"(<a href="{{url}}">)", {{"url", value}}) == "/variables/url: " + bad_url);
        CHECK(rendered("<img src=' {{url}} '>", {{"url", value}}) == "/variables/url: " + bad_url);
    }
}

TEST_CASE("a scheme cannot come from several parts of a URL", "[templates][domain]")
{
    std::string const refused_a = "/variables/a: " + bad_url;
    Variables const scheme{{"a", "javascript"}, {"b", "alert(1)"}};
    CHECK(rendered(R"(<a href="{{a}}:{{b}}">)", scheme) == refused_a);
    CHECK(rendered(R"(<a href="{{a}}:{{b}}">)", {{"a", "https"}, {"b", "//x"}}) ==
          R"(<a href="https:%2F%2Fx">)");
    CHECK(rendered(R"(<a href="{{a}}&colon;{{b}}">)", scheme) == refused_a);
    CHECK(rendered(R"(<a href="{{a}}&#58;{{b}}">)", scheme) == refused_a);
    CHECK(rendered(R"(<a href="{{a}}script:x">)", {{"a", "java"}}) == refused_a);
    CHECK(rendered(R"(<a href="{{a}}{{b}}">)", {{"a", "java"}, {"b", "script:alert(1)"}}) ==
          R"(<a href="javascript%3Aalert%281%29">)");
    CHECK(rendered(R"(<a href="{{a}}{{b}}:x">)", {{"a", "java"}, {"b", "script"}}) == refused_a);
    CHECK(rendered(R"(<a href="{{a}}{{b}}">)", {{"a", ""}, {"b", "javascript:alert(1)"}}) ==
          R"(<a href="javascript%3Aalert%281%29">)");
    CHECK(rendered(R"(<a href="java{{a}}">)", {{"a", "script:alert(1)"}}) ==
          R"(<a href="javascript%3Aalert%281%29">)");
    CHECK(rendered(R"(<a href='java{{a}}:alert(1)'>)", {{"a", "script"}}) == refused_a);
    CHECK(rendered("<a href=\"java\n{{a}}:alert(1)\">", {{"a", "script"}}) == refused_a);
    CHECK(rendered(R"(<a href="{{a}})", {{"a", "javascript:x"}}) == refused_a); // never closed

    std::string const must =
        "a URL with a placeholder must begin with `http:`, `https:`, `mailto:` or `tel:`, "
        "or be relative";
    CHECK(fault_in(R"(<a href="javascript:f('{{a}}'">)") == "24: " + must);
    CHECK(fault_in(R"(<a href="&#106;avascript:{{a}}">)") == "26: " + must);
    CHECK(fault_in(R"(<a href="java&Tab;script:{{a}}">)") == "26: " + must);
    CHECK(fault_in(R"(<a href="app://{{a}}">)") == "16: " + must);
    CHECK(fault_in(R"(<a href="https&colon;{{a}}">)") == "22: " + must);
    std::string const reference = "write `&amp;` instead of `&` before a placeholder in a URL";
    CHECK(fault_in(R"(<a href="/&#{{a}};x.example">)") == "13: " + reference);
    CHECK(fault_in(R"(<a href="/?a=1&{{a}}=2">)") == "16: " + reference);
    CHECK(fault_in(R"(<a href="/?a=1&amp;{{a}}=2&b={{a}}">)") == "");
}

TEST_CASE("a value that begins a URL stays, and a later one is percent-encoded", "[templates][domain]")
{
    std::string const value = "https://x.example/a?b=c&d=\"'<>#e";
    std::string const kept = "https://x.example/a?b=c&amp;d=&quot;&#39;&lt;&gt;#e";
    std::string const encoded = "https%3A%2F%2Fx.example%2Fa%3Fb%3Dc%26d%3D%22%27%3C%3E%23e";
    CHECK(rendered(R"(<a href="{{u}}">{{u}}</a>)", {{"u", value}}) ==
          "<a href=\"" + kept + "\">" + kept + "</a>");
    CHECK(rendered("<a HREF = ' {{u}}?x={{u}}'>", {{"u", value}}) ==
          "<a HREF = ' " + kept + "?x=" + encoded + "'>");
    CHECK(
        rendered(R"(<a href="https://{{u}}/">)", {{"u", value}}) == "<a href=\"https://" + encoded + "/\">");
    CHECK(rendered(R"(<a href="page{{u}}.html#{{u}}">)", {{"u", "1/2"}}) ==
          R"(<a href="page1%2F2.html#1%2F2">)");
    CHECK(rendered(R"(<a href="mailto:{{u}}?subject=a">)", {{"u", "a@b?bcc=c"}}) ==
          R"(<a href="mailto:a%40b%3Fbcc%3Dc?subject=a">)");
    for (auto const* good : {"", "http://x", "HTTPS://x/:y", "mailto:a@b.example", "tel:+43123", "/a:b",
             "?a:b", "#a:b", "a/b:c", "a", "//x.example", " https://x", "../a b"}) {
        CAPTURE(good);
        CHECK(rendered(R"(<a href="{{u}}">)", {{"u", good}}) == "<a href=\"" + std::string(good) + "\">");
    }
    CHECK(rendered(R"(<a href="{{u}}&amp;c={{u}}">)", {{"u", "/?a"}}) == R"(<a href="/?a&amp;c=%2F%3Fa">)");
}

TEST_CASE("every attribute with a URL is checked", "[templates][domain]")
{
    for (auto const* attribute : {"href", "src", "action", "formaction", "cite", "background", "poster",
             "data", "longdesc", "xlink:href", "manifest", "ping", "codebase", "classid", "usemap", "dynsrc",
             "lowsrc", "profile", "icon", "o:href", "xml:base", "SRC"}) {
        CAPTURE(attribute);
        std::string const body = "<x " + std::string(attribute) + "='{{u}}'>";
        CHECK(rendered(body, {{"u", "javascript:x"}}) == "/variables/u: " + bad_url);
    }
    CHECK(rendered("<p title='{{u}}' alt=\"{{u}}\" data-src='{{u}}'>", {{"u", "a: b"}}) ==
          "<p title='a: b' alt=\"a: b\" data-src='a: b'>");
}

TEST_CASE("all faults of URLs are reported together with the other variables", "[templates][domain]")
{
    CHECK(rendered(R"({{n}}<a href="{{b}}"></a><a href="{{a}}{{n}}"><img src="{{b}}">)",
              {{"a", "x:"}, {"b", "y:"}}) ==
          "/variables/a: " + bad_url + "\n/variables/b: " + bad_url +
              "\n/variables/n: is required, because the template uses this variable");
}

TEST_CASE("a value can leave neither its element nor its attribute", "[templates][domain]")
{
    Variables const x{{"x", R"(</title></textarea>"'><img src=y onerror=z>)"}};
    std::string const escaped = "&lt;/title&gt;&lt;/textarea&gt;&quot;&#39;&gt;&lt;img src=y onerror=z&gt;";
    for (std::string const body : {"{{x}}", "<p>{{x}}</p>", "<p title=\"{{x}}\">", "<p title = '{{x}}' >",
             "<title>{{x}}</title>", "<textarea rows=\"1\">{{x}}</textarea>", "<p\ntitle='a>{{x}}'/>",
             "a < b {{x}} <> </> {{x}}", "<meta name='a' content='{{x}}'>", "<svg><title>{{x}}</title></svg>",
             "<!DOCTYPE html><html lang='{{x}}'>", "<![if !mso]>{{x}}<![endif]>",
             "<?xml version='1.0'?>{{x}}", "<!-- > -- <p -->{{x}}", "<!-->{{x}}", "<!--->{{x}}",
             "<!----!>{{x}}", "<!-- --!>{{x}}", "<!--[if !mso]><!-->{{x}}<!--<![endif]-->",
             "<!--[if !mso]><!-- -->{{x}}<!-- <![endif]-->", "<style><!-- <b> --></style>{{x}}",
             "<STYLE>a</styles></Style >{{x}}", "<script>'<b>'</script>{{x}}",
             "<select><option value='{{x}}'>{{x}}</select>", "<noscript>{{x}}</noscript>"}) {
        CAPTURE(body);
        std::string expected = body;
        for (auto at = expected.find("{{x}}"); at != std::string::npos; at = expected.find("{{x}}"))
            expected.replace(at, 5, escaped);
        CHECK(fault_in(body) == "");
        CHECK(rendered(body, x) == expected);
    }
}

TEST_CASE("a placeholder is refused where no value is safe", "[templates][domain]")
{
    struct Case {
        char const* body;
        std::string fault;
    };

    for (auto const& [body, fault] : {
             Case{"<a href={{x}}>", "9: " + unquoted("href")},
             Case{"<a href= {{x}}>", "10: " + unquoted("href")},
             Case{"<a href=a{{x}}>", "10: " + unquoted("href")},
             Case{"<p class=`{{x}}`>", "11: " + unquoted("class")},
             Case{"<{{x}}>", "2: " + in_tag},
             Case{"</{{x}}>", "3: " + in_tag},
             Case{"<!{{x}}>", "3: " + in_tag},
             Case{"Ada <{{x}}>", "6: " + in_tag},
             Case{"<a{{x}}>", "3: " + in_tag},
             Case{"<a {{x}}>", "4: " + in_tag},
             Case{"<a {{x}}=\"\">", "4: " + in_tag},
             Case{"<a on{{x}}=\"\">", "6: " + in_tag},
             Case{"<a b {{x}}>", "6: " + in_tag},
             Case{"<a b=\"\"{{x}}>", "8: " + in_tag},
             Case{"<a/{{x}}>", "4: " + in_tag},
             Case{"<a =\"{{x}}\">", "6: " + in_tag}, // the name is `="`
             Case{"</a href=\"{{x}}\">", "11: a placeholder is not allowed in an end tag"},
             Case{"<script>{{x}}</script>", "9: " + in_element("script")},
             Case{"<SCRIPT type=\"a\">\"{{x}}\"", "19: " + in_element("script")},
             Case{"<style>p{color:{{x}}}</style>", "16: " + in_element("style")},
             Case{"<style><!-- {{x}} --></style>", "13: " + in_element("style")},
             Case{"<xmp>{{x}}</xmp>", "6: " + in_element("xmp")},
             Case{"<iframe>{{x}}</iframe>", "9: " + in_element("iframe")},
             Case{"<noembed>{{x}}", "10: " + in_element("noembed")},
             Case{"<noframes>{{x}}", "11: " + in_element("noframes")},
             Case{"<plaintext>{{x}}", "12: a placeholder is not allowed after `<plaintext>`"},
             Case{"<p style=\"color:{{x}}\">", "17: " + in_attribute("style", "p")},
             Case{"<p STYLE='{{x}}'>", "11: " + in_attribute("style", "p")},
             Case{"<p onClick=\"f('{{x}}')\">", "16: " + in_attribute("onclick", "p")},
             Case{"<img srcset=\"{{x}} 2x\">", "14: " + in_attribute("srcset", "img")},
             Case{"<iframe srcdoc=\"{{x}}\">", "17: " + in_attribute("srcdoc", "iframe")},
             Case{"<script src=\"https://a/{{x}}\">", "24: " + in_attribute("src", "script")},
             Case{"<svg:script href=\"{{x}}\">", "19: " + in_attribute("href", "svg:script")},
             Case{"<set to='{{x}}'>", "10: " + in_attribute("to", "set")},
             Case{"<animate values='{{x}}'>", "18: " + in_attribute("values", "animate")},
             Case{"<p @click='{{x}}'>", "12: " + in_attribute("@click", "p")},
             Case{"<p [href]='{{x}}'>", "12: " + in_attribute("[href]", "p")},
             Case{"<meta http-equiv=\"{{x}}\">", "19: " + in_attribute("http-equiv", "meta")},
             Case{"<meta charset=\"{{x}}\">", "16: " + in_attribute("charset", "meta")},
             Case{"<!-- {{x}} -->", "6: " + in_comment},
             Case{"<!--{{x}}", "5: " + in_comment},
             Case{"<!--[if {{x}}]>", "9: " + in_comment},
             Case{"<!-- [if mso]>{{x}}<![endif]-->", "15: " + in_comment},
             Case{"<!-{{x}}", "4: " + in_declaration},
             Case{"<!DOCTYPE {{x}}>", "11: " + in_declaration},
             Case{"<?php {{x}}", "7: " + in_declaration},
             Case{"</ {{x}}>", "4: " + in_declaration},
             Case{"<![if {{x}}]>", "7: " + in_declaration},
         }) {
        CAPTURE(body);
        CHECK(fault_in(body) == fault);
        // Templates that an older version has stored are not rendered.
        CHECK(rendered(body, {{"x", "y"}}) == "/body: has an error in line 1, column " + fault);
    }
}

TEST_CASE("another attribute of the tag can make a value an instruction", "[templates][domain]")
{
    auto const together = [](std::string const& element) {
        return "a placeholder is not allowed in an attribute of `" + element +
               "` together with `http-equiv` or `rel`";
    };
    CHECK(fault_in("<meta http-equiv='refresh' content='0;url={{x}}'>") == "43: " + together("meta"));
    CHECK(fault_in("<meta content='0;url={{x}}' HTTP-EQUIV=refresh>") == "22: " + together("meta"));
    CHECK(fault_in("<meta http-equiv=a content=b><meta content='{{x}}' name=c>") == "");
    CHECK(fault_in("<link rel=stylesheet href='{{x}}'>") == "28: " + together("link"));
    CHECK(fault_in("<link href='{{x}}' rel=stylesheet>") == "13: " + together("link"));
    CHECK(fault_in("<link itemprop=url href='{{x}}'><meta itemprop=name content='{{x}}'>") == "");
}

TEST_CASE("a placeholder is refused after markup that parsers read in different ways", "[templates][domain]")
{
    auto const after_bracket = [](std::string const& element) {
        return ambiguous("a `<` in the element `" + element + "`");
    };
    CHECK(fault_in("<svg><![CDATA[>]]></svg>{{x}}") == "25: " + ambiguous("`<![CDATA[`"));
    CHECK(fault_in("<svg><title><a href='{{x}}'>") == "22: " + after_bracket("title"));
    CHECK(fault_in("<select><title><a href='{{x}}'>") == "25: " + after_bracket("title"));
    CHECK(fault_in("<title></tit{{x}}le>") == "13: " + after_bracket("title"));
    CHECK(fault_in("<svg><style><a title='</style>{{x}}'>") == "31: " + after_bracket("style"));
    CHECK(fault_in("<math><xmp><!--</xmp>{{x}}") == "22: " + after_bracket("xmp"));
    CHECK(fault_in("<script><!--<script></script>{{x}}") == "30: " + after_bracket("script"));
    CHECK(fault_in("<svg><style>a{}</style><title>b</title></svg>{{x}}") == "");
    CHECK(fault_in("<title>a<b</title>") == ""); // without a placeholder
}

TEST_CASE("in a conditional comment of Outlook, values are escaped for HTML and cannot end the comment",
    "[templates][domain]")
{
    std::string const body =
        R"(<!--[if mso]><v:roundrect href="{{u}}" fillcolor='{{c}}'><center>{{t}}</center>)"
        R"(</v:roundrect><![endif]--><!--[if !mso]><!--><a href="{{u}}">{{t}}</a><!--<![endif]-->)";
    CHECK(
        rendered(body, {{"u", "https://x.example/a-b"}, {"c", "#fff'"}, {"t", "--><b>"}}) ==
        R"(<!--[if mso]><v:roundrect href="https://x.example/a&#45;b" fillcolor='#fff&#39;'><center>&#45;&#45;&gt;&lt;b&gt;</center>)"
        R"(</v:roundrect><![endif]--><!--[if !mso]><!--><a href="https://x.example/a-b">--&gt;&lt;b&gt;</a><!--<![endif]-->)");
    CHECK(rendered(body, {{"u", "javascript:x"}, {"c", ""}, {"t", ""}}) == "/variables/u: " + bad_url);
    CHECK(
        rendered("<!--[if mso]><a href='/{{u}}'>", {{"u", "a-b/"}}) == "<!--[if mso]><a href='/a&#45;b%2F'>");
    CHECK(rendered("<!--[IF gte mso 9]>INV-{{x}} {{x}}-> <![endif]-->{{x}}", {{"x", "1-"}}) ==
          "<!--[IF gte mso 9]>INV-1&#45; 1&#45;-> <![endif]-->1-");

    std::string const empty =
        "with an empty value, the comment could end here; move the placeholder away from `-`";
    CHECK(fault_in("<!--[if mso]>-{{x}}-><b>") == "15: " + empty);
    CHECK(fault_in("<!--[if mso]>--{{x}}><b>") == "16: " + empty);
    CHECK(fault_in("<!--[if mso]>--{{x}}{{y}}!><b>") == "21: " + empty);
    CHECK(fault_in("<!--[if mso]>--!{{x}}><b>") == "17: " + empty);

    CHECK(fault_in("<!--[if mso]><style>a{b:{{x}}}</style><![endif]-->") == "25: " + in_element("style"));
    CHECK(fault_in("<!--[if mso]><a href={{x}}><![endif]-->") == "22: " + unquoted("href"));
    CHECK(fault_in("<!--[if mso]><meta content='{{x}}' http-equiv=a><![endif]-->").starts_with("29: "));
    CHECK(
        fault_in("<!--[if mso]><style>@media{a{b:c}}</style><xml><o:x>1</o:x></xml><![endif]-->{{x}}") == "");
    std::string const half =
        ambiguous("a conditional comment that ends within a tag, a comment or an element such as `style`");
    CHECK(fault_in("<!--[if mso]><a title='--><p>{{x}}") == "30: " + half);
    CHECK(fault_in("<!--[if mso]><style><![endif]-->{{x}}") == "33: " + half);
    CHECK(fault_in("<!--[if mso]><![CDATA[<![endif]-->{{x}}") == "35: " + ambiguous("`<![CDATA[`"));
}

TEST_CASE("placeholders of subjects and text bodies have no context", "[templates][domain]")
{
    Template t = html_template("<a href={{x}}><script>{{x}}");
    t.format = Format::text;
    t.subject = "<a href={{x}}>";
    CHECK(faults_of(t).empty());
    auto const r = render(t, {{"x", "javascript:<>"}});
    REQUIRE(r.faults.empty());
    CHECK(r.content.body == "<a href=javascript:<>><script>javascript:<>");
    CHECK(r.content.subject == "<a href=javascript:<>>");
}
