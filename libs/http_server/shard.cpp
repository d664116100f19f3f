#include "http_server/shard.hpp"

#include "core/hex.hpp"
#include "http/network_key.hpp"
#include "http/problem.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <ctime>

namespace http_server {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds longest_period{500};
constexpr milliseconds drain_period{100};
constexpr milliseconds drain_grace{500}; ///< time for requests that are still in transit
constexpr milliseconds accept_pause{50};
constexpr std::size_t spare_slots = 64;
constexpr std::size_t warm_connections = 256;
constexpr unsigned network_v4_bits = 24;
constexpr unsigned network_v6_bits = 48;

milliseconds sweep_period(ServerOptions const& options)
{
    auto const shortest = std::min({options.header_timeout, options.request_timeout,
        options.body_idle_timeout, options.idle_timeout, options.write_timeout});
    return std::clamp(shortest / 4, milliseconds(10), longest_period);
}

std::string to_text(asio::ip::address const& address)
{
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
    return address.to_string();
}

asio::awaitable<void> serve(std::unique_ptr<Connection> connection)
{
    co_await connection->run();
}

} // namespace

Shard::Shard(asio::io_context& context, Acceptor acceptor, ServerOptions const& options,
    std::size_t max_connections, std::shared_ptr<core::KeyedLimiter> networks, http::Application& application)
    : context_(context), acceptor_(std::move(acceptor)), sweep_timer_(context), accept_pause_(context),
      options_(options), max_connections_(max_connections), networks_(std::move(networks)),
      application_(application), period_(sweep_period(options)), now_(std::chrono::steady_clock::now()),
      random_(std::random_device()())
{
}

void Shard::start()
{
    arm_sweep();
    asio::co_spawn(context_, accept_all(shared_from_this()), asio::detached);
}

void Shard::drain()
{
    if (draining_) return;
    draining_ = true;
    accept_pending();
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    period_ = std::min(period_, drain_period);
    auto const last = std::chrono::steady_clock::now() + drain_grace;
    for (Connection& connection : idle_)
        connection.expire_at(last);
    arm_sweep();
}

void Shard::abort()
{
    drain();
    for (Connection& connection : connections_)
        connection.abort();
}

void Shard::add(Connection& connection)
{
    connections_.push_back(connection);
    count_.fetch_add(1, std::memory_order_relaxed);
}

void Shard::remove() noexcept
{
    count_.fetch_sub(1, std::memory_order_relaxed);
}

SteadyTime Shard::enter_idle(Connection& connection)
{
    idle_.push_back(connection);
    return draining_ ? std::chrono::steady_clock::now() + drain_grace : after(options_.idle_timeout);
}

bool Shard::enter_warm() noexcept
{
    if (warm_ == warm_connections) return false;
    ++warm_;
    return true;
}

std::unique_ptr<RequestSlot> Shard::take_slot()
{
    if (spare_.empty()) return std::make_unique<RequestSlot>(options_.header_limit);
    auto slot = std::move(spare_.back());
    spare_.pop_back();
    return slot;
}

void Shard::give_back(std::unique_ptr<RequestSlot> slot)
{
    if (spare_.size() == spare_slots) return;
    slot->reset(options_.header_limit);
    spare_.push_back(std::move(slot));
}

std::string_view Shard::date_line()
{
    return date_.at(std::time(nullptr));
}

std::string Shard::make_request_id()
{
    std::string id(16, '0');
    auto bits = random_();
    for (char& digit : id) {
        digit = core::hex::digits[bits & 15U];
        bits >>= 4U;
    }
    return id;
}

// `self` keeps the shard alive while the coroutine is suspended.
asio::awaitable<void> Shard::accept_all(std::shared_ptr<Shard> self)
{
    while (!self->draining_) {
        Socket socket(context_);
        asio::ip::tcp::endpoint peer;
        boost::system::error_code ec;
        co_await acceptor_.async_accept(socket, peer, asio::redirect_error(asio::use_awaitable, ec));
        if (!ec) {
            admit(std::move(socket), peer);
            continue;
        }
        if (draining_) co_return;
        // `accept` fails if the client has already closed the connection, or if no descriptors or memory are
        // free. In the second case, closing an idle connection frees some.
        if (ec != asio::error::connection_aborted) {
            evict_oldest_idle();
            accept_pause_.expires_after(accept_pause);
            co_await accept_pause_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
        }
    }
}

// Accepts the connections that the kernel has already established, because closing the acceptor would reset
// them.
void Shard::accept_pending()
{
    boost::system::error_code ec;
    acceptor_.non_blocking(true, ec);
    while (!ec) {
        Socket socket(context_);
        asio::ip::tcp::endpoint peer;
        acceptor_.accept(socket, peer, ec);
        if (!ec) admit(std::move(socket), peer);
    }
}

void Shard::admit(Socket socket, asio::ip::tcp::endpoint const& peer)
{
    boost::system::error_code ec;
    socket.non_blocking(true, ec);
    if (ec) return;
    std::shared_ptr<void const> network_use;
    if (networks_ && !options_.is_exempt(peer.address())) {
        network_use = networks_->enter(http::network_key(peer.address(), network_v4_bits, network_v6_bits));
        if (!network_use) return application_.on_network_refused();
    }
    if (connections() >= max_connections_ && !evict_oldest_idle())
        return refuse_connection(std::move(socket));
    auto connection = std::make_unique<Connection>(
        shared_from_this(), std::move(socket), to_text(peer.address()), std::move(network_use));
    asio::co_spawn(context_, serve(std::move(connection)), asio::detached);
}

void Shard::refuse_connection(Socket socket)
{
    http::Response const response =
        http::problem(core::Error::unavailable("Too many connections. Retry later."), make_request_id());
    std::string out;
    append_head(out, response, Framing::length, Persistence::close, date_line());
    out += response.body;
    boost::system::error_code ignored;
    socket.write_some(asio::buffer(out), ignored);
    application_.on_protocol_error(core::codes::unavailable.name);
}

bool Shard::evict_oldest_idle()
{
    if (idle_.empty()) return false;
    Connection& oldest = idle_.front();
    idle_.pop_front();
    oldest.evict();
    return true;
}

void Shard::arm_sweep()
{
    sweep_timer_.expires_after(period_);
    sweep_timer_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
        if (!ec) self->sweep();
    });
}

void Shard::sweep()
{
    now_ = std::chrono::steady_clock::now();
    for (Connection& connection : connections_) {
        if (connection.deadline() <= now_) connection.expire();
    }
    if (!draining_ || !connections_.empty()) arm_sweep();
}

} // namespace http_server
