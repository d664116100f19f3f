#pragma once
// Internal to the HTTP/2 client: TLS without I/O.

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace http2_client {

struct FreeTls {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }

    void operator()(SSL* tls) const { SSL_free(tls); }
};

using TlsContext = std::unique_ptr<SSL_CTX, FreeTls>;

/// A context for clients: TLS 1.2 or later, ALPN `h2`, certificates verified against `ca_file`, or against
/// the system's roots if `ca_file` is empty. Throws std::runtime_error if the roots cannot be read or OpenSSL
/// fails.
TlsContext make_tls_context(std::string const& ca_file);

/// One TLS session. It decrypts received bytes and encrypts bytes to send.
class Tls {
public:
    /// `host` is a DNS name or an IP address. The server's certificate must be valid for it.
    Tls(SSL_CTX& context, std::string const& host);

    enum class State { more, done, failed };

    /// Continues the handshake with the bytes received so far. `done` means that HTTP/2 was negotiated.
    State handshake();

    /// Stores received bytes for `handshake` and `read`.
    void receive(std::span<char const> ciphertext);

    /// Writes decrypted bytes into `out` and returns their number. Returns 0 if no complete record has
    /// arrived, or if the session has failed (`failed()`).
    std::size_t read(std::span<char> out);

    /// Encrypts `plaintext`. Returns false if the session has failed.
    bool write(std::string_view plaintext);

    /// Adds a close_notify alert to the bytes to send.
    void close();

    /// Moves the bytes to send to the end of `out`.
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

} // namespace http2_client
