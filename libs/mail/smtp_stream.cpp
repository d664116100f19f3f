#include "mail/smtp_stream.hpp"

#include "crypto/tls_client.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <exception>
#include <tuple>
#include <utility>

namespace mail {

namespace {

using Steady = std::chrono::steady_clock;
using asio::ip::tcp;

constexpr std::chrono::seconds last_replies{2}; ///< how long replies are read after a failed write
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

std::string text_of(boost::system::error_code const& error)
{
    if (error == asio::error::eof || error == asio::ssl::error::stream_truncated)
        return "the server closed the connection";
    return error.message();
}

} // namespace

SmtpStream::SmtpStream(
    asio::any_io_executor const& executor, std::shared_ptr<asio::ssl::context> tls, std::string host)
    : socket_(executor, *tls), resolver_(executor), timer_(executor), context_(std::move(tls)),
      host_(std::move(host))
{
}

asio::awaitable<bool> SmtpStream::connect(std::uint16_t port, SteadyTime until)
{
    if (!co_await resolve(port, until)) co_return false;
    Error error = asio::error::host_not_found;
    auto left = endpoints_.size();
    for (auto const& entry : endpoints_) {
        auto const now = Steady::now();
        auto const share = (until - now) / static_cast<int>(left--);
        error = co_await connect_to(entry.endpoint(), now + std::max(share, Steady::duration(1)));
        if (!error) co_return true;
        if (!is_open()) co_return false;
    }
    if (error == asio::error::timed_out)
        abort("TIMEOUT: the server did not accept the connection in time");
    else
        fail("CONNECT: ", error);
    co_return false;
}

/// The time limit also holds while the resolver's thread is busy. The lookup itself cannot be interrupted.
asio::awaitable<bool> SmtpStream::resolve(std::uint16_t port, SteadyTime until)
{
    if (!is_open()) co_return false;
    timer_.expires_at(until);
    resolver_.async_resolve(
        host_, std::to_string(port), [self = shared_from_this()](Error const& error, Endpoints found) {
            self->resolved_ = error;
            self->endpoints_ = std::move(found);
            self->timer_.cancel();
        });
    co_await timer_.async_wait(as_result);
    if (!is_open()) co_return false;
    if (!resolved_)
        abort("TIMEOUT: the server's name was not resolved in time");
    else if (*resolved_)
        fail("DNS: ", *resolved_);
    co_return is_open();
}

asio::awaitable<SmtpStream::Error> SmtpStream::connect_to(tcp::endpoint address, SteadyTime until)
{
    auto& socket = socket_.next_layer();
    begin(until);
    auto [error] = co_await socket.async_connect(address, as_result);
    timer_.cancel();
    if (std::exchange(timed_out_, false)) error = asio::error::timed_out;
    if (!error && !is_open()) error = asio::error::operation_aborted;
    Error ignored;
    if (error)
        socket.close(ignored);
    else
        socket.set_option(tcp::no_delay(true), ignored);
    co_return error;
}

asio::awaitable<bool> SmtpStream::start_tls(SteadyTime until)
{
    if (parser_.has_bytes()) abort("TLS: the server sent data before the handshake");
    if (!is_open()) co_return false;
    try {
        crypto::tls::expect_host(socket_.native_handle(), host_);
    } catch (std::exception const& error) {
        abort(std::string("TLS: ") + error.what());
        co_return false;
    }
    begin(until);
    auto const [error] = co_await socket_.async_handshake(asio::ssl::stream_base::client, as_result);
    auto const refused = crypto::tls::certificate_fault(socket_.native_handle());
    if (error && !timed_out_ && is_open()) abort("TLS: " + (refused.empty() ? text_of(error) : refused));
    encrypted_ = end(error);
    co_return encrypted_;
}

asio::awaitable<bool> SmtpStream::write(std::string_view bytes, SteadyTime until)
{
    if (!is_open()) co_return false;
    begin(until);
    Error error;
    auto const buffer = asio::buffer(bytes);
    if (encrypted_)
        std::tie(error, std::ignore) = co_await asio::async_write(socket_, buffer, as_result);
    else
        std::tie(error, std::ignore) = co_await asio::async_write(socket_.next_layer(), buffer, as_result);
    write_failed_ = error && !timed_out_;
    co_return end(write_failed_ ? Error() : error);
}

asio::awaitable<std::optional<SmtpReply>> SmtpStream::read(SteadyTime until)
{
    if (write_failed_) until = std::min(until, Steady::now() + last_replies);
    for (;;) {
        if (!fault_.empty()) co_return std::nullopt;
        if (auto reply = parser_.next()) co_return reply;
        if (!parser_.fault().empty())
            abort(std::string("PROTOCOL: ").append(parser_.fault()));
        else if (!co_await fill(until))
            co_return std::nullopt;
    }
}

asio::awaitable<bool> SmtpStream::fill(SteadyTime until)
{
    begin(until);
    Error error;
    std::size_t size = 0;
    auto const buffer = asio::buffer(input_);
    if (encrypted_)
        std::tie(error, size) = co_await socket_.async_read_some(buffer, as_result);
    else
        std::tie(error, size) = co_await socket_.next_layer().async_read_some(buffer, as_result);
    end(error);
    if (!fault_.empty()) co_return false;
    parser_.add({input_.data(), size});
    co_return true;
}

/// Limits the time of the operation that begins.
void SmtpStream::begin(SteadyTime until)
{
    timed_out_ = false;
    limit(until);
}

void SmtpStream::limit(SteadyTime until)
{
    timer_.expires_at(until);
    timer_.async_wait([weak = weak_from_this()](Error const& cancelled) {
        auto const self = weak.lock();
        // The limit may have been moved after the timer had expired.
        if (cancelled || !self || Steady::now() < self->timer_.expiry()) return;
        self->timed_out_ = true;
        self->close();
    });
}

/// Ends an operation. Returns whether it has succeeded.
bool SmtpStream::end(Error const& error)
{
    timer_.expires_at(SteadyTime::max());
    if (timed_out_) abort("TIMEOUT: the server did not respond in time");
    if (error) fail("CONNECTION: ", error);
    return is_open();
}

void SmtpStream::fail(std::string_view kind, Error const& error)
{
    abort(std::string(kind).append(text_of(error)));
}

void SmtpStream::abort(std::string_view reason)
{
    if (fault_.empty()) fault_ = reason;
    close();
}

void SmtpStream::close()
{
    Error ignored;
    resolver_.cancel();
    timer_.cancel();
    socket_.next_layer().close(ignored);
}

} // namespace mail
