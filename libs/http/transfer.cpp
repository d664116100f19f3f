#include "http/transfer.hpp"

#include "core/text.hpp"
#include "http/curl_handles.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <new>
#include <sys/socket.h>
#include <unistd.h>

namespace http {

namespace {

using Steady = std::chrono::steady_clock;

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

/// One transfer: what libcurl's callbacks read and write.
struct Transfer {
    OutboundRequest const& request;
    AddressPolicy const& addresses;
    OutboundResponse response;
    std::size_t header_bytes = 0;
    bool too_large = false;
    bool truncated = false;
    AddressRange refused = AddressRange::global;   ///< the last address that was
    bool tried = false;                            ///< at least one address was admitted
    std::optional<Steady::time_point> last_moment; ///< once it was told to stop
    bool stopped = false;
};

std::size_t on_body(char* data, std::size_t, std::size_t size, void* context)
{
    auto& transfer = *static_cast<Transfer*>(context);
    auto& body = transfer.response.body;
    std::size_t const room = transfer.request.max_response_bytes - body.size();
    body.append(data, std::min(size, room));
    if (size <= room) return size;
    (transfer.request.truncate_response ? transfer.truncated : transfer.too_large) = true;
    return CURL_WRITEFUNC_ERROR;
}

std::size_t on_header(char* data, std::size_t, std::size_t size, void* context)
{
    auto& transfer = *static_cast<Transfer*>(context);
    std::string_view const line(data, size);
    transfer.header_bytes += size;
    if (transfer.header_bytes > max_header_bytes) {
        transfer.too_large = true;
        return CURL_WRITEFUNC_ERROR;
    }
    auto& headers = transfer.response.headers;
    if (line.starts_with("HTTP/")) { // an interim response or a redirect came before this one
        headers.clear();
        return size;
    }
    if (auto const colon = line.find(':'); colon != std::string_view::npos) {
        headers.emplace_back(core::lower(line.substr(0, colon)), core::trim(line.substr(colon + 1)));
    }
    return size;
}

curl_socket_t open_socket(void* context, curlsocktype, curl_sockaddr* address)
{
    auto& transfer = *static_cast<Transfer*>(context);
    AddressRange const range = classify(address->addr);
    if (!transfer.addresses.allows(range)) {
        transfer.refused = range;
        return CURL_SOCKET_BAD;
    }
    transfer.tried = true;
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// Asked about once a second while nothing happens, and more often else.
int on_progress(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t)
{
    auto& transfer = *static_cast<Transfer*>(context);
    if (!transfer.request.stop.stop_requested()) return 0;
    auto const now = Steady::now();
    if (!transfer.last_moment) transfer.last_moment = now + transfer.request.farewell;
    transfer.stopped = now >= *transfer.last_moment;
    return transfer.stopped ? 1 : 0;
}

/// Keeps SIGPIPE from this thread while OpenSSL writes to sockets the peer has closed.
class PipeSignalGuard {
public:
    PipeSignalGuard()
    {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &pipe_, &old_);
    }

    ~PipeSignalGuard()
    {
        timespec const at_once{};
        if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
        pthread_sigmask(SIG_SETMASK, &old_, nullptr);
    }

    PipeSignalGuard(PipeSignalGuard const&) = delete;
    PipeSignalGuard& operator=(PipeSignalGuard const&) = delete;

private:
    sigset_t pipe_{};
    sigset_t old_{};
    bool was_pending_ = false;
};

void append(CurlList& list, std::string const& line)
{
    curl_slist* const head = curl_slist_append(list.get(), line.c_str());
    if (head == nullptr) throw std::bad_alloc();
    if (!list) list.reset(head); // the head stays what it was
}

CurlList header_list(OutboundRequest const& request)
{
    CurlList list;
    bool has_type = false;
    for (auto const& [name, value] : request.headers) {
        if (!is_token(name) || value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
            throw std::invalid_argument("malformed header of an outbound request");
        }
        has_type = has_type || core::equal_ignoring_case(name, "content-type");
        // libcurl reads `Name:` as "leave it out" and `Name;` as "send it empty".
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
        throw OutboundError(OutboundError::Kind::protocol, curl_easy_strerror(code), false);
    }
}

void set_method(CURL* handle, OutboundRequest const& request)
{
    if (!is_token(request.method)) throw std::invalid_argument("malformed method of an outbound request");
    if (request.method == "HEAD") {
        set(handle, CURLOPT_NOBODY, 1L);
        return;
    }
    bool const sends_body = !request.body.empty() || request.method == "POST" || request.method == "PUT" ||
                            request.method == "PATCH";
    if (sends_body) {
        set(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        set(handle, CURLOPT_POSTFIELDS, request.body.data());
    }
    set(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

void set_limits(CURL* handle, OutboundRequest const& request)
{
    set(handle, CURLOPT_NOSIGNAL, 1L);
    set(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    set(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout.count()));
    set(handle, CURLOPT_MAXCONNECTS, connections_per_handle);
    set(handle, CURLOPT_FRESH_CONNECT, request.fresh_connection ? 1L : 0L);
    set(handle, CURLOPT_FOLLOWLOCATION, request.max_redirects > 0 ? 1L : 0L);
    set(handle, CURLOPT_MAXREDIRS, static_cast<long>(request.max_redirects));
    set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    set(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(handle, CURLOPT_PROXY, "");
    set(handle, CURLOPT_NOPROXY, "*");
}

void set_callbacks(CURL* handle, Transfer& transfer)
{
    set(handle, CURLOPT_WRITEFUNCTION, &on_body);
    set(handle, CURLOPT_WRITEDATA, &transfer);
    set(handle, CURLOPT_HEADERFUNCTION, &on_header);
    set(handle, CURLOPT_HEADERDATA, &transfer);
    set(handle, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
    set(handle, CURLOPT_OPENSOCKETDATA, &transfer);
    if (!transfer.request.stop.stop_possible()) return;
    set(handle, CURLOPT_NOPROGRESS, 0L);
    set(handle, CURLOPT_XFERINFOFUNCTION, &on_progress);
    set(handle, CURLOPT_XFERINFODATA, &transfer);
}

OutboundError::Kind kind_of(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return OutboundError::Kind::dns;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
        return OutboundError::Kind::connect;
    case CURLE_OPERATION_TIMEDOUT:
        return OutboundError::Kind::timeout;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return OutboundError::Kind::tls;
    default:
        return OutboundError::Kind::protocol;
    }
}

[[noreturn]] void fail(CURL* handle, CURLcode code, Transfer const& transfer, char const* detail)
{
    curl_off_t pretransfer = 0;
    curl_easy_getinfo(handle, CURLINFO_PRETRANSFER_TIME_T, &pretransfer);
    // After a connection that failed the time is that of an earlier one.
    bool const connected = code != CURLE_COULDNT_CONNECT && code != CURLE_COULDNT_RESOLVE_HOST;
    bool const sent = connected && pretransfer > 0;
    if (transfer.stopped) throw OutboundError(OutboundError::Kind::stopped, "told to stop", sent);
    if (transfer.too_large)
        throw OutboundError(OutboundError::Kind::too_large, "the response is too large", sent);
    if (code == CURLE_COULDNT_CONNECT && !transfer.tried && transfer.refused != AddressRange::global) {
        throw OutboundError(OutboundError::Kind::refused_address,
            "the host has a " + std::string(to_string(transfer.refused)) + " address", sent);
    }
    throw OutboundError(kind_of(code), *detail != '\0' ? detail : curl_easy_strerror(code), sent);
}

void read_facts(CURL* handle, OutboundResponse& response)
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

OutboundResponse perform(CURL* handle, OutboundRequest const& request, ClientOptions const& options)
{
    Transfer transfer{.request = request, .addresses = options.addresses, .response = {}};
    CurlList const headers = header_list(request);
    char detail[CURL_ERROR_SIZE] = {};
    set(handle, CURLOPT_URL, request.url.c_str());
    set(handle, CURLOPT_ERRORBUFFER, static_cast<char*>(detail));
    set(handle, CURLOPT_HTTPHEADER, headers.get());
    set_trust(handle, options);
    set_method(handle, request);
    set_limits(handle, request);
    set_callbacks(handle, transfer);
    PipeSignalGuard const guard;
    CURLcode const code = curl_easy_perform(handle);
    if (code != CURLE_OK && !transfer.truncated) fail(handle, code, transfer, detail);
    read_facts(handle, transfer.response);
    return std::move(transfer.response);
}

} // namespace http
