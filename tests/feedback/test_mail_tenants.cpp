#include "mail_world.hpp"
#include "scripted_smtp_server.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"

#include <catch2/catch.hpp>

#include <mutex>
#include <vector>

using testing::body, testing::require, testing::text;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

/// A mail server that replies to recipients at `slow.example` only after the gate is opened.
class HeldServer {
public:
    std::vector<std::string> accepted() const
    {
        std::lock_guard const lock(mutex_);
        return accepted_;
    }

    std::string url() const { return server_.url(); }

    testing::Gate gate;

private:
    void serve(testing::SmtpPeer& peer)
    {
        peer.greet({});
        std::string recipient;
        for (;;) {
            auto const line = peer.line();
            if (line.starts_with("RCPT")) {
                recipient = line.substr(0, line.find('>') + 1);
                if (line.find("@slow.example") != std::string::npos) gate.pass_blocking();
            }
            if (line.starts_with("DATA")) {
                peer.say("354 Go ahead");
                peer.message();
                std::lock_guard const lock(mutex_);
                accepted_.push_back(recipient);
            }
            peer.say("250 2.0.0 Ok");
        }
    }

    mutable std::mutex mutex_;
    std::vector<std::string> accepted_;
    testing::ScriptedSmtpServer const server_{[this](testing::SmtpPeer& peer, int) { serve(peer); }};
};

/// Returns the path of the thread's replies.
std::string answer_thread_of(MailWorld const& world, std::string const& tenant, std::string const& email)
{
    auto user = world.as(email, email, true, "user", tenant);
    auto const made = user.post("/v1/feedbacks", body({{"category", "bug"}, {"title", "T"}, {"body", "B"}}));
    auto path = "/v1/feedbacks/" + text(require(201, made).json(), "feedbackId") + "/replies";
    auto backend = world.as_backend(tenant);
    require(201, backend.post(path, body({{"body", "Answer"}})));
    return path;
}

} // namespace

TEST_CASE("emails of a tenant that the mail server holds do not delay emails of another tenant", "[mail]")
{
    HeldServer server;
    MailWorld world({{"SMTP_URL", server.url()}, {"SMTP_CONNECTIONS", "5"}});
    testing::OpenAtEnd const open_at_end{server.gate}; // so that the service can end
    for (int i = 0; i < 30; ++i)
        answer_thread_of(world, "demo-sandbox", "user-" + std::to_string(i) + "@slow.example");
    REQUIRE(testing::eventually([&] { return server.gate.arrived() >= 4; }));
    answer_thread_of(world, "other-sandbox", "eve@fast.example");
    REQUIRE(testing::eventually([&] { return server.accepted().size() == 1; }));
    CHECK(server.accepted().front().find("eve@fast.example") != std::string::npos);
    CHECK(server.gate.arrived() == 4); // four fifths of the connections
}

TEST_CASE("a key that cannot be decrypted delays only the emails of its scope", "[mail]")
{
    MailWorld world;
    auto const demo = answer_thread_of(world, "demo-sandbox", "ada@users.example");
    world.mails(1);
    auto const sealed = world.postgres.query("SELECT sealed FROM mail_keys");
    auto const other = answer_thread_of(world, "other-sandbox", "eve@users.example");
    world.mails(2);
    // The next emails of both scopes are sent together at the end of the five minutes.
    require(201, world.as_backend("demo-sandbox").post(demo, body({{"body", "More for Ada"}})));
    require(201, world.as_backend("other-sandbox").post(other, body({{"body", "More for Eve"}})));
    world.settle();
    auto const of_demo =
        " WHERE scope_id = (SELECT min(scope_id) FROM feedbacks WHERE user_email LIKE 'ada%')";
    world.postgres.query("UPDATE mail_keys SET sealed = 'broken'" + std::string(of_demo));
    world.advance(5min);
    CHECK(world.mails_to("eve@users.example").size() == 2);
    CHECK(world.mails_to("ada@users.example").size() == 1);
    world.postgres.query("UPDATE mail_keys SET sealed = '" + sealed + "'" + of_demo);
    world.advance(1min);
    CHECK(world.mails_to("ada@users.example").size() == 2);
}
