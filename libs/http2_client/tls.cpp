#include "http2_client/tls.hpp"

#include "http_client/address.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <array>
#include <new>
#include <stdexcept>

namespace http2_client {

namespace {

constexpr std::array<unsigned char, 3> alpn{2, 'h', '2'};

/// Returns OpenSSL's text for the last error of this thread, and empties the thread's error queue.
std::string take_error()
{
    std::array<char, 256> words{};
    unsigned long const code = ERR_get_error();
    ERR_clear_error();
    if (code == 0) return "closed by the peer";
    ERR_error_string_n(code, words.data(), words.size());
    return words.data();
}

void require(bool ok, char const* what)
{
    if (!ok) throw std::runtime_error(std::string(what) + ": " + take_error());
}

bool name_peer(SSL* tls, std::string const& host)
{
    if (http_client::is_address_literal(host))
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host.c_str()) == 1;
    return SSL_set_tlsext_host_name(tls, host.c_str()) == 1 && SSL_set1_host(tls, host.c_str()) == 1;
}

bool agreed_on_h2(SSL* tls)
{
    unsigned char const* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(tls, &name, &size);
    return std::string_view(reinterpret_cast<char const*>(name), size) == "h2";
}

} // namespace

TlsContext make_tls_context(std::string const& ca_file)
{
    TlsContext context(SSL_CTX_new(TLS_client_method()));
    require(context && SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) == 1, "TLS");
    bool const trusts = ca_file.empty() ? SSL_CTX_set_default_verify_paths(context.get()) == 1
                                        : SSL_CTX_load_verify_file(context.get(), ca_file.c_str()) == 1;
    require(trusts, "trusted roots");
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
    require(SSL_CTX_set_alpn_protos(context.get(), alpn.data(), alpn.size()) == 0, "ALPN"); // 0 is success
    return context;
}

Tls::Tls(SSL_CTX& context, std::string const& host) : tls_(SSL_new(&context))
{
    require(tls_ && name_peer(tls_.get(), host), "TLS");
    in_ = BIO_new(BIO_s_mem());
    out_ = BIO_new(BIO_s_mem());
    if (in_ == nullptr || out_ == nullptr) {
        BIO_free(in_);
        BIO_free(out_);
        throw std::bad_alloc();
    }
    SSL_set_bio(tls_.get(), in_, out_);
    SSL_set_connect_state(tls_.get());
}

Tls::State Tls::handshake()
{
    int const result = SSL_do_handshake(tls_.get());
    if (result == 1) {
        if (agreed_on_h2(tls_.get())) return State::done;
        fail("the server did not agree to HTTP/2 (ALPN `h2`)");
        return State::failed;
    }
    if (SSL_get_error(tls_.get(), result) == SSL_ERROR_WANT_READ) return State::more;
    long const verdict = SSL_get_verify_result(tls_.get());
    fail(verdict == X509_V_OK ? take_error() : X509_verify_cert_error_string(verdict));
    return State::failed;
}

void Tls::receive(std::span<char const> ciphertext)
{
    if (BIO_write(in_, ciphertext.data(), static_cast<int>(ciphertext.size())) <= 0) throw std::bad_alloc();
}

std::size_t Tls::read(std::span<char> out)
{
    std::size_t size = 0;
    int const result = SSL_read_ex(tls_.get(), out.data(), out.size(), &size);
    if (result == 1) return size;
    if (SSL_get_error(tls_.get(), result) != SSL_ERROR_WANT_READ) fail(take_error());
    return 0;
}

bool Tls::write(std::string_view plaintext)
{
    std::size_t size = 0;
    if (plaintext.empty() || SSL_write_ex(tls_.get(), plaintext.data(), plaintext.size(), &size) == 1)
        return true;
    fail(take_error());
    return false;
}

void Tls::close()
{
    SSL_shutdown(tls_.get());
    ERR_clear_error();
}

void Tls::take_output(std::string& out)
{
    char* data = nullptr;
    long const size = BIO_get_mem_data(out_, &data);
    if (size <= 0) return;
    out.append(data, static_cast<std::size_t>(size));
    BIO_reset(out_);
}

void Tls::fail(std::string_view what)
{
    ERR_clear_error();
    failed_ = true;
    fault_ = std::string("TLS: ").append(what);
}

} // namespace http2_client
