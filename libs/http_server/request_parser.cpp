#include "http_server/request_parser.hpp"

#include "core/text.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

namespace http_server {

namespace beast = boost::beast;
namespace codes = core::codes;

namespace {

constexpr bool is_decimal(char c) noexcept
{
    return c >= '0' && c <= '9';
}

http::Method to_method(beast::http::verb verb) noexcept
{
    switch (verb) {
    case beast::http::verb::get:
    case beast::http::verb::head:
        return http::Method::get;
    case beast::http::verb::post:
        return http::Method::post;
    case beast::http::verb::put:
        return http::Method::put;
    case beast::http::verb::patch:
        return http::Method::patch;
    case beast::http::verb::delete_:
        return http::Method::del;
    case beast::http::verb::options:
        return http::Method::options;
    default:
        return http::Method::other;
    }
}

constexpr std::array<bool, 256> make_host_characters()
{
    std::array<bool, 256> table{};
    for (char const c : std::string_view("-._~:[]%!$&'()*+;=0123456789abcdefghijklmnopqrstuvwxyz"
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        table[static_cast<unsigned char>(c)] = true;
    return table;
}

// Whether `host` may be a name, an IPv4 address or a bracketed IPv6 address, with an optional port (RFC 3986,
// 3.2.2). User information and characters that end an authority are not allowed.
bool is_host(std::string_view host) noexcept
{
    static constexpr auto allowed = make_host_characters();
    return std::ranges::all_of(host, [](char c) { return allowed[static_cast<unsigned char>(c)]; });
}

bool is_target(std::string_view target) noexcept
{
    return std::ranges::none_of(
        target, [](char c) { return c == '#' || static_cast<unsigned char>(c) >= 0x80; });
}

// Whether `input` is the size line of the last chunk with at most one byte after it. If Beast parses such
// input a second time without more bytes, an assertion in Beast fails. So more input must be read first.
bool is_last_chunk_begun(std::string_view input) noexcept
{
    return input.size() < 5 && input.starts_with("0\r\n");
}

// The length of `http://` or `https://`; 0 if the target begins with neither.
std::size_t scheme_size(std::string_view target) noexcept
{
    for (std::string_view const scheme : {"http://", "https://"}) {
        if (core::equal_ignoring_case(target.substr(0, scheme.size()), scheme)) return scheme.size();
    }
    return 0;
}

} // namespace

/// Collects the parts of a request that Beast reports, as views into the input.
class RequestParser::Beast final : public beast::http::basic_parser<true> {
public:
    Beast()
    {
        // The server checks both limits itself. Beast applies its header limit to each call, not to the whole
        // head. Beast's body limit would end the request before the application could respond.
        header_limit(std::numeric_limits<std::uint32_t>::max());
        body_limit(boost::none);
    }

    Beast(Beast&&) = default;
    Beast& operator=(Beast&&) = default;

    std::string_view input;           ///< the whole input, while a head is parsed
    http::Request* request = nullptr; ///< null after the head: trailers are ignored
    char const* refusal = nullptr;    ///< why a callback set the error
    std::string_view host;
    std::string_view piece;
    std::size_t overhead = 0; ///< bytes of chunk extensions
    int version = 11;
    unsigned hosts = 0;
    unsigned lengths = 0;
    unsigned codings = 0;
    bool too_many_fields = false;
    bool head = false;
    bool expects_continue = false;

private:
    void refuse(beast::error_code& ec, char const* why)
    {
        refusal = why;
        ec = beast::http::error::bad_value;
    }

    void on_request_impl(beast::http::verb verb, beast::string_view method, beast::string_view target,
        int http, beast::error_code& /*ec*/) override
    {
        request->method = to_method(verb);
        request->method_text = method;
        request->target = target;
        head = verb == beast::http::verb::head;
        version = http;
    }

    void on_field_impl(beast::http::field field, beast::string_view name, beast::string_view value,
        beast::error_code& ec) override
    {
        if (!request) return;
        // Detects a folded line (obs-fold). Beast copies folded lines to its own buffer, so the value is
        // outside the input. If the first line has no text, Beast skips the line end before the value.
        char const* const gap = name.data() + name.size() + 1;
        std::less<> const before;
        if (before(value.data(), gap) || before(input.data() + input.size(), value.data()) ||
            std::find(gap, value.data(), '\r') != value.data()) {
            return refuse(ec, "A header field is folded over several lines. Send it on one line.");
        }
        if (request->headers.size() == field_limit) {
            too_many_fields = true;
            return refuse(ec, "Too many header fields. The limit is 128.");
        }
        switch (field) {
        case beast::http::field::host:
            host = value;
            ++hosts;
            break;
        case beast::http::field::content_length:
            check_length(gap, value, ec);
            break;
        case beast::http::field::transfer_encoding:
            if (++codings > 1 || !core::equal_ignoring_case(value, "chunked"))
                return refuse(ec, "Transfer-Encoding must be exactly `chunked`, given once.");
            break;
        case beast::http::field::expect:
            expects_continue = core::equal_ignoring_case(value, "100-continue");
            break;
        default:
            break;
        }
        request->headers.push_back({name, value});
    }

    // This check is stricter than Beast, which accepts a list of equal lengths. Padding around the value is
    // legal, but servers and proxies interpret it differently.
    void check_length(char const* gap, std::string_view value, beast::error_code& ec)
    {
        bool const padded = value.data() - gap > 1 || value.data()[value.size()] != '\r';
        if (++lengths > 1 || padded || value.empty() || !std::ranges::all_of(value, is_decimal))
            refuse(ec, "Content-Length must be given once, as a plain number.");
    }

    void on_header_impl(beast::error_code& /*ec*/) override {}

    void on_body_init_impl(
        boost::optional<std::uint64_t> const& /*length*/, beast::error_code& /*ec*/) override
    {
    }

    std::size_t on_body_impl(beast::string_view body, beast::error_code& /*ec*/) override
    {
        piece = body;
        return body.size();
    }

    // Extensions are ignored. Their total size is limited, so that a client cannot send them without end.
    void on_chunk_header_impl(
        std::uint64_t /*size*/, beast::string_view extensions, beast::error_code& ec) override
    {
        overhead += extensions.size();
        if (overhead > 2 * chunk_line_limit) refuse(ec, "The chunk extensions are too long. Omit them.");
    }

    std::size_t on_chunk_body_impl(
        std::uint64_t /*remain*/, beast::string_view body, beast::error_code& /*ec*/) override
    {
        piece = body;
        return body.size();
    }

    void on_finish_impl(beast::error_code& /*ec*/) override {}

    void on_response_impl(
        int /*status*/, beast::string_view /*reason*/, int /*version*/, beast::error_code& /*ec*/) override
    {
    }
};

RequestParser::RequestParser() : beast_(std::make_unique<Beast>()) {}

RequestParser::~RequestParser() = default;

void RequestParser::reset(std::size_t header_limit)
{
    *beast_ = Beast();
    header_limit_ = header_limit;
    consumed_ = 0;
    is_head_ = false;
    expects_continue_ = false;
}

RequestParser::State RequestParser::fail(core::ErrorCode code, char const* detail) noexcept
{
    code_ = code;
    detail_ = detail;
    return State::failed;
}

core::Error RequestParser::error() const
{
    if (code_.name == core::codes::unavailable.name) return core::Error::unavailable(detail_);
    return {code_, detail_};
}

RequestParser::State RequestParser::head(std::string_view input, http::Request& request)
{
    // One empty line before a request is ignored (RFC 9112, 2.2).
    if (!beast_->got_some() && consumed_ == 0) {
        if (input == "\r") return State::more;
        if (input.starts_with("\r\n")) consumed_ = 2;
    }
    if (consumed_ == input.size()) return State::more;

    beast_->input = input;
    beast_->request = &request;
    beast::error_code ec;
    consumed_ += beast_->put(boost::asio::buffer(input.substr(consumed_)), ec);
    beast_->request = nullptr;
    if (ec == beast::http::error::need_more) return check_progress(input);
    if (beast_->too_many_fields) return fail(codes::headers_too_large, beast_->refusal);
    if (beast_->refusal) return fail(codes::bad_request, beast_->refusal);
    if (ec == beast::http::error::bad_version)
        return fail(codes::bad_request, "The protocol version must be HTTP/1.1 or HTTP/1.0.");
    if (ec)
        return fail(codes::bad_request,
            "The request is not well-formed HTTP. Check its first line and header fields.");
    return check_head(request);
}

RequestParser::State RequestParser::check_progress(std::string_view input) noexcept
{
    bool const line_done = input.substr(std::min<std::size_t>(input.size(), 2)).find('\n') != input.npos;
    // The request line also contains the method, two spaces and the version. 64 bytes are allowed for them.
    if (!line_done && input.size() > target_limit + 64)
        return fail(
            codes::uri_too_long, "The request target is longer than 8 KiB. Shorten the path or the query.");
    if (input.size() >= header_limit_)
        return fail(codes::headers_too_large,
            "The request's header section is too large. Send fewer or shorter header fields.");
    return State::more;
}

RequestParser::State RequestParser::check_head(http::Request& request) noexcept
{
    version_ = beast_->version;
    is_head_ = beast_->head;
    expects_continue_ = beast_->expects_continue && http11() && !body_done();
    if (request.target.size() > target_limit)
        return fail(
            codes::uri_too_long, "The request target is longer than 8 KiB. Shorten the path or the query.");
    if (consumed_ > header_limit_)
        return fail(codes::headers_too_large,
            "The request's header section is too large. Send fewer or shorter header fields.");
    if (beast_->codings > 0 && !http11())
        return fail(codes::bad_request, "Transfer-Encoding is not allowed in HTTP/1.0. Use HTTP/1.1.");
    if (beast_->codings > 0 && beast_->lengths > 0)
        return fail(codes::bad_request,
            "Content-Length and Transfer-Encoding must not be combined. Send only one of them.");
    if (beast_->hosts > 1 || (http11() && beast_->hosts == 0))
        return fail(codes::bad_request, "The Host header must be given exactly once.");
    if (!is_host(beast_->host))
        return fail(
            codes::bad_request, "The Host header must be a host name or address with an optional port.");
    return check_target(request);
}

// Accepts these forms of the request target (RFC 9112, 3.2): origin-form, absolute-form with the same host as
// the Host header, and asterisk-form for OPTIONS.
RequestParser::State RequestParser::check_target(http::Request& request) noexcept
{
    std::string_view& target = request.target;
    if (!is_target(target))
        return fail(codes::bad_request,
            "The request target must be ASCII text without `#`. Percent-encode other characters.");
    bool const asterisk = target == "*" && request.method == http::Method::options;
    if (!target.starts_with('/') && !asterisk) {
        std::size_t const scheme = scheme_size(target);
        if (scheme == 0)
            return fail(codes::bad_request, "The request target must be a path that begins with `/`.");
        target.remove_prefix(scheme);
        std::string_view const authority = target.substr(0, target.find_first_of("/?"));
        if (authority.empty() || !core::equal_ignoring_case(authority, beast_->host))
            return fail(codes::bad_request,
                "The host in the request target differs from the Host header. Send the same host in both.");
        target.remove_prefix(authority.size());
        if (target.empty()) target = "/";
    }
    auto const mark = std::min(target.find('?'), target.size());
    request.path = mark == 0 ? "/" : target.substr(0, mark);
    request.query = target.substr(std::min(mark + 1, target.size()));
    return State::done;
}

void RequestParser::rebase(std::string_view from, std::string_view to, http::Request& request) noexcept
{
    auto const move = [from, to](std::string_view& view) {
        if (view.data()) view = to.substr(static_cast<std::size_t>(view.data() - from.data()), view.size());
    };
    move(request.method_text);
    move(request.target);
    for (http::Header& header : request.headers) {
        move(header.name);
        move(header.value);
    }
    move(beast_->host);
}

RequestParser::Piece RequestParser::body(std::string_view input)
{
    Piece piece;
    beast_->piece = {};
    while (!beast_->is_done() && piece.used < input.size() && beast_->piece.empty()) {
        if (beast_->chunked() && is_last_chunk_begun(input.substr(piece.used))) return piece;
        beast::error_code ec;
        auto const used = beast_->put(boost::asio::buffer(input.substr(piece.used)), ec);
        piece.used += used;
        bool const needs_more = ec == beast::http::error::need_more;
        // The length of a size line, which may be complete or incomplete. The chunk's data is not part of
        // this length.
        std::size_t const line = needs_more ? input.size() - piece.used : used;
        if (beast_->chunked() && beast_->piece.empty() && line > chunk_line_limit) {
            piece.state = fail(codes::bad_request,
                "A chunk's size line or the trailer section is longer than 1 KiB. Shorten it.");
            return piece;
        }
        if (needs_more) return piece;
        if (ec) {
            piece.state = fail(codes::bad_request,
                beast_->refusal ? beast_->refusal : "The body's chunked transfer coding is malformed.");
            return piece;
        }
    }
    piece.data = beast_->piece;
    if (beast_->is_done()) piece.state = State::done;
    return piece;
}

bool RequestParser::body_done() const noexcept
{
    return beast_->is_done();
}

bool RequestParser::keep_alive() const noexcept
{
    return beast_->keep_alive();
}

std::optional<std::uint64_t> RequestParser::content_length() const noexcept
{
    if (beast_->chunked()) return std::nullopt;
    auto const length = beast_->content_length();
    return length ? *length : 0;
}

std::optional<std::uint64_t> RequestParser::body_left() const noexcept
{
    if (beast_->chunked()) return std::nullopt;
    auto const left = beast_->content_length_remaining();
    return left ? *left : 0;
}

} // namespace http_server
