#pragma once

#include "domain/domain_records.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace notify {

namespace asio = boost::asio;

struct DnsOptions {
    std::string servers{};                      ///< `ip[:port],...`; empty: those of /etc/resolv.conf
    std::chrono::milliseconds timeout{2000};    ///< of the first try at a server; later ones take longer
    unsigned tries = 3;                         ///< at each server
    std::chrono::milliseconds patience{10'000}; ///< for a whole call
};

/// Asks resolvers for TXT records through c-ares, on the event loop of whoever asks: nothing blocks, and
/// there is no limit to how many ask at once. Answers that do not fit a datagram are fetched over TCP. Safe
/// from any thread.
class Dns {
public:
    explicit Dns(DnsOptions options);

    /// Whether `servers` is a list as DnsOptions wants it.
    static bool are_servers(std::string const& servers);

    /// Asks for all names at once; one answer for each, in their order. A name that cannot be asked for, and
    /// a resolver that fails, are answers too (`TxtAnswer::Kind::failed`).
    asio::awaitable<std::vector<TxtAnswer>> txt(std::vector<std::string> names) const;

    /// The same for threads that are not I/O threads, blocking for `patience` at most.
    std::vector<TxtAnswer> txt_blocking(std::vector<std::string> names) const;

private:
    DnsOptions const options_;
};

} // namespace notify
