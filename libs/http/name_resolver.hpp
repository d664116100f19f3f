#pragma once
// Private to the asynchronous client.

#include "core/cache.hpp"
#include "http/readiness.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <ares.h>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace http {

/// What a host name stands for.
struct Resolved {
    enum class Kind { found, unknown, timeout };

    Kind kind = Kind::unknown;          ///< unknown: it has no address, or no server could be asked
    std::vector<std::string> addresses; ///< literals, without brackets
};

/// Host names into addresses through c-ares, on the event loop of its owner: no thread waits for a server,
/// however many names hang (libcurl's own resolver has a thread for each). It reads /etc/hosts and
/// /etc/resolv.conf as c-ares does. Callers that ask for the same name share a lookup. Used by one thread.
class NameResolver {
public:
    using Done = std::function<void(Resolved const&)>;

    /// `readiness` outlives it. `servers`: `ip[:port],...`; empty: those of /etc/resolv.conf. Throws
    /// std::runtime_error.
    NameResolver(boost::asio::io_context& io, Readiness& readiness, std::string const& servers);
    ~NameResolver();
    NameResolver(NameResolver const&) = delete;
    NameResolver& operator=(NameResolver const&) = delete;

    /// Calls `done` once, possibly at once, after `patience` at the latest. Found names are remembered for
    /// `remembered`.
    void resolve(std::string const& host, std::chrono::milliseconds patience, Done done);

    /// Answers every caller that waits with a time-out.
    void stop();

    static constexpr std::chrono::seconds remembered{60};
    static constexpr std::size_t capacity = 4096; ///< names remembered

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
    Readiness& readiness_;
    Readiness::Owner owner_ = 0;
    boost::asio::steady_timer alarm_;
    ares_channel channel_ = nullptr;
    std::map<std::string, std::vector<std::shared_ptr<Waiter>>> waiting_; ///< by name
    core::Cache<std::string, Resolved> known_{capacity, remembered};
};

} // namespace http
