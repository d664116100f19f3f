#pragma once

#include "crypto/tls_client.hpp"
#include "redis/tls.hpp"

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <optional>
#include <string>
#include <utility>

namespace redis {

/// A connection over TCP or a unix socket, with or without TLS. The object must outlive its operations. At
/// most one read and one write at a time.
class Transport {
public:
    using Socket = asio::generic::stream_protocol::socket;
    using Endpoint = Socket::endpoint_type;
    using Error = boost::system::error_code;

    /// If `tls` is not null, the server's certificate must be for `host`.
    Transport(asio::io_context& ioc, Tls tls, std::string const& host)
        : socket_(ioc), context_(std::move(tls))
    {
        if (!context_) return;
        tls_.emplace(socket_, *context_);
        crypto::tls::expect_host(tls_->native_handle(), host);
    }

    /// Connects and, with TLS, performs the handshake. Then calls `handler(Error)`.
    template <class Handler> void async_open(Endpoint const& to, Handler handler)
    {
        Error failed;
        socket_.open(to.protocol(), failed);
        if (!failed && to.protocol().family() != AF_UNIX)
            socket_.set_option(asio::ip::tcp::no_delay(true), failed);
        socket_.async_connect(to, [this, handler = std::move(handler)](Error error) mutable {
            if (error || !tls_)
                handler(error);
            else
                tls_->async_handshake(asio::ssl::stream_base::client, std::move(handler));
        });
    }

    /// Reads, then calls `handler(Error, std::size_t)` with at least one byte or an error.
    template <class Handler> void async_read_some(asio::mutable_buffer to, Handler handler)
    {
        if (tls_)
            tls_->async_read_some(to, std::move(handler));
        else
            socket_.async_read_some(to, std::move(handler));
    }

    /// Writes all bytes, then calls `handler(Error, std::size_t)`.
    template <class Handler> void async_write(asio::const_buffer bytes, Handler handler)
    {
        if (tls_)
            asio::async_write(*tls_, bytes, std::move(handler));
        else
            asio::async_write(socket_, bytes, std::move(handler));
    }

    Socket::executor_type executor() { return socket_.get_executor(); }

    /// Whether the peer has sent bytes that were not read yet.
    bool has_input() const
    {
        Error failed;
        return socket_.available(failed) > 0;
    }

    /// Closes the socket. Running operations end with an error.
    void close() noexcept
    {
        Error ignored;
        socket_.close(ignored);
    }

    /// The text of an error of this connection, for the log.
    std::string explain(Error const& error)
    {
        if (error == asio::error::eof || error == asio::ssl::error::stream_truncated)
            return "the server closed the connection";
        auto const fault = tls_ ? crypto::tls::certificate_fault(tls_->native_handle()) : "";
        return fault.empty() ? error.message() : "the server's certificate is refused: " + fault;
    }

private:
    Socket socket_;
    Tls const context_;
    std::optional<asio::ssl::stream<Socket&>> tls_;
};

} // namespace redis
