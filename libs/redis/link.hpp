#pragma once

#include "redis/transport.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct redisReader; // NOLINT(readability-identifier-naming): the name is from hiredis
struct redisReply;  // NOLINT(readability-identifier-naming)

namespace redis {

/// Receives one answer.
class ReplyHandler {
public:
    virtual ~ReplyHandler() = default;
    /// Called once, with null if the connection was lost. Must neither throw nor resume a coroutine.
    virtual void on_reply(redisReply const* reply) noexcept = 0;
};

/// One connection, from connect to close. Asio transfers the bytes, hiredis parses the answers. Used on the
/// context's thread only. Commands that several ready handlers of the context send are written together.
class Link : public std::enable_shared_from_this<Link> {
public:
    using OnClosed = std::function<void(std::string const& reason)>;

    /// Starts to connect to `to`. If `tls` is not null, the server's certificate must be for `host`.
    /// `on_closed` is called once, when the connection ends or cannot be made. Like `ReplyHandler::on_reply`,
    /// it must neither throw nor resume a coroutine. Throws std::runtime_error if OpenSSL refuses `host`.
    static std::shared_ptr<Link> open(asio::io_context& ioc, Tls tls, std::string const& host,
        Transport::Endpoint const& to, OnClosed on_closed);

    ~Link();
    Link(Link const&) = delete;
    Link& operator=(Link const&) = delete;

    bool is_open() const noexcept { return open_; }

    /// Queues a command. The connection need not be established yet. If the link is closed, `answer` receives
    /// null at once.
    void send(std::span<std::string_view const> args, std::unique_ptr<ReplyHandler> answer);

    /// Counts one tick of the owner's timer.
    void tick() noexcept { ++ticks_; }

    /// The number of ticks since the oldest unanswered command was sent. Returns nullopt if no command is
    /// unanswered.
    std::optional<unsigned> age() const noexcept;

    /// Whether bytes have arrived that this thread has not read yet. If so, the thread is late, not the
    /// server.
    bool has_input() const { return open_ && transport_.has_input(); }

    /// Closes the connection at once. All outstanding `ReplyHandler` objects receive null.
    void close(std::string const& reason);

private:
    /// A command without an answer yet.
    struct Sent {
        unsigned tick; ///< when it was sent
        std::unique_ptr<ReplyHandler> answer;
    };

    Link(asio::io_context& ioc, Tls tls, std::string const& host, OnClosed on_closed);

    void connect(Transport::Endpoint const& to);
    void read();
    void take(std::size_t size);
    bool take_reply();
    void deliver(redisReply const& reply);
    void flush_later();
    void flush();
    void fail(Transport::Error const& error);

    Transport transport_;
    OnClosed on_closed_;
    redisReader* const reader_;
    std::array<char, std::size_t{16} * 1024> input_{};
    std::string output_;  ///< to be written
    std::string writing_; ///< being written
    std::deque<Sent> sent_;
    unsigned ticks_ = 0;
    bool open_ = true;
    bool connected_ = false;
    bool busy_ = false; ///< a write is in progress or about to start
};

} // namespace redis
