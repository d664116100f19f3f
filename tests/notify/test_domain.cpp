#include "domain/notification_filter.hpp"
#include "domain/send_request.hpp"
#include "domain/send_result.hpp"
#include "domain/status.hpp"
#include "storage/broadcast_chunks.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace std::chrono_literals;
using namespace notify;

namespace {

core::Time const noon = *core::parse_rfc3339("2026-03-01T12:00:00Z");

Notification at(Status status)
{
    Notification n;
    n.status = status;
    n.created_at = n.queued_at = noon;
    return n;
}

} // namespace

TEST_CASE("a status changes only forward, and only proof of delivery undoes a failure", "[notify]")
{
    using enum Status;
    std::set<std::pair<Status, Status>> const moves{{queued, sent}, {queued, delivered}, {queued, opened},
        {queued, failed}, {sent, delivered}, {sent, opened}, {sent, failed}, {delivered, opened},
        {failed, delivered}, {failed, opened}};
    for (auto const from : {queued, sent, delivered, opened, failed}) {
        for (auto const to : {queued, sent, delivered, opened, failed}) {
            INFO(to_string(from) << " to " << to_string(to));
            auto const next = advance(from, to);
            CHECK(next.has_value() == moves.contains({from, to}));
            if (next) CHECK(*next == to);
        }
    }
}

TEST_CASE("a status change sets the time of that status and no other", "[notify]")
{
    Notification n = at(Status::queued);
    CHECK(advance(n, Status::sent, "", noon + 1s));
    CHECK(n.sent_at == noon + 1s);
    CHECK_FALSE(n.delivered_at);
    CHECK(advance(n, Status::delivered, "", noon + 2s));
    CHECK(n.delivered_at == noon + 2s);
    CHECK_FALSE(n.opened_at);
    CHECK(advance(n, Status::opened, "", noon + 3s));
    CHECK(n.opened_at == noon + 3s);
    CHECK(n.delivered_at == noon + 2s);
    CHECK(n.sent_at == noon + 1s);
    CHECK_FALSE(n.failed_at);
    CHECK_FALSE(n.failure_reason);
}

TEST_CASE("opening implies delivery", "[notify]")
{
    Notification n = at(Status::sent);
    CHECK(advance(n, Status::opened, "", noon + 3s));
    CHECK(n.delivered_at == noon + 3s);
    CHECK(n.opened_at == noon + 3s);
}

TEST_CASE("a failure has a time and a reason, which proof of delivery removes", "[notify]")
{
    Notification n = at(Status::sent);
    CHECK(advance(n, Status::failed, "30003", noon + 1s));
    CHECK(n.failed_at == noon + 1s);
    CHECK(n.failure_reason == "30003");
    CHECK_FALSE(advance(n, Status::failed, "30005", noon + 2s));
    CHECK(n.failure_reason == "30003");
    CHECK(advance(n, Status::delivered, "", noon + 3s));
    CHECK(n.delivered_at == noon + 3s);
    CHECK_FALSE(n.failed_at);
    CHECK_FALSE(n.failure_reason);
}

TEST_CASE("a refused status change leaves the notification unchanged", "[notify]")
{
    Notification n = at(Status::delivered);
    n.delivered_at = noon;
    for (auto const to : {Status::queued, Status::sent, Status::delivered, Status::failed}) {
        CHECK_FALSE(advance(n, to, "reason", noon + 1h));
        CHECK(n.status == Status::delivered);
        CHECK(n.delivered_at == noon);
        CHECK_FALSE(n.sent_at);
        CHECK_FALSE(n.failed_at);
        CHECK_FALSE(n.failure_reason);
    }
}

TEST_CASE("a notification is due at sendAt, and not before it was queued", "[notify]")
{
    Notification n = at(Status::queued);
    CHECK(n.due_at() == noon);
    n.send_at = noon + 1h;
    CHECK(n.due_at() == noon + 1h);
    n.queued_at = noon + 2h; // retried
    CHECK(n.due_at() == noon + 2h);
}

TEST_CASE("each channel has its own queue with the name of the channel", "[notify]")
{
    for (auto const channel : {Channel::email, Channel::push, Channel::sms})
        CHECK(queue_of(channel) == "notify." + std::string(to_string(channel)));
}

TEST_CASE("the pushes and the chunks of each carrier have their own queues", "[notify]")
{
    auto const of_push = queues_of(Channel::push);
    std::set<std::string_view> const push_queues(of_push.begin(), of_push.end());
    CHECK(push_queues.size() == 1 + core::names_of<Carrier>.size());
    CHECK(push_queues.contains(queue_of(Channel::push)));
    for (auto const carrier : {Carrier::fcm, Carrier::apns, Carrier::webpush}) {
        std::string const name(to_string(carrier));
        CHECK(push_queue_of(carrier) == "notify.push." + name);
        CHECK(push_queues.contains(push_queue_of(carrier)));
        CHECK(broadcast_chunks::queue_of(carrier) == std::string(broadcast_chunks::mixed_queue) + '.' + name);
    }
    for (auto const channel : {Channel::email, Channel::sms}) {
        REQUIRE(queues_of(channel).size() == 1);
        CHECK(queues_of(channel).front() == queue_of(channel));
    }
    std::set<std::string_view> const all(notification_queues.begin(), notification_queues.end());
    CHECK(all.size() == notification_queues.size());
}

TEST_CASE("a provider's text becomes a reason of one short line", "[notify]")
{
    CHECK(reason_of("  550 5.1.1 no such user\r\nsecond line") == "550 5.1.1 no such user");
    CHECK(reason_of(std::string(500, 'x')) == std::string(max_reason, 'x'));
}

TEST_CASE("the valid recipients depend on the channel", "[notify]")
{
    CHECK(recipient_of(Channel::email, "ada@example.com") == "ada@example.com");
    CHECK(recipient_of(Channel::email, "Ada@EXAMPLE.com") == "Ada@example.com");
    for (auto const* bad : {"", "ada", "ada@", "@example.com", "ada@example.com\r\nBcc: eve@example.com",
             "Ada <ada@example.com>", "a@example.com,b@example.com", "+14155550100"})
        CHECK_FALSE(recipient_of(Channel::email, bad));

    CHECK(recipient_of(Channel::sms, "+14155550100") == "+14155550100");
    for (auto const* bad : {"", "4155550100", "+0155550100", "+1415555010012345", "+1 415 555 0100",
             "ada@example.com", "+999123456"})
        CHECK_FALSE(recipient_of(Channel::sms, bad));

    CHECK(recipient_of(Channel::push, "user-1") == "user-1");
    CHECK(recipient_of(Channel::push, "anon:0190a5d2-0000-7000-8000-00000000ada0") ==
          "anon:0190a5d2-0000-7000-8000-00000000ada0");
    CHECK(recipient_of(Channel::push, std::string(128, 'u')) == std::string(128, 'u'));
    CHECK_FALSE(recipient_of(Channel::push, ""));
    CHECK_FALSE(recipient_of(Channel::push, "anon:ada"));
    CHECK_FALSE(recipient_of(Channel::push, std::string(129, 'u')));
}

TEST_CASE("a cursor is valid only with the filter of its list", "[notify]")
{
    NotificationFilter const plain;
    NotificationFilter failed, email, ada, later;
    failed.status = Status::failed;
    email.channel = Channel::email;
    ada.to = {"ada@example.com"};
    later.created_after = noon;
    std::set<std::uint64_t> const hashes{plain.hash(), failed.hash(), email.hash(), ada.hash(), later.hash()};
    CHECK(hashes.size() == 5);
    CHECK(plain.plain());
    for (auto const* filter : {&failed, &email, &ada, &later})
        CHECK_FALSE(filter->plain());
}

TEST_CASE("a filter by recipient finds the recipient in all accepted forms", "[notify]")
{
    using Names = std::vector<std::string>;
    std::string const given = "Ada@EXAMPLE.com", kept = "Ada@example.com";
    CHECK(NotificationFilter::names_of(Channel::email, given) == Names{kept});
    CHECK(NotificationFilter::names_of(std::nullopt, given) == Names{given, kept});
    CHECK(NotificationFilter::names_of(std::nullopt, kept) == Names{kept});
    CHECK(NotificationFilter::names_of(Channel::push, given) == Names{given}); // the text may be a user id
    CHECK(NotificationFilter::names_of(Channel::email, "nobody") == Names{"nobody"});
    NotificationFilter one, two;
    one.to = {given};
    two.to = {given, kept};
    CHECK(one.hash() != two.hash());
    CHECK_FALSE(two.plain());
}

TEST_CASE("only a provider id that can be stored is valid", "[notify]")
{
    for (auto const& good :
        {std::string("SM1"), std::string("projects/p/messages/0:1%2"), std::string(500, '~')})
        CHECK(is_provider_id(good));
    for (auto const& bad : {std::string(), std::string("a b"), std::string(1, '\0'), std::string("a\x7f"),
             std::string("\xc3\xa9"), std::string(501, 'a')})
        CHECK_FALSE(is_provider_id(bad));
}
