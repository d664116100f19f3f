#pragma once

#include "core/error.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace http {

/// Reads one request after another off a connection's buffer (RFC 9112). Internal to the server.
///
/// The head's views (`Request::headers`, `target`, ...) point into the buffer given to `head`; nothing is
/// copied. Beast does the tokenising; what it lets through and could be read differently by another party on
/// the way (request smuggling, RFC 9112 section 11.2) is refused here.
class RequestParser {
public:
    enum class State : std::uint8_t { more, done, failed };

    /// A part of the body and how many bytes of the input are spent with it, framing included.
    struct Piece {
        std::size_t used = 0;
        std::string_view data; ///< points into the input; empty when more input is needed or the body is over
        State state = State::more;
    };

    static constexpr std::size_t target_limit = std::size_t{8} * 1024;
    static constexpr std::size_t field_limit = 128;
    /// Bytes a chunk's size line with extensions, or the trailer section, may have.
    static constexpr std::size_t chunk_line_limit = 1024;

    RequestParser();
    ~RequestParser();

    /// Starts over for the next request, whose head may have `header_limit` bytes.
    void reset(std::size_t header_limit);

    /// Parses what of the head is there: `input` is all of it so far, at the same address as the last time
    /// unless `rebase` was called. `done` fills `request` and sets `head_size`.
    State head(std::string_view input, Request& request);

    /// The input was moved in memory after a call of `head` that wanted more.
    void rebase(std::string_view from, std::string_view to, Request& request) noexcept;

    /// After the head: the next piece of the body from `input`, which begins where the last piece ended.
    Piece body(std::string_view input);

    std::size_t head_size() const noexcept { return consumed_; }

    bool body_done() const noexcept;
    bool keep_alive() const noexcept;

    bool http11() const noexcept { return version_ == 11; }

    bool is_head() const noexcept { return is_head_; }

    bool expects_continue() const noexcept { return expects_continue_; }

    /// nullopt with chunked transfer coding; 0 without a body.
    std::optional<std::uint64_t> content_length() const noexcept;
    /// What of `content_length` has not been parsed yet; nullopt with chunked transfer coding.
    std::optional<std::uint64_t> body_left() const noexcept;

    /// The head took too long to come.
    State time_out() noexcept
    {
        return fail(core::codes::request_timeout, "The request's head took too long.");
    }

    /// There is no memory for a head that long now.
    State refuse_memory() noexcept
    {
        return fail(core::codes::unavailable, "Too many large requests are in memory. Retry later.");
    }

    /// Why the last call failed; fit for the client.
    core::Error error() const;

private:
    class Beast;

    State fail(core::ErrorCode code, char const* detail) noexcept;
    State check_progress(std::string_view input) noexcept;
    State check_head(Request& request) noexcept;
    State check_target(Request& request) noexcept;

    std::unique_ptr<Beast> beast_;
    std::size_t header_limit_ = 0;
    std::size_t consumed_ = 0;
    int version_ = 11;
    bool is_head_ = false;
    bool expects_continue_ = false;
    core::ErrorCode code_ = core::codes::bad_request;
    char const* detail_ = "";
};

} // namespace http
