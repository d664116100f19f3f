#pragma once

#include "scripted_smtp_server.hpp"
#include "support/gate.hpp"
#include "world.hpp"

#include <functional>
#include <string>
#include <utility>

/// The service for the tenants `demo` and `other`, with a mail server that a test can hold.
class HeldSmtp {
public:
    /// The mail server's reply to a RCPT command. It may wait for `held`. Called on the threads of the
    /// server.
    using Reply = std::function<std::string(HeldSmtp& self, std::string const& command)>;

    HeldSmtp(Reply reply, char const* connections)
        : reply_(std::move(reply)),
          world({.environment = {{"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", server_.url()},
                     {"EMAIL_FROM", "n@x.example"}, {"SMTP_CONNECTIONS", connections}}})
    {
        for (auto const* tenant : {"demo-sandbox", "other-sandbox"})
            world.new_template("mail", {}, tenant);
    }

private:
    void serve(testing::SmtpPeer& peer)
    {
        peer.greet({});
        for (;;) {
            auto const line = peer.line();
            if (line.starts_with("DATA")) {
                peer.say("354 Go ahead");
                peer.message();
            }
            peer.say(line.starts_with("RCPT") ? reply_(*this, line) : "250 2.0.0 Ok");
        }
    }

    Reply const reply_;

public:
    testing::Gate held;

private:
    testing::ScriptedSmtpServer const server_{[this](testing::SmtpPeer& peer, int) { serve(peer); }};

public:
    World world;

private:
    testing::OpenAtEnd const open_at_end_{held}; ///< destroyed first, so that the service can end
};
