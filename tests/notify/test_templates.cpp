#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <future>

namespace {

std::vector<std::string> names_of(boost::json::value const& templates)
{
    std::vector<std::string> names;
    for (auto const& t : templates.as_array())
        names.push_back(text(t, "name"));
    return names;
}

std::string const malformed =
    "a placeholder has the form `{{name}}`; a name consists of A-Z, a-z, 0-9, _ and `.`";

/// A scope's audit entries, oldest first: `action before after`.
std::vector<std::string> audited(testing::HttpClient& client, std::string const& prefix)
{
    std::vector<std::string> entries;
    for (auto const& entry : all_items(client, "/v1/audit")) {
        if (text(entry, "action").starts_with(prefix))
            entries.push_back(text(entry, "action") + ' ' + boost::json::serialize(entry.at("before")) + ' ' +
                              boost::json::serialize(entry.at("after")));
    }
    std::ranges::reverse(entries);
    return entries;
}

} // namespace

TEST_CASE("a template is created, read, changed and deleted", "[templates]")
{
    World const world;
    auto backend = world.as_backend();
    auto const made = backend.post(
        "/v1/templates", body({{"name", "welcome"}, {"channel", "email"}, {"subject", "Hello {{name}}"},
                             {"body", "<p>{{name}}, {{link}}</p>"}}));
    REQUIRE(made.status == 201);
    auto const t = made.json();
    CHECK(text(t, "name") == "welcome");
    CHECK(text(t, "channel") == "email");
    CHECK(text(t, "subject") == "Hello {{name}}");
    CHECK(text(t, "body") == "<p>{{name}}, {{link}}</p>");
    CHECK(text(t, "format") == "html");
    CHECK(t.at("placeholders") == boost::json::array{"link", "name"});
    CHECK(t.at("version") == 1);
    CHECK(text(t, "createdAt") == text(t, "updatedAt"));
    auto const path = "/v1/templates/" + text(t, "templateId");
    CHECK(made.header("location") == path);

    SECTION("both environments can read the template, and other tenants cannot")
    {
        CHECK(backend.get(path).body == made.body);
        CHECK(backend.get(path).header("etag") == made.header("etag"));
        CHECK(world.as_backend("demo").get(path).body == made.body);
        CHECK(world.as_backend("other-sandbox").get(path).status == 404);
        CHECK(world.as_backend("other-sandbox").patch(path, R"({"body":"x"})").status == 404);
        CHECK(world.as_backend("other-sandbox").del(path).status == 404);
        CHECK(world.as_backend("other-sandbox").get("/v1/templates").body == R"({"templates":[]})");
    }
    SECTION("PATCH changes only the fields in its body")
    {
        auto const r = backend.patch(path, R"({"name":"hello","body":"{{name}}!"})");
        REQUIRE(r.status == 200);
        CHECK(text(r.json(), "name") == "hello");
        CHECK(text(r.json(), "subject") == "Hello {{name}}");
        CHECK(text(r.json(), "body") == "{{name}}!");
        CHECK(r.json().at("placeholders") == boost::json::array{"name"});
        CHECK(r.json().at("version") == 2);
        CHECK(text(r.json(), "createdAt") == text(t, "createdAt"));
        CHECK(backend.get(path).body == r.body);
        CHECK(r.header("etag") != made.header("etag"));
    }
    SECTION("a new channel resets the format unless the request sets it")
    {
        auto const format_after = [&](char const* patch) {
            auto const r = backend.patch(path, patch);
            return r.status == 200 ? text(r.json(), "format") : faults_of(r);
        };
        CHECK(format_after(R"({"format":"text"})") == "text");
        CHECK(format_after(R"({"channel":"email"})") == "text");
        CHECK(format_after(R"({"format":null})") == "html");
        CHECK(format_after(R"({"channel":"push"})") == "text");
        CHECK(format_after(R"({"format":"html"})") == "/format not_allowed");
        CHECK(format_after(R"({"subject":null})") == "text");
        CHECK(format_after(R"({"channel":"email"})") == "/subject required");
        CHECK(format_after(R"({"channel":"email","subject":"s"})") == "html");
        CHECK(format_after(R"({"channel":"sms","format":"html"})") == "/format not_allowed");
        CHECK(format_after(R"({"body":"<style>@media print{p{margin:0}}</style>"})") == "html");
        CHECK(format_after(R"({"channel":"sms"})") == "/body format");
    }
    SECTION("If-Match is checked")
    {
        auto const etag = made.header("etag");
        CHECK(backend.patch(path, R"({"body":"x"})", {{"If-Match", "\"9\""}}).status == 412);
        CHECK(backend.del(path, {{"If-Match", "\"9\""}}).status == 412);
        CHECK(backend.patch(path, R"({"body":"x"})", {{"If-Match", etag}}).status == 200);
        CHECK(backend.del(path, {{"If-Match", etag}}).status == 412);
        CHECK(backend.del(path, {{"If-Match", "*"}}).status == 200);
    }
    SECTION("the name of a deleted template can be used again")
    {
        CHECK(backend.del(path).body == R"({"deleted":true})");
        for (auto const* method : {"GET", "DELETE"})
            CHECK(backend.request(method, path).status == 404);
        CHECK(backend.patch(path, R"({"body":"x"})").status == 404);
        CHECK(backend.post(path + "/preview", "{}").status == 404);
        world.new_template("welcome");
    }
    SECTION("the audit trail contains the changes of the template")
    {
        CHECK(backend.patch(path, R"({"subject":"Hi"})").status == 200);
        CHECK(backend.del(path).status == 200);
        auto const whole = [](std::string const& subject) {
            return R"({"body":"<p>{{name}}, {{link}}</p>","name":"welcome","push":null,"format":"html","channel":"email","subject":")" +
                   subject + "\"}";
        };
        CHECK(audited(backend, "template.") ==
              std::vector<std::string>{"template.created null " + whole("Hello {{name}}"),
                  R"(template.updated {"subject":"Hello {{name}}"} {"subject":"Hi"})",
                  "template.deleted " + whole("Hi") + " null"});
    }
}

TEST_CASE("all faults of a template are reported at once, and nothing is written", "[templates]")
{
    World const world;
    auto backend = world.as_backend();
    auto const of = [&](boost::json::object const& fields) {
        auto const r = backend.post("/v1/templates", body(fields));
        CHECK(r.status == 400);
        return faults_of(r);
    };
    std::string const long_body(20'001, 'x');
    CHECK(of({}) == "/name required\n/channel required\n/body required");
    CHECK(of({{"name", ""}, {"channel", "fax"}, {"subject", 1}, {"body", ""}, {"format", "pdf"}}) ==
          "/name too_short\n/channel not_allowed\n/format not_allowed\n/subject type\n/body too_short");
    // Faults that concern every channel are reported even if the channel is invalid.
    CHECK(of({{"name", "n"}, {"channel", "fax"}, {"subject", "{{"}, {"body", "{{ }}"}}) ==
          "/channel not_allowed\n/subject format\n/body format");
    CHECK(of({{"name", "n"}, {"subject", "two\nlines"}, {"body", "{{a"}}) ==
          "/channel required\n/subject format\n/body format");
    CHECK(of({{"name", std::string(101, 'x')}, {"channel", "sms"}, {"body", long_body}}) ==
          "/name too_long\n/body too_long");
    CHECK(of({{"name", "n"}, {"channel", "email"}, {"body", "{{a"}}) == "/subject required\n/body format");
    CHECK(of({{"name", "n"}, {"channel", "push"}, {"subject", std::string(201, 'x')}, {"body", "}}"}}) ==
          "/subject too_long\n/body format");
    CHECK(of({{"name", "n"}, {"channel", "email"}, {"subject", "a\r\nBcc: b"}, {"body", "b"}}) ==
          "/subject format");
    CHECK(of({{"name", "n"}, {"channel", "sms"}, {"body", std::string("a\0b", 3)}}) == "/body format");
    auto const r = backend.post(
        "/v1/templates", body({{"name", "n"}, {"channel", "sms"}, {"body", "first\nsecond {{ name }}"}}));
    CHECK(text(r.json().at("errors").at(0), "detail") == "has an error in line 2, column 8: " + malformed);
    CHECK(backend.get("/v1/templates").body == R"({"templates":[]})");

    auto const path = "/v1/templates/" + world.new_template("n");
    for (auto const& [patch, faults] : std::map<std::string, std::string>{
             {"{}", " required"},
             {R"({"unknown":1})", " required"},
             {R"({"name":null,"body":null,"channel":null})",
                 "/name required\n/body required\n/channel required"},
             {R"({"name":"","body":"","channel":"fax"})",
                 "/name too_short\n/channel not_allowed\n/body too_short"},
             {R"({"subject":null})", "/subject required"},
             {R"({"subject":"{{","body":"{{ }}"})", "/subject format\n/body format"},
         }) {
        CAPTURE(patch);
        auto const refused = backend.patch(path, patch);
        CHECK(refused.status == 400);
        CHECK(faults_of(refused) == faults);
    }
    CHECK(backend.get(path).json().at("version") == 1);
}

TEST_CASE("a template name is unique per tenant, in both environments together", "[templates]")
{
    World const world;
    world.new_template("welcome");
    auto const other = "/v1/templates/" + world.new_template("other");
    boost::json::object const same{{"name", "welcome"}, {"channel", "sms"}, {"body", "b"}};
    for (auto const* tenant : {"demo", "demo-sandbox"}) {
        auto const r = world.as_backend(tenant).post("/v1/templates", body(same));
        CHECK(r.status == 409);
        CHECK(error_of(r) == "CONFLICT");
    }
    CHECK(world.as_backend("other").post("/v1/templates", body(same)).status == 201);
    auto backend = world.as_backend("demo");
    CHECK(backend.patch(other, R"({"name":"welcome"})").status == 409);
    CHECK(backend.patch(other, R"({"name":"other","body":"x"})").status == 200);
    CHECK(backend.patch(other, R"({"name":"Welcome"})").status == 200);
}

TEST_CASE("exactly one of several concurrent requests to create the same name succeeds", "[templates]")
{
    World const world;
    world.key("demo");
    world.key("demo-sandbox");
    std::vector<std::future<unsigned>> answers;
    for (int i = 0; i < 12; ++i) {
        answers.push_back(std::async(std::launch::async, [&world, i] {
            return world.as_backend(i % 2 == 0 ? "demo" : "demo-sandbox")
                .post("/v1/templates", R"({"name":"welcome","channel":"sms","body":"b"})")
                .status;
        }));
    }
    std::map<unsigned, int> counts;
    for (auto& answer : answers)
        ++counts[answer.get()];
    CHECK(counts == std::map<unsigned, int>{{201, 1}, {409, 11}});
}

TEST_CASE("the list contains all templates, or the requested page", "[templates]")
{
    World const world;
    auto backend = world.as_backend();
    std::vector<std::string> expected;
    auto const add = [&](std::size_t count) {
        while (expected.size() < count) {
            std::string const name = "template " + std::to_string(expected.size());
            world.new_template(name, {}, expected.size() % 2 == 0 ? "demo" : "demo-sandbox");
            expected.insert(expected.begin(), name);
        }
    };
    for (std::size_t const count : {1, 19, 20, 21, 40, 45}) {
        add(count);
        auto const r = backend.get("/v1/templates");
        REQUIRE(r.status == 200);
        CHECK(r.json().as_object().size() == 1);
        CHECK(names_of(r.json().at("templates")) == expected);
    }

    std::vector<std::string> paged;
    std::string query = "?limit=10";
    for (std::size_t pages = 1;; ++pages) {
        auto const page = backend.get("/v1/templates" + query).json();
        auto const names = names_of(page.at("templates"));
        paged.insert(paged.end(), names.begin(), names.end());
        if (page.at("nextCursor").is_null()) {
            CHECK(pages == 5);
            break;
        }
        query = "?limit=10&cursor=" + text(page, "nextCursor");
    }
    CHECK(paged == expected);
    auto const first = backend.get("/v1/templates?limit=30").json();
    auto const rest = backend.get("/v1/templates?cursor=" + text(first, "nextCursor")).json();
    CHECK(rest.at("templates").as_array().size() == 15);
    CHECK(faults_of(backend.get("/v1/templates?limit=0")) == "?limit range");
    CHECK(
        faults_of(backend.get("/v1/templates?limit=101&cursor=x")) == "?limit range\n?cursor invalid_cursor");
}

TEST_CASE("a preview shows the texts that would be sent", "[templates]")
{
    World const world;
    auto backend = world.as_backend();
    auto const path =
        "/v1/templates/" +
        world.new_template("t", {{"subject", "Hi {{who}}"}, {"body", "<p>{{who}} {{n.1}}</p>"}}) + "/preview";
    auto const r = backend.post(path, R"({"variables":{"who":"Ada & Bob","n.1":"1","more":"x"}})");
    CHECK(r.status == 200);
    CHECK(r.json() == boost::json::value({{"channel", "email"}, {"subject", "Hi Ada & Bob"},
                          {"body", "<p>Ada &amp; Bob 1</p>"}, {"format", "html"}, {"push", nullptr}}));

    std::string many = R"({"variables":{)";
    for (int i = 0; i <= 1000; ++i)
        many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":1)";
    for (auto const& [request, faults] : std::map<std::string, std::string>{
             {"{}", "/variables/n.1 required\n/variables/who required"},
             {R"({"variables":null})", "/variables/n.1 required\n/variables/who required"},
             {R"({"variables":{"n.1":"","who":"a\nb"}})", "/variables/who format"},
             {R"({"variables":{"n.1":1,"who":null}})", "/variables/n.1 type\n/variables/who required"},
             {R"({"variables":{"n.1":"a\u0000","who":""}})", "/variables/n.1 format"},
             {R"({"variables":[]})", "/variables type"},
             {many + "}}", "/variables too_long"},
         }) {
        CAPTURE(request);
        auto const refused = backend.post(path, request);
        CHECK(refused.status == 400);
        CHECK(faults_of(refused) == faults);
    }
}

TEST_CASE("a push template has options, which PATCH replaces as a whole or removes", "[templates]")
{
    World const world;
    auto backend = world.as_backend();
    boost::json::object const push{{"ttlSeconds", 60}, {"priority", "normal"}, {"link", "myapp://orders"}};
    auto const made = backend.post("/v1/templates",
        body({{"name", "ping"}, {"channel", "push"}, {"subject", "s"}, {"body", "b"}, {"push", push}}));
    REQUIRE(made.status == 201);
    CHECK(made.json().at("push") == push);
    auto const path = "/v1/templates/" + text(made.json(), "templateId");
    auto const shown = [&] { return backend.get(path).json().at("push"); };
    CHECK(shown() == push);
    CHECK(backend.get("/v1/templates").json().at("templates").at(0).at("push") == push);
    CHECK(backend.post(path + "/preview", "{}").json().at("push") == push);

    CHECK(backend.patch(path, R"({"body":"c"})").json().at("push") == push);
    boost::json::object const badge{{"badge", 1}};
    auto const changed = backend.patch(path, body({{"push", badge}}));
    CHECK(changed.json().at("push") == badge);
    CHECK(changed.json().at("version") == 3);
    CHECK(shown() == badge);
    CHECK(faults_of(backend.patch(path, R"({"push":{"badge":-1,"image":"x"}})")) ==
          "/push/image format\n/push/badge range");
    CHECK(faults_of(backend.patch(path, R"({"push":7})")) == "/push type");
    CHECK(faults_of(backend.patch(path, R"({"channel":"sms"})")) == "/push not_allowed");
    CHECK(shown() == badge);
    CHECK(audited(backend, "template.updated").back() ==
          R"(template.updated {"push":{"link":"myapp://orders","priority":"normal","ttlSeconds":60}} )"
          R"({"push":{"badge":1}})");

    auto const removed = backend.patch(path, R"({"push":null})");
    CHECK(removed.json().at("push").is_null());
    CHECK(shown().is_null());
    CHECK(backend.patch(path, R"({"channel":"sms","subject":null})").status == 200);
    CHECK(faults_of(backend.patch(path, R"({"push":{}})")) == "/push not_allowed");
    CHECK(backend.patch(path, R"({"channel":"push","push":{}})").json().at("push") == boost::json::object());
}

TEST_CASE("only a push template may have push options", "[templates]")
{
    World const world;
    auto backend = world.as_backend();
    auto const faults = [&](char const* channel, boost::json::value push) {
        return faults_of(
            backend.post("/v1/templates", body({{"name", "n"}, {"channel", channel}, {"subject", "s"},
                                              {"body", "b"}, {"push", std::move(push)}})));
    };
    for (auto const* channel : {"email", "sms"}) {
        CHECK(faults(channel, boost::json::object()) == "/push not_allowed");
        CHECK(faults(channel, boost::json::object{{"badge", -1}}) == "/push/badge range\n/push not_allowed");
    }
    CHECK(faults("fax", boost::json::object{{"badge", -1}}) == "/channel not_allowed\n/push/badge range");
    CHECK(backend.get("/v1/templates").body == R"({"templates":[]})");
    CHECK(text(backend.get("/v1/templates/" + world.new_template("n", {{"push", nullptr}})).json(), "push") ==
          "null");
}

TEST_CASE("creating a template is idempotent under an idempotency key", "[templates]")
{
    World const world;
    auto backend = world.as_backend();
    std::string const request = R"({"name":"t","channel":"sms","body":"b"})";
    auto const first = backend.post("/v1/templates", request, {{"Idempotency-Key", "k"}});
    auto const again = backend.post("/v1/templates", request, {{"Idempotency-Key", "k"}});
    CHECK(first.status == 201);
    CHECK(again.status == 201);
    CHECK(again.body == first.body);
    CHECK(again.header("etag") == first.header("etag"));
    CHECK(again.header("idempotent-replayed") == "true");
    CHECK(backend.post("/v1/templates", request).status == 409);
}

TEST_CASE("only keys and staff may use templates", "[templates]")
{
    World const world;
    world.new_template("t");
    for (auto const* role : {"owner", "admin"})
        CHECK(world.as_user(ada, role).get("/v1/templates").status == 200);
    CHECK(world.as_master().get("/v1/templates").status == 200);
    CHECK(world.as_user(ada).get("/v1/templates").status == 403);
    CHECK(world.as_app().get("/v1/templates").status == 403);
    CHECK(world.client().get("/v1/templates").status == 401);
}

TEST_CASE("purging a tenant removes its templates", "[templates]")
{
    World const world;
    world.new_template("ours");
    world.new_template("theirs", {}, "other");
    CHECK(world.as_master().del("/v1/admin/tenants/demo?purge=now").body == R"({"deleted":true})");
    CHECK(world.postgres.query("SELECT string_agg(name, ',') FROM templates") == "theirs");
}
