#include "mail/smtp.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"
#include "http_client/curl_handles.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

namespace mail {

namespace {

using Steady = std::chrono::steady_clock;

/// An idle connection is not reused after this time, because servers close idle connections.
constexpr long max_idle_seconds = 45;

// --- replies ---------------------------------------------------------------------------------------------

constexpr std::array mailbox_is_gone{"5.1.1", "5.1.6", "5.1.10", "5.2.1"}; // RFC 3463, 3.2 and 3.3; RFC 7505
constexpr std::array<unsigned, 4> asks_for_credential{530, 534, 535, 538}; // RFC 4954, 6

bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

/// The enhanced status code of a reply line (RFC 3463), such as `5.1.1` in `550 5.1.1 no such user`; empty if
/// the line has none.
std::string_view enhanced_code(std::string_view line)
{
    line.remove_prefix(std::min<std::size_t>(line.size(), 4));
    auto const word = line.substr(0, line.find(' '));
    bool const shaped = std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '.'; });
    return shaped && std::ranges::count(word, '.') == 2 ? word : std::string_view();
}

unsigned code_of(std::string_view line)
{
    if (line.size() < 3 || !std::ranges::all_of(line.substr(0, 3), is_digit)) return 0;
    return static_cast<unsigned>((line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0'));
}

// --- URLs ------------------------------------------------------------------------------------------------

/// Parses a URL. Returns a null pointer if libcurl does not accept it.
http_client::CurlUrl parse_url(std::string const& url)
{
    http_client::CurlUrl parsed(curl_url());
    if (!parsed) throw std::bad_alloc();
    if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) parsed.reset();
    return parsed;
}

/// A part of a URL; nullopt if the URL does not have it.
std::optional<std::string> part_of(http_client::CurlUrl const& url, CURLUPart part)
{
    char* text = nullptr;
    if (curl_url_get(url.get(), part, &text, 0) != CURLUE_OK) return std::nullopt;
    std::unique_ptr<char, decltype(&curl_free)> const owned(text, &curl_free);
    return std::string(text);
}

/// Whether libcurl authenticates with this URL: it has a user, a password or an option such as `;AUTH=PLAIN`.
bool has_login(std::string const& url)
{
    auto const parsed = parse_url(url);
    return parsed && (part_of(parsed, CURLUPART_USER) || part_of(parsed, CURLUPART_PASSWORD) ||
                         part_of(parsed, CURLUPART_OPTIONS));
}

/// The options with TLS required if there is a login. Otherwise an attacker on the network could remove
/// STARTTLS from the server's reply and read the password.
SmtpOptions protect_login(SmtpOptions options)
{
    options.require_tls = options.require_tls || has_login(options.url.reveal());
    return options;
}

// --- one submission --------------------------------------------------------------------------------------

/// State of one submission, shared with libcurl's callbacks.
struct Transfer {
    std::string_view message;
    std::stop_token const& stop;
    std::chrono::milliseconds stop_grace;
    std::size_t offset = 0;
    bool begun = false;    ///< the server asked for the message (354)
    bool complete = false; ///< the server has the whole message
    std::string reply;     ///< first line of the last negative reply
    bool in_reply = false; ///< further lines of the reply follow
    std::optional<Steady::time_point> last_moment{};
    bool stopped = false;
};

std::size_t on_read(char* buffer, std::size_t, std::size_t room, void* context)
{
    auto& transfer = *static_cast<Transfer*>(context);
    auto const part = transfer.message.substr(transfer.offset, room);
    std::memcpy(buffer, part.data(), part.size());
    transfer.offset += part.size();
    transfer.begun = true;
    transfer.complete = transfer.offset == transfer.message.size();
    return part.size();
}

/// Called for every line of the server's replies.
std::size_t on_reply(char* data, std::size_t, std::size_t size, void* context)
{
    auto& transfer = *static_cast<Transfer*>(context);
    std::string_view const line(data, size);
    if (!transfer.in_reply && code_of(line) >= 400) transfer.reply = core::trim(line);
    transfer.in_reply = line.size() > 3 && line[3] == '-';
    return size;
}

/// Called about once a second while nothing happens, else more often.
int on_progress(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t)
{
    auto& transfer = *static_cast<Transfer*>(context);
    if (!transfer.stop.stop_requested()) return 0;
    // The server drops an incomplete message. After a complete message, the client waits for the response,
    // because the recipient would get the message twice if it were sent again.
    auto const now = Steady::now();
    if (!transfer.last_moment) transfer.last_moment = now + transfer.stop_grace;
    transfer.stopped = !transfer.complete || now >= *transfer.last_moment;
    return transfer.stopped ? 1 : 0;
}

template <class Value> void set(CURL* handle, CURLoption option, Value value)
{
    if (auto const code = curl_easy_setopt(handle, option, value); code != CURLE_OK)
        throw std::runtime_error(std::string("libcurl: ") + curl_easy_strerror(code));
}

void set_server(CURL* handle, SmtpOptions const& options, bool fresh)
{
    set(handle, CURLOPT_URL, options.url.reveal().c_str());
    set(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    set(handle, CURLOPT_PROXY, "");
    set(handle, CURLOPT_NOPROXY, "*");
    set(handle, CURLOPT_USE_SSL, static_cast<long>(options.require_tls ? CURLUSESSL_ALL : CURLUSESSL_TRY));
    if (!options.ca_file.empty()) {
        set(handle, CURLOPT_CAINFO, options.ca_file.c_str());
        set(handle, CURLOPT_CAPATH, static_cast<char const*>(nullptr));
    }
    set(handle, CURLOPT_NOSIGNAL, 1L);
    set(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
    set(handle, CURLOPT_SERVER_RESPONSE_TIMEOUT, static_cast<long>(options.reply_timeout.count()));
    set(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
    set(handle, CURLOPT_MAXCONNECTS, 1L); // one per handle: the pool bounds the number of handles
    set(handle, CURLOPT_MAXAGE_CONN, max_idle_seconds);
    set(handle, CURLOPT_FRESH_CONNECT, fresh ? 1L : 0L);
}

void set_callbacks(CURL* handle, Transfer& transfer)
{
    set(handle, CURLOPT_UPLOAD, 1L);
    set(handle, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(transfer.message.size()));
    set(handle, CURLOPT_READFUNCTION, &on_read);
    set(handle, CURLOPT_READDATA, &transfer);
    set(handle, CURLOPT_HEADERFUNCTION, &on_reply);
    set(handle, CURLOPT_HEADERDATA, &transfer);
    set(handle, CURLOPT_NOPROGRESS, 0L);
    set(handle, CURLOPT_XFERINFOFUNCTION, &on_progress);
    set(handle, CURLOPT_XFERINFODATA, &transfer);
}

/// The result of one submission.
struct Attempt {
    SendResult result;
    /// A reused connection turned out to be closed before any of the message was sent.
    bool stale = false;
};

/// The reason of a failure without a reply from the server.
std::string failure_of(CURLcode code, Transfer const& transfer, char const* detail)
{
    if (transfer.stopped) return "STOPPED";
    if (transfer.complete) return "NO_ANSWER: the connection was lost after the message was sent";
    std::string const text = *detail != '\0' ? detail : curl_easy_strerror(code);
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return "DNS: " + text;
    case CURLE_COULDNT_CONNECT:
        return "CONNECT: " + text;
    case CURLE_OPERATION_TIMEDOUT:
        return "TIMEOUT: " + text;
    case CURLE_USE_SSL_FAILED:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_PEER_FAILED_VERIFICATION:
        return "TLS: " + text;
    default:
        return "CONNECTION: " + text;
    }
}

SendResult result_of(CURL* handle, CURLcode code, Transfer const& transfer, char const* detail)
{
    if (code == CURLE_OK) return {.outcome = Outcome::accepted};
    long last_code = 0; // reply to the last command before libcurl's own QUIT
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &last_code);
    bool const negative = last_code >= 400 && code != CURLE_OPERATION_TIMEDOUT && !transfer.stopped;
    if (negative) {
        SendResult result = read_smtp_reply(static_cast<unsigned>(last_code), transfer.reply);
        // A refusal of the connection (greeting, EHLO) does not concern this message, so the message is
        // retried.
        bool const to_message = code == CURLE_SEND_ERROR || code == CURLE_LOGIN_DENIED || transfer.begun;
        if (!to_message) result.outcome = Outcome::transient;
        return result;
    }
    if (code == CURLE_LOGIN_DENIED) // client and server have no authentication mechanism in common
        return {
            .outcome = Outcome::credential, .reason = core::first_line(curl_easy_strerror(code), max_reason)};
    return {.outcome = Outcome::transient,
        .reason = core::first_line(failure_of(code, transfer, detail), max_reason)};
}

Attempt submit(CURL* handle, SmtpOptions const& options, Envelope const& envelope,
    std::stop_token const& stop, bool fresh)
{
    Transfer transfer{
        .message = envelope.message, .stop = stop, .stop_grace = options.stop_grace, .reply = {}};
    std::string const from = '<' + envelope.from + '>', to = '<' + envelope.to + '>';
    http_client::CurlList const recipients(curl_slist_append(nullptr, to.c_str()));
    if (!recipients) throw std::bad_alloc();
    std::array<char, CURL_ERROR_SIZE> detail{};
    set_server(handle, options, fresh);
    set(handle, CURLOPT_ERRORBUFFER, detail.data());
    set(handle, CURLOPT_MAIL_FROM, from.c_str());
    set(handle, CURLOPT_MAIL_RCPT, recipients.get());
    set_callbacks(handle, transfer);
    CURLcode const code = curl_easy_perform(handle);
    long connections = 0;
    curl_easy_getinfo(handle, CURLINFO_NUM_CONNECTS, &connections);
    Attempt attempt{.result = result_of(handle, code, transfer, detail.data())};
    bool const closed = transfer.reply.empty() || code_of(transfer.reply) == 421; // RFC 5321, 3.8
    attempt.stale = code != CURLE_OK && connections == 0 && closed && !transfer.begun && !transfer.stopped &&
                    code != CURLE_COULDNT_CONNECT && code != CURLE_COULDNT_RESOLVE_HOST;
    return attempt;
}

} // namespace

SendResult read_smtp_reply(unsigned code, std::string_view first_line)
{
    std::string const said = std::to_string(code);
    SendResult result{.outcome = Outcome::transient,
        .reason =
            core::first_line(first_line.starts_with(said) ? first_line : std::string_view(said), max_reason)};
    if (code < 500) return result;
    auto const enhanced = enhanced_code(first_line);
    bool const gone = std::ranges::find(mailbox_is_gone, enhanced) != mailbox_is_gone.end();
    bool const credential = std::ranges::find(asks_for_credential, code) != asks_for_credential.end();
    result.outcome = gone ? Outcome::gone : credential ? Outcome::credential : Outcome::refused;
    return result;
}

bool is_smtp_url(std::string const& url)
{
    auto const parsed = parse_url(url);
    auto const scheme = parsed ? part_of(parsed, CURLUPART_SCHEME) : std::nullopt;
    return scheme == "smtp" || scheme == "smtps";
}

struct Smtp::Impl {
    explicit Impl(SmtpOptions o) : options(protect_login(std::move(o))), handles(options.max_idle) {}

    SmtpOptions const options;
    http_client::CurlHandles handles;
};

Smtp::Smtp(SmtpOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Smtp::~Smtp() = default;

SendResult Smtp::deliver(Envelope const& envelope, std::stop_token const& stop)
{
    auto handle = impl_->handles.take();
    Attempt attempt = submit(handle.get(), impl_->options, envelope, stop, false);
    if (attempt.stale) {
        curl_easy_reset(handle.get());
        attempt = submit(handle.get(), impl_->options, envelope, stop, true);
    }
    impl_->handles.put_back(std::move(handle));
    return std::move(attempt.result);
}

} // namespace mail
