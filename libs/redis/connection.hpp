#pragma once

#include "redis/backend.hpp"
#include "redis/link.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>

namespace redis {

/// The result of a command: an exception to throw, or the reply.
struct Outcome {
    std::exception_ptr failure;
    Reply reply;

    static Outcome of(redisReply const* reply);
};

/// A coroutine that waits for one answer.
template <class Handler> class Waiter final : public ReplyHandler {
public:
    explicit Waiter(Handler handler) : handler_(std::move(handler)) {}

    void on_reply(redisReply const* reply) noexcept override
    {
        // `post` resumes the coroutine later. It must not run here, because the Link is still delivering
        // answers.
        auto const executor = asio::get_associated_executor(handler_);
        asio::post(executor, [handler = std::move(handler_), outcome = Outcome::of(reply)]() mutable {
            handler(std::move(outcome.failure), std::move(outcome.reply));
        });
    }

private:
    Handler handler_;
};

/// Maintains one Link for one io_context. All functions except `stop`, `up`, `healthy` and the constructor
/// run on that context's thread.
class Client::Connection final : public Backend, public std::enable_shared_from_this<Connection> {
public:
    /// `on_change` is called on the context's thread after the connection was made, after it was lost, and
    /// after each failed attempt.
    Connection(asio::io_context& ioc, ClientOptions options, Tls tls, observe::Logger& logger,
        std::function<void()> on_change = {});

    void start() override;
    void stop() noexcept override;

    asio::io_context& context() const noexcept override { return ioc_; }

    Endpoint endpoint() const { return {options_.address.host, options_.address.port}; }

    std::string name() const; ///< for the log

    bool up() const noexcept { return state_.load(std::memory_order_relaxed) == State::up; }

    bool healthy() const noexcept override { return up(); }

    bool starting() const noexcept { return state_.load(std::memory_order_relaxed) == State::starting; }

    /// Whether answers are outstanding, or the first connection attempt is in progress.
    bool busy() const noexcept { return starting() || (link_ && link_->age()); }

    /// Sends one command. `args` must stay valid until the call is awaited. `asking` is true if ASK
    /// redirected the command to this node. During the first connection attempt, waits for the end of that
    /// attempt, but at most `timeout`. Throws Unavailable at once if there is no connection.
    asio::awaitable<Reply> send(Arguments const& args, bool asking = false);

    asio::awaitable<Reply> route(std::string_view /*key*/, Arguments const& args) override
    {
        return send(args);
    }

    asio::awaitable<std::vector<std::shared_ptr<Connection>>> servers() override;

private:
    enum class State : std::uint8_t { starting, up, down, stopped };

    asio::awaitable<void> run();
    asio::awaitable<void> first_attempt();
    asio::awaitable<Reply> send_once_made(Arguments const& args, bool asking);
    asio::awaitable<Reply> send_now(Arguments const& args, bool asking);
    asio::awaitable<bool> connect();
    asio::awaitable<bool> connect_to(Transport::Endpoint to);
    asio::awaitable<std::vector<Transport::Endpoint>> resolve();
    asio::awaitable<void> authenticate(std::shared_ptr<Link> link);
    asio::awaitable<void> pause(unsigned attempt);
    asio::awaitable<Reply> exchange(
        std::shared_ptr<Link> link, std::span<std::string_view const> args, bool asking = false);
    void changed();
    void on_closed(std::string const& reason);
    void watch();
    void check_silence();
    bool is_silent() const;
    void set_state(State state) noexcept;
    void stop_here();

    asio::io_context& ioc_;
    ClientOptions const options_;
    Tls const tls_;
    observe::Logger& logger_;
    std::function<void()> const on_change_;
    std::atomic<State> state_ = State::starting;
    std::shared_ptr<Link> link_;
    std::string reason_; ///< why the last link ended
    asio::ip::tcp::resolver resolver_;
    asio::steady_timer first_attempt_; ///< cancelled when the first attempt ends
    asio::steady_timer changed_;       ///< cancelled when the link closes or a pause must end
    asio::steady_timer watchdog_;
    bool watching_ = false;
};

} // namespace redis
