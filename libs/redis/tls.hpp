#pragma once

#include "redis/client.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

struct ssl_st;

namespace redis {

/// What connections under TLS share; null: connections in the clear. Safe from any thread.
using Tls = std::shared_ptr<boost::asio::ssl::context>;

/// TLS 1.2 or later, with the server's certificate verified against `options.ca_file`, or against the
/// system's authorities when that is empty. Throws std::runtime_error with the name of the file that cannot
/// be used.
Tls make_tls(TlsOptions const& options);

/// Has the handshake of `ssl` fail unless the server's certificate is for `host`: a name among its DNS names,
/// an address among its IP addresses. A name is also sent to the server (SNI). Throws std::runtime_error when
/// OpenSSL refuses the name.
void expect_host(ssl_st* ssl, std::string const& host);

/// Why the certificate of the server was refused; empty when it was not.
std::string certificate_fault(ssl_st const* ssl);

} // namespace redis
