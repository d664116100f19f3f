#include "payments_client.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <future>
#include <map>
#include <set>

namespace {

namespace json = boost::json;
using billing::PaymentsApi, billing::ProviderApiError;
using Kind = ProviderApiError::Kind;
using Steady = std::chrono::steady_clock;

std::string list_body(std::string_view data, std::string_view has_more = "false")
{
    return R"({"object":"list","has_more":)" + std::string(has_more) + R"(,"data":)" + std::string(data) +
           "}";
}

} // namespace

TEST_CASE_METHOD(
    PaymentsClient, "throttled and failed requests are repeated with the same key", "[payments_api]")
{
    provider.has({account_subscription("sub_1")});
    provider.fails({{{"status", 429}}, {{"status", 500}}, {{"status", 503}}});
    CHECK(ids(api.list({}, call()).subscriptions) == Ids{"sub_1"});
    CHECK(seen("status") == Ids{"429", "500", "503", "200"});
    auto keys = seen("idempotencyKey");
    CHECK(std::set(keys.begin(), keys.end()).size() == 1);
    CHECK(keys.front().size() == 36);

    api.list({}, call());
    CHECK(seen("idempotencyKey").back() != keys.front());
    auto const shown = metrics.expose();
    for (auto const& [answer, count] :
        std::map<std::string, int>{{"accepted", 2}, {"throttled", 1}, {"unavailable", 2}, {"nonsense", 0}}) {
        INFO(shown);
        CHECK(shown.find("tetrad_provider_answers_total{answer=\"" + answer +
                         "\",provider=\"payments\",service=\"billing\"} " + std::to_string(count) + "\n") !=
              std::string::npos);
    }
}

TEST_CASE_METHOD(PaymentsClient, "a closed connection is no response", "[payments_api]")
{
    provider.has({account_subscription("sub_1")});
    provider.fails({{{"deed", "drop"}, {"times", 3}}});
    CHECK(ids(api.list({}, call(4)).subscriptions) == Ids{"sub_1"});
    PaymentsApi const nowhere("http://127.0.0.1:9", client, metrics);
    CHECK(failure_of([&] { nowhere.list({}, call()); }) == Kind::unavailable);
}

TEST_CASE_METHOD(PaymentsClient, "the number of attempts is limited", "[payments_api]")
{
    provider.fails({{{"status", 500}, {"times", nullptr}}});
    CHECK(failure(call(4)) == Kind::unavailable);
    CHECK(provider.seen().size() == 4);
    CHECK(failure(call(1)) == Kind::unavailable);
    CHECK(provider.seen().size() == 5);
    provider.fails({{{"status", 429}, {"times", nullptr}}});
    CHECK(failure(call(2)) == Kind::throttled);
    CHECK(provider.seen().size() == 7);
}

TEST_CASE_METHOD(PaymentsClient, "refusals are not repeated", "[payments_api]")
{
    provider.set({{"key", "sk_test_other"}});
    CHECK(failure(call()) == Kind::refused);
    provider.set({{"key", nullptr}});
    for (auto const& [status, kind] : std::map<int, Kind>{{400, Kind::refused}, {402, Kind::refused},
             {403, Kind::refused}, {404, Kind::unknown_user}, {302, Kind::nonsense}, {204, Kind::nonsense}}) {
        CAPTURE(status);
        provider.forget();
        provider.fails({{{"status", status}}});
        CHECK(failure(call()) == kind);
        CHECK(provider.seen().size() == 1);
    }
}

TEST_CASE_METHOD(PaymentsClient, "a short Retry-After is obeyed, a long one ends the call", "[payments_api]")
{
    provider.fails({{{"status", 429}, {"headers", json::object{{"retry-after", "1"}}}}});
    auto const began = Steady::now();
    CHECK(api.list({}, call()).subscriptions.empty());
    CHECK(Steady::now() - began >= 1s);

    provider.forget();
    for (auto const status : {429, 503}) {
        provider.fails({{{"status", status}, {"headers", json::object{{"retry-after", "11"}}}}});
        try {
            api.list({}, call());
            FAIL("no error");
        } catch (ProviderApiError const& e) {
            CHECK(e.kind() == (status == 429 ? Kind::throttled : Kind::unavailable));
            CHECK(e.retry_after() == 11s);
        }
    }
    CHECK(provider.seen().size() == 2);
    auto patient = call(2);
    patient.retries.longest_retry_after = 0s;
    provider.fails({{{"status", 429}, {"headers", json::object{{"retry-after", "1"}}}}});
    CHECK(failure(patient) == Kind::throttled);
}

TEST_CASE_METHOD(PaymentsClient, "a stop ends a request and a pause", "[payments_api]")
{
    std::stop_source source;
    auto stopped = call(4, source.get_token());
    stopped.retries.first_pause = stopped.retries.longest_pause = 1h;
    SECTION("during a request")
    {
        provider.fails({{{"deed", "hang"}}});
    }
    SECTION("during a pause")
    {
        provider.fails({{{"status", 500}}});
    }
    auto result = std::async(std::launch::async, [&] { return failure(stopped); });
    REQUIRE(testing::eventually([&] { return provider.seen().size() == 1; }));
    source.request_stop();
    REQUIRE(result.wait_for(5s) == std::future_status::ready);
    CHECK(result.get() == Kind::stopped);
    CHECK(provider.seen().size() == 1);
}

TEST_CASE_METHOD(PaymentsClient, "a call ends at its deadline", "[payments_api]")
{
    auto limited = call(100);
    SECTION("during a request")
    {
        provider.fails({{{"deed", "hang"}, {"times", nullptr}}});
    }
    SECTION("during a response")
    {
        provider.fails({{{"deed", "trickle"}, {"times", nullptr}}});
    }
    SECTION("before a pause")
    {
        provider.fails({{{"status", 500}, {"times", nullptr}}});
        limited.retries.first_pause = limited.retries.longest_pause = 1h;
    }
    auto const began = Steady::now();
    limited.deadline = began + 1s;
    CHECK(failure(limited) == Kind::unavailable);
    CHECK(Steady::now() - began < 5s);
    CHECK(provider.seen().size() == 1);
    limited.deadline = began;
    CHECK(failure(limited) == Kind::unavailable);
    CHECK(provider.seen().size() == 1);
}

TEST_CASE_METHOD(PaymentsClient, "a request that hangs is given up after ten seconds", "[payments_api]")
{
    provider.has({account_subscription("sub_1")});
    provider.fails({{{"deed", "hang"}}});
    auto const began = Steady::now();
    CHECK(ids(api.list({}, call(2)).subscriptions) == Ids{"sub_1"});
    CHECK(Steady::now() - began >= 9s);
    CHECK(seen("status").size() == 2);
}

TEST_CASE_METHOD(PaymentsClient, "responses in another form are an error that shows none of their values",
    "[payments_api]")
{
    std::string const long_id(256, 'S');
    for (std::string const& answer : {std::string("<html>SECRET</html>"), std::string("[\"SECRET\"]"),
             std::string(), std::string(1000, '['), std::string(R"({"object":"list","has_more":false})"),
             std::string(R"({"object":"SECRET","data":[],"has_more":false})"), list_body("{}"),
             list_body("[]", "\"SECRET\""), list_body("[]", "true"), list_body("[1]"),
             list_body(R"(["SECRET"])"), list_body(R"([{"object":"subscription"}])"),
             list_body(R"([{"object":"subscription","id":7}])"),
             list_body(R"([{"object":"subscription","id":""}])"),
             list_body(R"([{"object":"subscription","id":"SECRET\u0000"}])"),
             list_body(R"([{"object":"subscription","id":")" + long_id + R"("}])"),
             list_body(R"([{"object":"SECRET","id":"sub_1"}])"),
             list_body(R"([{"object":"subscription","id":"sub_0"}])", "true")}) {
        CAPTURE(answer);
        provider.fails({{{"text", answer}}});
        try {
            api.list({.starting_after = "sub_0"}, call());
            FAIL_CHECK("no error");
        } catch (ProviderApiError const& e) {
            CHECK(e.kind() == Kind::nonsense);
            CHECK(std::string(e.what()).find("SECRET") == std::string::npos);
        }
    }
    auto const is_nonsense = [&](std::string const& answer, auto work) {
        provider.fails({{{"text", answer}}});
        CHECK(failure_of(work) == Kind::nonsense);
    };
    std::string const other = R"({"object":"subscription","id":"sub_2"})";
    is_nonsense(other, [&] { api.retrieve("sub_1", call()); });
    is_nonsense(list_body("[]"), [&] { api.search(core::UserId("ada"), call()); });
    is_nonsense(R"({"object":"search_result","has_more":true,"next_page":null,"data":[)" + other + "]}",
        [&] { api.search(core::UserId("ada"), call()); });
    is_nonsense(list_body("[" + other + "]"), [&] { api.items("sub_2", call()); });
    is_nonsense(list_body(R"([{"id":"i","object":"invoice_payment","payment":{"payment_intent":"pi_1"}}])"),
        [&] { api.invoice_of("pi_1", call()); });
}

TEST_CASE_METHOD(PaymentsClient, "a response that is too large is not read to its end", "[payments_api]")
{
    provider.fails({{{"text", std::string(billing::ProviderClient::max_response_bytes + 1, ' ')}}});
    CHECK(failure(call()) == Kind::nonsense);
}
