#pragma once

#include "core/enum_names.hpp"
#include "http_client/address.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace http_client {

using core::to_string;

/// A request to another server.
struct Request {
    std::string method = "GET";
    std::string url; ///< `http` or `https`
    /// Names and values must not contain CR, LF or NUL; otherwise std::invalid_argument is thrown.
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body; ///< sent, with Content-Length, if it is not empty or the method is POST, PUT or PATCH
    std::chrono::milliseconds timeout{15'000}; ///< for the whole request, including name resolution
    std::chrono::milliseconds connect_timeout{5'000};
    std::size_t max_response_bytes = 1 << 20;
    bool truncate_response = false; ///< a longer response is cut at `max_response_bytes` instead of failing
    unsigned max_redirects = 0;     ///< if 0, a 3xx response is returned
    /// Whether the server must not get the request twice. libcurl repeats a request if a kept connection ends
    /// without a byte of the response. A request with `send_once` fails then, with `Error::request_sent`. It
    /// is repeated only if no byte of its body was sent, for example because the server had closed the
    /// connection while it was idle. Kept connections are used for at most `max_idle_of_send_once` after
    /// their last request. Must not be combined with redirects.
    bool send_once = false;
    std::stop_token stop; ///< when a stop is requested, the request ends after `stop_grace`
    std::chrono::milliseconds stop_grace{0}; ///< grace period after `stop`; accurate to about one second
};

struct Response {
    unsigned status = 0;
    /// The headers of the final response, after all redirects. Names are in lower case.
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    /// The value of `Retry-After` (RFC 9110, 10.2.3), in seconds or a date, converted to a duration.
    std::optional<std::chrono::seconds> retry_after;

    /// The value of the first header with this name, which must be given in lower case; nullopt if absent.
    std::optional<std::string_view> header(std::string_view lower_case_name) const noexcept;
};

/// How long a connection may be idle before a request with `send_once` uses it. The time is shorter than the
/// usual limits of servers (a minute), so that a request rarely meets a connection that is being closed.
inline constexpr std::chrono::seconds max_idle_of_send_once{20};

/// The reason why there is no response.
class Error : public std::runtime_error {
public:
    enum class Kind {
        dns,     ///< the name has no address, or the resolver failed
        connect, ///< no connection, or the connection broke before the request was sent
        tls,     ///< the handshake failed or the certificate is not valid
        timeout,
        too_large,       ///< the response has more than `max_response_bytes`
        refused_address, ///< the AddressPolicy forbids every address of the host
        stopped,         ///< `stop` was requested
        protocol,        ///< invalid URL, not HTTP, incomplete response, too many redirects
    };

    Error(Kind kind, std::string const& what, bool request_sent)
        : std::runtime_error(what), kind_(kind), request_sent_(request_sent)
    {
    }

    Kind kind() const noexcept { return kind_; }

    /// Whether the server may have received and processed the request. False for a request with `send_once`
    /// of which no byte of the body was passed to a connection.
    bool request_sent() const noexcept { return request_sent_; }

private:
    Kind kind_;
    bool request_sent_;
};

constexpr auto enum_names(Error::Kind)
{
    return std::to_array<std::string_view>(
        {"dns", "connect", "tls", "timeout", "too_large", "refused_address", "stopped", "protocol"});
}

struct ClientOptions {
    AddressPolicy addresses{false};
    /// A PEM file with the root certificates to trust (OUTBOUND_CA_FILE). If empty, the system's roots are
    /// trusted.
    std::string ca_file;
    std::string user_agent = "tetrad/" TETRAD_VERSION;
    std::size_t max_idle = 32; ///< number of idle handles kept, each with its open connections
};

/// Blocking HTTP/1.1 and HTTP/2 client on libcurl, for worker threads. Do not use it on I/O threads.
/// Thread-safe. Connections are kept and reused. Each address is checked immediately before its socket
/// connects, so a name that changes its address (DNS rebinding) cannot reach a forbidden address. Proxies in
/// environment variables are ignored, cookies are not kept, and certificates are always verified.
class Client {
public:
    explicit Client(ClientOptions options);
    ~Client();
    Client(Client const&) = delete;
    Client& operator=(Client const&) = delete;

    /// Returns a response of any status. Throws Error if no complete response arrives. Blocks for at
    /// most `timeout`, except that the system's resolver may take longer to give up on a name.
    Response send(Request const& request);

    AddressPolicy const& addresses() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace http_client
