#include "http_client/transfer.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <new>
#include <sys/socket.h>
#include <unistd.h>

namespace http_client {

namespace {

constexpr std::size_t max_header_bytes = 65'536;
constexpr long connections_per_handle = 8;

bool is_token(std::string_view text)
{
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        return (core::lower(c) >= 'a' && core::lower(c) <= 'z') || (c >= '0' && c <= '9') ||
               marks.find(c) != std::string_view::npos;
    });
}

CurlList header_list(Request const& request)
{
    CurlList list;
    bool has_type = false;
    for (auto const& [name, value] : request.headers) {
        if (!is_token(name) || value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
            throw std::invalid_argument("an outbound request has a malformed header");
        }
        has_type = has_type || core::equal_ignoring_case(name, "content-type");
        // libcurl interprets `Name:` as "omit the header" and `Name;` as "send the header empty".
        std::string line = name;
        line += value.empty() ? ";" : ": ";
        append(list, line += value);
    }
    append(list, "Expect:");
    if (!has_type) append(list, "Content-Type:");
    return list;
}

template <class Value> void set(CURL* handle, CURLoption option, Value value)
{
    if (auto const code = curl_easy_setopt(handle, option, value); code != CURLE_OK) {
        throw Error(Error::Kind::protocol, curl_easy_strerror(code), false);
    }
}

void set_method(CURL* handle, Request const& request)
{
    if (!is_token(request.method)) throw std::invalid_argument("an outbound request has a malformed method");
    if (request.method == "HEAD") {
        set(handle, CURLOPT_NOBODY, 1L);
        return;
    }
    bool const sends_body = !request.body.empty() || request.method == "POST" || request.method == "PUT" ||
                            request.method == "PATCH";
    if (sends_body) {
        set(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        // For `send_once`, libcurl reads the body through a callback; see `set_send_once`.
        if (request.send_once && !request.body.empty())
            set(handle, CURLOPT_POST, 1L);
        else
            set(handle, CURLOPT_POSTFIELDS, request.body.data());
    }
    set(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

void set_limits(CURL* handle, Request const& request)
{
    set(handle, CURLOPT_NOSIGNAL, 1L);
    set(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    set(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout.count()));
    set(handle, CURLOPT_MAXCONNECTS, connections_per_handle);
    set(handle, CURLOPT_FOLLOWLOCATION, request.max_redirects > 0 ? 1L : 0L);
    set(handle, CURLOPT_MAXREDIRS, static_cast<long>(request.max_redirects));
    set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    set(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(handle, CURLOPT_PROXY, "");
    set(handle, CURLOPT_NOPROXY, "*");
}

Error::Kind kind_of(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return Error::Kind::dns;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
        return Error::Kind::connect;
    case CURLE_OPERATION_TIMEDOUT:
        return Error::Kind::timeout;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return Error::Kind::tls;
    default:
        return Error::Kind::protocol;
    }
}

void read_facts(CURL* handle, Response& response)
{
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    response.status = static_cast<unsigned>(status);
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
    if (response.header("retry-after"))
        response.retry_after = std::chrono::seconds(std::max<curl_off_t>(seconds, 0));
}

void set_trust(CURL* handle, ClientOptions const& options)
{
    set(handle, CURLOPT_USERAGENT, options.user_agent.c_str());
    if (options.ca_file.empty()) return;
    set(handle, CURLOPT_CAINFO, options.ca_file.c_str());
    set(handle, CURLOPT_CAPATH, static_cast<char const*>(nullptr));
}

} // namespace

void append(CurlList& list, std::string const& line)
{
    curl_slist* const head = curl_slist_append(list.get(), line.c_str());
    if (head == nullptr) throw std::bad_alloc();
    if (!list) list.reset(head); // the head is unchanged
}

std::size_t Transfer::on_body(char* data, std::size_t, std::size_t size, void* context)
{
    auto& transfer = *static_cast<Transfer*>(context);
    auto& body = transfer.response_.body;
    std::size_t const room = transfer.request_.max_response_bytes - body.size();
    body.append(data, std::min(size, room));
    if (size <= room) return size;
    (transfer.request_.truncate_response ? transfer.truncated_ : transfer.too_large_) = true;
    return CURL_WRITEFUNC_ERROR;
}

std::size_t Transfer::on_header(char* data, std::size_t, std::size_t size, void* context)
{
    auto& transfer = *static_cast<Transfer*>(context);
    std::string_view const line(data, size);
    transfer.header_bytes_ += size;
    if (transfer.header_bytes_ > max_header_bytes) {
        transfer.too_large_ = true;
        return CURL_WRITEFUNC_ERROR;
    }
    auto& headers = transfer.response_.headers;
    if (line.starts_with("HTTP/")) { // a new response, perhaps after an interim response or a redirect
        headers.clear();
        return size;
    }
    if (auto const colon = line.find(':'); colon != std::string_view::npos) {
        headers.emplace_back(core::lower(line.substr(0, colon)), core::trim(line.substr(colon + 1)));
    }
    return size;
}

curl_socket_t Transfer::open_socket(void* context, curlsocktype, curl_sockaddr* address)
{
    auto& transfer = *static_cast<Transfer*>(context);
    AddressRange const range = classify(address->addr);
    if (!transfer.addresses_.allows(range)) {
        transfer.refused_ = range;
        return CURL_SOCKET_BAD;
    }
    transfer.tried_ = true;
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// libcurl calls this function after it has sent the head, when the connection can take bytes of the body and
/// the server has not closed it.
std::size_t Transfer::next_body(char* buffer, std::size_t size, std::size_t count, void* context)
{
    auto& transfer = *static_cast<Transfer*>(context);
    transfer.begun_ = true;
    std::size_t const bytes = transfer.request_.body.copy(buffer, size * count, transfer.body_given_);
    transfer.body_given_ += bytes;
    return bytes;
}

/// libcurl calls this function each time that it is about to send the request on a connection. A server does
/// not process a request before it has the body, so the request may be repeated until libcurl asks for the
/// body.
int Transfer::before_request(void* context, char*, char*, int, int)
{
    auto& transfer = *static_cast<Transfer*>(context);
    if (transfer.begun_) return CURL_PREREQFUNC_ABORT;
    transfer.begun_ = transfer.request_.body.empty();
    return CURL_PREREQFUNC_OK;
}

/// libcurl calls this function about once a second while the transfer is idle, and more often otherwise.
int Transfer::on_progress(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t)
{
    auto& transfer = *static_cast<Transfer*>(context);
    if (!transfer.request_.stop.stop_requested()) return 0;
    auto const now = Steady::now();
    if (!transfer.last_moment_) transfer.last_moment_ = now + transfer.request_.stop_grace;
    transfer.stopped_ = now >= *transfer.last_moment_;
    return transfer.stopped_ ? 1 : 0;
}

Transfer::Transfer(CURL* handle, Request const& request, ClientOptions const& options)
    : handle_(handle), request_(request), addresses_(options.addresses), headers_(header_list(request))
{
    set(handle, CURLOPT_URL, request.url.c_str());
    set(handle, CURLOPT_ERRORBUFFER, static_cast<char*>(detail_));
    set(handle, CURLOPT_HTTPHEADER, headers_.get());
    set_trust(handle, options);
    set_method(handle, request);
    set_limits(handle, request);
    set_callbacks();
    if (request.send_once) set_send_once();
}

/// Prevents that libcurl repeats the request once the server may have got it. `before_request` refuses a
/// second request, and without CURLOPT_SEEKFUNCTION libcurl cannot read the body a second time.
void Transfer::set_send_once()
{
    set(handle_, CURLOPT_PREREQFUNCTION, &Transfer::before_request);
    set(handle_, CURLOPT_PREREQDATA, this);
    set(handle_, CURLOPT_MAXAGE_CONN, static_cast<long>(max_idle_of_send_once.count()));
    set(handle_, CURLOPT_READFUNCTION, &Transfer::next_body);
    set(handle_, CURLOPT_READDATA, this);
}

void Transfer::set_callbacks()
{
    set(handle_, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set(handle_, CURLOPT_WRITEDATA, this);
    set(handle_, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(handle_, CURLOPT_HEADERDATA, this);
    set(handle_, CURLOPT_OPENSOCKETFUNCTION, &Transfer::open_socket);
    set(handle_, CURLOPT_OPENSOCKETDATA, this);
}

void Transfer::watch_stop()
{
    if (!request_.stop.stop_possible()) return;
    set(handle_, CURLOPT_NOPROGRESS, 0L);
    set(handle_, CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
    set(handle_, CURLOPT_XFERINFODATA, this);
}

void Transfer::resolve_to(CurlList entries, std::chrono::milliseconds timeout)
{
    resolved_ = std::move(entries);
    set(handle_, CURLOPT_RESOLVE, resolved_.get());
    set(handle_, CURLOPT_TIMEOUT_MS, std::max(1L, static_cast<long>(timeout.count())));
}

Response Transfer::finish(CURLcode code)
{
    if (code != CURLE_OK && !truncated_) fail(code);
    read_facts(handle_, response_);
    return std::move(response_);
}

void Transfer::fail(CURLcode code) const
{
    curl_off_t pretransfer = 0;
    curl_easy_getinfo(handle_, CURLINFO_PRETRANSFER_TIME_T, &pretransfer);
    // After a failed connection attempt `pretransfer` is the time of an earlier connection.
    bool const connected = code != CURLE_COULDNT_CONNECT && code != CURLE_COULDNT_RESOLVE_HOST;
    bool const sent = request_.send_once ? begun_ : connected && pretransfer > 0;
    if (stopped_) throw Error(Error::Kind::stopped, "the request was stopped", sent);
    if (too_large_) throw Error(Error::Kind::too_large, "the response is too large", sent);
    if (code == CURLE_COULDNT_CONNECT && !tried_ && refused_ != AddressRange::global) {
        throw Error(Error::Kind::refused_address,
            "the host's address is not allowed (range: " + std::string(to_string(refused_)) + ")", sent);
    }
    char const* const detail = static_cast<char const*>(detail_);
    throw Error(kind_of(code), *detail != '\0' ? detail : curl_easy_strerror(code), sent);
}

Response perform(CURL* handle, Request const& request, ClientOptions const& options)
{
    Transfer transfer(handle, request, options);
    transfer.watch_stop();
    PipeSignalGuard const guard;
    return transfer.finish(curl_easy_perform(handle));
}

PipeSignalGuard::PipeSignalGuard()
{
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &old_);
}

PipeSignalGuard::~PipeSignalGuard()
{
    timespec const at_once{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
}

} // namespace http_client
