#include "audit/audit.hpp"
#include "core/error.hpp"
#include "support.hpp"
#include "support/http_client.hpp"
#include "user_data/user_handlers.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include <stdexcept>

namespace {

using core::Access;

http::Request request_of(
    Fixture const& f, Access kind, std::string caller, std::string const& user_id = "ada")
{
    http::Request request;
    request.context.request_id = "r1";
    request.context.scope = f.scope;
    request.context.caller = {.kind = kind, .id = std::move(caller), .role = "admin"};
    request.params = {{"userId", user_id}};
    return request;
}

std::string error_of(std::function<void()> const& call)
{
    try {
        call();
    } catch (core::Error const& error) {
        std::string text(error.code().name);
        for (auto const& fault : error.faults())
            text += " " + fault.pointer + " " + fault.code;
        return text;
    }
    return {};
}

/// The last entry of the audit log.
boost::json::object last_entry(Fixture const& f)
{
    return boost::json::parse(
        f.postgres.query("SELECT to_jsonb(a) FROM audit_log a ORDER BY at DESC, audit_id DESC LIMIT 1"))
        .as_object();
}

} // namespace

TEST_CASE("DELETE of a user erases the user and records it under the pseudonym")
{
    Fixture f;
    f.users.add_step(erase_notes);
    f.write("ada");
    auto const erase = [&](http::Request const& request) {
        return testing::run_awaitable(user_data::erase_user(request, f.users)).body;
    };
    CHECK(erase(request_of(f, Access::key, "key:fbk_1")) == R"({"deleted":true})");
    CHECK(f.count("notes") == 0);
    CHECK(f.count("erased_users") == 0);
    auto entry = last_entry(f);
    CHECK(entry.at("action") == "user.erased");
    CHECK(entry.at("actor") == "key:fbk_1");
    CHECK(std::string(entry.at("subject_id").as_string()).starts_with("deleted:"));
    CHECK(entry.at("after") == boost::json::parse(R"({"mode":"delete"})"));

    CHECK(erase(request_of(f, Access::admin, "ada")) == R"({"deleted":true})");
    entry = last_entry(f);
    CHECK(entry.at("actor") == entry.at("subject_id"));
    CHECK(f.count("audit_log WHERE audit_log::text LIKE '%ada%'") == 0);
}

TEST_CASE("the mode anonymize is accepted by services that allow it")
{
    Fixture f;
    bool anonymizes = false;
    f.users.add_step([&](pg::Tx&, user_data::Erasure const& erasure, std::size_t) {
        return anonymizes = erasure.anonymizes, 0;
    });
    auto const erase = [&](std::string_view query) {
        auto request = request_of(f, Access::key, "key:fbk_1");
        request.query = query;
        return error_of([&] { testing::run_awaitable(user_data::erase_user(request, f.users)); });
    };
    CHECK(erase("mode=anonymize") == "VALIDATION_ERROR ?mode not_allowed");
    CHECK(erase("mode=delete").empty());
    f.users.allow_anonymizing();
    CHECK(erase("mode=delete").empty());
    CHECK_FALSE(anonymizes);
    CHECK(erase("mode=anonymize").empty());
    CHECK(anonymizes);
    CHECK(erase("mode=").starts_with("VALIDATION_ERROR"));
    CHECK(erase("mode=hide") == "VALIDATION_ERROR ?mode not_allowed");
}

TEST_CASE("ids of users have at most 255 characters")
{
    Fixture f;
    std::string longest;
    for (int i = 0; i < 255; ++i)
        longest += "é";
    auto const erase = [&](std::string const& id) {
        return error_of([&] {
            testing::run_awaitable(
                user_data::erase_user(request_of(f, Access::key, "key:fbk_1", id), f.users));
        });
    };
    auto const read = [&](std::string const& id) {
        return error_of([&] {
            testing::run_awaitable(
                user_data::export_user(request_of(f, Access::key, "key:fbk_1", id), f.users));
        });
    };
    CHECK(erase(longest).empty());
    CHECK(read(longest).empty());
    CHECK(erase(longest + "é") == "VALIDATION_ERROR :userId too_long");
    CHECK(read(longest + "é") == "VALIDATION_ERROR :userId too_long");
}

TEST_CASE("users may export only their own data, and staff the data of every user")
{
    Fixture f;
    f.users.add_part(export_notes);
    f.write("ada");
    auto const read = [&](Access kind, std::string const& caller) {
        auto const response =
            testing::run_awaitable(user_data::export_user(request_of(f, kind, caller), f.users));
        CHECK(response.content_type == "application/x-ndjson");
        return testing::run_awaitable(response.stream());
    };
    std::string const line = "{\"type\":\"note\",\"text\":\"n1\"}\n";
    CHECK(read(Access::user, "ada") == line);
    CHECK(read(Access::admin, "bob") == line);
    CHECK(read(Access::owner, "bob") == line);
    CHECK(read(Access::key, "key:fbk_1") == line);
    CHECK(read(Access::master, "master") == line);
    CHECK(error_of([&] { read(Access::user, "bob"); }) == "NOT_FOUND");
}

TEST_CASE("the deletion of an account is recorded even if the erasure fails at first")
{
    Fixture f;
    bool fails = true;
    f.users.add_step([&](pg::Tx&, user_data::Erasure const&, std::size_t) -> std::size_t {
        return fails ? throw std::runtime_error("no") : 0;
    });
    auto const request = request_of(f, Access::erasure, "ada");
    CHECK_THROWS(testing::run_awaitable(user_data::receive_erasure(request, f.users)));
    CHECK(f.count("audit_log") == 1);
    fails = false;
    CHECK_NOTHROW(testing::run_awaitable(user_data::receive_erasure(request, f.users)));
    CHECK(f.count("audit_log") == 1);
}

TEST_CASE("POST /v1/erasures erases the user of the token, and is recorded once")
{
    Fixture f;
    f.users.add_step(erase_notes);
    f.write("ada");
    f.write("bob");
    for (int i = 0; i < 3; ++i) {
        auto const request = request_of(f, Access::erasure, "ada", "bob"); // has no path parameter in truth
        CHECK(testing::run_awaitable(user_data::receive_erasure(request, f.users)).body ==
              R"({"deleted":true})");
    }
    CHECK(f.count("notes WHERE user_id = 'bob'") == 1);
    CHECK(f.count("notes") == 1);
    CHECK(f.count("erased_users") == 1);
    CHECK(f.count("audit_log") == 1);
    auto const entry = last_entry(f);
    CHECK(entry.at("actor") == "system:erasures");
    CHECK(entry.at("actor_role") == "system");
}
