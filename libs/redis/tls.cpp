#include "redis/tls.hpp"

#include "crypto/tls_client.hpp"

namespace redis {

Tls make_tls(TlsOptions const& options)
{
    using crypto::tls::load_file, boost::asio::ssl::context_base;
    Tls tls = crypto::tls::client_context(options.ca_file);
    if (options.certificate_file.empty()) return tls;
    load_file(options.certificate_file, [&](auto const& file) { tls->use_certificate_chain_file(file); });
    load_file(options.private_key_file,
        [&](auto const& file) { tls->use_private_key_file(file, context_base::pem); });
    return tls;
}

} // namespace redis
