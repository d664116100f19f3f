#include "mail/smtp_connection.hpp"

#include "core/fields.hpp"
#include "crypto/encoding.hpp"

#include <algorithm>
#include <array>
#include <unistd.h>
#include <utility>

namespace mail {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t write_size = std::size_t{64} * 1024;
constexpr std::chrono::seconds quit_timeout{1};
constexpr std::string_view reset = "RSET";
constexpr unsigned ready = 220, logged_in = 235, challenge = 334, start_of_message = 354, closing = 421;

/// The argument of EHLO if the URL has none.
std::string host_name()
{
    std::array<char, 256> name{};
    bool const found = gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0';
    return found ? name.data() : "localhost";
}

SendResult failure(Outcome outcome, Stage stage, std::string_view reason)
{
    return {.outcome = outcome, .reason = core::first_line(reason, max_reason), .stage = stage};
}

/// Whether SMTP can carry an address in `<>` without extensions. `from` may be empty.
bool is_path(std::string_view address)
{
    return std::ranges::all_of(address, [](char c) { return c > ' ' && c <= '~' && c != '<' && c != '>'; });
}

} // namespace

SmtpConnection::SmtpConnection(asio::any_io_executor const& executor, SmtpServer const& server)
    : server_(server), stream_(std::make_shared<SmtpStream>(executor, server.tls, server.url.host))
{
}

// --- the session -----------------------------------------------------------------------------------------

asio::awaitable<std::optional<SendResult>> SmtpConnection::open()
{
    auto const until = Steady::now() + server_.options.connect_timeout;
    if (!co_await stream_->connect(server_.url.port, until)) co_return lost(Stage::connect);
    if (server_.url.tls && !co_await stream_->start_tls(until)) co_return lost(Stage::tls);
    if (auto failed = co_await greet(until)) co_return failed;
    if (!stream_->is_encrypted()) {
        if (auto failed = co_await upgrade(until)) co_return failed;
    }
    if (auto failed = co_await login(until)) co_return failed;
    usable_ = !stopped_;
    co_return usable_ ? std::nullopt : Failure(lost(Stage::connect));
}

asio::awaitable<SmtpConnection::Failure> SmtpConnection::greet(SteadyTime until)
{
    auto const greeting = co_await stream_->read(until);
    if (!greeting) co_return lost(Stage::connect);
    if (greeting->code != ready) co_return refused(*greeting, Stage::connect);
    co_return co_await hello(until);
}

asio::awaitable<SmtpConnection::Failure> SmtpConnection::hello(SteadyTime until)
{
    std::string const& given = server_.url.client_name;
    std::string const name = given.empty() ? host_name() : given;
    auto reply = co_await exchange("EHLO " + name, until);
    extensions_ = reply && reply->positive() ? read_extensions(*reply) : SmtpExtensions();
    // An old server (RFC 5321, 3.2).
    if (reply && reply->code >= 500) reply = co_await exchange("HELO " + name, until);
    if (!reply) co_return lost(Stage::connect);
    co_return reply->positive() ? std::nullopt : Failure(refused(*reply, Stage::connect));
}

/// STARTTLS (RFC 3207), if the server offers it or the options require it.
asio::awaitable<SmtpConnection::Failure> SmtpConnection::upgrade(SteadyTime until)
{
    if (!extensions_.starttls) {
        if (!server_.options.require_tls) co_return std::nullopt;
        stream_->abort("TLS: the server does not offer STARTTLS");
        co_return lost(Stage::tls);
    }
    auto const reply = co_await exchange("STARTTLS", until);
    if (!reply) co_return lost(Stage::tls);
    if (reply->code != ready) co_return refused(*reply, Stage::tls);
    if (!co_await stream_->start_tls(until)) co_return lost(Stage::tls);
    co_return co_await hello(until); // all that the server said before TLS is discarded
}

asio::awaitable<SmtpConnection::Failure> SmtpConnection::login(SteadyTime until)
{
    std::string const& user = server_.url.user.reveal();
    std::string const& password = server_.url.password.reveal();
    if (user.empty() && password.empty()) co_return std::nullopt;
    if (!stream_->is_encrypted()) stream_->abort("TLS: a login requires TLS");
    if (!stream_->is_open()) co_return lost(Stage::tls);
    bool const plain = extensions_.auth_plain && server_.url.mechanism != AuthMechanism::login;
    bool const login = extensions_.auth_login && server_.url.mechanism != AuthMechanism::plain;
    if (!plain && !login) {
        stream_->abort("AUTH: the server does not offer a login with PLAIN or LOGIN");
        co_return failure(Outcome::credential, Stage::login, stream_->fault());
    }
    auto const reply = plain ? co_await exchange(auth_plain_command(user, password), until)
                             : co_await login_as(user, password, until);
    if (!reply) co_return lost(Stage::login);
    if (reply->code == logged_in) co_return std::nullopt;
    auto result = refused(*reply, Stage::login);
    if (reply->code >= 500) result.outcome = Outcome::credential;
    co_return result;
}

/// AUTH LOGIN. Returns the last reply.
asio::awaitable<std::optional<SmtpReply>> SmtpConnection::login_as(
    std::string const& user, std::string const& password, SteadyTime until)
{
    auto reply = co_await exchange("AUTH LOGIN", until);
    for (auto const* value : {&user, &password}) {
        if (!reply || reply->code != challenge) break;
        reply = co_await exchange(crypto::base64::encode(*value), until);
    }
    co_return reply;
}

asio::awaitable<std::optional<SmtpReply>> SmtpConnection::exchange(std::string line, SteadyTime until)
{
    line += "\r\n";
    co_await stream_->write(line, until);
    co_return co_await stream_->read(until);
}

asio::awaitable<void> SmtpConnection::quit()
{
    usable_ = false;
    if (!stream_->is_open()) co_return;
    co_await exchange("QUIT", Steady::now() + quit_timeout);
    stream_->abort("closed");
}

void SmtpConnection::stop()
{
    stopped_ = true;
    if (complete_)
        stream_->limit(Steady::now() + server_.options.stop_grace);
    else
        stream_->abort("STOPPED");
}

// --- messages --------------------------------------------------------------------------------------------

asio::awaitable<SmtpConnection::Attempt> SmtpConnection::send(Envelope const& envelope, SteadyTime deadline)
{
    replies_ = 0;
    begun_ = complete_ = false;
    if (!is_path(envelope.from) || !is_path(envelope.to) || envelope.to.empty())
        co_return Attempt{failure(Outcome::refused, Stage::local, "INVALID_ADDRESS")};
    if (is_eight_bit(envelope.message) && !extensions_.eight_bit_mime)
        co_return Attempt{failure(Outcome::refused, Stage::sender, "8BITMIME: the server does not offer it")};
    // A reply too many would be taken for the reply to the next command.
    if (stream_->has_input()) stream_->abort("PROTOCOL: the server sent a reply without a command");
    auto const refusal = co_await announce(commands_for(envelope), deadline);
    auto result = refusal ? *refusal : co_await send_message(envelope.message, deadline);
    // Without a reply, or with 421 as the first one, the server has closed the session for a reason of its
    // own.
    bool const ended = result.code == 0 || (result.code == closing && replies_ == 1);
    bool const stale = served_ && ended && !is_usable() && !begun_ && !stopped_;
    served_ = true;
    co_return Attempt{std::move(result), stale};
}

std::vector<SmtpConnection::Command> SmtpConnection::commands_for(Envelope const& envelope) const
{
    std::vector<Command> commands;
    commands.reserve(4);
    if (needs_reset_) commands.push_back({std::string(reset), Stage::sender});
    commands.push_back(
        {mail_command(envelope.from, envelope.message.size(), is_eight_bit(envelope.message), extensions_),
            Stage::sender});
    commands.push_back({"RCPT TO:<" + envelope.to + '>', Stage::recipient});
    commands.push_back({"DATA", Stage::message});
    return commands;
}

/// Sends the commands, in one piece if the server offers PIPELINING (RFC 2920). Returns the first failure;
/// nullopt if the server waits for the message.
asio::awaitable<SmtpConnection::Failure> SmtpConnection::announce(
    std::vector<Command> const& commands, SteadyTime deadline)
{
    if (extensions_.pipelining) {
        std::string all;
        for (auto const& command : commands)
            all.append(command.line).append("\r\n");
        co_await stream_->write(all, reply_limit(deadline));
    }
    Failure failed;
    bool waits_for_message = false;
    for (auto const& command : commands) {
        if (!extensions_.pipelining) co_await stream_->write(command.line + "\r\n", reply_limit(deadline));
        auto const reply = co_await stream_->read(reply_limit(deadline));
        if (!reply) co_return failed ? failed : lost(command.stage);
        ++replies_;
        if (command.line == reset && !reply->positive()) { // does not concern this message
            stream_->abort("PROTOCOL: RSET was refused");
            co_return lost(command.stage);
        }
        bool const is_data = &command == &commands.back();
        waits_for_message = is_data && reply->code == start_of_message;
        bool const good = is_data ? waits_for_message : reply->positive();
        if (!good && !failed) failed = refused(*reply, command.stage);
        if (failed && (!usable_ || !extensions_.pipelining)) break;
    }
    needs_reset_ = failed.has_value();
    if (failed && waits_for_message) co_await abandon(deadline);
    co_return failed;
}

/// Ends a message that has no recipient. The server refuses it (RFC 2920, 3.1).
asio::awaitable<void> SmtpConnection::abandon(SteadyTime deadline)
{
    co_await stream_->write(".\r\n", reply_limit(deadline));
    auto const reply = co_await stream_->read(reply_limit(deadline));
    if (!reply || reply->code == closing) usable_ = false;
}

asio::awaitable<SendResult> SmtpConnection::send_message(std::string_view message, SteadyTime deadline)
{
    begun_ = true;
    SmtpData data(message);
    bool written = true;
    for (std::string piece; written && data.next(piece, write_size); piece.clear()) {
        complete_ = data.is_at_end();
        written = co_await stream_->write(piece, reply_limit(deadline));
    }
    auto const reply = co_await stream_->read(reply_limit(deadline));
    if (!reply) co_return lost(Stage::message);
    ++replies_;
    if (!reply->positive()) co_return refused(*reply, Stage::message);
    if (!complete_) { // the server cannot have accepted a part of the message
        usable_ = false;
        stream_->abort("PROTOCOL: the server replied before the end of the message");
        co_return lost(Stage::message);
    }
    co_return SendResult{.outcome = Outcome::accepted,
        .stage = Stage::message,
        .code = reply->code,
        .accepted_reply = core::first_line(reply->text(0), max_reason)};
}

SteadyTime SmtpConnection::reply_limit(SteadyTime deadline) const
{
    auto limit = server_.options.reply_timeout;
    if (stopped_) limit = std::min(limit, server_.options.stop_grace);
    return std::min(deadline, Steady::now() + limit);
}

/// The result of a reply that is not the expected one.
SendResult SmtpConnection::refused(SmtpReply const& reply, Stage stage)
{
    if (reply.code < 400) {
        usable_ = false;
        stream_->abort("PROTOCOL: unexpected reply " + reply.lines.front());
        return lost(stage);
    }
    if (reply.code == closing) usable_ = false; // RFC 5321, 3.8
    auto result = read_smtp_reply(reply.code, reply.first_line());
    result.stage = stage;
    bool const of_session = stage == Stage::connect || stage == Stage::tls || stage == Stage::login;
    if (of_session) result.outcome = Outcome::transient; // does not concern a message
    // A server that requires a login says so before it takes a message. Later, the reply is about this
    // message.
    bool const of_message = stage == Stage::recipient || stage == Stage::message;
    if (of_message && result.outcome == Outcome::credential) result.outcome = Outcome::refused;
    return result;
}

/// The result of a session that has ended without a reply.
SendResult SmtpConnection::lost(Stage stage)
{
    usable_ = false;
    std::string_view const fault = stream_->fault();
    if (stopped_) return failure(Outcome::transient, stage, "STOPPED");
    if (complete_)
        return failure(Outcome::transient, stage,
            std::string("NO_ANSWER: no reply after the message was sent: ").append(fault));
    return failure(Outcome::transient, stage, fault);
}

} // namespace mail
