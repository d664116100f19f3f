#pragma once
// Internal to the asynchronous client.

#include "core/cache.hpp"
#include "http_client/socket_watcher.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <ares.h>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace http_client {

/// The result of a name resolution.
struct Resolved {
    enum class Kind { found, unknown, timeout };

    Kind kind = Kind::unknown;          ///< `unknown`: the name has no address, or no name server responded
    std::vector<std::string> addresses; ///< literals, without brackets
};

/// Resolves host names with c-ares on the owner's event loop. A query without an answer blocks no thread,
/// unlike in libcurl's resolver, which uses one thread per query. c-ares reads /etc/hosts and
/// /etc/resolv.conf. Concurrent queries for a name share one lookup. Not thread-safe.
class NameResolver {
public:
    using Done = std::function<void(Resolved const&)>;

    /// `watcher` must outlive this object. `servers` is a list `ip[:port],...`. If it is empty, the servers
    /// in /etc/resolv.conf are used. Throws std::runtime_error if c-ares refuses `servers` or cannot be
    /// initialised.
    NameResolver(boost::asio::io_context& io, SocketWatcher& watcher, std::string const& servers);
    ~NameResolver();
    NameResolver(NameResolver const&) = delete;
    NameResolver& operator=(NameResolver const&) = delete;

    /// Calls `done` once: possibly within this call, and at the latest after `timeout`. Addresses that were
    /// found are cached for `cache_ttl`.
    void resolve(std::string const& host, std::chrono::milliseconds timeout, Done done);

    /// Ends all pending queries as timed out.
    void stop();

    static constexpr std::chrono::seconds cache_ttl{60};
    static constexpr std::size_t cache_capacity = 4096; ///< number of cached names

private:
    struct Lookup;
    struct Waiter;

    static void on_socket(void* self, ares_socket_t socket, int readable, int writable);
    static void on_answer(void* lookup, int status, int timeouts, ares_addrinfo* result);
    void process(int socket, bool readable, bool writable);
    void begin(std::string const& host);
    void answer(std::string const& host, Resolved const& result);
    void set_alarm();

    boost::asio::io_context& io_;
    SocketWatcher& watcher_;
    SocketWatcher::Owner owner_ = 0;
    boost::asio::steady_timer alarm_;
    ares_channel channel_ = nullptr;
    std::map<std::string, std::vector<std::shared_ptr<Waiter>>> waiting_; ///< pending queries by host name
    core::Cache<std::string, Resolved> known_{cache_capacity, cache_ttl};
};

} // namespace http_client
