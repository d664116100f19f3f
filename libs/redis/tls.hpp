#pragma once

#include "redis/client.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>

namespace redis {

/// The TLS settings that connections share. Null means no TLS. Thread-safe.
using Tls = std::shared_ptr<boost::asio::ssl::context>;

/// Returns settings for TLS 1.2 or later. The server's certificate is verified against `options.ca_file`, or
/// against the system's certificate authorities if `ca_file` is empty. Throws std::runtime_error if a file
/// cannot be used. The message contains the file's name.
Tls make_tls(TlsOptions const& options);

} // namespace redis
