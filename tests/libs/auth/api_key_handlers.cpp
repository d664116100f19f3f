#include "auth/api_key_handlers.hpp"

#include "auth/api_key_format.hpp"
#include "support.hpp"

#include <set>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::string text(boost::json::object const& object, std::string_view name)
{
    return std::string(object.at(name).as_string());
}

std::vector<std::string> prefixes(boost::json::object const& page)
{
    std::vector<std::string> out;
    for (auto const& item : page.at("items").as_array())
        out.push_back(text(item.as_object(), "prefix"));
    return out;
}

} // namespace

TEST_CASE("creating a key returns the raw key once and stores only its hash")
{
    KeysFixture f;
    KeyRequest const ask{.body = R"({"environment":"sandbox"})"};
    auto const request = ask.make();
    auto const response = testing::run_awaitable(auth::mint_key(request, f.keys));
    CHECK(response.status == 201);
    auto const no_store = std::pair<std::string, std::string>("Cache-Control", "no-store");
    CHECK(std::ranges::count(response.headers, no_store) == 1);

    auto const answer = boost::json::parse(response.body).as_object();
    std::string const raw = text(answer, "key");
    CHECK(auth::api_key_format::is_well_formed(raw, "fbk_"));
    CHECK(text(answer, "environment") == "sandbox");
    CHECK(text(answer, "prefix") == raw.substr(0, 12));
    CHECK(text(answer, "createdAt").size() == 24);
    CHECK_FALSE(answer.contains("kind"));

    CHECK(f.postgres.query("SELECT encode(key_hash, 'hex') = encode(sha256('" + raw +
                           "'::bytea), 'hex') FROM api_keys") == "t");
    CHECK(f.postgres.query(
              "SELECT count(*) FROM api_keys k, api_key_scopes s, audit_log a WHERE concat(k, s, a) LIKE '%" +
              raw.substr(13) + "%'") == "0");
}

TEST_CASE("the environment in the body takes precedence over the environment of the host")
{
    KeysFixture f;
    auto const sandbox = core::Scope::of(core::TenantId{7}, core::Environment::sandbox, "demo");
    auto const answer = f.mint({.scope = sandbox, .body = R"({"environment":"production"})"});
    CHECK(f.verify(text(answer, "key"))->scope_id == core::ScopeId{14});
}

TEST_CASE("callers of the sandbox cannot create production keys")
{
    KeysFixture f;
    KeyRequest ask{.scope = core::Scope::of(core::TenantId{7}, core::Environment::sandbox, "demo"),
        .caller = core::Access::owner,
        .body = R"({"environment":"production"})"};
    CHECK(code_of([&] { f.mint(ask); }) == "FORBIDDEN");
    CHECK(code_of([&] {
        f.rotate({.scope = ask.scope, .caller = ask.caller, .environment = "production"});
    }) == "FORBIDDEN");
    CHECK(code_of([&] {
        f.list({.scope = ask.scope, .caller = ask.caller, .query = "environment=production"});
    }) == "FORBIDDEN");
    ask.scope = core::Scope::of(core::TenantId{7}, core::Environment::production, "demo");
    ask.body = R"({"environment":"sandbox"})";
    CHECK(f.verify(text(f.mint(ask), "key"))->scope_id == core::ScopeId{15});
}

TEST_CASE("faults in the body of a request to create a key are reported")
{
    KeysFixture one;
    CHECK(code_of([&] { one.mint({.body = R"({})"}); }) == "VALIDATION_ERROR");
    CHECK(code_of([&] { one.mint({.body = R"({"environment":"staging"})"}); }) == "VALIDATION_ERROR");
    CHECK(code_of([&] { one.mint({.body = R"(nonsense)"}); }) == "MALFORMED_JSON");
    KeysFixture two(two_kinds());
    CHECK(code_of([&] { two.mint({.body = R"({"environment":"sandbox"})"}); }) == "VALIDATION_ERROR");
    CHECK(code_of([&] { two.mint({.body = R"({"environment":"sandbox","kind":"root"})"}); }) ==
          "VALIDATION_ERROR");
    CHECK(text(two.mint({.body = R"({"environment":"sandbox","kind":"publishable"})"}), "kind") ==
          "publishable");
}

TEST_CASE("rotation creates a key and ends the older ones at once")
{
    KeysFixture f;
    f.live = false; // this replica gets no notifications, so every verification is a look-up
    std::string const a = f.mint_raw();
    std::string const b = f.mint_raw();
    std::string const other = f.mint_raw("sandbox");
    std::string const fresh = text(f.rotate({.environment = "production"}), "key");
    CHECK_FALSE(f.verify(a));
    CHECK_FALSE(f.verify(b));
    CHECK(f.verify(other));
    CHECK(f.verify(fresh));
    CHECK(prefixes(f.list()) == std::vector{fresh.substr(0, 12)});
    CHECK(f.postgres.query("SELECT count(*) FROM api_key_scopes WHERE scope_id = 14") == "1");
}

TEST_CASE("rotation with a grace period keeps older keys valid until it ends")
{
    KeysFixture f;
    f.live = false;
    std::string const a = f.mint_raw();
    f.rotate({.body = R"({"gracePeriodSeconds":3600})", .environment = "production"});
    f.clock.advance(1000s);
    // A second rotation does not extend the grace period of the first.
    f.rotate({.body = R"({"gracePeriodSeconds":604800})", .environment = "production"});
    auto const page = f.list();
    REQUIRE(prefixes(page).size() == 3);
    CHECK(page.at("items").at(0).at("expiresAt").is_null());
    CHECK(page.at("items").at(1).at("expiresAt") == "2026-01-08T00:16:40.000Z");
    CHECK(page.at("items").at(2).at("expiresAt") == "2026-01-01T01:00:00.000Z");
    CHECK(f.verify(a));
    f.clock.advance(2600s);
    CHECK_FALSE(f.verify(a));
    CHECK(prefixes(f.list()).size() == 2); // a key that is no longer valid is not listed
    f.rotate({.environment = "production"});
    CHECK(prefixes(f.list()).size() == 1);
}

TEST_CASE("rotation replaces only keys of its own kind")
{
    KeysFixture f(two_kinds());
    f.live = false;
    std::string const secret =
        text(f.mint({.body = R"({"environment":"production","kind":"secret"})"}), "key");
    std::string const open =
        text(f.mint({.body = R"({"environment":"production","kind":"publishable"})"}), "key");
    auto const fresh = f.rotate({.environment = "production"}, 1);
    CHECK(text(fresh, "kind") == "publishable");
    CHECK(text(fresh, "key").starts_with("pk_"));
    CHECK(f.verify(secret));
    CHECK_FALSE(f.verify(open));
}

TEST_CASE("faults in the body of a rotation are reported")
{
    KeysFixture f;
    CHECK(code_of([&] { f.rotate({.environment = "staging"}); }) == "VALIDATION_ERROR");
    for (char const* body : {R"({"gracePeriodSeconds":-1})", R"({"gracePeriodSeconds":604801})",
             R"({"gracePeriodSeconds":"1"})", R"([])"}) {
        INFO(body);
        CHECK(code_of([&] { f.rotate({.body = body, .environment = "production"}); }) == "VALIDATION_ERROR");
    }
    CHECK(prefixes(f.list()).empty());
}

TEST_CASE("after two concurrent rotations the key of the later one is valid")
{
    KeysFixture f;
    f.live = false;
    f.mint_raw();
    std::vector<std::thread> threads;
    std::vector<std::string> fresh(4);
    for (auto& key : fresh)
        threads.emplace_back([&f, &key] { key = text(f.rotate({.environment = "production"}), "key"); });
    for (auto& thread : threads)
        thread.join();
    CHECK(
        std::ranges::count_if(fresh, [&](std::string const& key) { return f.verify(key).has_value(); }) == 1);
    CHECK(prefixes(f.list()).size() == 1);
}

TEST_CASE("keys are listed newest first, in pages, and never in full")
{
    KeysFixture f;
    std::vector<std::string> minted;
    for (int i = 0; i < 5; ++i)
        minted.insert(minted.begin(), f.mint_raw().substr(0, 12));
    f.mint_raw("sandbox");

    auto const first = f.list({.query = "limit=2"});
    auto const cursor = text(first, "cursor");
    auto const second = f.list({.query = "limit=2&cursor=" + cursor});
    auto const third = f.list({.query = "limit=2&cursor=" + text(second, "cursor")});
    CHECK(third.at("cursor").is_null());
    std::vector<std::string> seen = prefixes(first);
    for (auto const& page : {second, third})
        for (auto const& prefix : prefixes(page))
            seen.push_back(prefix);
    CHECK(seen == minted);

    auto const item = first.at("items").at(0).as_object();
    std::set<std::string> names;
    for (auto const& [name, value] : item)
        names.insert(std::string(name));
    CHECK(names == std::set<std::string>{"prefix", "environment", "createdAt", "lastUsedAt", "expiresAt"});

    CHECK(prefixes(f.list({.query = "environment=sandbox"})).size() == 1);
    CHECK(code_of([&] { f.list({.query = "environment=sandbox&cursor=" + cursor}); }) == "VALIDATION_ERROR");
    CHECK(code_of([&] { f.list({.query = "environment=staging"}); }) == "VALIDATION_ERROR");
    CHECK(code_of([&] { f.list({.query = "limit=0"}); }) == "VALIDATION_ERROR");
}

TEST_CASE("revoking works once, and only for keys of the caller's scope")
{
    KeysFixture f;
    std::string const prefix = f.mint_raw().substr(0, 12);
    KeyRequest const sandbox{.scope = core::Scope::of(core::TenantId{7}, core::Environment::sandbox, "demo")};
    KeyRequest const stranger{
        .scope = core::Scope::of(core::TenantId{8}, core::Environment::production, "other")};
    CHECK(code_of([&] { f.revoke(prefix, sandbox); }) == "NOT_FOUND");
    CHECK(code_of([&] { f.revoke(prefix, stranger); }) == "NOT_FOUND");
    CHECK(code_of([&] { f.revoke("fbk_00000000"); }) == "NOT_FOUND");
    f.revoke(prefix);
    CHECK(code_of([&] { f.revoke(prefix); }) == "NOT_FOUND");
    CHECK(prefixes(f.list()).empty());
    // The record stays, so that the prefix never identifies another key.
    CHECK(f.postgres.query("SELECT prefix FROM api_keys WHERE revoked_at IS NOT NULL") == prefix);
}

TEST_CASE("changes of keys are in the audit trail of their scope")
{
    KeysFixture f;
    std::string const prefix = f.mint_raw("sandbox").substr(0, 12);
    std::string const fresh = text(f.rotate({.environment = "sandbox"}), "prefix");
    f.revoke(fresh, {.scope = core::Scope::of(core::TenantId{7}, core::Environment::sandbox, "demo")});
    CHECK(f.postgres.query(R"(
        SELECT string_agg(action || ' ' || subject_id, ', ' ORDER BY at, audit_id)
        FROM audit_log
        WHERE scope_id = 15)") == "key.mint " + prefix + ", key.rotate " + fresh + ", key.revoke " + fresh);
    CHECK(f.postgres.query("SELECT count(*) FROM audit_log WHERE scope_id <> 15") == "0");
    CHECK(f.postgres.query("SELECT after->'replaced'->>0 FROM audit_log WHERE action = 'key.rotate'") ==
          prefix);
}
