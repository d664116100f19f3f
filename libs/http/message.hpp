#pragma once

#include "core/caller.hpp"
#include "core/enum_names.hpp"
#include "core/scope.hpp"

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

namespace core {
class Uuid;
}

namespace http {

using core::to_string;

namespace asio = boost::asio;

class BodyBudget;
class BodyLease;

enum class Method : std::uint8_t { get, post, put, patch, del, options, other };

constexpr auto enum_names(Method)
{
    return std::to_array<std::string_view>({"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "OTHER"});
}

struct Header {
    std::string_view name;
    std::string_view value;
};

/// Reads a request's body from the connection. Every read has a time limit: a client that exceeds the limit
/// gets 408. Malformed framing gets 400. After either error the connection is closed.
class BodyReader {
public:
    virtual ~BodyReader() = default;

    /// The declared Content-Length; nullopt with chunked transfer coding; 0 if the request has no body.
    virtual std::optional<std::uint64_t> length() const = 0;

    /// Appends the whole body to `out`. Throws `PAYLOAD_TOO_LARGE` if the body has more than `limit` bytes.
    virtual asio::awaitable<void> read_all(std::string& out, std::size_t limit) = 0;

    /// Returns the next piece, which is valid until the next call, or an empty piece at the end of the body.
    virtual asio::awaitable<std::string_view> read_some() = 0;
};

/// Data that the gateway determines before the handler runs.
struct Context {
    std::string request_id;  ///< sent by the client, or generated
    std::string trace_id;    ///< W3C trace id, 32 hex digits
    std::string traceparent; ///< sent with outbound requests for this request
    core::Scope scope;       ///< id 0 on routes without a tenant
    core::Caller caller;
    std::string idempotency_key; ///< empty if the header is absent or the route is not idempotent
};

/// One request. Views point into the connection's buffer and are valid for the lifetime of the request.
class Request {
public:
    Method method = Method::other;
    std::string_view method_text;
    std::string_view target; ///< as received: path and query
    std::string_view path;   ///< the part before `?`, still percent-encoded
    std::string_view query;  ///< the part after `?`, still percent-encoded
    std::vector<Header> headers;
    /// The body as received, after the gateway has read it. Empty on routes with `streams_body`. `json()`
    /// frees the body.
    mutable std::string body;
    /// The peer's address, or the client's address as reported by a trusted proxy.
    std::string remote_address;
    BodyReader* body_reader = nullptr;
    std::shared_ptr<BodyLease> lease; ///< counts the memory of body and JSON; if null, it is not counted
    Context context;

    /// The first header with that name (case-insensitive); nullopt if absent.
    std::optional<std::string_view> header(std::string_view name) const noexcept;

    /// The percent-decoded path parameter. `name` must be declared by the route.
    std::string const& param(std::string_view name) const;

    /// The path parameter as a UUID. Throws `NOT_FOUND` if the parameter is not a UUID, as for an unknown id.
    core::Uuid uuid_param(std::string_view name) const;

    /// Parses the body as JSON and frees the body's text. So call it only once. If the request has an
    /// Idempotency-Key, the text is kept, because its hash is compared with that of a repeated request. Do
    /// not keep the returned value longer than needed, since it holds memory of the shared budget. Throws
    /// `UNSUPPORTED_MEDIA_TYPE` if the content type is neither `application/json` nor `+json`,
    /// `MALFORMED_JSON` for invalid JSON (RFC 8259, UTF-8, maximum depth 32), and the errors
    /// `PAYLOAD_TOO_LARGE` and `UNAVAILABLE` of json_memory.
    boost::json::value json() const;

    /// Returns http::json_memory for this body. For handlers that parse the body themselves.
    boost::json::storage_ptr json_memory() const;

    /// Frees the body when it is not needed any more.
    void drop_body() const noexcept;

    core::Scope const& scope() const noexcept { return context.scope; }

    core::Caller const& caller() const noexcept { return context.caller; }

    std::vector<std::pair<std::string_view, std::string>> params; ///< set by the router
};

/// One response. The server adds Content-Length, Date and Connection.
struct Response {
    unsigned status = 200;
    std::string body;
    std::string_view content_type = "application/json"; ///< in static storage; empty: no Content-Type
    std::vector<std::pair<std::string, std::string>> headers;
    /// If set, this function is called repeatedly for the next piece of the body, until the piece is empty or
    /// `stream_length` bytes are sent. The function runs after the handler has returned, so it must own its
    /// data.
    std::function<asio::awaitable<std::string>()> stream;
    /// The length in bytes of the body that `stream` produces. If set, the response has a Content-Length. If
    /// the stream ends earlier or exceeds this length, the server closes the connection, so the client sees
    /// that the response is incomplete. If nullopt, HTTP/1.1 clients get the body with chunked transfer
    /// coding.
    std::optional<std::uint64_t> stream_length = {};
    bool close = false; ///< end the connection after this response
    /// The user whose data the body contains, if this is not the caller. For idempotency::once, which stores
    /// the response.
    std::string about_user{};
    std::string_view fixed_body = {}; ///< in static storage; sent instead of `body` if not empty

    /// The body that is sent, unless `stream` is set.
    std::string_view content() const noexcept { return fixed_body.empty() ? body : fixed_body; }

    static Response ok(std::string json) { return {.body = std::move(json)}; }

    /// The response to a successful DELETE.
    static Response deleted() { return ok(R"({"deleted":true})"); }

    static Response created(std::string json) { return {.status = 201, .body = std::move(json)}; }

    Response&& header(std::string_view name, std::string_view value) &&;
};

/// The application that the server runs. `handle` is called once per request, after the head was read and
/// before the body is read. If `handle` throws, the response is 500.
class Application {
public:
    virtual ~Application() = default;
    virtual asio::awaitable<Response> handle(Request& request) = 0;

    /// The budget in which the server counts the memory of long heads. If null, heads are not counted. The
    /// application itself counts bodies.
    virtual BodyBudget* budget() noexcept { return nullptr; }

    /// Called, for metrics, when the server itself refuses a request and does not call `handle`. The request
    /// is malformed, too slow or too large, or there are too many connections.
    virtual void on_protocol_error(std::string_view code) noexcept { static_cast<void>(code); }

    /// Called, for metrics, when a connection was closed at once because its network has the maximum number
    /// of connections.
    virtual void on_network_refused() noexcept {}
};

} // namespace http
