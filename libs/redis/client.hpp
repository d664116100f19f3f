#pragma once

#include "core/clock.hpp"
#include "observe/log.hpp"
#include "redis/address.hpp"
#include "redis/reply.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace redis {

namespace asio = boost::asio;

/// A Lua script, sent by its SHA-1 and in full only to a server that does not have it yet. Make one per
/// script and keep it.
class Script {
public:
    explicit Script(std::string text);

    std::string const& text() const noexcept { return text_; }

    std::string const& sha() const noexcept { return sha_; } ///< 40 hex digits

private:
    std::string text_;
    std::string sha_;
};

/// Whom connections under TLS trust, and who they are. The files are PEM and are read once, at the start.
struct TlsOptions {
    std::string ca_file;          ///< authorities of the server's certificate; empty: the system's
    std::string certificate_file; ///< the client's own, with its chain; empty: none
    std::string private_key_file; ///< of the client's certificate
};

struct ClientOptions {
    Address address;
    TlsOptions tls = {};                    ///< for an address with `tls`
    std::chrono::milliseconds timeout{250}; ///< a server silent for longer counts as down
    std::chrono::milliseconds reconnect_min{50};
    std::chrono::milliseconds reconnect_max{1000};
    /// What scripts take for the time in place of Redis' own clock, for tests that move it; outlives the
    /// client. Null: Redis' clock, the only one that all replicas share.
    core::Clock const* script_clock = nullptr;
};

/// One asynchronous connection per io_context (and, of a Redis Cluster, per master), each used only by the
/// thread that runs it: nothing is shared, and commands of many coroutines travel pipelined without anyone
/// asking for it.
///
/// A command never waits long: while the server is down it throws Unavailable at once, and one without an
/// answer after `timeout` (or up to a sixth of it more) throws Unavailable and drops the connection, because
/// the answers behind it are late too. Such a command may still have been carried out. Connections are made
/// again in the background. A call made while the very first attempt is under way waits for it, at most
/// `timeout`.
///
/// All keys of one command or script carry one hash tag, so that a Redis Cluster can serve them. A master
/// that is away concerns its own keys alone; a replica that takes over from it is found by itself, and so are
/// keys that move.
///
/// Under TLS a server is believed whose certificate is for the host of the address, or, of a cluster's other
/// nodes, for the host that the cluster announces of them.
class Client {
public:
    /// `contexts` each run by one thread; they and `logger` outlive this object's `stop()` and their threads.
    /// Throws std::runtime_error when a file of `options.tls` cannot be used.
    Client(ClientOptions const& options, std::vector<asio::io_context*> const& contexts,
        observe::Logger& logger);

    /// Stops.
    ~Client();
    Client(Client const&) = delete;
    Client& operator=(Client const&) = delete;

    /// Sends one command; `args` are binary-safe and must live until the call is awaited. In a cluster the
    /// second of them is the key that says to which node. Called from a coroutine on one of the contexts
    /// (std::logic_error otherwise). Throws Unavailable, or CommandError when the server refuses.
    asio::awaitable<Reply> command(std::vector<std::string_view> args);

    /// Runs `script`; every key it touches is in `keys`. Otherwise as `command`.
    asio::awaitable<Reply> eval(
        Script const& script, std::vector<std::string_view> keys, std::vector<std::string_view> args);

    /// Unlinks every key that starts with `prefix`, by SCAN on every master, and says how many. Keys that are
    /// made meanwhile, or moved to another node, may remain.
    asio::awaitable<std::size_t> erase_prefix(std::string_view prefix);

    /// What a script that begins with `now_in_lua` (times.hpp) is given as its first argument.
    std::string script_time() const;

    /// Whether some connection works now (for metrics). Safe from any thread.
    bool healthy() const noexcept;

    /// Closes the connections; commands in flight and later ones throw Unavailable. Until then the contexts
    /// have work and their run() does not return. Safe from any thread; may be repeated.
    void stop() noexcept;

private:
    class Backend;
    class Connection;
    class Cluster;

    std::shared_ptr<Backend> backend_of(asio::any_io_executor const& executor) const;
    asio::awaitable<Reply> route(std::string_view key, std::vector<std::string_view> args);
    asio::awaitable<std::size_t> erase_on(Connection& server, std::string_view glob);

    core::Clock const* const script_clock_;
    std::vector<std::shared_ptr<Backend>> backends_; ///< one per context
};

} // namespace redis
