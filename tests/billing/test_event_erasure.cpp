#include "domain/event_erasure.hpp"
#include "domain/named_users.hpp"
#include "domain/own_event.hpp"
#include "rules.hpp"

#include <array>
#include <string>
#include <vector>

using billing::Provider;

namespace {

namespace json = boost::json;

core::UserId const pseudonym("deleted:019b76da-abe8-7b82-a098-51696e18f37e");

/// The ids in a list, one per line.
std::string text_of(std::vector<core::UserId> const& users)
{
    std::string all;
    for (auto const& user : users)
        all += (all.empty() ? "" : "\n") + user.text();
    return all;
}

/// The event after the erasure of one user.
billing::ErasedEvent erase(Provider provider, std::optional<std::string> const& owner,
    json::value const& event, std::string const& erased)
{
    core::UserId const user(erased);
    auto const user_id = owner ? std::optional(core::UserId(*owner)) : std::nullopt;
    return billing::erase_from_event(
        provider, user_id, json::serialize(event), std::span(&user, 1), pseudonym);
}

} // namespace

TEST_CASE("a purchase event names its user, aliases and both sides of a transfer")
{
    json::object const event{{"app_user_id", "e"}, {"original_app_user_id", "d"},
        {"aliases", json::array{"c", "e", "", 7, nullptr, std::string(256, 'x'), std::string("n\0", 2)}},
        {"transferred_from", json::array{"b"}}, {"transferred_to", json::array{"a"}},
        {"product_id", "no user"}, {"subscriber_attributes", json::object{{"app_user_id", "no user"}}}};
    CHECK(text_of(billing::named_users(Provider::purchases, json::object{{"event", event}})) ==
          "a\nb\nc\nd\ne");
    for (auto const* body : {"null", "[]", "{}", R"({"event":1})", R"({"event":{"aliases":"a"}})"}) {
        CAPTURE(body);
        auto const found = billing::named_users(Provider::purchases, json::parse(body));
        CHECK(text_of(found) == (std::string(body).find("\"a\"") == std::string::npos ? "" : "a"));
    }
}

TEST_CASE("a payment event names the users in every metadata")
{
    auto const event = json::parse(R"({
        "metadata": {"userId": "a"},
        "data": {
            "object": {
                "userId": "no user", "metadata": {"userId": "b", "other": "no user"},
                "parent": {"subscription_details": {"metadata": {"userId": "c"}}},
                "lines": {"data": [{"metadata": {"userId": "d"}}, {"metadata": {"userId": 5}}, {"metadata": []}]}
            },
            "previous_attributes": {"metadata": {"userId": "e"}}
        }
    })");
    CHECK(text_of(billing::named_users(Provider::payments, event)) == "a\nb\nc\nd\ne");
    CHECK(billing::parse_event(Provider::payments, event).event.named_users.size() == 5);
}

TEST_CASE("a malformed body names the users after the names of the members")
{
    CHECK(
        text_of(billing::named_users(
            R"({"event" : {"app_user_id" : "ad\u0061", "type": "x", "aliases": ["b", "c\"d"], "store": "s", )")) ==
        "ada\nb\nc\"d");
    CHECK(text_of(billing::named_users(R"({"metadata":{"userId":"ada)")) == "");
    CHECK(text_of(billing::named_users(R"({"metadata":{"userId":"ada"}} trailing)")) == "ada");
    CHECK(billing::named_users("").empty());
    CHECK(billing::named_users("\"").empty());
    CHECK(billing::named_users("\"\\").empty());
    CHECK(billing::named_users(R"("app_user_id")").empty());
}

TEST_CASE("ids that are generated before a sign-in, and pseudonyms, are not persons")
{
    for (auto const* id : {"$RCAnonymousID:5b1f", "anon:7", "deleted:019b76da-abe8-7b82-a098-51696e18f37e"})
        CHECK_FALSE(billing::is_person(core::UserId(id)));
    for (auto const* id : {"ada", "deleted:", "deleted:ada", "anonymous", "RCAnonymousID:5b1f"})
        CHECK(billing::is_person(core::UserId(id)));
}

TEST_CASE("the payload of an event that names no other person is removed")
{
    auto const sent = events::purchase("RENEWAL"); // its alias is an anonymous id
    auto const whole = erase(Provider::purchases, "ada", sent, "ada");
    CHECK(whole.payload == "null");
    CHECK(whole.is_erased);
    CHECK(whole.user_id == pseudonym);
    CHECK(text_of(whole.unfiled) == "$RCAnonymousID:5b1f\nada");
    // The purchase of a user who was not signed in yet.
    auto const anonymous =
        events::purchase("RENEWAL", {{"app_user_id", "$RCAnonymousID:1"}, {"aliases", json::array{"ada"}}});
    CHECK(erase(Provider::purchases, "$RCAnonymousID:1", anonymous, "ada").is_erased);
    // An event without a user of its own.
    auto const waiting = events::payment("invoice.paid", events::invoice("a"));
    CHECK(erase(Provider::payments, std::nullopt, waiting, "ada").is_erased);
    CHECK(erase(Provider::payments, "ada", waiting, "ada").is_erased);
    CHECK_FALSE(erase(Provider::payments, "bob", waiting, "ada").is_erased);
}

TEST_CASE("an event that names another person loses only the id of the erased user")
{
    auto const sent =
        events::purchase("RENEWAL", {{"app_user_id", "bob"}, {"aliases", json::array{"ada", "bob"}},
                                        {"nested", json::array{json::object{{"ada", "Ada"}}}}});
    auto const mention = erase(Provider::purchases, "bob", sent, "ada");
    CHECK_FALSE(mention.is_erased);
    CHECK(mention.user_id == core::UserId("bob"));
    CHECK(text_of(mention.unfiled) == "ada");
    auto const event = json::parse(mention.payload).at("event").as_object();
    CHECK(event.at("aliases") == json::array{pseudonym.text(), "bob"});
    CHECK(event.at("nested").at(0) == json::object{{pseudonym.text(), "Ada"}});
    CHECK(event.contains("subscriber_attributes")); // of bob

    auto const own = erase(Provider::purchases, "bob", sent, "bob");
    CHECK(own.is_erased);
    CHECK(own.user_id == pseudonym);
    auto const left = json::parse(own.payload).at("event").as_object();
    CHECK(left.at("app_user_id") == json::string(pseudonym.text()));
    CHECK(left.at("aliases") == json::array{"ada", pseudonym.text()});
    CHECK_FALSE(left.contains("subscriber_attributes"));
    // After both have been erased, nobody is left.
    CHECK(erase(Provider::purchases, own.user_id->text(), json::parse(own.payload), "ada").payload == "null");
}

TEST_CASE("a payment event of the erased user loses its payload even if it names an earlier user")
{
    auto moved = events::payment("customer.subscription.updated", events::subscription({events::item("a")}));
    moved.at("data").as_object()["previous_attributes"] =
        json::object{{"metadata", json::object{{"userId", "bob"}}}};
    CHECK(erase(Provider::payments, "ada", moved, "ada").payload == "null");
    auto const earlier = erase(Provider::payments, "ada", moved, "bob");
    CHECK_FALSE(earlier.is_erased);
    CHECK(json::parse(earlier.payload).at("data").at("previous_attributes").at("metadata").at("userId") ==
          json::string(pseudonym.text()));
}

TEST_CASE("the payload of a sync or grant of the erased user is removed")
{
    auto const of = [](std::string_view type) {
        billing::Event event{.provider = Provider::internal,
            .id = "0190a5d2-0000-7000-8000-0000000000ff",
            .type = std::string(type)};
        event.environment = core::Environment::sandbox;
        event.user_id = core::UserId("ada");
        event.at = core::Time();
        return event;
    };
    billing::PurchaseEvent const purchase{
        .source = billing::Source::manual, .user_id = core::UserId("ada"), .product = "gift"};
    auto grant = of(billing::grant_type), sync = of(billing::sync_type);
    grant.data = purchase;
    sync.data = billing::SyncEvent{{purchase, purchase}};
    auto fetched = of(billing::sync_type);
    fetched.data = billing::SubscriptionEvent{.subscription_id = "sub_1"};
    auto object = events::subscription({events::item("a")});
    object["previous"] = json::object{{"metadata", json::object{{"userId", "bob"}}}};
    for (auto const& payload :
        {billing::own_payload(grant), billing::own_payload(sync), billing::own_payload(fetched, object)}) {
        CAPTURE(payload);
        auto const erased = erase(Provider::internal, "ada", json::parse(payload), "ada");
        CHECK(erased.is_erased);
        CHECK(erased.user_id == pseudonym);
        CHECK(erased.payload == "null");
        // The events of other users stay.
        auto const kept = erase(Provider::internal, "ada", json::parse(payload), "eve");
        CHECK_FALSE(kept.is_erased);
        CHECK(json::parse(kept.payload) == json::parse(payload));
    }
    CHECK(text_of(billing::named_users(
              Provider::internal, json::parse(billing::own_payload(fetched, object)))) == "ada\nbob");
}
