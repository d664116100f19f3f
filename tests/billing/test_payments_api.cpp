#include "payments_client.hpp"
#include "support/fake_clock.hpp"
#include "support/process.hpp"

#include <catch2/catch.hpp>

#include <future>
#include <set>

namespace {

namespace json = boost::json;
using billing::PaymentsApi;
using testing::text;

constexpr std::int64_t start = account_start;

json::object of_user(std::string_view user)
{
    return {{"metadata", json::object{{"userId", user}}}};
}

/// A subscription with `count` items.
json::object with_items(std::string_view id, std::size_t count)
{
    json::array items;
    for (std::size_t n = 0; n < count; ++n)
        items.push_back({{"id", "si_" + std::to_string(n)}, {"price", "price_" + std::to_string(n)}});
    return account_subscription(id, {{"items", std::move(items)}});
}

} // namespace

TEST_CASE_METHOD(
    PaymentsClient, "the subscriptions of an account are listed in pages, newest first", "[payments_api]")
{
    provider.generates({{"count", 250}, {"users", 100}});
    std::set<std::string> found;
    std::string last;
    std::vector<std::size_t> sizes;
    for (bool more = true; more;) {
        auto const page = api.list({.starting_after = last}, call());
        for (auto const& each : page.subscriptions)
            found.insert(text(each, "id"));
        sizes.push_back(page.subscriptions.size());
        last = text(page.subscriptions.back(), "id");
        more = page.has_more;
    }
    CHECK(sizes == std::vector<std::size_t>{100, 100, 50});
    CHECK(found.size() == 250);
    CHECK(*found.begin() == "sub_1_000000");
    CHECK(last == "sub_1_000249");
    auto const first = provider.seen().front();
    CHECK(text(first, "path") == "/v1/subscriptions");
    CHECK(first.at("query") == json::object{{"status", "all"}, {"limit", "100"}});
    CHECK(text(first, "version") == "2025-03-31.basil");
    CHECK(text(first, "authorization") == "Bearer sk_test_provider");
    CHECK(first.at("trace").is_null());
}

TEST_CASE_METHOD(
    PaymentsClient, "a list can be limited to a customer and to recent subscriptions", "[payments_api]")
{
    provider.has({account_subscription("sub_1"), account_subscription("sub_2", {{"created", start + 60}}),
        account_subscription(
            "sub_3", {{"created", start + 60}, {"customer", "cus_2"}, {"status", "canceled"}})});
    auto const all = api.list({}, call());
    CHECK(ids(all.subscriptions) == Ids{"sub_2", "sub_3", "sub_1"});
    CHECK_FALSE(all.has_more);
    CHECK(all.subscriptions[0].at("items").at("data").at(0).as_object().contains("current_period_end"));
    auto const since = testing::FakeClock::start + 60s;
    CHECK(ids(api.list({.since = since}, call()).subscriptions) == Ids{"sub_2", "sub_3"});
    CHECK(ids(api.list({.since = since + 1us}, call()).subscriptions) == Ids{"sub_2", "sub_3"});
    CHECK(api.list({.since = since + 1s}, call()).subscriptions.empty());
    CHECK(ids(api.list({.customer = "cus_2"}, call()).subscriptions) == Ids{"sub_3"});
    auto const two = api.list({.limit = 2}, call());
    CHECK(ids(two.subscriptions) == Ids{"sub_2", "sub_3"});
    CHECK(two.has_more);
}

TEST_CASE_METHOD(PaymentsClient, "responses carry the provider's time, requests the trace", "[payments_api]")
{
    provider.set({{"now", start + 3661}});
    provider.has({account_subscription("sub_1")});
    auto with_trace = call();
    with_trace.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    provider.set({{"delayMs", 200}});
    // A response states when it was sent. Its content may be as old as the request.
    auto const is_time_of_request = [](std::optional<core::Time> const& time) {
        core::Time const responded = testing::FakeClock::start + 3661s;
        return time && *time <= responded - 200ms && *time > responded - 1min;
    };
    CHECK(is_time_of_request(api.list({}, with_trace).platform_time));
    CHECK(is_time_of_request(api.search(core::UserId("ada"), with_trace).platform_time));
    CHECK(is_time_of_request(api.retrieve("sub_1", with_trace)->platform_time));
    provider.set({{"delayMs", 0}});
    for (auto const& trace : seen("trace"))
        CHECK(trace == with_trace.traceparent);
    provider.fails({{{"headers", json::object{{"date", "yesterday"}}}}});
    CHECK_FALSE(api.list({}, call()).platform_time);
}

TEST_CASE_METHOD(PaymentsClient, "a search finds exactly the subscriptions of a user", "[payments_api]")
{
    for (std::string const user :
        {"ada", "O'Neil", "back\\slash", "\\'", "say \"hi\"", "a' OR status:'active", "50% off?#&=+", " ",
            "\u00fc\u2603", "\U0001F600", "a/b", "$RCAnonymousID:87c6"}) {
        CAPTURE(user);
        provider.has({account_subscription("sub_1", of_user(user)),
            account_subscription("sub_2", of_user("bob")), account_subscription("sub_3", of_user(user + "x")),
            account_subscription("sub_4", {{"metadata", json::object()}})});
        CHECK(ids(api.search(core::UserId(user), call()).subscriptions) == Ids{"sub_1"});
    }
    // The provider compares without regard to case.
    provider.has(
        {account_subscription("sub_1", of_user("ada")), account_subscription("sub_2", of_user("Ada"))});
    CHECK(ids(api.search(core::UserId("Ada"), call()).subscriptions) == Ids{"sub_2"});
    CHECK(billing::search_query(core::UserId("O'\\N")) == R"(metadata['userId']:'O\'\\N')");
}

TEST_CASE_METHOD(PaymentsClient, "a search reads all pages, and at most five", "[payments_api]")
{
    json::array subscriptions;
    for (int n = 0; n < 600; ++n)
        subscriptions.push_back(account_subscription(
            "sub_" + std::to_string(n), {{"status", "canceled"}, {"created", start - n}}));
    provider.has(json::array(subscriptions.begin(), subscriptions.begin() + 230));
    auto const all = api.search(core::UserId("ada"), call());
    CHECK(all.subscriptions.size() == 230);
    CHECK_FALSE(all.has_more);
    CHECK(provider.seen().size() == 3);
    provider.has(subscriptions);
    provider.forget();
    auto const some = api.search(core::UserId("ada"), call());
    CHECK(some.subscriptions.size() == 500);
    CHECK(some.has_more);
    CHECK(provider.seen().size() == PaymentsApi::max_search_pages);
}

TEST_CASE_METHOD(
    PaymentsClient, "what a search finds is read again, because its index may be old", "[payments_api]")
{
    provider.has({account_subscription("sub_1"), account_subscription("sub_2", {{"status", "canceled"}}),
        account_subscription("sub_3")});
    std::string const old_page =
        R"({"object":"search_result","has_more":false,"next_page":null,"data":[)"
        R"({"object":"subscription","id":"sub_1","status":"trialing","metadata":{"userId":"ada"}},)"
        R"({"object":"subscription","id":"sub_2","status":"canceled","metadata":{"userId":"ada"}},)"
        R"({"object":"subscription","id":"sub_gone","status":"active","metadata":{"userId":"ada"}}]})";
    provider.fails({{{"path", "/v1/subscriptions/search"}, {"text", old_page}}});
    auto const found = api.search(core::UserId("ada"), call()).subscriptions;
    CHECK(ids(found) == Ids{"sub_1", "sub_2"});
    CHECK(text(found[0], "status") == "active");
    CHECK(seen("path") ==
          Ids{"/v1/subscriptions/search", "/v1/subscriptions/sub_1", "/v1/subscriptions/sub_gone"});
}

TEST_CASE_METHOD(PaymentsClient, "an account that cannot search is searched page by page, up to ten pages",
    "[payments_api]")
{
    auto const status = GENERATE(400, 404);
    provider.fails({{{"path", "/v1/subscriptions/search"}, {"times", nullptr}, {"status", status}}});
    provider.generates({{"count", 1001}, {"users", 1000}});
    auto const found = api.search(core::UserId("user-999"), call());
    CHECK(ids(found.subscriptions) == Ids{"sub_1_000999"});
    CHECK(found.has_more);
    CHECK(provider.seen().size() == 1 + PaymentsApi::max_list_pages);
    CHECK(ids(api.search(core::UserId("user-0"), call()).subscriptions) == Ids{"sub_1_000000"});
}

TEST_CASE_METHOD(PaymentsClient, "a subscription is fetched by its id", "[payments_api]")
{
    provider.has({account_subscription("sub_1"), account_subscription("sub/../2 ?")});
    CHECK(text(api.retrieve("sub_1", call())->subscription, "id") == "sub_1");
    CHECK(text(api.retrieve("sub/../2 ?", call())->subscription, "id") == "sub/../2 ?");
    CHECK_FALSE(api.retrieve("sub_none", call()));
    CHECK_FALSE(api.retrieve("..", call()));
    // A status 404 of another cause, such as a wrong PAYMENTS_API_URL, does not mean that it does not exist.
    provider.fails({{{"status", 404}}});
    CHECK(failure_of([&] { api.retrieve("sub_1", call()); }) == Kind::unknown_user);
}

TEST_CASE_METHOD(PaymentsClient, "a subscription with many items gets all of them", "[payments_api]")
{
    provider.has({with_items("sub_1", 130), with_items("sub_2", 20)});
    auto const items = api.items("sub_1", call());
    REQUIRE(items);
    CHECK(items->size() == 130);
    CHECK(text(items->back(), "id") == "si_129");
    CHECK_FALSE(api.items("sub_none", call()));

    provider.forget();
    std::vector<json::value> whole{api.retrieve("sub_1", call())->subscription};
    for (auto const& found : {api.list({}, call()), api.search(core::UserId("ada"), call())})
        for (auto const& each : found.subscriptions)
            if (text(each, "id") == "sub_1") whole.push_back(each);
    REQUIRE(whole.size() == 3);
    for (auto const& each : whole) {
        CHECK(each.at("items").at("has_more") == false);
        CHECK(each.at("items").at("data").as_array().size() == 130);
    }
    for (auto const& request : provider.seen())
        if (text(request, "path") == "/v1/subscription_items")
            CHECK(text(request.at("query"), "subscription") == "sub_1");
}

TEST_CASE_METHOD(PaymentsClient, "the invoice of a payment intent is found", "[payments_api]")
{
    provider.has_invoice_payments(
        {json::object{{"payment_intent", "pi_1"}, {"invoice", "in_1"}, {"status", "open"}},
            json::object{{"payment_intent", "pi_2"}, {"invoice", "in_2"}},
            json::object{{"payment_intent", "pi_1"}, {"invoice", "in_3"}},
            json::object{{"payment_intent", "pi_3"}, {"invoice", "in_4"}, {"status", "open"}}});
    CHECK(api.invoice_of("pi_1", call()) == "in_3");
    CHECK(api.invoice_of("pi_2", call()) == "in_2");
    CHECK(api.invoice_of("pi_3", call()) == "in_4");
    CHECK_FALSE(api.invoice_of("pi_none", call()));
    auto const query = provider.seen().front().at("query");
    CHECK(text(query, "payment[type]") == "payment_intent");
    CHECK(text(query, "payment[payment_intent]") == "pi_1");
    provider.fails(
        {{{"status", 400}, {"error", json::object{{"code", "resource_missing"}, {"message", "No such"}}}}});
    CHECK_FALSE(api.invoice_of("pi_1", call()));
    std::string const other =
        R"({"object":"list","has_more":false,"data":[{"id":"i","object":"invoice_payment",)"
        R"("invoice":"in_5","payment":{"payment_intent":"pi_other"}}]})";
    provider.fails({{{"text", other}}});
    CHECK_FALSE(api.invoice_of("pi_1", call()));
}

TEST_CASE_METHOD(PaymentsClient, "threads can share the client", "[payments_api]")
{
    provider.generates({{"count", 300}, {"users", 100}, {"delayMs", 20}});
    std::vector<std::future<std::size_t>> calls;
    for (int n = 0; n < 16; ++n)
        calls.push_back(std::async(std::launch::async, [&, n] {
            return api.search(core::UserId("user-" + std::to_string(n)), call()).subscriptions.size();
        }));
    for (auto& each : calls)
        CHECK(each.get() == 3);
}

TEST_CASE("the simulated provider answers the payments provider's own package as documented", "[peers]")
{
    PaymentsProvider const provider;
    auto const output = testing::output_of({"node", NPM_FOLDER "/stripe_api.mjs", provider.url()}, 1min);
    CHECK(json::parse(output).at("versions") == json::array{"2024-06-20", "2025-03-31.basil"});
}
