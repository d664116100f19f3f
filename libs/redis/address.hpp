#pragma once

#include "core/secret.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace redis {

/// A server by its network address.
struct Endpoint {
    std::string host; ///< name or address
    std::uint16_t port = 6379;

    auto operator<=>(Endpoint const&) const = default;
};

/// Where a Redis is and how to sign in.
struct Address {
    std::string host; ///< name or address; empty when `path` or `cluster` is set
    std::uint16_t port = 6379;
    std::string path; ///< unix socket
    std::vector<Endpoint>
        cluster;           ///< some nodes of a Redis Cluster, which name the others; empty: no cluster
    std::string user;      ///< empty: the default user
    core::Secret password; ///< empty: no AUTH
    unsigned database = 0;
    bool tls = false; ///< never with a `path`

    /// `redis://[[user]:password@]host[:port][/db]` or `unix://[[user]:password@]/path/to.sock[?db=n]`, the
    /// forms of the IANA registration and of redis-py; or `redis+cluster://[[user]:password@]host[:port],…`
    /// for a Redis Cluster. `rediss://` and `rediss+cluster://` are the same under TLS. Throws
    /// std::invalid_argument, never quoting the password.
    static Address parse(std::string_view url);
};

} // namespace redis
