#pragma once
// Internal to the outbound clients: one request on one libcurl handle.

#include "http_client/client.hpp"
#include "http_client/curl_handles.hpp"

#include <curl/curl.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>

namespace http_client {

/// One request: sets the options of a handle and builds the response. All restrictions of outbound requests
/// are set here: address policy on each socket, no proxy, no cookies, bounded response, no redirects unless
/// requested. Must not be moved, since libcurl's callbacks point to it. Not thread-safe.
class Transfer {
public:
    /// Sets the options of `handle`, whose options must have their defaults. All three arguments must outlive
    /// this object. Throws Error or std::invalid_argument for a request that cannot be sent.
    Transfer(CURL* handle, Request const& request, ClientOptions const& options);
    Transfer(Transfer const&) = delete;
    Transfer& operator=(Transfer const&) = delete;

    /// Makes curl_easy_perform end the request after its stop token is triggered and `stop_grace` has passed.
    void watch_stop();

    /// Connects to these addresses instead of resolving the URL's host: `host:port:address,...`, as in
    /// CURLOPT_RESOLVE. `timeout` is the remaining time of the request.
    void resolve_to(CurlList entries, std::chrono::milliseconds timeout);

    /// Records that the request was ended because of its stop token.
    void mark_stopped() noexcept { stopped_ = true; }

    /// Returns the response after libcurl ended with `code`. Throws the errors of Client::send.
    Response finish(CURLcode code);

private:
    using Steady = std::chrono::steady_clock;

    static std::size_t on_body(char* data, std::size_t, std::size_t size, void* context);
    static std::size_t on_header(char* data, std::size_t, std::size_t size, void* context);
    static std::size_t next_body(char* buffer, std::size_t size, std::size_t count, void* context);
    static int before_request(void* context, char*, char*, int, int);
    static curl_socket_t open_socket(void* context, curlsocktype, curl_sockaddr* address);
    static int on_progress(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

    void set_callbacks();
    void set_send_once();
    [[noreturn]] void fail(CURLcode code) const;

    CURL* const handle_;
    Request const& request_;
    AddressPolicy const& addresses_;
    CurlList headers_;
    CurlList resolved_;
    char detail_[CURL_ERROR_SIZE] = {};
    Response response_;
    std::size_t header_bytes_ = 0;
    bool too_large_ = false;
    bool truncated_ = false;
    AddressRange refused_ = AddressRange::global; ///< range of the last refused address
    bool tried_ = false;                          ///< at least one address was allowed
    std::size_t body_given_ = 0;                  ///< `send_once`: bytes of the body that libcurl has got
    bool begun_ = false; ///< `send_once`: the server may have got the whole request, or a part of its body
    std::optional<Steady::time_point> last_moment_; ///< end of `stop_grace`; set when a stop was requested
    bool stopped_ = false;
};

/// Sends `request` on `handle`, whose options must have their defaults, and waits for the response. Throws
/// the errors of Client::send. Reset the handle before its next use.
Response perform(CURL* handle, Request const& request, ClientOptions const& options);

/// Appends a line to the list. Throws std::bad_alloc.
void append(CurlList& list, std::string const& line);

/// Blocks SIGPIPE on this thread for the lifetime of the object, because OpenSSL may write to sockets that
/// the peer has closed.
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

} // namespace http_client
