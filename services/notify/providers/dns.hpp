#pragma once

#include "domain/dns_records.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace notify {

namespace asio = boost::asio;

struct DnsOptions {
    std::string servers{}; ///< a list `ip[:port],...`; if empty, the servers in /etc/resolv.conf are used
    std::chrono::milliseconds timeout{2000}; ///< time limit of the first try; later tries have longer limits
    unsigned tries = 3;                      ///< tries per server
    std::chrono::milliseconds total_timeout{10'000}; ///< time limit of a whole call
};

/// Queries resolvers for TXT records through c-ares, on the caller's event loop. Does not block. The number
/// of concurrent queries is not limited. An answer that does not fit into a datagram is fetched over TCP.
/// Thread-safe.
class Dns {
public:
    explicit Dns(DnsOptions options);

    /// Whether `servers` is a valid list for DnsOptions.
    static bool are_servers(std::string const& servers);

    /// Queries all names at once. Returns one answer per name, in order. The answer for an invalid name or a
    /// failed query has the kind `TxtAnswer::Kind::failed`.
    asio::awaitable<std::vector<TxtAnswer>> txt(std::vector<std::string> names) const;

    /// Like `txt`, but blocks for at most `total_timeout`. Do not call it on an I/O thread.
    std::vector<TxtAnswer> txt_blocking(std::vector<std::string> names) const;

private:
    DnsOptions const options_;
};

} // namespace notify
