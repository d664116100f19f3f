#include "http2_client/client.hpp"

#include "core/backoff.hpp"
#include "http2_client/connection.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <vector>

namespace http2_client {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds first_backoff{100};
constexpr std::chrono::milliseconds max_backoff{2'000};
constexpr std::chrono::milliseconds extra_idle{30'000}; ///< idle timeout of connections beyond the first

} // namespace

class Client::Impl final : public std::enable_shared_from_this<Impl>, public Connection::Owner {
public:
    Impl(asio::any_io_executor executor, std::shared_ptr<Context> context, ClientOptions options,
        RequestSource& source)
        : executor_(std::move(executor)), context_(std::move(context)), options_(std::move(options)),
          source_(source)
    {
    }

    void wake()
    {
        if (woken_ || closed_) return;
        woken_ = true;
        asio::post(executor_, [self = shared_from_this()] {
            self->woken_ = false;
            self->run();
        });
    }

    void tick(SteadyTime now)
    {
        bool first = true;
        // Not an iterator, because an index stays valid even if a callback adds a connection.
        for (std::size_t i = 0; i < connections_.size(); ++i) {
            auto const connection = connections_[i];
            connection->tick(
                now, first ? options_.idle_timeout : std::min(extra_idle, options_.idle_timeout));
            first = first && !connection->usable();
        }
        grow(now);
        run();
    }

    void close()
    {
        closed_ = true;
        for (auto const& connection : connections_)
            connection->detach();
        connections_.clear();
    }

    std::size_t connections() const noexcept { return connections_.size(); }

    std::size_t in_flight() const noexcept
    {
        std::size_t sum = 0;
        for (auto const& connection : connections_)
            sum += connection->protocol().in_flight();
        return sum;
    }

private:
    void fill(Protocol& protocol, std::size_t count, SteadyTime now) override
    {
        std::size_t const kept = kept_streams(protocol);
        while (count-- > 0 && protocol.free_streams() > 0) {
            auto const request = source_.next(protocol.free_streams() <= kept);
            if (request.stream == nullptr) return;
            protocol.submit(request.headers, *request.stream, now);
        }
    }

    void changed(Connection const& connection) override
    {
        // Without a backoff, a server that accepts and closes at once would be contacted in a tight loop.
        if (connection.draining() && connection.protocol().answered() == 0) back_off(Steady::now());
        wake();
    }

    void ended(Connection& connection, std::string_view detail) override
    {
        Protocol const& protocol = connection.protocol();
        if (protocol.answered() > 0) failures_ = 0;
        if (detail.empty()) return wake(); // the connection was idle
        if (protocol.answered() == 0 && !connection.draining()) back_off(Steady::now());
        if (protocol.ready())
            source_.disconnected(detail, connection.announced());
        else if (usable() == 0)
            source_.unreachable(detail);
        wake();
    }

    void run()
    {
        if (closed_) return;
        std::erase_if(connections_, [](auto const& connection) { return connection->dead(); });
        if (source_.backlog() > 0 && usable() == 0 && Steady::now() >= not_before_) connect();
        for (std::size_t i = 0; i < connections_.size(); ++i) {
            auto const connection = connections_[i];
            connection->pump();
        }
    }

    /// Adds connections when all streams of the existing connections have been in use for the time `ramp`.
    void grow(SteadyTime now)
    {
        std::size_t const backlog = source_.backlog();
        std::size_t const open = usable();
        // Before the first response, APNs permits one stream.
        bool const started = std::ranges::any_of(connections_,
            [](auto const& c) { return c->protocol().limit() > 1 || c->protocol().answered() > 0; });
        bool const full = started && open > 0 && open < options_.max_connections && backlog > 0 &&
                          std::ranges::all_of(connections_,
                              [&](auto const& c) { return !c->usable() || is_full(c->protocol()); });
        if (!full) {
            full_since_ = now;
        } else if (now - full_since_ >= options_.ramp && now >= not_before_) {
            full_since_ = now;
            auto const more = std::min<std::size_t>(wanted(backlog), options_.max_connections - open);
            for (std::size_t i = 0; i < more; ++i)
                connect();
        }
    }

    /// How many more connections the backlog can fill with streams; at least one.
    std::size_t wanted(std::size_t backlog) const noexcept
    {
        std::size_t streams = 1;
        for (auto const& connection : connections_)
            streams = std::max(streams, connection->protocol().limit());
        return std::max<std::size_t>(1, backlog / streams);
    }

    void connect()
    {
        auto const connection = std::make_shared<Connection>(executor_, context_, options_, *this);
        connections_.push_back(connection);
        connection->start();
    }

    void back_off(SteadyTime now)
    {
        auto const entropy = static_cast<std::uint64_t>(now.time_since_epoch().count());
        not_before_ = now + core::backoff(failures_++, first_backoff, max_backoff, entropy);
    }

    std::size_t usable() const noexcept
    {
        return static_cast<std::size_t>(
            std::ranges::count_if(connections_, [](auto const& c) { return c->usable(); }));
    }

    std::size_t kept_streams(Protocol const& protocol) const noexcept
    {
        return std::min(options_.urgent_streams, protocol.limit() / 8);
    }

    bool is_full(Protocol const& protocol) const noexcept
    {
        return protocol.ready() && protocol.free_streams() <= kept_streams(protocol);
    }

    asio::any_io_executor const executor_;
    std::shared_ptr<Context> const context_;
    ClientOptions const options_;
    RequestSource& source_;
    std::vector<std::shared_ptr<Connection>> connections_;
    unsigned failures_ = 0; ///< connections in a row that ended without a response
    SteadyTime not_before_{};
    SteadyTime full_since_ = Steady::now();
    bool woken_ = false;
    bool closed_ = false;
};

Client::Client(asio::any_io_executor executor, std::shared_ptr<Context> context, ClientOptions options,
    RequestSource& source)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(context), std::move(options), source))
{
}

Client::~Client()
{
    impl_->close();
}

void Client::wake()
{
    impl_->wake();
}

void Client::tick(SteadyTime now)
{
    impl_->tick(now);
}

std::size_t Client::connections() const noexcept
{
    return impl_->connections();
}

std::size_t Client::in_flight() const noexcept
{
    return impl_->in_flight();
}

} // namespace http2_client
