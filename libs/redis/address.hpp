#pragma once

#include "core/secret.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace redis {

/// The network address of a server.
struct Endpoint {
    std::string host; ///< name or address
    std::uint16_t port = 6379;

    auto operator<=>(Endpoint const&) const = default;
};

/// The address of a Redis server or cluster, and its credentials.
struct Address {
    std::string host; ///< name or address; empty if `path` or `cluster` is set
    std::uint16_t port = 6379;
    std::string path; ///< unix socket
    /// Some nodes of a Redis Cluster, which know the others. Empty: no cluster.
    std::vector<Endpoint> cluster;
    std::string user;      ///< empty: the default user
    core::Secret password; ///< empty: no AUTH
    unsigned database = 0;
    bool tls = false; ///< never together with `path`

    /// Parses `redis://[[user]:password@]host[:port][/db]` and
    /// `unix://[[user]:password@]/path/to.sock[?db=n]`, the forms of the IANA registration and of redis-py,
    /// and `redis+cluster://[[user]:password@]host[:port],…` for a Redis Cluster. `rediss://` and
    /// `rediss+cluster://` are the same with TLS. Throws std::invalid_argument; the message never contains
    /// the password.
    static Address parse(std::string_view url);
};

} // namespace redis
