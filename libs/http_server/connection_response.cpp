// The part of Connection that writes responses.
#include "http/problem.hpp"
#include "http_server/connection.hpp"
#include "http_server/shard.hpp"
#include "http_server/wire.hpp"

#include <boost/asio/buffer.hpp>

#include <array>
#include <exception>
#include <linux/sockios.h>
#include <stdexcept>
#include <sys/ioctl.h>

namespace http_server {

namespace {

constexpr std::size_t copied_body = std::size_t{16} * 1024; ///< a larger body is written without a copy

Framing framing_of(http::Response const& response, bool http11) noexcept
{
    if (!response.stream || response.stream_length) return Framing::length;
    return http11 ? Framing::chunked : Framing::close;
}

/// Returns the next piece of the stream; empty at the end. Throws if the stream does not have the length that
/// the response declares. `left` is the rest of this length.
asio::awaitable<std::string> next_piece(http::Response const& response, std::optional<std::uint64_t>& left)
{
    if (left == 0U) co_return std::string();
    std::string piece = co_await response.stream();
    if (!left) co_return piece;
    if (piece.empty() || piece.size() > *left) throw std::runtime_error("a stream has another length");
    *left -= piece.size();
    co_return piece;
}

} // namespace

Connection::Unsent Connection::begin_response(http::Response const& response)
{
    RequestSlot& slot = *slot_;
    RequestParser const& parser = slot.parser;
    auto const framing = framing_of(response, parser.http11());
    keep_ = parser.keep_alive() && !response.close && !shard_->draining() && framing != Framing::close &&
            !body_failed_ && (parser.body_done() || is_rest_discarded());
    auto persistence = Persistence::close;
    if (keep_) persistence = parser.http11() ? Persistence::silent : Persistence::keep_alive;

    sent_ = 0;
    waited_ = {};
    slot.out.clear();
    append_head(slot.out, response, framing, persistence, shard_->date_line());
    if (parser.is_head() || response.stream || is_bodiless(response.status)) return {slot.out, {}};
    auto const body = response.content();
    if (body.size() > copied_body) return {slot.out, body};
    slot.out += body;
    return {slot.out, {}};
}

bool Connection::sends_stream(http::Response const& response) const noexcept
{
    return response.stream && !slot_->parser.is_head() && !is_bodiless(response.status);
}

asio::awaitable<void> Connection::write_stream(http::Response const& response)
{
    auto const framing = framing_of(response, slot_->parser.http11());
    auto left = response.stream_length;
    std::string& out = slot_->out;
    while (!broken_) {
        out.clear();
        bool failed = false;
        try {
            std::string const piece = co_await next_piece(response, left);
            if (piece.empty()) break;
            if (framing == Framing::chunked) {
                append_chunk(out, piece);
            } else {
                out = piece;
            }
        } catch (std::exception const&) {
            failed = true;
        }
        if (failed) {
            // The client must see that the response is incomplete. Missing bytes of the Content-Length or the
            // missing last chunk show this. Without either, the end of the connection is the end of the body,
            // so only a reset shows this.
            boost::system::error_code ignored;
            if (framing == Framing::close) socket_.set_option(asio::socket_base::linger(true, 0), ignored);
            abort();
            co_return;
        }
        co_await write({out, {}});
    }
    if (framing == Framing::chunked && !broken_) co_await write({last_chunk, {}});
}

// Responds to a malformed or slow request with an error and ends the connection. The bytes after such a
// request cannot be interpreted safely.
asio::awaitable<void> Connection::refuse()
{
    keep_ = false;
    core::Error const error = slot_->parser.error();
    shard_->application().on_protocol_error(error.code().name);
    std::string const id = shard_->make_request_id();
    http::Response response = http::problem(error, id);
    response.headers.emplace_back("X-Request-Id", id);
    slot_->out.clear();
    append_head(slot_->out, response, Framing::length, Persistence::close, shard_->date_line());
    slot_->out += response.body;
    co_await write({slot_->out, {}});
}

Connection::Unsent Connection::write_some(Unsent unsent) noexcept
{
    std::array<asio::const_buffer, 2> const buffers{asio::buffer(unsent.head), asio::buffer(unsent.body)};
    boost::system::error_code ec;
    std::size_t sent =
        unsent.body.empty() ? socket_.write_some(buffers[0], ec) : socket_.write_some(buffers, ec);
    if (ec && ec != asio::error::would_block && ec != asio::error::try_again) {
        broken_ = true;
        return {};
    }
    sent_ += sent;
    std::size_t const of_head = std::min(sent, unsent.head.size());
    sent -= of_head;
    unsent.head.remove_prefix(of_head);
    unsent.body.remove_prefix(sent);
    return unsent;
}

asio::awaitable<void> Connection::write(Unsent unsent)
{
    while (!broken_) {
        unsent = write_some(unsent);
        if (unsent.empty()) co_return;
        // A socket becomes writable only when much of its send queue is free. So the size of the queue shows
        // whether a slow client still reads.
        int queued = send_queue();
        for (;;) {
            auto const begun = shard_->now();
            co_await wait(Socket::wait_write, shard_->after(shard_->options().write_timeout));
            waited_ += shard_->now() - begun;
            if (is_too_slow()) {
                broken_ = true;
                co_return;
            }
            if (!expired_) break;
            int const left = send_queue();
            if (left >= queued) {
                broken_ = true;
                co_return;
            }
            queued = left;
        }
    }
}

// Whether the client reads more slowly than `min_write_rate`. Bytes in the socket's send queue count as not
// read.
bool Connection::is_too_slow() noexcept
{
    auto const& options = shard_->options();
    if (waited_ <= options.write_timeout) return false;
    auto const taken = static_cast<double>(sent_) - send_queue();
    return taken <
           static_cast<double>(options.min_write_rate) * std::chrono::duration<double>(waited_).count();
}

int Connection::send_queue() noexcept
{
    int queued = 0;
    ::ioctl(socket_.native_handle(), SIOCOUTQ, &queued);
    return queued;
}

} // namespace http_server
