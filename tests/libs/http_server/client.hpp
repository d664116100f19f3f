#pragma once

#include "http/body_budget.hpp"
#include "http_server/server.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace test {

namespace asio = boost::asio;
using Handler = std::function<asio::awaitable<http::Response>(http::Request&)>;

/// A response as received.
struct Answer {
    int status = 0;                             ///< 0 if the connection ended before a complete head
    std::map<std::string, std::string> headers; ///< names in lower case
    std::string body;
    bool complete = false; ///< whether the body ended according to its framing

    std::string header(std::string const& name) const;
};

/// A blocking socket that sends exactly the given bytes. It fails if it receives nothing for 30 s.
class Client {
public:
    /// `receive_buffer` is the size of the socket's receive buffer in bytes. 0 means the system's default.
    /// `source` is the client's address, within 127.0.0.0/8.
    explicit Client(std::uint16_t port, int receive_buffer = 0, char const* source = nullptr);
    ~Client();
    Client(Client&& other) noexcept;
    Client& operator=(Client&&) = delete;

    /// Whether all bytes were accepted; false after the peer has closed.
    bool send(std::string_view bytes);
    void finish(); ///< shuts down sending
    void reset();  ///< closes so that the peer gets a reset

    /// Reads a response. If `head` is true, the request was HEAD, so the response has no body.
    Answer read(bool head = false);
    Answer get(std::string_view path = "/");

    /// Reads at most `size` bytes, as they arrive.
    std::string read_bytes(std::size_t size);
    /// Whether the peer closes the connection without sending another byte.
    bool ends();

private:
    bool more();
    std::string take(std::size_t size);
    std::string take_line();
    bool read_chunks(std::string& body);

    int socket_ = -1;
    std::string pending_;
};

/// A server with its threads, and an application that consists of one function.
class Server final : public http::Application {
public:
    explicit Server(Handler handler = echo, http_server::ServerOptions options = {}, unsigned threads = 1);
    ~Server() override;

    http_server::Server& operator*() noexcept { return *server_; }

    http_server::Server* operator->() noexcept { return server_.get(); }

    Client connect(int receive_buffer = 0) const { return Client(server_->port(), receive_buffer); }

    /// The codes passed to `on_protocol_error`.
    std::vector<std::string> protocol_errors() const;

    std::size_t networks_refused() const noexcept { return networks_refused_; }

    std::shared_ptr<http::BodyBudget> heads; ///< the budget of long heads; set it before the first request

    /// Waits until the threads end by themselves. Returns false if they do not end within a long time.
    bool joins();

    /// Responds with `METHOD path?query body`. Errors become problem documents.
    static asio::awaitable<http::Response> echo(http::Request& request);

private:
    asio::awaitable<http::Response> handle(http::Request& request) override { return handler_(request); }

    void on_protocol_error(std::string_view code) noexcept override;

    http::BodyBudget* budget() noexcept override { return heads.get(); }

    void on_network_refused() noexcept override { ++networks_refused_; }

    Handler handler_;
    std::vector<std::unique_ptr<asio::io_context>> contexts_;
    std::unique_ptr<http_server::Server> server_;
    std::atomic<unsigned> running_{0};
    std::atomic<std::size_t> networks_refused_{0};
    mutable std::mutex mutex_;
    std::vector<std::string> protocol_errors_;
    std::vector<std::thread> threads_;
};

} // namespace test
