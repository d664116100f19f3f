#pragma once
// Internal to the SMTP client: the socket of one session.

#include "mail/smtp_protocol.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mail {

namespace asio = boost::asio;

using SteadyTime = std::chrono::steady_clock::time_point;

/// A connection that sends bytes and receives replies, at first without TLS. Every operation has a time
/// limit. After a failed operation, `fault()` has the reason, the socket is closed, and all further
/// operations fail. One operation at a time. Belongs to the thread of its executor. Create it with
/// std::make_shared.
class SmtpStream : public std::enable_shared_from_this<SmtpStream> {
public:
    /// `host` is a name or an address. The server's certificate must be valid for it.
    SmtpStream(
        asio::any_io_executor const& executor, std::shared_ptr<asio::ssl::context> tls, std::string host);

    /// Resolves the host and connects to the first of its addresses that accepts the connection. Each address
    /// gets an equal share of the time that is left.
    asio::awaitable<bool> connect(std::uint16_t port, SteadyTime until);

    /// Performs the TLS handshake. Fails if the server has sent bytes that no operation has read, because an
    /// attacker can insert them before the handshake (CVE-2011-0411).
    asio::awaitable<bool> start_tls(SteadyTime until);

    /// Returns false if the bytes could not be written. Then the next `read` returns a reply or a failure.
    asio::awaitable<bool> write(std::string_view bytes, SteadyTime until);

    /// Returns the next reply; nullopt after a failure.
    asio::awaitable<std::optional<SmtpReply>> read(SteadyTime until);

    /// Whether bytes have arrived that `read` has not returned.
    bool has_input() const noexcept { return parser_.has_bytes(); }

    bool is_encrypted() const noexcept { return encrypted_; }

    /// Whether bytes can be written and replies can be read.
    bool is_open() const noexcept { return fault_.empty() && !write_failed_; }

    /// The reason of the first failure, with its kind: `CONNECT: Connection refused`. Empty if there was
    /// none.
    std::string const& fault() const noexcept { return fault_; }

    /// Fails the operation that is running, and all later operations, with this reason.
    void abort(std::string_view reason);

    /// The running operation ends by `until` at the latest.
    void limit(SteadyTime until);

private:
    using Error = boost::system::error_code;
    using Endpoints = asio::ip::tcp::resolver::results_type;

    asio::awaitable<bool> resolve(std::uint16_t port, SteadyTime until);
    asio::awaitable<Error> connect_to(asio::ip::tcp::endpoint address, SteadyTime until);
    asio::awaitable<bool> fill(SteadyTime until);
    void begin(SteadyTime until);
    bool end(Error const& error);
    void fail(std::string_view kind, Error const& error);
    void close();

    asio::ssl::stream<asio::ip::tcp::socket> socket_; ///< the TLS layer is unused before `start_tls`
    asio::ip::tcp::resolver resolver_;
    asio::steady_timer timer_; ///< closes the socket when the time of an operation is over
    std::shared_ptr<asio::ssl::context> const context_;
    std::string const host_;
    std::optional<Error> resolved_;
    Endpoints endpoints_;
    SmtpReplyParser parser_;
    std::array<char, 4096> input_;
    bool encrypted_ = false;
    bool timed_out_ = false;
    bool write_failed_ = false;
    std::string fault_;
};

} // namespace mail
