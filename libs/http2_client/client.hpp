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

/// An HTTP/2 client (RFC 9113) for very many small requests to one server. A request needs no coroutine, no
/// copy and no allocation, and many frames share a write. Not thread-safe: a client and the objects it calls
/// belong to the thread of its executor.
namespace http2_client {

namespace asio = boost::asio;

using SteadyTime = std::chrono::steady_clock::time_point;

/// A header field of a request. Pseudo-header fields (`:path`) come first; names are in lower case.
struct Header {
    std::string_view name;  ///< in static storage
    std::string_view value; ///< no CR, LF or NUL
    bool unique = false;    ///< differs in each request, so it is not added to the compression table
};

/// The outcome of a stream.
enum class StreamEnd : std::uint8_t {
    answered, ///< a response has arrived: `status` and `answer`
    refused,  ///< the server has not processed the request (RFC 9113, 8.7), so it can be sent again
    lost,     ///< the connection broke or the server reset the stream; the request may have been processed
    timeout,  ///< no response in time; the request may have been processed
};

/// One request and its response. Must stay alive until `ended`.
class Stream {
public:
    Stream() = default;
    virtual ~Stream() = default;
    Stream(Stream const&) = delete;
    Stream& operator=(Stream const&) = delete;

    /// The maximum number of bytes of a response body that are kept.
    static constexpr std::size_t max_answer = 8192;

    /// The request's body in pieces. If all pieces are empty, the request has no body. The pieces must stay
    /// valid until `ended`.
    std::array<std::string_view, 3> body{};

    unsigned status = 0; ///< of the response
    std::string answer;  ///< the response body, cut at `max_answer`

    /// Called for each header field of the response except pseudo-header fields. The views are valid during
    /// the call.
    virtual void header(std::string_view name, std::string_view value) noexcept = 0;

    /// Called once, at the end of the stream. From this call on, the stream may be reused or destroyed.
    virtual void ended(StreamEnd end) noexcept = 0;

private:
    friend class Protocol;

    boost::intrusive::list_member_hook<> in_flight_;
    SteadyTime since_{};
    std::int32_t id_ = 0;
    std::uint8_t piece_ = 0;     ///< index into `body`
    std::size_t sent_ = 0;       ///< bytes of the piece `piece_` that were sent
    bool surely_unsent_ = false; ///< the HEADERS frame was not sent
};

/// The source of a client's requests. The client asks for the next request whenever a stream is free, so the
/// client needs no queue of requests. No function may throw, because a C library calls most of them.
class RequestSource {
public:
    struct Request {
        Stream* stream = nullptr;        ///< null if there is no request now
        std::span<Header const> headers; ///< valid until the next call
    };

    /// Returns the next request. If `urgent_only` is true, returns an urgent request or none, because the
    /// last free streams of a connection are reserved for urgent requests.
    virtual Request next(bool urgent_only) noexcept = 0;

    /// The number of requests that could be sent now. If it is not 0, `next(false)` returns a request.
    virtual std::size_t backlog() const noexcept = 0;

    /// Called when the server cannot be reached and there is no other connection, so requests may wait for a
    /// long time. `detail` is for logs.
    virtual void unreachable(std::string_view detail) noexcept = 0;

    /// Called when an established connection was lost, or when the server is closing the connection.
    /// `announced`: the server has announced the end by a GOAWAY, and no request was lost. `detail` is for
    /// logs.
    virtual void disconnected(std::string_view detail, bool announced) noexcept = 0;

protected:
    ~RequestSource() = default;
};

/// State that the clients of one thread share: trusted roots, and buffers that are used only during a call.
class Context;

/// `ca_file` is a PEM file with the root certificates to trust. If it is empty, the system's roots are
/// trusted. Throws std::runtime_error if the roots cannot be read.
std::shared_ptr<Context> make_context(std::string const& ca_file);

struct ClientOptions {
    std::string host; ///< without brackets
    std::uint16_t port = 443;
    bool tls = true; ///< with ALPN `h2` and a verified certificate; false: cleartext with prior knowledge
    unsigned max_connections = 4;   ///< as many are opened as the backlog can use
    std::size_t max_streams = 1000; ///< maximum per connection, even if the server allows more
    /// The number of these streams that are reserved for urgent requests, but at most one eighth of the
    /// streams that the connection may open.
    std::size_t urgent_streams = 8;
    /// The time limit for a response, from the time when the request is passed to its connection.
    std::chrono::milliseconds answer_timeout{10'000};
    std::chrono::milliseconds connect_timeout{5'000}; ///< time limit until the server's SETTINGS arrive
    /// When all streams are in use for this long, connections for the backlog are made.
    std::chrono::milliseconds ramp{100};
    std::chrono::milliseconds idle_timeout{300'000};
};

/// Connections to one server that send the requests of one source. Each free stream takes the next request of
/// the source. The first connection is made when the source has a request. When all streams stay in use,
/// as many further connections are made at once as the backlog can fill with streams. After a GOAWAY a
/// connection finishes the requests that the server still answers; new requests use other connections. If a
/// connection with requests in flight is silent, the client sends a PING, and drops the connection if the
/// server does not respond to the PING. If the server cannot be reached, or closes a connection before
/// answering any request, the next attempt follows after a backoff of at most two seconds.
class Client {
public:
    /// `source` must outlive this object.
    Client(asio::any_io_executor executor, std::shared_ptr<Context> context, ClientOptions options,
        RequestSource& source);

    /// Closes the connections. Requests in flight end as `lost`.
    ~Client();
    Client(Client const&) = delete;
    Client& operator=(Client const&) = delete;

    /// Tells the client that the source has requests. Never calls the source within this call.
    void wake();

    /// Checks the deadlines. Call it about every 100 ms.
    void tick(SteadyTime now);

    std::size_t connections() const noexcept; ///< including connections being established
    std::size_t in_flight() const noexcept;   ///< requests without a response yet

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

} // namespace http2_client
