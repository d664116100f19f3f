#include "mail_world.hpp"
#include "scripted_smtp_server.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"

#include <catch2/catch.hpp>

#include <mutex>
#include <vector>

using testing::body, testing::require, testing::text;
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

void answer_thread_of(MailWorld const& world, std::string const& tenant, std::string const& email)
{
    auto user = world.as(email, email, true, "user", tenant);
    auto const made = user.post("/v1/feedbacks", body({{"category", "bug"}, {"title", "T"}, {"body", "B"}}));
    auto const thread = text(require(201, made).json(), "feedbackId");
    auto backend = world.as_backend(tenant);
    require(201, backend.post("/v1/feedbacks/" + thread + "/replies", body({{"body", "Answer"}})));
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
