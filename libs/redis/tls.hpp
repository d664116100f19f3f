#pragma once

#include "redis/client.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

struct ssl_st;

namespace redis {

/// The shared TLS state of connections; null: no TLS. Thread-safe.
using Tls = std::shared_ptr<boost::asio::ssl::context>;

/// TLS 1.2 or later. The server's certificate is verified against `options.ca_file`, or against the system's
/// certificate authorities if `ca_file` is empty. Throws std::runtime_error if a file cannot be used; the
/// message contains the file's name.
Tls make_tls(TlsOptions const& options);

/// Makes the handshake of `ssl` fail unless the server's certificate is for `host`: a name must be among its
/// DNS names, an address among its IP addresses. A name is also sent to the server (SNI). Throws
/// std::runtime_error if OpenSSL refuses the name.
void expect_host(ssl_st* ssl, std::string const& host);

/// The reason why the server's certificate was refused; empty if it was not.
std::string certificate_fault(ssl_st const* ssl);

} // namespace redis
