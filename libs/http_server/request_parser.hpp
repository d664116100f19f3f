#pragma once

#include "core/error.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace http_server {

/// Parses requests from a connection's buffer, one after another (RFC 9112). Internal to the server.
///
/// The views (`Request::headers`, `target`, ...) point into the buffer that was passed to `head`. Beast
/// tokenises; this class refuses requests that Beast accepts but that another server or proxy could interpret
/// differently (request smuggling, RFC 9112, section 11.2).
class RequestParser {
public:
    enum class State : std::uint8_t { more, done, failed };

    /// A piece of the body, and the number of input bytes consumed for it, including framing.
    struct Piece {
        std::size_t used = 0;
        std::string_view data; ///< points into the input; empty if more input is needed or the body has ended
        State state = State::more;
    };

    static constexpr std::size_t target_limit = std::size_t{8} * 1024;
    static constexpr std::size_t field_limit = 128;
    /// The maximum size in bytes of a chunk's size line with extensions, and of the trailer section.
    static constexpr std::size_t chunk_line_limit = 1024;

    RequestParser();
    ~RequestParser();

    /// Prepares for the next request, whose head may have at most `header_limit` bytes.
    void reset(std::size_t header_limit);

    /// Parses the head as far as it has arrived. `input` is the whole input so far, at the same address as in
    /// the last call unless `rebase` was called. `done` means that `request` is filled and `head_size` is
    /// set.
    State head(std::string_view input, http::Request& request);

    /// Adjusts views after the input was moved in memory, after a call of `head` that returned `more`.
    void rebase(std::string_view from, std::string_view to, http::Request& request) noexcept;

    /// After the head: returns the next piece of the body. `input` starts where the last piece ended.
    Piece body(std::string_view input);

    std::size_t head_size() const noexcept { return consumed_; }

    bool body_done() const noexcept;
    bool keep_alive() const noexcept;

    bool http11() const noexcept { return version_ == 11; }

    bool is_head() const noexcept { return is_head_; }

    bool expects_continue() const noexcept { return expects_continue_; }

    /// The declared length of the body; nullopt with chunked transfer coding; 0 if the request has no body.
    std::optional<std::uint64_t> content_length() const noexcept;
    /// The part of `content_length` that is not parsed yet; nullopt with chunked transfer coding.
    std::optional<std::uint64_t> body_left() const noexcept;

    /// Fails the request because its head took too long.
    State time_out() noexcept
    {
        return fail(
            core::codes::request_timeout, "The request head was not complete in time. Send it faster.");
    }

    /// Fails the request because the budget has no memory for its long head now.
    State refuse_memory() noexcept
    {
        return fail(core::codes::unavailable, "Too many requests with long header sections are in memory. "
                                              "Retry later, or send fewer header fields.");
    }

    /// The reason why the last call failed, as an error for the client.
    core::Error error() const;

private:
    class Beast;

    State fail(core::ErrorCode code, char const* detail) noexcept;
    State check_progress(std::string_view input) noexcept;
    State check_head(http::Request& request) noexcept;
    State check_target(http::Request& request) noexcept;

    std::unique_ptr<Beast> beast_;
    std::size_t header_limit_ = 0;
    std::size_t consumed_ = 0;
    int version_ = 11;
    bool is_head_ = false;
    bool expects_continue_ = false;
    core::ErrorCode code_ = core::codes::bad_request;
    char const* detail_ = "";
};

} // namespace http_server
