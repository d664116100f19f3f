#include "tls_server.hpp"

#include "listener.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace testing {

namespace {

constexpr std::string_view answer = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";

/// The length of the first request in `text`; 0 if it is incomplete.
std::size_t request_length(std::string const& text)
{
    auto const head = text.find("\r\n\r\n");
    if (head == std::string::npos) return 0;
    auto const field = text.find("Content-Length: ");
    std::size_t const body = field < head ? std::stoul(text.substr(field + 16)) : 0;
    std::size_t const length = head + 4 + body;
    return text.size() >= length ? length : 0;
}

} // namespace

TlsServer::TlsServer(Certificate const& certificate) : context_(SSL_CTX_new(TLS_server_method()))
{
    if (SSL_CTX_use_certificate_chain_file(context_, certificate.file.c_str()) != 1 ||
        SSL_CTX_use_PrivateKey_file(context_, certificate.key.c_str(), SSL_FILETYPE_PEM) != 1)
        throw std::runtime_error("no certificate");
    auto const [socket, port] = listen_nearby();
    listener_ = socket;
    port_ = port;
    acceptor_ = std::thread([this] { accept_loop(); });
}

TlsServer::~TlsServer()
{
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (auto& connection : all_) {
        ::shutdown(connection->socket, SHUT_RDWR);
        connection->thread.join();
        SSL_free(connection->session);
        ::close(connection->socket);
    }
    ::close(listener_);
    SSL_CTX_free(context_);
}

void TlsServer::close_connections()
{
    std::lock_guard const lock(mutex_);
    for (auto& connection : all_) {
        std::lock_guard const alone(connection->mutex);
        SSL_shutdown(connection->session);
        ::shutdown(connection->socket, SHUT_WR);
    }
}

void TlsServer::accept_loop()
{
    while (!stopping_) {
        int const socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) continue;
        ++connections_;
        std::lock_guard const lock(mutex_);
        auto& connection = *all_.emplace_back(std::make_unique<Connection>());
        connection.socket = socket;
        connection.session = SSL_new(context_);
        SSL_set_fd(connection.session, socket);
        connection.thread = std::thread([this, &connection] { serve(connection); });
    }
}

void TlsServer::serve(Connection& connection)
{
    std::string text;
    for (;;) {
        // Waits without the lock, so that `close_connections` does not have to wait for a request.
        pollfd readable{.fd = connection.socket, .events = POLLIN, .revents = 0};
        if (::poll(&readable, 1, -1) != 1) return;
        std::lock_guard const lock(connection.mutex);
        if (!SSL_is_init_finished(connection.session) && SSL_accept(connection.session) != 1) return;
        char bytes[4096];
        int const got = SSL_read(connection.session, static_cast<char*>(bytes), sizeof bytes);
        if (got <= 0) return;
        text.append(static_cast<char const*>(bytes), static_cast<std::size_t>(got));
        auto const length = request_length(text);
        if (length == 0) continue;
        text.erase(0, length);
        ++requests_;
        if (SSL_write(connection.session, answer.data(), static_cast<int>(answer.size())) <= 0) return;
    }
}

} // namespace testing
