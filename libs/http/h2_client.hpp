#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/intrusive/list_hook.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// An HTTP/2 client (RFC 9113) for very many small requests to one server: no coroutine, no copy and no
/// allocation of its own for a request, many frames to a write. Nothing here is safe from several threads: a
/// client and all it calls belong to the thread of its executor.
namespace http::h2 {

namespace asio = boost::asio;

using SteadyTime = std::chrono::steady_clock::time_point;

/// A field of a request's head; pseudo fields (`:path`) come first, names are in lower case.
struct Header {
    std::string_view name;  ///< in static storage
    std::string_view value; ///< no CR, LF or NUL
    bool unique = false;    ///< another value in each request, so not worth a place in the compression table
};

/// How an exchange ended.
enum class End : std::uint8_t {
    answered, ///< `status` and `answer` say how
    refused,  ///< the server has surely not processed it (RFC 9113, 8.7): to be sent again
    lost,     ///< the connection broke or the server reset the stream: it may have been processed
    timeout,  ///< no answer in time: it may have been processed
};

/// One request and its answer. Whoever makes it keeps it alive until `ended`.
class Exchange {
public:
    Exchange() = default;
    virtual ~Exchange() = default;
    Exchange(Exchange const&) = delete;
    Exchange& operator=(Exchange const&) = delete;

    /// How much of an answer's body is kept.
    static constexpr std::size_t max_answer = 8192;

    /// The request's body, piece after piece; all empty: none. Lives until `ended`.
    std::array<std::string_view, 3> body{};

    unsigned status = 0; ///< of the answer
    std::string answer;  ///< its body, cut at `max_answer`

    /// A field of the answer's head, but for pseudo fields; valid within the call.
    virtual void header(std::string_view name, std::string_view value) noexcept = 0;

    /// Called once. The client has forgotten the exchange, so it may be used again or destroyed.
    virtual void ended(End end) noexcept = 0;

private:
    friend class Session;

    boost::intrusive::list_member_hook<> in_flight_;
    SteadyTime since_{};
    std::int32_t stream_ = 0;
    std::uint8_t piece_ = 0;     ///< of the body
    std::size_t sent_ = 0;       ///< of that piece
    bool surely_unsent_ = false; ///< its head never left
};

/// Where a client's requests come from: it asks for the next one whenever a stream is free, so that nothing
/// has to be queued twice. Nothing may throw: most of it is called by a C library.
class Source {
public:
    struct Request {
        Exchange* exchange = nullptr;    ///< null: there is none now
        std::span<Header const> headers; ///< valid until the next call
    };

    /// `urgent_only`: the last few streams of a connection are kept for what must not wait behind bulk.
    virtual Request next(bool urgent_only) noexcept = 0;

    /// Whether `next(false)` would answer one.
    virtual bool waiting() const noexcept = 0;

    /// No connection can be made and there is no other: what waits would wait for long. `detail` is for logs.
    virtual void unreachable(std::string_view detail) noexcept = 0;

    /// A connection that had been made was lost, or the server is closing it. For logs.
    virtual void disconnected(std::string_view detail) noexcept = 0;

protected:
    ~Source() = default;
};

/// What the clients of one thread share: trusted roots, and memory that is only used within a call.
class Context;

/// `ca_file`: PEM roots trusted instead of the system's; empty: the system's. Throws std::runtime_error when
/// they cannot be read.
std::shared_ptr<Context> make_context(std::string const& ca_file);

struct ClientOptions {
    std::string host; ///< without brackets
    std::uint16_t port = 443;
    bool tls = true; ///< with ALPN `h2` and a verified certificate; false: cleartext, prior knowledge
    unsigned max_connections = 4;
    std::size_t max_streams = 1000; ///< on a connection, however many more the server allows
    std::size_t urgent_streams = 8; ///< of those, kept for urgent requests; less where the server allows few
    std::chrono::milliseconds answer_timeout{10'000}; ///< from when a request is handed to its connection
    std::chrono::milliseconds connect_timeout{5'000}; ///< up to the server's SETTINGS
    std::chrono::milliseconds ramp{500};              ///< all streams in use for so long: another connection
    std::chrono::milliseconds idle_timeout{300'000};
};

/// Connections to one server, and the requests of one source over them. As many requests as streams are free
/// are under way; the first connection is made when the source has one, more one by one while it keeps them
/// busy. After a GOAWAY a connection finishes what the server will still answer, and others are used
/// meanwhile. A connection that is silent with requests under way is asked with a PING, and dropped when that
/// is not answered. A server that cannot be reached, or hangs up without having answered anything, is tried
/// again after up to two seconds.
class Client {
public:
    /// `source` outlives this object.
    Client(asio::any_io_executor executor, std::shared_ptr<Context> context, ClientOptions options,
        Source& source);

    /// Requests that are under way end as `lost`; connections are closed.
    ~Client();
    Client(Client const&) = delete;
    Client& operator=(Client const&) = delete;

    /// The source has something to send. Never calls it at once.
    void wake();

    /// Keeps the deadlines; to be called about every tenth of a second.
    void tick(SteadyTime now);

    std::size_t connections() const noexcept; ///< those that are being made included
    std::size_t in_flight() const noexcept;   ///< requests that wait for their answer

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

} // namespace http::h2
