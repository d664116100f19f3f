#include "redis/link.hpp"

#include <boost/asio/post.hpp>
#include <hiredis/hiredis.h>

#include <new>

namespace redis {

namespace {

/// The maximum size in bytes of the buffer that an idle connection keeps.
constexpr std::size_t kept_capacity = std::size_t{64} * 1024;

/// Encodes a RESP array of bulk strings.
void append_command(std::string& out, std::span<std::string_view const> args)
{
    auto const append_head = [&out](char type, std::size_t size) {
        out.append(1, type).append(std::to_string(size)).append("\r\n");
    };
    append_head('*', args.size());
    for (auto const arg : args) {
        append_head('$', arg.size());
        out.append(arg).append("\r\n");
    }
}

} // namespace

Link::Link(asio::io_context& ioc, Tls tls, std::string const& host, OnClosed on_closed)
    : transport_(ioc, std::move(tls), host), on_closed_(std::move(on_closed)), reader_(redisReaderCreate())
{
    if (reader_ == nullptr) throw std::bad_alloc();
}

Link::~Link()
{
    redisReaderFree(reader_);
}

std::shared_ptr<Link> Link::open(asio::io_context& ioc, Tls tls, std::string const& host,
    Transport::Endpoint const& to, OnClosed on_closed)
{
    std::shared_ptr<Link> link(new Link(ioc, std::move(tls), host, std::move(on_closed)));
    link->connect(to);
    return link;
}

void Link::connect(Transport::Endpoint const& to)
{
    transport_.async_open(to, [self = shared_from_this()](Transport::Error error) {
        if (error) return self->fail(error);
        if (!self->open_) return;
        self->connected_ = true;
        self->read();
        if (!self->output_.empty()) self->flush_later();
    });
}

void Link::send(std::span<std::string_view const> args, std::unique_ptr<ReplyHandler> answer)
{
    if (!open_) {
        answer->on_reply(nullptr);
        return;
    }
    append_command(output_, args);
    sent_.push_back({ticks_, std::move(answer)});
    if (connected_) flush_later();
}

std::optional<unsigned> Link::age() const noexcept
{
    return sent_.empty() ? std::nullopt : std::optional(ticks_ - sent_.front().tick);
}

void Link::close(std::string const& reason)
{
    if (!open_) return;
    open_ = false;
    transport_.close();
    auto const missing = std::exchange(sent_, {});
    for (auto const& sent : missing)
        sent.answer->on_reply(nullptr);
    if (auto const on_closed = std::exchange(on_closed_, nullptr)) on_closed(reason);
}

void Link::fail(Transport::Error const& error)
{
    if (open_) close(transport_.explain(error));
}

void Link::read()
{
    transport_.async_read_some(
        asio::buffer(input_), [self = shared_from_this()](Transport::Error error, std::size_t size) {
            if (error) return self->fail(error);
            self->take(size);
            if (self->open_) self->read();
        });
}

void Link::take(std::size_t size)
{
    redisReaderFeed(reader_, input_.data(), size);
    while (open_ && take_reply()) {
    }
}

/// Takes one reply from the parser and delivers it. Returns false if there is no complete reply.
bool Link::take_reply()
{
    void* read = nullptr;
    if (redisReaderGetReply(reader_, &read) != REDIS_OK) {
        close(reader_->errstr);
        return false;
    }
    if (read == nullptr) return false;
    std::unique_ptr<void, decltype(&freeReplyObject)> const reply(read, &freeReplyObject);
    deliver(*static_cast<redisReply const*>(read));
    return true;
}

void Link::deliver(redisReply const& reply)
{
    if (sent_.empty()) {
        close("the server sent an answer without a command");
        return;
    }
    auto const answer = std::move(sent_.front().answer);
    sent_.pop_front();
    answer->on_reply(&reply);
    // A demoted master keeps its connections open. Only a new connection can reach the new master.
    if (reply.type == REDIS_REPLY_ERROR && std::string_view(reply.str, reply.len).starts_with("READONLY"))
        close("the server became a read-only replica");
}

void Link::flush_later()
{
    if (busy_) return;
    busy_ = true;
    // `flush` runs after all handlers that are ready now, so that the commands of these handlers are written
    // together.
    asio::post(transport_.executor(), [self = shared_from_this()] { self->flush(); });
}

void Link::flush()
{
    if (!open_) return;
    writing_.clear();
    writing_.swap(output_);
    transport_.async_write(
        asio::buffer(writing_), [self = shared_from_this()](Transport::Error error, std::size_t /*size*/) {
            if (error) return self->fail(error);
            self->busy_ = false;
            if (self->writing_.capacity() > kept_capacity) self->writing_ = {};
            if (!self->output_.empty()) self->flush_later();
        });
}

} // namespace redis
