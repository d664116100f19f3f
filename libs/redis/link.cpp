#include "redis/link.hpp"

#include <boost/asio/post.hpp>
#include <hiredis/async.h>

#include <vector>

namespace redis {

std::shared_ptr<Link> Link::open(asio::io_context& ioc, std::string const& path, std::string const& ip,
    std::uint16_t port, OnClosed on_closed)
{
    std::shared_ptr<Link> link(new Link(ioc, std::move(on_closed)));
    link->adopt(path.empty() ? redisAsyncConnect(ip.c_str(), port) : redisAsyncConnectUnix(path.c_str()));
    return link;
}

Link::~Link()
{
    on_closed_ = nullptr;
    close("the connection is not needed any more");
}

void Link::adopt(redisAsyncContext* context)
{
    context_ = context;
    if (context == nullptr) {
        reason_ = "out of memory";
        closed();
        return;
    }
    context->data = this;
    context->ev.data = this;
    context->ev.addRead = &Link::add_read;
    context->ev.addWrite = &Link::add_write;
    context->ev.cleanup = &Link::clean_up;
    if (context->err != 0) {
        close(context->errstr);
        return;
    }
    boost::system::error_code failed;
    socket_.assign(context->c.fd, failed);
    if (failed)
        close(failed.message());
    else
        redisAsyncSetConnectCallback(context, &Link::on_connect);
}

void Link::send(std::span<std::string_view const> args, std::unique_ptr<Answer> answer)
{
    std::vector<char const*> texts;
    std::vector<std::size_t> lengths;
    texts.reserve(args.size());
    lengths.reserve(args.size());
    for (auto const arg : args) {
        texts.push_back(arg.data());
        lengths.push_back(arg.size());
    }
    bool const sent =
        context_ != nullptr && redisAsyncCommandArgv(context_, &Link::on_reply, answer.get(),
                                   static_cast<int>(args.size()), texts.data(), lengths.data()) == REDIS_OK;
    if (!sent) {
        answer->arrived(nullptr);
        return;
    }
    static_cast<void>(answer.release()); // on_reply takes it back
    sent_.push_back(ticks_);
}

std::optional<unsigned> Link::age() const noexcept
{
    return sent_.empty() ? std::nullopt : std::optional(ticks_ - sent_.front());
}

void Link::read_now()
{
    if (context_ != nullptr && connected_) redisAsyncHandleRead(context_);
}

void Link::close(std::string reason)
{
    if (context_ == nullptr) return;
    reason_ = std::move(reason);
    redisAsyncFree(context_); // ends in clean_up, after the callback when hiredis is in one
}

void Link::wait_readable()
{
    if (reading_) return;
    reading_ = true;
    socket_.async_wait(asio::posix::descriptor_base::wait_read, [self = shared_from_this()](auto failed) {
        self->reading_ = false;
        if (!failed && self->context_ != nullptr) redisAsyncHandleRead(self->context_);
    });
}

void Link::wait_writable()
{
    socket_.async_wait(asio::posix::descriptor_base::wait_write, [self = shared_from_this()](auto failed) {
        if (!failed) self->handle_write();
    });
}

void Link::flush_later()
{
    // Behind everything that is ready to run in this turn, so that all its commands travel together.
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->handle_write(); });
}

void Link::handle_write()
{
    writing_ = false;
    if (context_ == nullptr) return;
    in_write_ = true;
    redisAsyncHandleWrite(context_);
    in_write_ = false;
}

void Link::closed()
{
    context_ = nullptr;
    sent_.clear();
    if (auto const on_closed = std::exchange(on_closed_, nullptr)) on_closed(reason_);
}

void Link::add_read(void* self)
{
    static_cast<Link*>(self)->wait_readable();
}

void Link::add_write(void* self)
{
    auto& link = *static_cast<Link*>(self);
    if (link.writing_) return;
    link.writing_ = true;
    // Asked for while writing, it means that the socket is full.
    if (link.connected_ && !link.in_write_)
        link.flush_later();
    else
        link.wait_writable();
}

void Link::clean_up(void* self)
{
    auto& link = *static_cast<Link*>(self);
    if (link.context_->err != 0) link.reason_ = link.context_->errstr;
    if (link.socket_.is_open()) link.socket_.release(); // hiredis closes it
    link.closed();
}

void Link::on_connect(redisAsyncContext const* context, int status)
{
    static_cast<Link*>(context->data)->connected_ = status == REDIS_OK;
}

void Link::on_reply(redisAsyncContext* context, void* reply, void* answer)
{
    auto& link = *static_cast<Link*>(context->data);
    std::unique_ptr<Answer> const waiting(static_cast<Answer*>(answer));
    auto const* const arrived = static_cast<redisReply const*>(reply);
    if (!link.sent_.empty()) link.sent_.pop_front();
    waiting->arrived(arrived);
    // A master that was demoted keeps its connections; only a new one finds the new master.
    if (arrived != nullptr && arrived->type == REDIS_REPLY_ERROR &&
        std::string_view(arrived->str, arrived->len).starts_with("READONLY"))
        link.close("the server became a read-only replica");
}

} // namespace redis
