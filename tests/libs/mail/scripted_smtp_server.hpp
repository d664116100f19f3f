#pragma once

#include "support/certificates.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace testing {

namespace asio = boost::asio;

/// The server's end of an SMTP connection, with blocking calls. Every call throws
/// boost::system::system_error if the client has closed the connection.
class SmtpPeer {
public:
    SmtpPeer(asio::ip::tcp::socket socket, std::function<void(std::string const&)> note)
        : socket_(std::move(socket)), note_(std::move(note))
    {
    }

    /// Sends the lines, each with CR LF, in one piece.
    void say_all(std::vector<std::string> const& lines)
    {
        std::string bytes;
        for (auto const& line : lines)
            bytes.append(line).append("\r\n");
        send(bytes);
    }

    void say(std::string const& line) { send(line + "\r\n"); }

    void send(std::string_view bytes)
    {
        if (tls_)
            asio::write(*tls_, asio::buffer(bytes));
        else
            asio::write(socket_, asio::buffer(bytes));
    }

    /// The next line of the client, without CR LF.
    std::string line()
    {
        auto const size = tls_ ? asio::read_until(*tls_, asio::dynamic_buffer(input_), "\r\n")
                               : asio::read_until(socket_, asio::dynamic_buffer(input_), "\r\n");
        std::string line = input_.substr(0, size - 2);
        input_.erase(0, size);
        note_(line);
        return line;
    }

    /// The lines of a message, up to its final dot.
    std::vector<std::string> message()
    {
        std::vector<std::string> lines;
        for (auto next = line(); next != "."; next = line())
            lines.push_back(std::move(next));
        return lines;
    }

    /// Waits until the client closes the connection.
    void wait_for_close()
    {
        for (;;)
            line();
    }

    void start_tls(Certificate const& certificate)
    {
        context_ = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
        context_->use_certificate_file(certificate.file, asio::ssl::context::pem);
        context_->use_private_key_file(certificate.key, asio::ssl::context::pem);
        tls_ = std::make_unique<asio::ssl::stream<asio::ip::tcp::socket&>>(socket_, *context_);
        tls_->handshake(asio::ssl::stream_base::server);
    }

    /// Greets, and replies to EHLO with these extensions.
    void greet(std::vector<std::string> const& extensions)
    {
        say("220 mail.test ESMTP");
        hello(extensions);
    }

    void hello(std::vector<std::string> const& extensions)
    {
        line();
        std::vector<std::string> reply{"mail.test"};
        reply.insert(reply.end(), extensions.begin(), extensions.end());
        for (std::size_t i = 0; i < reply.size(); ++i)
            reply[i].insert(0, i + 1 < reply.size() ? "250-" : "250 ");
        say_all(reply);
    }

    /// Accepts the commands before a message. The client sends them one by one.
    void accept_commands()
    {
        for (auto const* answer : {"250 2.1.0 Ok", "250 2.1.5 Ok", "354 Go ahead"}) {
            line();
            say(answer);
        }
    }

    /// Accepts one message and its commands.
    std::vector<std::string> take_message(std::string const& reply = "250 2.0.0 Ok")
    {
        accept_commands();
        auto lines = message();
        say(reply);
        return lines;
    }

private:
    asio::ip::tcp::socket socket_;
    std::function<void(std::string const&)> note_;
    std::unique_ptr<asio::ssl::context> context_;
    std::unique_ptr<asio::ssl::stream<asio::ip::tcp::socket&>> tls_;
    std::string input_;
};

/// A server that runs a script for every connection, each on a thread of its own. The connection is closed at
/// the end of the script.
class ScriptedSmtpServer {
public:
    /// `number` counts the connections from 0.
    using Script = std::function<void(SmtpPeer&, int number)>;

    explicit ScriptedSmtpServer(Script script)
        : script_(std::move(script)), acceptor_(io_, {asio::ip::address_v4::loopback(), 0}),
          port_(acceptor_.local_endpoint().port()), thread_([this] { accept(); })
    {
    }

    ~ScriptedSmtpServer()
    {
        {
            std::lock_guard const lock(mutex_);
            ending_ = true;
            for (int const socket : sockets_)
                ::shutdown(socket, SHUT_RDWR);
        }
        ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
        thread_.join();
    }

    ScriptedSmtpServer(ScriptedSmtpServer const&) = delete;
    ScriptedSmtpServer& operator=(ScriptedSmtpServer const&) = delete;

    std::string url(std::string const& login = "", std::string const& scheme = "smtp") const
    {
        return scheme + "://" + login + "localhost:" + std::to_string(port_);
    }

    int connections() const
    {
        std::lock_guard const lock(mutex_);
        return connections_;
    }

    /// The lines that clients have sent, of all connections.
    std::vector<std::string> lines() const
    {
        std::lock_guard const lock(mutex_);
        return lines_;
    }

private:
    void accept()
    {
        std::vector<std::jthread> threads;
        for (;;) {
            boost::system::error_code failed;
            auto socket = acceptor_.accept(failed);
            std::lock_guard const lock(mutex_);
            if (failed || ending_) return;
            sockets_.push_back(socket.native_handle());
            threads.emplace_back([this, number = connections_++, s = std::move(socket)]() mutable {
                serve(std::move(s), number);
            });
        }
    }

    void serve(asio::ip::tcp::socket socket, int number)
    {
        int const handle = socket.native_handle();
        auto const note = [this](std::string const& line) {
            std::lock_guard const lock(mutex_);
            lines_.push_back(line);
        };
        std::optional<SmtpPeer> peer(std::in_place, std::move(socket), note);
        try {
            script_(*peer, number);
        } catch (boost::system::system_error const&) { // the client has closed the connection
        }
        std::lock_guard const lock(mutex_);
        std::erase(sockets_, handle);
        peer.reset();
    }

    Script const script_;
    mutable std::mutex mutex_;
    std::vector<int> sockets_;
    std::vector<std::string> lines_;
    int connections_ = 0;
    bool ending_ = false;
    asio::io_context io_;
    asio::ip::tcp::acceptor acceptor_;
    int const port_;
    std::thread thread_;
};

} // namespace testing
