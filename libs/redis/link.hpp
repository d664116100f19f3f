#pragma once

#include "redis/address.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct redisAsyncContext;
struct redisReply;

namespace redis {

namespace asio = boost::asio;

/// Who waits for one answer.
class Answer {
public:
    virtual ~Answer() = default;
    /// Called once, inside hiredis: must neither throw nor resume a coroutine. Null: the connection was lost.
    virtual void arrived(redisReply const* reply) noexcept = 0;
};

/// One connection, from connect to close, by hiredis with Asio waiting for its socket. Used by the context's
/// thread only. What is sent within one turn of the context leaves in one write.
class Link : public std::enable_shared_from_this<Link> {
public:
    using OnClosed = std::function<void(std::string const& reason)>;

    /// Begins to connect to the numeric address `ip`, or to `path` when that is not empty. `on_closed` runs
    /// once when the connection ends or cannot be made (also within this call), inside hiredis: as
    /// `Answer::arrived`.
    static std::shared_ptr<Link> open(asio::io_context& ioc, std::string const& path, std::string const& ip,
        std::uint16_t port, OnClosed on_closed);

    ~Link();
    Link(Link const&) = delete;
    Link& operator=(Link const&) = delete;

    bool is_open() const noexcept { return context_ != nullptr; }

    /// Queues a command (before the connection stands, too). On a closed link `answer` arrives at once with
    /// null.
    void send(std::span<std::string_view const> args, std::unique_ptr<Answer> answer);

    /// Counts one tick of the owner's timer.
    void tick() noexcept { ++ticks_; }

    /// How many ticks the oldest command without an answer has seen; nullopt when there is none.
    std::optional<unsigned> age() const noexcept;

    /// Reads what has arrived but was not handled yet, for a thread that was late itself.
    void read_now();

    /// Ends it at once: every answer that is missing arrives with null.
    void close(std::string reason);

private:
    Link(asio::io_context& ioc, OnClosed on_closed) : socket_(ioc), on_closed_(std::move(on_closed)) {}

    void adopt(redisAsyncContext* context);
    void wait_readable();
    void wait_writable();
    void flush_later();
    void handle_write();
    void closed();

    // What hiredis calls.
    static void add_read(void* self);
    static void add_write(void* self);
    static void clean_up(void* self);
    static void on_connect(redisAsyncContext const* context, int status);
    static void on_reply(redisAsyncContext* context, void* reply, void* answer);

    asio::posix::stream_descriptor socket_;
    OnClosed on_closed_;
    redisAsyncContext* context_ = nullptr;
    std::string reason_;
    unsigned ticks_ = 0;
    std::deque<unsigned> sent_; ///< the tick of each command without an answer
    bool connected_ = false;
    bool reading_ = false;
    bool writing_ = false;  ///< a write is on its way
    bool in_write_ = false; ///< hiredis is writing right now
};

} // namespace redis
