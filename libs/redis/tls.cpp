#include "redis/tls.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/system/system_error.hpp>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <stdexcept>

namespace redis {

namespace {

namespace ssl = boost::asio::ssl;

/// Runs `load(file)`. If that fails, the error contains the file's name.
template <class Load> void load(std::string const& file, Load load)
{
    try {
        load(file);
    } catch (boost::system::system_error const& e) {
        throw std::runtime_error(file + " cannot be used: " + e.code().message());
    }
}

} // namespace

Tls make_tls(TlsOptions const& options)
{
    auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
    if (SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION) != 1)
        throw std::runtime_error("OpenSSL does not offer TLS 1.2");
    context->set_verify_mode(ssl::verify_peer);
    if (options.ca_file.empty())
        context->set_default_verify_paths();
    else
        load(options.ca_file, [&](auto const& file) { context->load_verify_file(file); });
    if (!options.certificate_file.empty()) {
        load(options.certificate_file, [&](auto const& file) { context->use_certificate_chain_file(file); });
        load(options.private_key_file,
            [&](auto const& file) { context->use_private_key_file(file, ssl::context::pem); });
    }
    return context;
}

void expect_host(ssl_st* ssl, std::string const& host)
{
    auto* const expected = SSL_get0_param(ssl);
    X509_VERIFY_PARAM_set_hostflags(
        expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    boost::system::error_code not_an_address;
    boost::asio::ip::make_address(host, not_an_address);
    bool const set = not_an_address ? SSL_set_tlsext_host_name(ssl, host.c_str()) == 1 &&
                                          X509_VERIFY_PARAM_set1_host(expected, host.data(), host.size()) == 1
                                    : X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1;
    if (!set) throw std::runtime_error("OpenSSL refuses the server's host name");
}

std::string certificate_fault(ssl_st const* ssl)
{
    auto const result = SSL_get_verify_result(ssl);
    return result == X509_V_OK ? "" : X509_verify_cert_error_string(result);
}

} // namespace redis
