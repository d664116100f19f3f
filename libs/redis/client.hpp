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

/// A Lua script. The client sends the SHA-1 of the script. It sends the full text only to a server that does
/// not have the script yet. Create one object per script and keep it, because the constructor computes the
/// SHA-1.
class Script {
public:
    explicit Script(std::string text);

    std::string const& text() const noexcept { return text_; }

    std::string const& sha() const noexcept { return sha_; } ///< 40 hex digits

private:
    std::string text_;
    std::string sha_;
};

/// The certificates that TLS connections trust and present. The files are in PEM format and are read once,
/// when the Client is constructed.
struct TlsOptions {
    /// The file of the certificate authorities that may sign the server's certificate. If empty, the system's
    /// certificate authorities.
    std::string ca_file;
    std::string certificate_file; ///< the client's certificate with its chain; empty if it has none
    std::string private_key_file; ///< the private key of the client's certificate
};

struct ClientOptions {
    Address address;
    TlsOptions tls = {};                    ///< used if `address.tls` is true
    std::chrono::milliseconds timeout{250}; ///< a server silent for longer counts as down
    std::chrono::milliseconds reconnect_min{50};
    std::chrono::milliseconds reconnect_max{1000};
    /// The clock that scripts with `now_in_lua` (times.hpp) use instead of Redis' own clock, for tests that
    /// set the time. Must outlive the client. If null, scripts use Redis' clock, which is the same for all
    /// replicas.
    core::Clock const* script_clock = nullptr;
};

/// A client with one asynchronous connection per io_context or, in a Redis Cluster, per io_context and node.
/// Only the thread that runs the context uses its connections. The contexts share no state. Commands of
/// concurrent coroutines are pipelined automatically.
///
/// While the server is down, a command throws Unavailable at once. A command also throws Unavailable if no
/// answer arrives within `timeout` (or up to a sixth more). The server may have executed such a command. The
/// connection is then closed, because all later answers would be late, too. Lost connections are replaced in
/// the background. A call during the first connection attempt waits for the end of the attempt, but at most
/// `timeout`.
///
/// All keys of one command or script must have the same hash tag, so that they work in a Redis Cluster. If a
/// master is down, only commands for its keys fail. The client finds replicas that have taken over, and slots
/// that have moved, without a restart.
///
/// With TLS, the server's certificate must be for the host of the address or, for other nodes of a cluster,
/// for the host that the cluster announces.
class Client {
public:
    /// One thread must run each of `contexts`. The contexts and `logger` must exist until `stop()` has
    /// returned and these threads have ended. Throws std::runtime_error if a file of `options.tls` cannot be
    /// used.
    Client(ClientOptions const& options, std::vector<asio::io_context*> const& contexts,
        observe::Logger& logger);

    /// As `stop()`.
    ~Client();
    Client(Client const&) = delete;
    Client& operator=(Client const&) = delete;

    /// Sends one command. `args` may contain any bytes and must stay valid until the call is awaited. In a
    /// cluster, the second argument is the key that selects the node. Must be called from a coroutine on one
    /// of the contexts. Otherwise it throws std::logic_error. Throws Unavailable, or CommandError if the
    /// server refuses the command.
    asio::awaitable<Reply> command(std::vector<std::string_view> args);

    /// Runs `script`. `keys` must contain every key that the script reads or writes. Otherwise as `command`.
    asio::awaitable<Reply> eval(
        Script const& script, std::vector<std::string_view> keys, std::vector<std::string_view> args);

    /// Deletes (UNLINK) every key that starts with `prefix`, and returns the number of deleted keys. Runs
    /// SCAN on every master. Keys that are created or moved to another node during the call may remain.
    asio::awaitable<std::size_t> erase_prefix(std::string_view prefix);

    /// The first argument that a script with `now_in_lua` (times.hpp) requires.
    std::string script_time() const;

    /// Whether at least one connection works now (for metrics). Thread-safe.
    bool healthy() const noexcept;

    /// Closes the connections. Commands in flight and later ones throw Unavailable. Before `stop`, the client
    /// keeps the contexts busy, so their run() does not return. Thread-safe. May be called more than once.
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
