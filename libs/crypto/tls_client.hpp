#pragma once

#include <boost/system/system_error.hpp>

#include <memory>
#include <stdexcept>
#include <string>

struct ssl_st;

namespace boost::asio::ssl {
class context; // NOLINT(readability-identifier-naming): the name in Asio
}

/// TLS of clients, for protocols on Asio.
namespace crypto::tls {

/// Returns settings for TLS 1.2 or later. The server's certificate is verified against the PEM file
/// `ca_file`, or against the system's certificate authorities if `ca_file` is empty. Connections on several
/// threads may share the settings. Throws std::runtime_error if the file cannot be used. The message contains
/// the file's name.
std::shared_ptr<boost::asio::ssl::context> client_context(std::string const& ca_file);

/// Makes the handshake of `ssl` fail unless the server's certificate is for `host`. If `host` is a name, it
/// must be among the certificate's DNS names, and it is sent to the server (SNI). If `host` is an address, it
/// must be among the certificate's IP addresses. Throws std::runtime_error if OpenSSL refuses `host`.
void expect_host(ssl_st* ssl, std::string const& host);

/// Returns the reason why the server's certificate was refused, or "" if it was not refused.
std::string certificate_fault(ssl_st const* ssl);

/// Runs `load(file)`. If that throws boost::system::system_error, throws std::runtime_error with the file's
/// name.
template <class Load> void load_file(std::string const& file, Load load)
{
    try {
        load(file);
    } catch (boost::system::system_error const& e) {
        throw std::runtime_error(file + " cannot be used: " + e.code().message());
    }
}

} // namespace crypto::tls
