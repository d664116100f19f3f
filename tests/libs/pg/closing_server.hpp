#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <string>
#include <thread>

/// Simulates an unreachable server: listens on 127.0.0.1, closes each connection at once, and counts the
/// connections.
class ClosingServer {
public:
    ClosingServer()
    {
        accept();
        thread_ = std::thread([this] { ioc_.run(); });
    }

    ~ClosingServer()
    {
        boost::asio::post(ioc_, [this] { acceptor_.close(); });
        thread_.join();
    }

    ClosingServer(ClosingServer const&) = delete;
    ClosingServer& operator=(ClosingServer const&) = delete;

    /// A libpq connection string.
    std::string url() const
    {
        return "host=127.0.0.1 user=nobody dbname=none sslmode=disable port=" +
               std::to_string(acceptor_.local_endpoint().port());
    }

    unsigned attempts() const noexcept { return attempts_; }

private:
    using Tcp = boost::asio::ip::tcp;

    void accept()
    {
        acceptor_.async_accept([this](boost::system::error_code failed, Tcp::socket) {
            if (failed) return;
            ++attempts_;
            accept();
        });
    }

    boost::asio::io_context ioc_{1};
    Tcp::acceptor acceptor_{ioc_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
    std::atomic<unsigned> attempts_ = 0;
    std::thread thread_;
};
