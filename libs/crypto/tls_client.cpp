#include "crypto/tls_client.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace crypto::tls {

namespace ssl = boost::asio::ssl;

std::shared_ptr<ssl::context> client_context(std::string const& ca_file)
{
    auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
    if (SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION) != 1)
        throw std::runtime_error("OpenSSL does not offer TLS 1.2");
    context->set_verify_mode(ssl::verify_peer);
    if (ca_file.empty())
        context->set_default_verify_paths();
    else
        load_file(ca_file, [&](auto const& file) { context->load_verify_file(file); });
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

} // namespace crypto::tls
