#include "certificates.hpp"

#include <chrono>

namespace ssl = boost::asio::ssl;

static void openssl(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "openssl");
    testing::output_of(arguments, std::chrono::seconds(60));
}

Certificates::Certificates(std::string const& name)
{
    std::vector<std::string> const key{"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"};
    auto const request = [&](std::vector<std::string> more) {
        std::vector<std::string> all{"req", "-x509", "-days", "2"};
        all.insert(all.end(), key.begin(), key.end());
        all.insert(all.end(), more.begin(), more.end());
        openssl(all);
    };
    request({"-subj", "/CN=Test authority", "-keyout", path("ca.key"), "-out", authority()});
    request({"-subj", "/CN=" + name, "-addext", "subjectAltName=DNS:" + name, "-addext",
        "basicConstraints=critical,CA:FALSE", "-CA", authority(), "-CAkey", path("ca.key"), "-keyout",
        this->key(), "-out", certificate()});
}

ssl::context Certificates::server() const
{
    ssl::context context(ssl::context::tls_server);
    context.use_certificate_file(certificate(), ssl::context::pem);
    context.use_private_key_file(key(), ssl::context::pem);
    return context;
}
