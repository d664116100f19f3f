#include "sends.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace sends;
using namespace std::string_literals;

TEST_CASE("an email is accepted, rendered and written to the outbox", "[notify]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    auto const r = backend.post(path, body(email()));
    INFO(r.body);
    REQUIRE(r.status == 202);
    auto const answer = r.json();
    CHECK(answer.as_object().size() == 2);
    CHECK(text(answer, "status") == "queued");
    auto const id = text(answer, "notificationId");
    REQUIRE(world.becomes(id, "sent"));

    auto const n = world.notification(id);
    CHECK(text(n, "channel") == "email");
    CHECK(text(n, "templateName") == "welcome");
    CHECK(text(n, "to") == "ada@example.com");
    CHECK(n.at("attempts") == 1);
    CHECK(text(n, "sentAt") == core::to_rfc3339(world.clock.now()));
    for (auto const* absent : {"sendAt", "deliveredAt", "openedAt", "failedAt", "failureReason"})
        CHECK(n.at(absent).is_null());
    CHECK_FALSE(n.as_object().contains("deliveries"));

    auto const mails = world.mails();
    REQUIRE(mails.size() == 1);
    CHECK(mails[0].find("Subject: Welcome, Ada") != std::string::npos);
    CHECK(mails[0].find("Hello Ada!") != std::string::npos);
    CHECK(mails[0].find(id) != std::string::npos);
}

TEST_CASE("a text message is accepted, rendered and written to the outbox", "[notify]")
{
    World world;
    make_templates(world);
    auto const id = world.send({{"templateName", "code"}, {"channel", "sms"}, {"to", "+14155550100"},
        {"variables", boost::json::object{{"code", "123456"}, {"unused", "x"}}}});
    REQUIRE(world.becomes(id, "sent"));
    auto const texts = world.texts();
    REQUIRE(texts.size() == 1);
    CHECK(text(texts[0], "to") == "+14155550100");
    CHECK(text(texts[0], "body") == "Your code is 123456.");
}

TEST_CASE("all faults of a send are reported at once, and nothing is written", "[notify]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    auto const faults = [&](std::string const& sent) {
        auto const r = backend.post(path, sent);
        INFO(sent);
        CHECK(r.status == 400);
        return faults_of(r);
    };
    CHECK(faults("{}") == "/templateName required\n/channel required\n/to required");
    CHECK(faults(R"({"templateName":"","channel":"fax","to":7})") ==
          "/templateName too_short\n/channel not_allowed\n/to type");
    CHECK(faults("[]") == " type");
    CHECK(faults("{\"templateName\"") == "MALFORMED_JSON");
    CHECK(faults(body(email({{"to", "nobody"}}))) == "/to format");
    CHECK(faults(body(email({{"to", "ada@example.com\r\nBcc: eve@example.com"}}))) == "/to format");
    CHECK(faults(body(email({{"to", "+14155550100"}}))) == "/to format");
    CHECK(faults(body({{"templateName", "code"}, {"channel", "sms"}, {"to", "ada@example.com"}})) ==
          "/to format");
    CHECK(faults(body(push({{"to", "anon:ada"}}))) == "/to format");
    CHECK(faults(body(push({{"to", std::string(129, 'u')}}))) == "/to format");
    CHECK(faults(body(email({{"variables", "x"}}))) == "/variables type");
    CHECK(faults(body(email({{"variables", boost::json::object{{"name", 7}}}}))) == "/variables/name type");
    CHECK(faults(R"({"templateName":"welcome","channel":"email","to":"ada@example.com",
        "variables":{"name":"a\u0000b"}})") == "/variables/name format");
    CHECK(faults(R"({"templateName":"welcome","channel":"email","to":"ada@example.com",
        "variables":{"name":"Ada","a\u0000b":"x"}})") == "/variables/a\0b format"s);
    CHECK(faults(body(email({{"sendAt", "tomorrow"}}))) == "/sendAt format");
    CHECK(
        faults(body(email({{"sendAt", core::to_rfc3339(world.clock.now() + std::chrono::days(30) + 1s)}}))) ==
        "/sendAt range");
    CHECK(count(world) == "0");
    CHECK(count(world, "jobs") == "0");
}

TEST_CASE("the required fields of a send depend on its template", "[notify]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    auto const unknown = backend.post(path, body(email({{"templateName", "nope"}})));
    CHECK(unknown.status == 404);
    CHECK(error_of(unknown) == "TEMPLATE_NOT_FOUND");
    auto const elsewhere = world.as_backend("other-sandbox").post(path, body(email()));
    CHECK(elsewhere.status == 404);
    CHECK(error_of(elsewhere) == "TEMPLATE_NOT_FOUND");
    CHECK(faults_of(backend.post(path, body(email({{"templateName", "code"}})))) == "/channel mismatch");

    auto const missing = backend.post(path, body(email({{"variables", nullptr}})));
    CHECK(missing.status == 400);
    CHECK(faults_of(missing) == "/variables/name required");
    // Values in a header must not contain line breaks.
    for (std::string const sneaky : {"Ada\r\nBcc: eve@example.com", "Ada\nX: y", "Ada\rX"}) {
        auto const r =
            backend.post(path, body(email({{"variables", boost::json::object{{"name", sneaky}}}})));
        CHECK(r.status == 400);
        CHECK(faults_of(r).starts_with("/variables/name"));
    }
    CHECK(count(world) == "0");
    // Both environments share templates.
    CHECK(world.as_backend("demo").post(path, body(email())).status == 202);
}

TEST_CASE("the error response stays short for any number and length of wrong names", "[notify]")
{
    World const world;
    std::string placeholders;
    for (int i = 0; i < 500; ++i)
        placeholders += "{{n" + std::to_string(i) + "}}";
    world.new_template("many", {{"body", placeholders + "{{" + std::string(10'000, 'x') + "}}"}});
    auto const lacking =
        world.as_backend().post(path, body(email({{"templateName", "many"}, {"variables", nullptr}})));
    CHECK(lacking.status == 400);
    CHECK(lacking.json().at("errors").as_array().size() == 100);

    boost::json::object numbers;
    for (int i = 0; i < 90; ++i)
        numbers[std::to_string(i) + std::string(10'000, 'x')] = i;
    auto const wrong =
        world.as_backend().post(path, body(email({{"templateName", "many"}, {"variables", numbers}})));
    CHECK(wrong.status == 400);
    CHECK(wrong.json().at("errors").as_array().size() == 90);
    CHECK(
        text(wrong.json().at("errors").at(7), "pointer") == "/variables/7" + std::string(63, 'x') + "\u2026");
    CHECK(wrong.body.size() < 20'000);
}

TEST_CASE("a notification is rendered from the template as it was at acceptance", "[notify]")
{
    World world;
    auto const template_id = world.new_template("late", {{"subject", "Before"}});
    auto const id = world.send({{"templateName", "late"}, {"channel", "email"}, {"to", "ada@example.com"},
        {"sendAt", core::to_rfc3339(world.clock.now() + 1h)}});
    REQUIRE(
        world.as_backend().patch("/v1/templates/" + template_id, body({{"subject", "Afterwards"}})).status ==
        200);
    world.clock.advance(1h);
    REQUIRE(world.becomes(id, "sent"));
    REQUIRE(world.mails().size() == 1);
    CHECK(world.mails()[0].find("Subject: Before") != std::string::npos);
}

TEST_CASE("texts of up to 1 MiB are sent", "[notify]")
{
    World world;
    world.new_template("long", {{"body", "{{text}}"}, {"format", "text"}});
    auto const sent = [&](std::size_t size) {
        return world.as_backend().post(
            path, body({{"templateName", "long"}, {"channel", "email"}, {"to", "ada@example.com"},
                      {"variables", {{"text", std::string(size, 'x')}}}}));
    };
    for (std::size_t const size : {100, 100'000, 1'048'576}) {
        auto const r = sent(size);
        INFO(r.body);
        REQUIRE(r.status == 202);
        auto const id = text(r.json(), "notificationId");
        CHECK(world.becomes(id, "sent"));
        CHECK(world.postgres.query("SELECT length(body) FROM notifications WHERE notification_id = '" + id +
                                   "'") == std::to_string(size));
    }
    CHECK(sent(1'048'577).status == 400);
}

TEST_CASE("sendAt is stored, and a time in the past means now", "[notify]")
{
    World world;
    make_templates(world);
    auto const at = world.clock.now() + std::chrono::days(30);
    auto const late = world.send(email({{"sendAt", core::to_rfc3339(at)}}));
    auto const now = world.send(email({{"sendAt", "2020-01-01T00:00:00Z"}}));
    REQUIRE(world.becomes(now, "sent"));
    CHECK(world.notification(now).at("sendAt").is_null());
    CHECK(text(world.notification(late), "status") == "queued");
    CHECK(text(world.notification(late), "sendAt") == core::to_rfc3339(at));
    world.clock.set(at);
    CHECK(world.becomes(late, "sent"));
}

TEST_CASE("only a push has data: a map of strings without reserved keys", "[notify]")
{
    World world;
    make_templates(world);
    world.put_fcm();
    auto backend = world.as_backend();
    using boost::json::object;
    auto const faults = [&](boost::json::value data) {
        return faults_of(backend.post(path, body(push({{"data", std::move(data)}}))));
    };
    CHECK(faults("x") == "/data type");
    CHECK(faults(object{{"a", 1}, {"b", nullptr}}) == "/data/a type\n/data/b required");
    CHECK(faults(object{{"from", "x"}}) == "/data/from not_allowed");
    CHECK(faults(object{{"google.x", "x"}}) == "/data/google.x not_allowed");
    object zero;
    zero["a\0b"s] = "x";
    CHECK(faults(zero) == "/data/a\0b format"s);
    CHECK(faults(object{{"a", std::string(4'097, 'x')}}) == "/data/a too_long");
    object many;
    for (int i = 0; i < 100'000; ++i)
        many[std::to_string(i)] = i;
    CHECK(faults(many) == "/data too_long"); // the response has no fault for each member
    CHECK(faults(object{{"a", std::string(2'500, 'x')}, {"b", std::string(2'500, 'x')}}) == "/data too_long");
    CHECK(faults_of(backend.post(path, body(email({{"data", object{{"a", "x"}}}})))) == "/data not_allowed");
    CHECK(count(world) == "0");

    auto const id = world.send(push({{"data", object{{"screen", "inbox"}, {"quote\"d", "a\\b"}}}}));
    CHECK(world.postgres.query(R"(
        SELECT data ->> 'screen' || ' ' || (data ->> 'quote"d')
        FROM notifications
        WHERE notification_id = ')" +
                               id + "'") == R"(inbox a\b)");
}

TEST_CASE("a push is stored with its options and the template's, and other channels have none", "[notify]")
{
    World world;
    make_templates(world);
    world.put_fcm();
    world.new_template(
        "alert", {{"channel", "push"}, {"body", "b"},
                     {"push", boost::json::object{{"priority", "normal"}, {"badge", 1}, {"sound", "bell"}}}});
    auto backend = world.as_backend();
    using boost::json::object;
    auto const stored = [&](object const& request) {
        return world.postgres.query("SELECT coalesce(push::text, 'NULL') FROM notifications "
                                    "WHERE notification_id = '" +
                                    world.send(request) + "'");
    };
    CHECK(stored(push()) == "NULL");
    CHECK(stored(push({{"push", object()}})) == "NULL");
    CHECK(stored(email()) == "NULL");
    CHECK(stored(push({{"push", object{{"link", "myapp://a"}}}})) == R"({"link":"myapp://a"})");
    CHECK(stored(push({{"templateName", "alert"}})) == R"({"priority":"normal","badge":1,"sound":"bell"})");
    CHECK(stored(push({{"templateName", "alert"}, {"push", object{{"badge", 0}, {"sound", nullptr}}}})) ==
          R"({"priority":"normal","badge":0,"sound":"bell"})");

    auto const faults = [&](object const& request) { return faults_of(backend.post(path, body(request))); };
    CHECK(faults(push({{"push", "x"}})) == "/push type");
    CHECK(faults(push({{"to", "anon:x"}, {"push", object{{"ttlSeconds", "x"}, {"collapseKey", "a b"}}}})) ==
          "/to format\n/push/ttlSeconds type\n/push/collapseKey format");
    CHECK(faults(email({{"push", object()}})) == "/push not_allowed");
    CHECK(faults(email({{"push", object{{"badge", -1}}}})) == "/push/badge range\n/push not_allowed");
    CHECK(backend.post(path, body(email({{"push", nullptr}}))).status == 202);
    auto const large = "https://example.com/" + std::string(2'020, 'x');
    CHECK(faults(push({{"push", object{{"image", large}, {"link", large}}}})) == " too_long");
}

TEST_CASE("a push that is too large for every carrier is refused", "[notify]")
{
    World world;
    world.new_template("long", {{"channel", "push"}, {"subject", "Long"}, {"body", "{{text}}"}});
    world.put_fcm();
    auto const sent = [&](std::size_t size) {
        return world.as_backend().post(path, body({{"templateName", "long"}, {"channel", "push"}, {"to", ada},
                                                 {"variables", {{"text", std::string(size, 'x')}}}}));
    };
    CHECK(sent(3'000).status == 202);
    auto const r = sent(5'000);
    CHECK(r.status == 400);
    CHECK(faults_of(r) == " too_long");
}

TEST_CASE("push needs a platform, and pushEnabled in the settings", "[notify]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    auto const refused = [&] {
        auto const r = backend.post(path, body(push()));
        return r.status == 409 && error_of(r) == "PUSH_CHANNEL_DISABLED";
    };
    CHECK(refused());
    world.put_apns("demo"); // the platform of the other environment
    CHECK(refused());
    world.put_fcm();
    CHECK(backend.post(path, body(push())).status == 202);
    REQUIRE(backend.patch("/v1/settings", R"({"pushEnabled":false})").status == 200);
    CHECK(eventually(refused));
    CHECK(backend.post(path, body(email())).status == 202);
    REQUIRE(backend.patch("/v1/settings", R"({"pushEnabled":true})").status == 200);
    CHECK(eventually([&] { return backend.post(path, body(push())).status == 202; }));
    REQUIRE(backend.del("/v1/platforms/fcm").status == 200);
    CHECK(refused());
    // Validation of the request comes first.
    CHECK(faults_of(backend.post(path, body(push({{"to", "anon:x"}})))) == "/to format");
}

TEST_CASE("a send that got 202 survives a crash of the database", "[notify]")
{
    World world;
    make_templates(world);
    auto const late = core::to_rfc3339(world.clock.now() + 1h);
    std::set<std::string> ids;
    for (int i = 0; i < 20; ++i) {
        testing::HttpClient::Headers headers;
        if (i % 2 == 1) headers.emplace_back("Idempotency-Key", std::to_string(i));
        auto const r = world.as_backend().post(path, body(email({{"sendAt", late}})), headers);
        REQUIRE(r.status == 202);
        ids.insert(text(r.json(), "notificationId"));
    }
    world.postgres.kill9();
    world.postgres.start();
    world.clock.advance(1h);
    auto backend = world.as_backend();
    auto const is_sent = [&](std::string const& id) {
        auto const r = backend.get("/v1/notifications/" + id);
        return r.status == 200 && text(r.json(), "status") == "sent";
    };
    for (auto const& id : ids)
        CHECK(eventually([&] { return is_sent(id); }));
    CHECK(count(world) == std::to_string(ids.size()));
    CHECK(world.mails().size() == ids.size());
}

TEST_CASE("only keys and staff may send", "[notify]")
{
    World world;
    make_templates(world);
    auto const status = [&](testing::HttpClient client) { return client.post(path, body(email())).status; };
    CHECK(status(world.as_backend()) == 202);
    CHECK(status(world.as_master()) == 202);
    CHECK(status(world.as_user(ada, "owner")) == 202);
    CHECK(status(world.as_user(ada, "admin")) == 202);
    CHECK(status(world.as_user(ada, "user")) == 403);
    CHECK(status(world.as_app()) == 403);
    CHECK(status(world.client()) == 401);
    CHECK(status(world.with(world.key("demo"))) == 401);
}

TEST_CASE("no log line contains the content or the recipient", "[notify]")
{
    World world;
    make_templates(world);
    auto const id = world.send(email({{"variables", boost::json::object{{"name", "Rumpelstilzchen"}}}}));
    REQUIRE(world.becomes(id, "sent"));
    world.send({{"templateName", "code"}, {"channel", "sms"}, {"to", "+14155550100"},
        {"variables", boost::json::object{{"code", "918273"}}}});
    REQUIRE(eventually([&] { return world.texts().size() == 1; }));
    for (auto const* number : {"+14155550100", "%2B14155550100"})
        CHECK(world.as_backend().del(std::string("/v1/suppressions/") + number).status == 404);
    auto const logged = world.logged();
    CHECK(logged.find("/v1/suppressions/{address}\",\"status\"") != std::string::npos);
    CHECK(logged.find("/v1/notifications/send") != std::string::npos);
    for (auto const* secret : {"Rumpelstilzchen", "918273", "14155550100"})
        CHECK(logged.find(secret) == std::string::npos);
    CHECK(logged.find(world.key()) == std::string::npos);
}
