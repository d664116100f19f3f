#pragma once

#include "core/fields.hpp"
#include "http/address.hpp"

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

namespace http {

/// A request to another server.
struct OutboundRequest {
    std::string method = "GET";
    std::string url;                                          ///< `http` or `https`
    std::vector<std::pair<std::string, std::string>> headers; ///< no CR, LF or NUL: std::invalid_argument
    std::string body; ///< sent, with its length, when not empty or on POST, PUT, PATCH
    std::chrono::milliseconds timeout{15'000}; ///< for everything, name resolution included
    std::chrono::milliseconds connect_timeout{5'000};
    std::size_t max_response_bytes = 1 << 20;
    bool truncate_response = false; ///< keep the first `max_response_bytes` and hang up, instead of failing
    unsigned max_redirects = 0;     ///< 0: a 3xx is the response
    bool fresh_connection =
        false;            ///< on a new connection, so that libcurl never sends it a second time by itself
    std::stop_token stop; ///< once requested, `farewell` is left for it
    std::chrono::milliseconds farewell{0}; ///< kept within about a second
};

struct OutboundResponse {
    unsigned status = 0;
    std::vector<std::pair<std::string, std::string>> headers; ///< of the last response; names in lower case
    std::string body;
    /// `Retry-After`, as seconds or as a date, made a duration (RFC 9110, 10.2.3).
    std::optional<std::chrono::seconds> retry_after;

    /// First header of that name, which is given in lower case.
    std::optional<std::string_view> header(std::string_view lower_case_name) const noexcept;
};

/// Why there is no response.
class OutboundError : public std::runtime_error {
public:
    enum class Kind {
        dns,     ///< the name has no address, or the resolver failed
        connect, ///< nobody answers, or the connection broke before the request was sent
        tls,     ///< handshake or certificate
        timeout,
        too_large,       ///< longer than `max_response_bytes`
        refused_address, ///< the AddressPolicy forbids every address of the host
        stopped,         ///< `stop` was requested
        protocol,        ///< not a URL, not HTTP, cut off in the middle, too many redirects
    };

    OutboundError(Kind kind, std::string const& what, bool request_sent)
        : std::runtime_error(what), kind_(kind), request_sent_(request_sent)
    {
    }

    Kind kind() const noexcept { return kind_; }

    /// Whether the peer may have received the request and acted on it.
    bool request_sent() const noexcept { return request_sent_; }

private:
    Kind kind_;
    bool request_sent_;
};

std::string_view to_string(OutboundError::Kind kind) noexcept;

struct ClientOptions {
    AddressPolicy addresses{false};
    std::string ca_file; ///< OUTBOUND_CA_FILE: PEM roots trusted instead of the system's; empty: the system's
    std::string user_agent = "tetrad/" TETRAD_VERSION;
    std::size_t max_idle = 32; ///< handles kept, each with its open connections
};

/// HTTP/1.1 and HTTP/2 to other servers through libcurl, blocking: for worker threads, never for an I/O
/// thread. One client serves any number of threads; connections are kept and used again. Each address is
/// checked on the socket that is about to connect, so a name that changes its mind (DNS rebinding) reaches
/// nothing it may not. Proxies of the environment are not used, no cookies are kept, certificates are always
/// verified.
class Client {
public:
    explicit Client(ClientOptions options);
    ~Client();
    Client(Client const&) = delete;
    Client& operator=(Client const&) = delete;

    /// Throws OutboundError when no whole response came; any status is a response. It blocks for `timeout` at
    /// most, save that the system's resolver may take longer to give up a name.
    OutboundResponse send(OutboundRequest const& request);

    AddressPolicy const& addresses() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The parts of an absolute URL, as the client itself reads it: numbers in IPv4 hosts (`0x7f.1`) are made
/// dotted.
struct OutboundUrl {
    std::string scheme; ///< `http` or `https`
    std::string host;   ///< without brackets, lower case
    std::uint16_t port = 0;
    bool has_credentials = false;
};

/// nullopt when it is not an http(s) URL with a host; nor is one whose host is percent-encoded.
std::optional<OutboundUrl> parse_outbound_url(std::string const& url);

/// Records a fault of the field `name` unless `url` is one that a tenant may have requests sent to: https
/// (http too where private addresses are admitted), visible ASCII, no credentials, and not a host that is
/// refused by its looks.
void check_outbound_url(
    core::Fields& fields, std::string_view name, std::string const& url, AddressPolicy const& addresses);

} // namespace http
