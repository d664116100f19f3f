#include "fixture.hpp"

#include <set>

using namespace webhooks_test;

namespace {

std::set<std::string> pointers(core::Error const& error)
{
    std::set<std::string> out;
    for (auto const& fault : error.faults())
        out.insert(fault.pointer);
    return out;
}

std::string const* header(http::Response const& response, std::string_view name)
{
    for (auto const& [key, value] : response.headers) {
        if (key == name) return &value;
    }
    return nullptr;
}

} // namespace

TEST_CASE("a webhook is created, and its secret is shown only then")
{
    Fixture f;
    auto const created = f.call(outbound_webhooks::create_webhook,
        R"({"url":"https://example.com/hook","events":["item.updated","item.created","item.created"],"description":"d"})");
    CHECK(created.status == 201);
    REQUIRE(header(created, "Cache-Control"));
    CHECK(*header(created, "Cache-Control") == "no-store");
    auto body = json::parse(created.body).as_object();
    auto const secret = std::string(body.at("secret").as_string());
    CHECK(secret.starts_with("whsec_"));
    CHECK(json::serialize(body.at("events")) == R"(["item.created","item.updated"])");
    CHECK(body.at("enabled") == true);
    CHECK(body.at("disabledReason").is_null());
    CHECK(body.at("createdAt") == "2026-01-01T00:00:00.000Z");
    CHECK(body.at("version") == 1);

    body.erase("secret");
    auto const id = std::string(body.at("webhookId").as_string());
    auto const got = f.call(outbound_webhooks::get_webhook, {}, {{"webhookId", id}});
    CHECK(json::parse(got.body) == json::value(body));
    REQUIRE(header(got, "ETag"));
    CHECK(*header(got, "ETag") == "\"1\"");

    // The database contains neither the secret nor its decoded bytes.
    CHECK(f.count("webhooks WHERE webhooks::text LIKE '%" + secret.substr(6) + "%'") == 0);
    CHECK(f.count("audit_log WHERE audit_log::text LIKE '%" + secret.substr(6) + "%'") == 0);
    CHECK(f.count("audit_log WHERE action = 'webhook.created' AND subject_id = '" + id + "'") == 1);
}

TEST_CASE("all faults of a request to create a webhook are reported together")
{
    Fixture f;
    auto const error = f.error_of(outbound_webhooks::create_webhook,
        R"({"url":"nonsense","events":["item.created","no.such"],"description":"","enabled":"yes"})");
    CHECK(error.code().name == "VALIDATION_ERROR");
    CHECK(pointers(error) == std::set<std::string>{"/url", "/events/1", "/description", "/enabled"});
    CHECK(pointers(f.error_of(outbound_webhooks::create_webhook, "{}")) == std::set<std::string>{"/url"});
    CHECK(f.count("webhooks") == 0);
}

TEST_CASE("a URL that no delivery could reach is refused")
{
    Fixture f(false);
    for (std::string const url :
        {"http://example.com/", "https://user@example.com/", "https://user:pw@example.com/",
            "ftp://example.com/", "/hook", "https://", "https://localhost/", "https://a.localhost/",
            "https://127.0.0.1/", "https://0x7f.1/", "https://2130706433/", "https://[::1]/",
            "https://10.0.0.1/", "https://169.254.169.254/latest", "https://[::ffff:10.0.0.1]/",
            "https://exämple.com/", "https://example.com/ x", "https://0.0.0.0/"}) {
        CAPTURE(url);
        CHECK(pointers(f.error_of(outbound_webhooks::create_webhook, R"({"url":")" + url + R"("})")) ==
              std::set<std::string>{"/url"});
    }
    std::string const long_url = "https://example.com/" + std::string(2048 - 20, 'x');
    CHECK(pointers(f.error_of(outbound_webhooks::create_webhook, R"({"url":")" + long_url + R"(x"})")) ==
          std::set<std::string>{"/url"});
    for (std::string const& url :
        {long_url, std::string("https://example.com:8443/x?y=z"), std::string("https://8.8.8.8/")}) {
        CAPTURE(url);
        CHECK_NOTHROW(f.create(url));
    }
}

TEST_CASE("http and private hosts are accepted if private addresses are allowed")
{
    Fixture f(true);
    CHECK_NOTHROW(f.create("http://localhost:8080/"));
    CHECK_NOTHROW(f.create("http://10.0.0.1/"));
    CHECK_THROWS_AS(f.create("http://0.0.0.0/"), core::Error);
}

TEST_CASE("a scope has at most 20 webhooks, listed newest first in pages")
{
    Fixture f;
    std::vector<std::string> ids;
    for (int i = 0; i < 20; ++i) {
        ids.push_back(f.create("https://example.com/" + std::to_string(i)).id);
        f.clock.advance(1s);
    }
    CHECK(f.error_of(outbound_webhooks::create_webhook, R"({"url":"https://example.com/"})").code().name ==
          "CONFLICT");

    std::vector<std::string> listed;
    std::string query = "limit=8";
    for (int page = 0; page < 3; ++page) {
        auto const body =
            json::parse(f.call(outbound_webhooks::list_webhooks, {}, {}, query).body).as_object();
        for (auto const& item : body.at("items").as_array()) {
            listed.emplace_back(item.as_object().at("webhookId").as_string());
            CHECK_FALSE(item.as_object().contains("secret"));
        }
        REQUIRE(body.at("cursor").is_null() == (page == 2));
        if (page < 2) query = "limit=8&cursor=" + std::string(body.at("cursor").as_string());
    }
    CHECK(listed == std::vector<std::string>(ids.rbegin(), ids.rend()));
    CHECK(f.error_of(outbound_webhooks::list_webhooks, {}, {}, "cursor=x").code().name == "VALIDATION_ERROR");

    f.scope = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "demo");
    CHECK_NOTHROW(f.create("https://example.com/"));
}

TEST_CASE("a PATCH changes only the given fields")
{
    Fixture f;
    auto const id = f.create("https://example.com/a", R"(,"events":["item.created"],"description":"d")").id;
    f.clock.advance(1min);
    auto const patch = [&](std::string const& body) {
        return json::parse(f.call(outbound_webhooks::update_webhook, body, {{"webhookId", id}}).body)
            .as_object();
    };
    auto changed = patch(R"({"url":"https://example.com/b"})");
    CHECK(changed.at("url") == "https://example.com/b");
    CHECK(json::serialize(changed.at("events")) == R"(["item.created"])");
    CHECK(changed.at("description") == "d");
    CHECK(changed.at("version") == 2);
    CHECK(changed.at("updatedAt") == "2026-01-01T00:01:00.000Z");
    CHECK(changed.at("createdAt") == "2026-01-01T00:00:00.000Z");

    changed = patch(R"({"events":[],"description":null,"enabled":false})");
    CHECK(changed.at("events").as_array().empty());
    CHECK(changed.at("description").is_null());
    CHECK(changed.at("enabled") == false);
    CHECK(f.get(id) == changed);

    for (auto const* bad : {"{}", R"({"unknown":1})", R"({"url":null})", R"({"url":""})",
             R"({"events":["x"]})", R"({"url":"ftp://example.com/"})"}) {
        CAPTURE(bad);
        CHECK(f.error_of(outbound_webhooks::update_webhook, bad, {{"webhookId", id}}).code().name ==
              "VALIDATION_ERROR");
    }
    CHECK(f.count("audit_log WHERE action = 'webhook.updated'") == 2);
}

TEST_CASE("enabling a webhook clears the reason why it was disabled")
{
    Fixture f;
    auto const id = f.create("https://example.com/").id;
    f.postgres.query("UPDATE webhooks SET enabled = false, disabled_reason = 'gone'");
    CHECK(f.get(id).at("disabledReason") == "gone");
    f.call(outbound_webhooks::update_webhook, R"({"enabled":true})", {{"webhookId", id}});
    CHECK(f.get(id).at("disabledReason").is_null());
    CHECK(f.get(id).at("enabled") == true);
}

TEST_CASE("If-Match prevents lost updates")
{
    Fixture f;
    auto const id = f.create("https://example.com/").id;
    for (Handler const handler : {outbound_webhooks::update_webhook, outbound_webhooks::delete_webhook}) {
        auto const error =
            f.error_of(handler, R"({"enabled":false})", {{"webhookId", id}}, {}, {{"If-Match", "\"7\""}});
        CHECK(error.code().name == "PRECONDITION_FAILED");
    }
    CHECK(f.get(id).at("version") == 1);
    f.call(outbound_webhooks::update_webhook, R"({"enabled":false})", {{"webhookId", id}}, {},
        {{"If-Match", "\"1\""}});
    CHECK(f.get(id).at("version") == 2);
}

TEST_CASE("deleting a webhook deletes its deliveries")
{
    Fixture f;
    auto const id = f.create("https://example.com/").id;
    f.publish();
    auto const response = f.call(outbound_webhooks::delete_webhook, {}, {{"webhookId", id}});
    CHECK(response.body == R"({"deleted":true})");
    CHECK(f.count("webhooks") == 0);
    CHECK(f.count("webhook_deliveries") == 0);
    CHECK(f.error_of(outbound_webhooks::delete_webhook, {}, {{"webhookId", id}}).code().name == "NOT_FOUND");
}

TEST_CASE("a webhook of another scope gets 404")
{
    Fixture f;
    auto const id = f.create("https://example.com/").id;
    f.publish();
    auto const delivery = std::string(f.deliveries(id)[0].as_object().at("deliveryId").as_string());
    f.scope = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "demo");
    for (Handler const handler :
        {outbound_webhooks::get_webhook, outbound_webhooks::update_webhook, outbound_webhooks::delete_webhook,
            outbound_webhooks::rotate_webhook_secret, outbound_webhooks::list_deliveries,
            outbound_webhooks::get_delivery, outbound_webhooks::redeliver}) {
        for (auto const& name : {id, std::string("not-a-uuid")}) {
            auto const error =
                f.error_of(handler, R"({"enabled":false})", {{"webhookId", name}, {"deliveryId", delivery}});
            CHECK(error.code().name == "NOT_FOUND");
        }
    }
    CHECK(json::parse(f.call(outbound_webhooks::list_webhooks).body)
            .as_object()
            .at("items")
            .as_array()
            .empty());
}

TEST_CASE("deliveries are listed newest first, filtered by status, in pages")
{
    Fixture f;
    auto const id = f.create("https://example.com/").id;
    for (int i = 0; i < 5; ++i) {
        f.publish("item.created", std::to_string(i));
        f.clock.advance(1s);
    }
    f.postgres.query("UPDATE webhook_deliveries SET status = 'failed' WHERE payload LIKE '%:3}'");
    auto const all = f.deliveries(id);
    REQUIRE(all.size() == 5);
    CHECK(all[0].at("createdAt") == "2026-01-01T00:00:04.000Z");
    CHECK(all[0].at("eventType") == "item.created");
    CHECK(all[0].at("attempts") == 0);
    CHECK(all[1].at("status") == "failed");
    CHECK(f.deliveries(id, "status=failed").size() == 1);
    CHECK(f.deliveries(id, "status=pending").size() == 4);
    CHECK(f.deliveries(id, "status=delivered").empty());

    auto const first =
        json::parse(f.call(outbound_webhooks::list_deliveries, {}, {{"webhookId", id}}, "limit=3").body)
            .as_object();
    auto const cursor = std::string(first.at("cursor").as_string());
    CHECK(f.deliveries(id, "limit=3&cursor=" + cursor).size() == 2);
    for (std::string const& query :
        {"status=pending&cursor=" + cursor, std::string("status=lost"), std::string("limit=0")}) {
        CAPTURE(query);
        CHECK(f.error_of(outbound_webhooks::list_deliveries, {}, {{"webhookId", id}}, query).code().name ==
              "VALIDATION_ERROR");
    }
}

TEST_CASE("a delivery is returned with the event that it sends")
{
    Fixture f;
    auto const id = f.create("https://example.com/").id;
    auto const other = f.create("https://example.com/other").id;
    f.publish("item.created", R"({"text":"<b>\u0000"})");
    auto const listed = f.deliveries(id)[0].as_object();
    auto const delivery_id = std::string(listed.at("deliveryId").as_string());
    auto found = json::parse(
        f.call(outbound_webhooks::get_delivery, {}, {{"webhookId", id}, {"deliveryId", delivery_id}}).body)
                     .as_object();
    json::object const event{{"type", "item.created"}, {"timestamp", "2026-01-01T00:00:00.000Z"},
        {"data", json::parse(R"({"text":"<b>\u0000"})")}};
    CHECK(found.at("payload") == event);
    found.erase("payload");
    CHECK(found == listed);
    CHECK(f.error_of(outbound_webhooks::get_delivery, {}, {{"webhookId", other}, {"deliveryId", delivery_id}})
              .code()
              .name == "NOT_FOUND");
}
