#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace testing {

/// Passes one connection on to a server of this machine, and records what the client sends.
class WireTap {
public:
    explicit WireTap(unsigned short server)
        : acceptor_(io_, {boost::asio::ip::address_v4::loopback(), 0}),
          port_(acceptor_.local_endpoint().port()), thread_([this, server] { run(server); })
    {
    }

    ~WireTap()
    {
        ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
        thread_.join(); // ends when the client or the server has closed the connection
    }

    WireTap(WireTap const&) = delete;
    WireTap& operator=(WireTap const&) = delete;

    unsigned short port() const noexcept { return port_; }

    /// The pieces that the client has sent. Bytes that are written together arrive as one piece, up to 64
    /// KiB.
    std::vector<std::string> sent() const
    {
        std::lock_guard const lock(mutex_);
        return sent_;
    }

private:
    using Socket = boost::asio::ip::tcp::socket;

    void run(unsigned short server)
    {
        boost::system::error_code failed;
        Socket client(io_), upstream(io_);
        acceptor_.accept(client, failed);
        if (!failed) upstream.connect({boost::asio::ip::address_v4::loopback(), server}, failed);
        if (failed) return;
        std::jthread const back([&] { pass_on(upstream, client, false); });
        pass_on(client, upstream, true);
    }

    void pass_on(Socket& from, Socket& to, bool is_client)
    {
        std::vector<char> buffer(64 * 1024);
        boost::system::error_code failed;
        for (;;) {
            auto const size = from.read_some(boost::asio::buffer(buffer), failed);
            if (failed) break;
            if (is_client) {
                std::lock_guard const lock(mutex_);
                sent_.emplace_back(buffer.data(), size);
            }
            boost::asio::write(to, boost::asio::buffer(buffer.data(), size), failed);
            if (failed) break;
        }
        ::shutdown(to.native_handle(), SHUT_WR);
    }

    mutable std::mutex mutex_;
    std::vector<std::string> sent_;
    boost::asio::io_context io_;
    boost::asio::ip::tcp::acceptor acceptor_;
    unsigned short const port_;
    std::thread thread_;
};

} // namespace testing
