#pragma once

#include "redis/client.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

struct ssl_st;

namespace redis {

/// The TLS settings that connections share. Null means no TLS. Thread-safe.
using Tls = std::shared_ptr<boost::asio::ssl::context>;

/// Returns settings for TLS 1.2 or later. The server's certificate is verified against `options.ca_file`, or
/// against the system's certificate authorities if `ca_file` is empty. Throws std::runtime_error if a file
/// cannot be used. The message contains the file's name.
Tls make_tls(TlsOptions const& options);

/// Makes the handshake of `ssl` fail unless the server's certificate is for `host`. If `host` is a name, it
/// must be among the certificate's DNS names, and it is sent to the server (SNI). If `host` is an address, it
/// must be among the certificate's IP addresses. Throws std::runtime_error if OpenSSL refuses `host`.
void expect_host(ssl_st* ssl, std::string const& host);

/// Returns the reason why the server's certificate was refused, or "" if it was not refused.
std::string certificate_fault(ssl_st const* ssl);

} // namespace redis
