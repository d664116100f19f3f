#pragma once

#include "redis/client.hpp"
#include "redis/link.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <exception>
#include <memory>

namespace redis {

/// What an answer means to the caller: a failure to throw, or the reply.
struct Outcome {
    std::exception_ptr failure;
    Reply reply;

    static Outcome of(redisReply const* reply);
};

/// A coroutine that waits for one answer.
template <class Handler> class Waiter final : public Answer {
public:
    explicit Waiter(Handler handler) : handler_(std::move(handler)) {}

    void arrived(redisReply const* reply) noexcept override
    {
        // Posted, never resumed here: this runs inside hiredis, which an exception must not cross.
        auto const executor = asio::get_associated_executor(handler_);
        asio::post(executor, [handler = std::move(handler_), outcome = Outcome::of(reply)]() mutable {
            handler(std::move(outcome.failure), std::move(outcome.reply));
        });
    }

private:
    Handler handler_;
};

/// Keeps one Link up for one io_context; everything but `stop`, `up` and the constructor runs on that
/// context's thread.
class Client::Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(asio::io_context& ioc, ClientOptions options, observe::Logger& logger);

    void start();
    void stop() noexcept;

    asio::io_context& context() const noexcept { return ioc_; }

    bool up() const noexcept { return state_.load(std::memory_order_relaxed) == State::up; }

    bool starting() const noexcept { return state_.load(std::memory_order_relaxed) == State::starting; }

    /// Waits for the end of the first attempt, at most the time-out.
    asio::awaitable<void> first_attempt();

    /// `args` are copied before this suspends. Throws Unavailable at once unless up.
    asio::awaitable<Reply> send(std::vector<std::string_view> const& args);

private:
    enum class State : std::uint8_t { starting, up, down, stopped };

    asio::awaitable<void> run();
    asio::awaitable<bool> connect();
    asio::awaitable<bool> connect_to(std::string const& ip);
    asio::awaitable<std::vector<std::string>> resolve();
    asio::awaitable<void> sign_in(std::shared_ptr<Link> link);
    asio::awaitable<void> pause(unsigned attempt);
    asio::awaitable<Reply> exchange(std::shared_ptr<Link> link, std::span<std::string_view const> args);
    void on_closed(std::string const& reason);
    void watch();
    void check_silence();
    bool is_silent() const noexcept;
    void set_state(State state) noexcept;
    void stop_here();

    asio::io_context& ioc_;
    ClientOptions const options_;
    observe::Logger& logger_;
    std::atomic<State> state_ = State::starting;
    std::shared_ptr<Link> link_;
    std::string reason_; ///< why the last link ended
    asio::ip::tcp::resolver resolver_;
    asio::steady_timer first_attempt_; ///< cancelled when the first attempt ends
    asio::steady_timer changed_;       ///< cancelled when the link closes or a pause is to end
    asio::steady_timer watchdog_;
    bool watching_ = false;
};

} // namespace redis
