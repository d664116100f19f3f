#include "redis/connection.hpp"

#include "core/backoff.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <hiredis/hiredis.h>

#include <array>
#include <random>

namespace redis {

namespace {

using Clock = std::chrono::steady_clock;

/// The number of timer ticks within the time limit. The connection is checked for silence at each tick.
constexpr unsigned ticks = 6;

/// Errors that mean that the server cannot serve any command now.
constexpr std::array<std::string_view, 10> not_serving{"LOADING", "MASTERDOWN", "CLUSTERDOWN", "READONLY",
    "OOM", "BUSY", "MISCONF", "NOREPLICAS", "NOAUTH", "WRONGPASS"};

/// Receives the answer to ASKING and ignores it.
class Unread final : public ReplyHandler {
public:
    void on_reply(redisReply const* /*reply*/) noexcept override {}
};

Reply to_reply(redisReply const& reply)
{
    switch (reply.type) {
    case REDIS_REPLY_INTEGER:
        return Reply(static_cast<std::int64_t>(reply.integer));
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
        return Reply(std::string(reply.str, reply.len));
    case REDIS_REPLY_ARRAY: {
        Reply::Array elements;
        elements.reserve(reply.elements);
        for (auto const* element : std::span(reply.element, reply.elements))
            elements.push_back(to_reply(*element));
        return Reply(std::move(elements));
    }
    default:
        return {};
    }
}

std::exception_ptr to_failure(std::string_view error)
{
    auto const code = error.substr(0, error.find(' '));
    if (std::ranges::find(not_serving, code) != not_serving.end())
        return std::make_exception_ptr(Unavailable("redis: " + std::string(error)));
    return std::make_exception_ptr(CommandError(std::string(error)));
}

} // namespace

Outcome Outcome::of(redisReply const* reply)
{
    if (reply == nullptr)
        return {std::make_exception_ptr(
                    Unavailable("redis: the connection was lost, or the server did not answer in time")),
            {}};
    if (reply->type == REDIS_REPLY_ERROR) return {to_failure({reply->str, reply->len}), {}};
    return {nullptr, to_reply(*reply)};
}

Client::Connection::Connection(asio::io_context& ioc, ClientOptions options, Tls tls, observe::Logger& logger,
    std::function<void()> on_change)
    : ioc_(ioc), options_(std::move(options)), tls_(std::move(tls)), logger_(logger),
      on_change_(std::move(on_change)), resolver_(ioc), first_attempt_(ioc, Clock::now() + options_.timeout),
      changed_(ioc), watchdog_(ioc)
{
}

void Client::Connection::start()
{
    asio::co_spawn(ioc_, [self = shared_from_this()] { return self->run(); }, asio::detached);
}

void Client::Connection::stop() noexcept
{
    asio::post(ioc_, [self = shared_from_this()] { self->stop_here(); });
}

void Client::Connection::stop_here()
{
    set_state(State::stopped);
    resolver_.cancel();
    first_attempt_.cancel();
    changed_.cancel();
    watchdog_.cancel();
    if (link_) link_->close("the client was stopped");
}

void Client::Connection::set_state(State state) noexcept
{
    if (state_.load(std::memory_order_relaxed) != State::stopped)
        state_.store(state, std::memory_order_relaxed);
}

asio::awaitable<void> Client::Connection::first_attempt()
{
    boost::system::error_code cancelled;
    co_await first_attempt_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

asio::awaitable<Reply> Client::Connection::send(Arguments const& args, bool asking)
{
    return starting() ? send_once_made(args, asking) : send_now(args, asking);
}

asio::awaitable<Reply> Client::Connection::send_once_made(Arguments const& args, bool asking)
{
    co_await first_attempt();
    co_return co_await send_now(args, asking);
}

asio::awaitable<Reply> Client::Connection::send_now(Arguments const& args, bool asking)
{
    if (!up()) throw Unavailable("redis: not connected");
    return exchange(link_, args, asking);
}

asio::awaitable<std::vector<std::shared_ptr<Client::Connection>>> Client::Connection::servers()
{
    co_return std::vector{shared_from_this()};
}

asio::awaitable<Reply> Client::Connection::exchange(
    std::shared_ptr<Link> link, std::span<std::string_view const> args, bool asking)
{
    co_return co_await asio::async_initiate<asio::use_awaitable_t<> const, void(std::exception_ptr, Reply)>(
        [&](auto handler) {
            // ASKING applies to the next command only.
            constexpr std::array<std::string_view, 1> may_ask{"ASKING"};
            if (asking) link->send(may_ask, std::make_unique<Unread>());
            link->send(args, std::make_unique<Waiter<decltype(handler)>>(std::move(handler)));
            watch();
        },
        asio::use_awaitable);
}

/// Connects and waits for the end of the connection. Repeats both until the client is stopped.
asio::awaitable<void> Client::Connection::run()
{
    unsigned attempt = 0;
    while (state_ != State::stopped) {
        if (co_await connect()) {
            logger_.info("redis connected", {{"server", name()}});
            attempt = 0;
            changed();
            boost::system::error_code closed;
            if (link_->is_open())
                co_await changed_.async_wait(asio::redirect_error(asio::use_awaitable, closed));
        }
        set_state(State::down);
        first_attempt_.cancel();
        if (state_ == State::stopped) break;
        // Only the first of several consecutive failures is a warning.
        logger_.log(attempt == 0 ? observe::Level::warn : observe::Level::debug, "redis unavailable",
            {{"server", name()}, {"reason", reason_}, {"attempt", attempt}});
        changed();
        co_await pause(attempt++);
    }
    link_.reset();
}

std::string Client::Connection::name() const
{
    auto const& address = options_.address;
    return address.path.empty() ? address.host + ':' + std::to_string(address.port) : address.path;
}

void Client::Connection::changed()
{
    if (on_change_) on_change_();
}

asio::awaitable<bool> Client::Connection::connect()
{
    for (auto const& endpoint : co_await resolve()) {
        if (state_ == State::stopped) break;
        if (!co_await connect_to(endpoint)) continue;
        set_state(State::up);
        first_attempt_.cancel();
        co_return state_ == State::up;
    }
    co_return false;
}

/// Returns the addresses to try, in this order.
asio::awaitable<std::vector<Transport::Endpoint>> Client::Connection::resolve()
{
    auto const& address = options_.address;
    std::vector<Transport::Endpoint> found;
    if (!address.path.empty()) {
        found.emplace_back(asio::local::stream_protocol::endpoint(address.path));
        co_return found;
    }
    boost::system::error_code failed;
    auto const results = co_await resolver_.async_resolve(
        address.host, std::to_string(address.port), asio::redirect_error(asio::use_awaitable, failed));
    if (failed) reason_ = failed.message();
    for (auto const& entry : results)
        found.emplace_back(entry.endpoint());
    co_return found;
}

asio::awaitable<bool> Client::Connection::connect_to(Transport::Endpoint to)
try {
    changed_.expires_at(Clock::time_point::max());
    link_ = nullptr;
    link_ = Link::open(
        ioc_, tls_, options_.address.host, to, [weak = weak_from_this()](std::string const& reason) {
            if (auto const self = weak.lock()) self->on_closed(reason);
        });
    co_await authenticate(link_);
    co_return link_->is_open();
} catch (std::exception const& e) {
    if (link_)
        link_->close(e.what()); // sets `reason_`, unless the link had already closed
    else
        reason_ = e.what();
    co_return false;
}

void Client::Connection::on_closed(std::string const& reason)
{
    if (up()) set_state(State::down); // an attempt is not over, because the next address is tried
    reason_ = reason;
    changed_.cancel();
}

/// Signs in and sends PING. The answer to PING shows that the server works. An accepted connection does not
/// show this, because the kernel accepts connections even for a server that hangs.
asio::awaitable<void> Client::Connection::authenticate(std::shared_ptr<Link> link)
{
    auto const& address = options_.address;
    if (!address.password.empty()) {
        std::vector<std::string_view> auth{"AUTH"};
        if (!address.user.empty()) auth.emplace_back(address.user);
        auth.emplace_back(address.password.reveal());
        co_await exchange(link, auth);
    }
    if (address.database != 0) {
        auto const number = std::to_string(address.database);
        std::array<std::string_view, 2> const select{"SELECT", number};
        co_await exchange(link, select);
    }
    std::array<std::string_view, 1> const ping{"PING"};
    co_await exchange(link, ping);
}

asio::awaitable<void> Client::Connection::pause(unsigned attempt)
{
    std::random_device entropy;
    changed_.expires_after(core::backoff(attempt, options_.reconnect_min, options_.reconnect_max, entropy()));
    boost::system::error_code cancelled;
    co_await changed_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

/// Starts the timer that checks for silence. One timer serves all commands of the connection. It runs only
/// while an answer is outstanding. It counts ticks instead of time: if this thread is delayed, the ticks are
/// delayed too, so the delay does not count as silence of the server.
void Client::Connection::watch()
{
    if (watching_ || state_ == State::stopped) return;
    watching_ = true;
    watchdog_.expires_after(options_.timeout / ticks);
    watchdog_.async_wait([self = shared_from_this()](auto cancelled) {
        self->watching_ = false;
        if (!cancelled) self->check_silence();
    });
}

bool Client::Connection::is_silent() const
{
    // The first tick may come right after the command was sent, so the server gets one tick more than the
    // time limit. If bytes wait to be read, it gets another tick, because this thread reads them before the
    // next tick.
    return link_->age() > ticks + (link_->has_input() ? 1 : 0);
}

void Client::Connection::check_silence()
{
    if (!link_) return;
    link_->tick();
    if (is_silent()) link_->close("no answer within the time limit");
    if (link_->age()) watch();
}

} // namespace redis
