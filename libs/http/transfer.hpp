#pragma once
// Private to the outbound clients: one request on one libcurl handle.

#include "http/client.hpp"
#include "http/curl_handles.hpp"

#include <curl/curl.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>

namespace http {

/// A request, from the options of its handle to its response: what every outbound request is held to (address
/// policy on each socket, no proxy, no cookies, bounded response, redirects off unless asked for) is set here
/// alone. libcurl's callbacks point to it, so it stays where it is. Used by one thread.
class Transfer {
public:
    /// Sets the options of `handle`, which are the default ones. All three outlive it. Throws OutboundError
    /// or std::invalid_argument for a request that cannot be sent.
    Transfer(CURL* handle, OutboundRequest const& request, ClientOptions const& options);
    Transfer(Transfer const&) = delete;
    Transfer& operator=(Transfer const&) = delete;

    /// Ends the request when its stop token asks for it, after its farewell. For curl_easy_perform.
    void watch_stop();

    /// Connects to these addresses instead of resolving the URL's host: `host:port:address,...`, as
    /// CURLOPT_RESOLVE has it. `timeout` is what is left for the rest.
    void resolve_to(CurlList entries, std::chrono::milliseconds timeout);

    /// It was ended because of its stop token.
    void mark_stopped() noexcept { stopped_ = true; }

    /// The response, once libcurl has ended with `code`; throws as Client::send.
    OutboundResponse finish(CURLcode code);

private:
    using Steady = std::chrono::steady_clock;

    static std::size_t on_body(char* data, std::size_t, std::size_t size, void* context);
    static std::size_t on_header(char* data, std::size_t, std::size_t size, void* context);
    static curl_socket_t open_socket(void* context, curlsocktype, curl_sockaddr* address);
    static int on_progress(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

    void set_callbacks();
    [[noreturn]] void fail(CURLcode code) const;

    CURL* const handle_;
    OutboundRequest const& request_;
    AddressPolicy const& addresses_;
    CurlList headers_;
    CurlList resolved_;
    char detail_[CURL_ERROR_SIZE] = {};
    OutboundResponse response_;
    std::size_t header_bytes_ = 0;
    bool too_large_ = false;
    bool truncated_ = false;
    AddressRange refused_ = AddressRange::global;   ///< the last address that was
    bool tried_ = false;                            ///< at least one address was admitted
    std::optional<Steady::time_point> last_moment_; ///< once it was told to stop
    bool stopped_ = false;
};

/// Sends `request` on `handle`, whose options are the default ones, and waits for the response; throws as
/// Client::send. Afterwards the handle is good for another once it is reset.
OutboundResponse perform(CURL* handle, OutboundRequest const& request, ClientOptions const& options);

/// Appends a line. Throws std::bad_alloc.
void append(CurlList& list, std::string const& line);

/// Keeps SIGPIPE from this thread while OpenSSL writes to sockets the peer has closed.
class PipeSignalGuard {
public:
    PipeSignalGuard();
    ~PipeSignalGuard();
    PipeSignalGuard(PipeSignalGuard const&) = delete;
    PipeSignalGuard& operator=(PipeSignalGuard const&) = delete;

private:
    sigset_t pipe_{};
    sigset_t old_{};
    bool was_pending_ = false;
};

} // namespace http
