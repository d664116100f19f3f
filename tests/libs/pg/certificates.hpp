#pragma once

#include "support/process.hpp"

#include <boost/asio/ssl/context.hpp>

#include <string>

/// A certificate authority for a test, and a server certificate that it signed.
class Certificates {
public:
    /// `name` is the DNS name in the server's certificate.
    explicit Certificates(std::string const& name);

    std::string authority() const { return path("ca.crt"); } ///< these functions return names of PEM files

    std::string certificate() const { return path("server.crt"); }

    std::string key() const { return path("server.key"); }

    /// The server side of TLS.
    boost::asio::ssl::context server() const;

private:
    std::string path(std::string const& file) const { return directory_.path() + "/" + file; }

    testing::TemporaryDirectory directory_{"tcert"};
};
