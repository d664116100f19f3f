#pragma once
// Private to the HTTP/2 client: TLS without the connection.

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace http::h2 {

struct FreeTls {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }

    void operator()(SSL* tls) const { SSL_free(tls); }
};

using TlsContext = std::unique_ptr<SSL_CTX, FreeTls>;

/// For clients: TLS 1.2 or later, ALPN `h2`, certificates verified against `ca_file`, or the system's roots
/// when it is empty. Throws std::runtime_error.
TlsContext make_tls_context(std::string const& ca_file);

/// One TLS session: what arrived goes in, plain text comes out, and the other way around.
class Tls {
public:
    /// `host` is what the certificate has to name: a DNS name or an address.
    Tls(SSL_CTX& context, std::string const& host);

    enum class State { more, done, failed };

    /// Goes on with the handshake as far as what arrived allows. `done`: HTTP/2 was agreed upon.
    State handshake();

    /// What arrived.
    void receive(std::span<char const> ciphertext);

    /// Puts plain text into `out`; how much. 0: nothing whole has arrived. `failed()` says whether more will.
    std::size_t read(std::span<char> out);

    /// Encrypts. False: the session is broken.
    bool write(std::string_view plaintext);

    /// Tells the peer that nothing more will come.
    void close();

    /// Appends what is to be sent.
    void take_output(std::string& out);

    bool failed() const noexcept { return failed_; }

    std::string const& fault() const noexcept { return fault_; } ///< for logs

private:
    void fail(std::string_view what);

    std::unique_ptr<SSL, FreeTls> tls_;
    BIO* in_ = nullptr;  ///< owned by `tls_`
    BIO* out_ = nullptr; ///< owned by `tls_`
    bool failed_ = false;
    std::string fault_;
};

} // namespace http::h2
