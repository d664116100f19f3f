#pragma once

#include "core/id.hpp"
#include "core/identity.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace http {

namespace asio = boost::asio;

class BodyBudget;
class BodyLease;

enum class Method : std::uint8_t { get, post, put, patch, del, options, other };

std::string_view to_string(Method method) noexcept;

struct Header {
    std::string_view name;
    std::string_view value;
};

/// Reads a request's body from the connection. Every read is bounded in time: a sender that goes quiet ends
/// the request with 408, one that breaks the framing with 400; both close the connection.
class BodyReader {
public:
    virtual ~BodyReader() = default;

    /// The declared Content-Length; nullopt with chunked transfer coding. 0 when the request has no body.
    virtual std::optional<std::uint64_t> length() const = 0;

    /// Appends the whole body to `out`. Throws `PAYLOAD_TOO_LARGE` past `limit` bytes (inclusive).
    virtual asio::awaitable<void> read_all(std::string& out, std::size_t limit) = 0;

    /// The next piece, valid until the next call; empty at the end.
    virtual asio::awaitable<std::string_view> read_some() = 0;
};

/// What the pipeline learns about a request before its handler runs.
struct Context {
    std::string request_id;  ///< echoed or made
    std::string trace_id;    ///< W3C trace id, 32 hex digits
    std::string traceparent; ///< to send on outbound calls made for this request
    core::Scope scope;       ///< id 0 on routes without a tenant
    core::Caller caller;
    std::string idempotency_key; ///< empty when the header is absent or the route is not idempotent
};

/// One request. Views point into the connection's buffer and live as long as the request.
class Request {
public:
    Method method = Method::other;
    std::string_view method_text;
    std::string_view target; ///< as sent: path and query
    std::string_view path;   ///< the part before `?`, still percent-encoded
    std::string_view query;  ///< the part after `?`, still percent-encoded
    std::vector<Header> headers;
    /// As received, once the pipeline has read it; empty on routes that stream. `json()` drops it.
    mutable std::string body;
    std::string remote_address; ///< the peer's, or what a trusted proxy says of it
    BodyReader* body_reader = nullptr;
    std::shared_ptr<BodyLease> lease; ///< counts the memory of body and JSON; null: it is not counted
    Context context;

    /// First header of that name, case-insensitive; nullopt when absent.
    std::optional<std::string_view> header(std::string_view name) const noexcept;

    /// The path parameter of that name, percent-decoded. The name is one the route declares.
    std::string const& param(std::string_view name) const;

    /// The same as a UUID; throws `NOT_FOUND` when it is not one, as for an id that never existed.
    core::Uuid uuid_param(std::string_view name) const;

    /// The body as JSON. Call it once: the body is dropped, unless an Idempotency-Key came with it, since the
    /// request is remembered by both. Keep the value no longer than it takes to read it: it holds memory that
    /// other requests wait for. Throws `UNSUPPORTED_MEDIA_TYPE` unless the body is declared as
    /// `application/json` (or `+json`), `MALFORMED_JSON` when it is not JSON (RFC 8259, UTF-8, depth 32),
    /// `PAYLOAD_TOO_LARGE` and `UNAVAILABLE` as json_memory.
    boost::json::value json() const;

    /// Memory for a handler that parses the body by itself: http::json_memory.
    boost::json::storage_ptr json_memory() const;

    /// Frees the body, which nothing will look at any more.
    void drop_body() const noexcept;

    core::Scope const& scope() const noexcept { return context.scope; }

    core::Caller const& caller() const noexcept { return context.caller; }

    std::vector<std::pair<std::string_view, std::string>> params; ///< set by the router
};

/// One response. Content-Length, Date, Server and Connection are the server's to write.
struct Response {
    unsigned status = 200;
    std::string body;
    std::string_view content_type = "application/json"; ///< static storage; empty: no Content-Type
    std::vector<std::pair<std::string, std::string>> headers;
    /// When set, the body is what it produces until it answers an empty string (chunked). It runs after the
    /// handler has returned, so it owns what it needs.
    std::function<asio::awaitable<std::string>()> stream;
    bool close = false;               ///< end the connection after this response
    std::string_view fixed_body = {}; ///< static storage; sent instead of `body` when not empty

    /// What is sent unless `stream` is set.
    std::string_view content() const noexcept { return fixed_body.empty() ? body : fixed_body; }

    static Response ok(std::string json) { return {.body = std::move(json)}; }

    static Response created(std::string json) { return {.status = 201, .body = std::move(json)}; }

    Response&& header(std::string name, std::string value) &&
    {
        headers.emplace_back(std::move(name), std::move(value));
        return std::move(*this);
    }
};

/// What the server runs: one call per request whose head was read. The body is still on the wire. Never
/// throws.
class Application {
public:
    virtual ~Application() = default;
    virtual asio::awaitable<Response> handle(Request& request) = 0;

    /// What the memory of long heads counts in; null: it is not counted. Bodies are the application's to
    /// count.
    virtual BodyBudget* budget() noexcept { return nullptr; }

    /// A connection broke HTTP before a request was there (malformed, too slow, too large): for metrics.
    virtual void on_protocol_error(std::string_view code) noexcept { static_cast<void>(code); }

    /// A connection was closed at once, since its network has as many as it may have: for metrics.
    virtual void on_network_refused() noexcept {}
};

} // namespace http
