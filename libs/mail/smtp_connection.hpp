#pragma once
// Internal to the SMTP client: one session.

#include "mail/mailer.hpp"
#include "mail/smtp_client.hpp"
#include "mail/smtp_stream.hpp"
#include "mail/smtp_url.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mail {

/// What the sessions of a client share.
struct SmtpServer {
    SmtpOptions options;
    SmtpUrl url;
    std::shared_ptr<asio::ssl::context> tls;
};

/// One session with a server, for many messages one after the other. Belongs to the thread of its executor.
class SmtpConnection {
public:
    /// `server` must outlive this object.
    SmtpConnection(asio::any_io_executor const& executor, SmtpServer const& server);

    /// Connects, encrypts the connection and logs in, within `connect_timeout`. Returns nullopt if messages
    /// can be sent, else the reason why not. `Outcome::credential` means that the server refuses the login;
    /// every other failure is `transient`.
    asio::awaitable<std::optional<SendResult>> open();

    /// The result of one submission.
    struct Attempt {
        SendResult result;
        /// The session has ended before any of the message was sent, although it had worked before. The
        /// message can be sent at once on another connection.
        bool stale = false;
    };

    /// Sends one message by `deadline`. If the recipient is refused, the session stays usable.
    asio::awaitable<Attempt> send(Envelope const& envelope, SteadyTime deadline);

    /// Ends an idle session (RFC 5321, 4.1.1.10).
    asio::awaitable<void> quit();

    /// Ends what is running, with the reason `STOPPED`. If the server may have the whole message, its reply
    /// is awaited for `stop_grace`.
    void stop();

    bool is_usable() const noexcept { return usable_ && stream_->is_open(); }

private:
    /// A command before the message, and the step that it belongs to.
    struct Command {
        std::string line;
        Stage stage;
    };

    using Failure = std::optional<SendResult>;

    asio::awaitable<Failure> greet(SteadyTime until);
    asio::awaitable<Failure> hello(SteadyTime until);
    asio::awaitable<Failure> upgrade(SteadyTime until);
    asio::awaitable<Failure> login(SteadyTime until);
    asio::awaitable<std::optional<SmtpReply>> login_as(
        std::string const& user, std::string const& password, SteadyTime until);
    asio::awaitable<std::optional<SmtpReply>> exchange(std::string line, SteadyTime until);
    std::vector<Command> commands_for(Envelope const& envelope) const;
    asio::awaitable<Failure> announce(std::vector<Command> const& commands, SteadyTime deadline);
    asio::awaitable<void> abandon(SteadyTime deadline);
    asio::awaitable<SendResult> send_message(std::string_view message, SteadyTime deadline);
    SteadyTime reply_limit(SteadyTime deadline) const;
    SendResult refused(SmtpReply const& reply, Stage stage);
    SendResult lost(Stage stage);

    SmtpServer const& server_;
    std::shared_ptr<SmtpStream> const stream_;
    SmtpExtensions extensions_;
    unsigned replies_ = 0;     ///< replies to the current message
    bool served_ = false;      ///< a message was sent or refused before
    bool begun_ = false;       ///< a part of the current message was sent
    bool complete_ = false;    ///< the server may have the whole current message
    bool needs_reset_ = false; ///< a transaction is open at the server
    bool stopped_ = false;
    bool usable_ = false;
};

} // namespace mail
