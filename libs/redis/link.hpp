#pragma once

#include "redis/stream.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct redisReader; // NOLINT(readability-identifier-naming): hiredis names it so
struct redisReply;  // NOLINT(readability-identifier-naming)

namespace redis {

/// Who waits for one answer.
class Answer {
public:
    virtual ~Answer() = default;
    /// Called once: must neither throw nor resume a coroutine. Null: the connection was lost.
    virtual void arrived(redisReply const* reply) noexcept = 0;
};

/// One connection, from connect to close: Asio moves the bytes, hiredis reads the answers. Used by the
/// context's thread only. What is sent within one turn of the context leaves in one write.
class Link : public std::enable_shared_from_this<Link> {
public:
    using OnClosed = std::function<void(std::string const& reason)>;

    /// Begins to connect to `to`; under `tls`, unless that is null, with a server whose certificate is for
    /// `host`. `on_closed` runs once when the connection ends or cannot be made: as `Answer::arrived`. Throws
    /// std::runtime_error when no certificate can be for `host`.
    static std::shared_ptr<Link> open(asio::io_context& ioc, Tls tls, std::string const& host,
        Stream::Endpoint const& to, OnClosed on_closed);

    ~Link();
    Link(Link const&) = delete;
    Link& operator=(Link const&) = delete;

    bool is_open() const noexcept { return open_; }

    /// Queues a command (before the connection stands, too). On a closed link `answer` arrives at once with
    /// null.
    void send(std::span<std::string_view const> args, std::unique_ptr<Answer> answer);

    /// Counts one tick of the owner's timer.
    void tick() noexcept { ++ticks_; }

    /// How many ticks the oldest command without an answer has seen; nullopt when there is none.
    std::optional<unsigned> age() const noexcept;

    /// Whether something has arrived that was not read yet, because this thread was late itself.
    bool has_input() const { return open_ && stream_.has_input(); }

    /// Ends it at once: every answer that is missing arrives with null.
    void close(std::string const& reason);

private:
    /// A command without an answer.
    struct Sent {
        unsigned tick; ///< when it was sent
        std::unique_ptr<Answer> answer;
    };

    Link(asio::io_context& ioc, Tls tls, std::string const& host, OnClosed on_closed);

    void connect(Stream::Endpoint const& to);
    void read();
    void take(std::size_t size);
    bool take_reply();
    void deliver(redisReply const& reply);
    void flush_later();
    void flush();
    void fail(Stream::Error const& error);

    Stream stream_;
    OnClosed on_closed_;
    redisReader* const reader_;
    std::array<char, std::size_t{16} * 1024> input_{};
    std::string output_;  ///< to be written
    std::string writing_; ///< on its way
    std::deque<Sent> sent_;
    unsigned ticks_ = 0;
    bool open_ = true;
    bool connected_ = false;
    bool busy_ = false; ///< a write is on its way, or soon
};

} // namespace redis
