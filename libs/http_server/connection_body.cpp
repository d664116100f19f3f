// The part of Connection that reads a request's body.
#include "http/body_budget.hpp"
#include "http_server/connection.hpp"
#include "http_server/shard.hpp"

namespace http_server {

namespace codes = core::codes;

namespace {

constexpr std::size_t least_read = std::size_t{16} * 1024; ///< more than RequestParser::chunk_line_limit
constexpr std::size_t largest_read = std::size_t{64} * 1024;
constexpr std::uint64_t discarded_rest = std::uint64_t{64} * 1024;

core::Error too_large()
{
    return {codes::payload_too_large, "The body is larger than this route allows. Send less data."};
}

} // namespace

std::optional<std::uint64_t> Connection::length() const
{
    return slot_->parser.content_length();
}

asio::awaitable<void> Connection::read_all(std::string& out, std::size_t limit)
{
    auto const declared = slot_->parser.content_length();
    if (declared && *declared > limit) throw too_large();
    std::string_view piece;
    for (;;) {
        switch (take_piece(piece)) {
        case Next::piece:
            if (piece.size() > limit) throw too_large();
            limit -= piece.size();
            append_body(out, piece);
            break;
        case Next::more:
            co_await fill_body(request_deadline_);
            break;
        case Next::end:
            slot_->body.shrink(); // the buffer is not counted, and the handler may run long
            co_return;
        }
    }
}

// Memory grows with the bytes that arrive, not with the declared length, and is counted before it is
// allocated.
void Connection::append_body(std::string& out, std::string_view piece)
{
    std::size_t const needed = out.size() + piece.size();
    if (needed > out.capacity()) {
        auto const left = slot_->parser.body_left();
        std::size_t capacity = std::max(needed, 2 * out.capacity());
        if (left) capacity = std::min<std::size_t>(capacity, needed + *left);
        auto const& lease = slot_->request->lease;
        if (lease) lease->hold_body(capacity);
        std::string larger; // reserves exactly this capacity, unlike a string that grows
        larger.reserve(capacity);
        larger += out;
        out.swap(larger);
    }
    out += piece;
}

asio::awaitable<std::string_view> Connection::read_some()
{
    std::string_view piece;
    for (;;) {
        switch (take_piece(piece)) {
        case Next::piece:
            co_return piece;
        case Next::more:
            co_await fill_body(shard_->after(shard_->options().body_idle_timeout));
            break;
        case Next::end:
            co_return std::string_view();
        }
    }
}

Connection::Next Connection::take_piece(std::string_view& piece)
{
    RequestSlot& slot = *slot_;
    if (body_failed_)
        throw core::Error(codes::bad_request, "The request body could not be read. Send the request again.");
    if (slot.parser.body_done()) return Next::end;
    ReadBuffer& input = head_.empty() ? slot.body : head_;
    auto const next = slot.parser.body(input.data());
    input.consume(next.used);
    if (next.state == RequestParser::State::failed) {
        body_failed_ = true;
        throw slot.parser.error();
    }
    piece = next.data;
    if (!piece.empty()) return Next::piece;
    return next.state == RequestParser::State::done ? Next::end : Next::more;
}

asio::awaitable<void> Connection::fill_body(SteadyTime deadline)
{
    if (owes_continue_) {
        owes_continue_ = false;
        co_await write({"HTTP/1.1 100 Continue\r\n\r\n", {}});
    }
    expired_ = false;
    boost::system::error_code ec;
    std::size_t size = read_body_now(ec);
    while (size == 0 && (ec == asio::error::would_block || ec == asio::error::try_again)) {
        slot_->body.shrink(); // the connection holds no empty buffer while it waits for a slow client
        co_await wait(Socket::wait_read, deadline);
        if (expired_ || broken_) break;
        size = read_body_now(ec);
    }
    if (size > 0) co_return;
    body_failed_ = true;
    if (expired_)
        throw core::Error(
            codes::request_timeout, "The request body was not complete in time. Send it faster.");
    throw core::Error(
        codes::bad_request, "The connection was closed before the end of the body. Send the request again.");
}

std::size_t Connection::read_body_now(boost::system::error_code& ec)
{
    make_body_room();
    ReadBuffer& body = slot_->body;
    std::size_t const size = socket_.read_some(asio::buffer(body.space(), body.space_size()), ec);
    body.commit(size);
    return size;
}

// The bytes after the head are moved to the body's buffer. The head stays in place, since the request has
// views into it.
void Connection::make_body_room()
{
    ReadBuffer& body = slot_->body;
    auto const left = slot_->parser.body_left().value_or(least_read);
    body.make_room(std::clamp<std::size_t>(left, least_read, largest_read));
    body.append(head_.data());
    head_.consume(head_.data().size());
}

// Whether the unread rest of the body is small enough to be read and discarded. Reading a small rest costs
// less than a new connection.
bool Connection::is_rest_discarded() const noexcept
{
    auto const left = slot_->parser.body_left();
    return !owes_continue_ && left && *left <= discarded_rest;
}

asio::awaitable<void> Connection::discard_rest()
{
    // One deadline applies to the whole rest of the body. If the client exceeds it, the connection is closed.
    auto const deadline = shard_->after(shard_->options().body_idle_timeout);
    try {
        std::string_view piece;
        for (Next next = take_piece(piece); next != Next::end; next = take_piece(piece))
            if (next == Next::more) co_await fill_body(deadline);
    } catch (core::Error const&) {
        keep_ = false;
    }
}

} // namespace http_server
