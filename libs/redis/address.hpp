#pragma once

#include "core/secret.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace redis {

/// The network address of a server.
struct Endpoint {
    std::string host; ///< host name or IP address
    std::uint16_t port = 6379;

    auto operator<=>(Endpoint const&) const = default;
};

/// The address of a Redis server or cluster, and its credentials.
struct Address {
    std::string host; ///< host name or IP address; empty if `path` or `cluster` is set
    std::uint16_t port = 6379;
    std::string path; ///< the path of a unix socket
    /// Some nodes of a Redis Cluster. The client asks them for the other nodes. Empty for a single server.
    std::vector<Endpoint> cluster;
    std::string user;      ///< empty: the default user
    core::Secret password; ///< if empty, AUTH is not sent
    unsigned database = 0;
    bool tls = false; ///< never together with `path`

    /// Parses a URL. `redis://[[user]:password@]host[:port][/db]` is the form of the IANA registration, and
    /// `unix://[[user]:password@]/path/to.sock[?db=n]` is that of redis-py.
    /// `redis+cluster://[[user]:password@]host[:port],…` is for a Redis Cluster. `rediss://` and
    /// `rediss+cluster://` are the same with TLS. Throws std::invalid_argument for other texts. The message
    /// never contains the password.
    static Address parse(std::string_view url);
};

} // namespace redis
