#include "http_server/server.hpp"

#include "http_server/shard.hpp"

#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>

#include <cerrno>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>

namespace http_server {

namespace {

using asio::ip::tcp;

constexpr int backlog = 4096;

void share_port(Acceptor& acceptor)
{
    int const on = 1;
    if (::setsockopt(acceptor.native_handle(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0)
        throw std::system_error(errno, std::system_category(), "SO_REUSEPORT");
}

Acceptor open(asio::io_context& context, tcp::endpoint const& endpoint, bool shared)
{
    Acceptor acceptor(context);
    acceptor.open(endpoint.protocol());
    acceptor.set_option(Acceptor::reuse_address(true));
    if (shared) share_port(acceptor);
    if (endpoint.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only(false));
    // Accepted sockets inherit this option.
    acceptor.set_option(tcp::no_delay(true));
    acceptor.bind(endpoint);
    return acceptor;
}

/// Opens one acceptor per context, all on the port of `endpoint`, or on the same free port if
/// `endpoint.port()` is 0.
std::vector<Acceptor> listen(std::vector<asio::io_context*> const& contexts, tcp::endpoint& endpoint)
try {
    bool const shared = contexts.size() > 1;
    // With SO_REUSEPORT another process of the same user could share the port unnoticed. This bind without
    // the option fails if another process uses the port.
    if (shared && endpoint.port() != 0) open(*contexts.front(), endpoint, false);
    std::vector<Acceptor> acceptors;
    for (asio::io_context* const context : contexts) {
        Acceptor& acceptor = acceptors.emplace_back(open(*context, endpoint, shared));
        endpoint = acceptor.local_endpoint();
        acceptor.listen(backlog);
    }
    return acceptors;
} catch (boost::system::system_error const& error) {
    std::string const where = endpoint.address().to_string() + " port " + std::to_string(endpoint.port());
    throw std::system_error(error.code(), "cannot listen on " + where);
}

} // namespace

Server::Server(std::vector<asio::io_context*> const& contexts, ServerOptions const& options,
    http::Application& application)
{
    if (contexts.empty()) throw std::invalid_argument("a server needs an io_context");
    boost::system::error_code ec;
    tcp::endpoint endpoint(asio::ip::make_address(options.bind, ec), options.port);
    if (ec) throw std::invalid_argument("not an IP address: " + options.bind);
    auto acceptors = listen(contexts, endpoint);
    port_ = endpoint.port();
    std::size_t const share = std::max<std::size_t>(1, options.max_connections / contexts.size());
    auto const networks = options.max_per_network == 0
                              ? nullptr
                              : std::make_shared<core::KeyedLimiter>(options.max_per_network);
    for (std::size_t i = 0; i < contexts.size(); ++i) {
        shards_.push_back(std::make_shared<Shard>(
            *contexts[i], std::move(acceptors[i]), options, share, networks, application));
    }
    for (auto const& shard : shards_)
        asio::post(shard->context(), [shard] { shard->start(); });
}

Server::~Server()
{
    abort();
}

std::uint16_t Server::port() const noexcept
{
    return port_;
}

void Server::drain()
{
    for (auto const& shard : shards_)
        asio::post(shard->context(), [shard] { shard->drain(); });
}

std::size_t Server::connections() const noexcept
{
    std::size_t total = 0;
    for (auto const& shard : shards_)
        total += shard->connections();
    return total;
}

void Server::abort()
{
    for (auto const& shard : shards_)
        asio::post(shard->context(), [shard] { shard->abort(); });
}

} // namespace http_server
