#include "sends.hpp"

#include <catch2/catch.hpp>

// The rules for each position in a body are tested in test_template_html.cpp.

namespace {

std::string detail_of(testing::HttpResponse const& r)
{
    return text(r.json().at("errors").at(0), "detail");
}

constexpr char const* body_with_link = R"(<p>{{name}}</p><a href="{{link}}">Start</a>)";

boost::json::object send_with_link(std::string const& link)
{
    return sends::email({{"variables", boost::json::object{{"name", "<Ada>"}, {"link", link}}}});
}

} // namespace

TEST_CASE("an HTML body with a placeholder where no value is safe is refused", "[templates]")
{
    World const world;
    auto backend = world.as_backend();
    auto const refused = [&](testing::HttpResponse const& r) {
        CHECK(r.status == 400);
        CHECK(error_of(r) == "VALIDATION_ERROR");
        CHECK(faults_of(r) == "/body format");
        return detail_of(r);
    };
    boost::json::object fields{{"name", "t"}, {"channel", "email"}, {"subject", "s"},
        {"body", "<p>\n<b>\xc3\xa9</b> <a href={{link}}>"}};
    std::string const fault = "has an error in line 2, column 18: the value of the attribute `href` contains "
                              "a placeholder; put the value in quotes";
    CHECK(refused(backend.post("/v1/templates", body(fields))) == fault);
    CHECK(backend.get("/v1/templates").body == R"({"templates":[]})");

    fields["format"] = "text";
    auto const made = backend.post("/v1/templates", body(fields));
    REQUIRE(made.status == 201);
    auto const path = "/v1/templates/" + text(made.json(), "templateId");
    CHECK(refused(backend.patch(path, R"({"format":"html"})")) == fault);
    CHECK(backend.patch(path, R"({"format":"html","body":"<a href='{{link}}'>"})").status == 200);
    CHECK(
        refused(backend.patch(path, R"({"body":"<script>{{x}}</script>"})")) ==
        "has an error in line 1, column 9: a placeholder is not allowed in the element `script`, because its "
        "value cannot be escaped there");
    CHECK(text(backend.get(path).json(), "body") == "<a href='{{link}}'>");
}

TEST_CASE("a value that gives a URL which is not permitted is refused in previews and sends", "[templates]")
{
    World world;
    auto backend = world.as_backend();
    auto const path = "/v1/templates/" + world.new_template("welcome", {{"body", body_with_link}});
    std::string const javascript = "java\nscript:alert(1)", web = "https://x.example/?a=1&b='2'";
    for (auto const& r : {backend.post(sends::path, body(send_with_link(javascript))),
             backend.post(path + "/preview",
                 body({{"variables", boost::json::object{{"name", ""}, {"link", javascript}}}}))}) {
        CHECK(r.status == 400);
        CHECK(error_of(r) == "VALIDATION_ERROR");
        CHECK(faults_of(r) == "/variables/link format");
        CHECK(detail_of(r) == "does not give a permitted URL in the body; the URL must begin with `http:`, "
                              "`https:`, `mailto:` or `tel:`, or be relative");
    }
    CHECK(sends::count(world) == "0");

    auto const id = world.send(send_with_link(web));
    CHECK(world.postgres.query("SELECT body FROM notifications WHERE notification_id = '" + id + "'") ==
          R"(<p>&lt;Ada&gt;</p><a href="https://x.example/?a=1&amp;b=&#39;2&#39;">Start</a>)");
}

TEST_CASE("a stored template with a placeholder where no value is safe is not sent", "[templates]")
{
    World world;
    auto backend = world.as_backend();
    auto const path = "/v1/templates/" + world.new_template("welcome", {{"body", body_with_link}});
    // Earlier versions accepted such a body.
    world.postgres.query("UPDATE templates SET body = '<a href={{link}}>'");
    std::string const fault =
        "has an error in line 1, column 9: the value of the attribute `href` contains a "
        "placeholder; put the value in quotes";

    auto const sent = backend.post(sends::path, body(send_with_link("https://x.example")));
    CHECK(sent.status == 400);
    CHECK(faults_of(sent) == "/templateName format");
    CHECK(detail_of(sent) == "names a template whose body " + fault + ". Correct the template.");
    CHECK(sends::count(world) == "0");

    auto const preview = backend.post(path + "/preview", R"({"variables":{"link":"x onclick=y"}})");
    CHECK(preview.status == 400);
    CHECK(faults_of(preview) == "/body format");
    CHECK(detail_of(preview) == fault);

    CHECK(backend.get(path).status == 200);
    CHECK(faults_of(backend.patch(path, R"({"name":"other"})")) == "/body format");
    CHECK(backend.patch(path, R"({"body":"<a href=\"{{link}}\">"})").status == 200);
    CHECK(backend.post(sends::path, body(send_with_link("https://x.example"))).status == 202);
}
