// The input is the bytes of a connection: heads, and bodies by length or in chunks. The parser must yield the
// same requests for every division of these bytes into reads.
#include "core/text.hpp"
#include "fuzz.hpp"
#include "http/problem.hpp"
#include "http/query.hpp"
#include "http_server/request_parser.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using fuzz::require;
using http_server::RequestParser;
using State = RequestParser::State;

namespace {

constexpr std::size_t header_limit = 1024; // small enough that inputs can exceed it

/// A copy of a request.
struct Read {
    std::string method, target, path, query, body;
    std::vector<std::pair<std::string, std::string>> headers;
    bool keep_alive = false;

    friend bool operator==(Read const&, Read const&) = default;
};

struct Connection {
    enum class End { in_head, in_body, failed };

    std::vector<Read> requests; ///< each is added at the end of its head
    End end = End::in_head;

    /// Whether both yield the same requests. Their ends may differ: one parser may report a fault in a head
    /// whose end the other still waits for.
    bool same_as(Connection const& other) const
    {
        auto const may_differ = [](End one, End another) {
            return one == End::in_head && another == End::failed;
        };
        bool const alike = end == other.end || may_differ(end, other.end) || may_differ(other.end, end);
        return requests == other.requests && alike;
    }
};

bool is_within(std::string_view part, std::string_view whole)
{
    std::less_equal<> const at_most;
    return at_most(whole.data(), part.data()) &&
           at_most(part.data() + part.size(), whole.data() + whole.size());
}

bool is_visible(std::string_view text)
{
    using namespace std::string_view_literals;
    return text.find_first_of("\r\n\0"sv) == std::string_view::npos;
}

/// The guarantees of an accepted head.
void check_head(RequestParser const& parser, http::Request const& request, std::string_view input)
{
    auto const count = [&](std::string_view name) {
        return std::ranges::count_if(request.headers,
            [&](http::Header const& header) { return core::equal_ignoring_case(header.name, name); });
    };
    require(parser.head_size() <= std::min(input.size(), header_limit));
    require(is_within(request.target, input) || request.target == "/");
    require(request.target.size() <= RequestParser::target_limit && is_visible(request.target));
    require(request.target.starts_with('/') || request.target.starts_with('?') || request.target == "*");
    require(request.headers.size() <= RequestParser::field_limit);
    for (auto const& header : request.headers) {
        require(is_within(header.name, input) && !header.name.empty() && is_visible(header.name));
        require(header.name.find_first_of(" \t:") == std::string_view::npos);
        require(is_visible(header.value) && (header.value.empty() || is_within(header.value, input)));
    }
    auto const lengths = count("Content-Length"), codings = count("Transfer-Encoding");
    require(lengths + codings <= 1);
    require(parser.content_length().has_value() == (codings == 0));
    require(count("Host") == 1 || (count("Host") == 0 && !parser.http11()));
    require(codings == 0 || parser.http11());
}

/// Reads the query as the services do. The only allowed error is VALIDATION_ERROR.
void read_query(http::Request const& request)
{
    http::Query query(request);
    try {
        auto const text = query.text("q", 1, 20);
        query.time("since");
        query.boolean("all", false);
        auto const limit = query.limit();
        query.check();
        require(limit >= 1 && limit <= 100 && (!text || !text->empty()));
    } catch (core::Error const& error) {
        require(error.code().name == core::codes::validation.name && !error.faults().empty());
    }
}

/// One connection, whose bytes arrive in pieces of `step` bytes.
class Reader {
public:
    Reader(std::string const& bytes, std::size_t step) : bytes_(bytes), step_(step) {}

    Connection read() &&
    {
        while (read_request()) {
        }
        return std::move(connection_);
    }

private:
    std::string_view input() const { return std::string_view(bytes_).substr(used_, there_ - used_); }

    bool arrive()
    {
        if (there_ == bytes_.size()) return false;
        there_ = std::min(bytes_.size(), there_ + step_);
        return true;
    }

    bool fail()
    {
        auto const answer = http::problem(parser_.error(), "id");
        require(answer.status >= 400 && answer.status < 500 && boost::json::parse(answer.body).is_object());
        connection_.end = Connection::End::failed;
        return false;
    }

    /// Returns false if there is no further complete request.
    bool read_request()
    {
        http::Request request;
        parser_.reset(header_limit);
        State state = State::more;
        while ((state = parser_.head(input(), request)) == State::more)
            if (!arrive()) return false;
        if (state == State::failed) return fail();
        check_head(parser_, request, input());
        read_query(request);
        Read read{std::string(request.method_text), std::string(request.target), std::string(request.path),
            std::string(request.query), {}, {}, parser_.keep_alive()};
        for (auto const& header : request.headers)
            read.headers.emplace_back(header.name, header.value);
        used_ += parser_.head_size();
        connection_.requests.push_back(std::move(read));
        return read_body(connection_.requests.back());
    }

    bool read_body(Read& read)
    {
        connection_.end = Connection::End::in_body;
        auto const length = parser_.content_length();
        while (!parser_.body_done()) {
            auto const piece = parser_.body(input());
            if (piece.state == State::failed) return fail();
            require(piece.used <= input().size());
            require(piece.data.empty() || is_within(piece.data, input()));
            read.body += piece.data;
            used_ += piece.used;
            require(!length || parser_.body_left() == *length - read.body.size());
            if (piece.data.empty() && piece.state == State::more && !arrive()) return false;
        }
        require(!length || read.body.size() == *length);
        connection_.end = Connection::End::in_head;
        return true;
    }

    std::string const& bytes_;
    std::size_t const step_;
    std::size_t used_ = 0, there_ = 0;
    RequestParser parser_;
    Connection connection_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    std::string const bytes(reinterpret_cast<char const*>(data), size);
    Connection const whole = Reader(bytes, size + 1).read();
    require(Reader(bytes, 1).read().same_as(whole));
    require(Reader(bytes, 7).read().same_as(whole));
    return 0;
}
