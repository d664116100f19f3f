#pragma once

#include "http/message.hpp"

#include <array>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace http_server {

/// How a client recognises the end of a response (RFC 9112, 6). Internal to the server.
enum class Framing : std::uint8_t {
    length,  ///< Content-Length: a body, or a stream of known length
    chunked, ///< a stream of unknown length, to an HTTP/1.1 client
    close,   ///< a stream of unknown length to an HTTP/1.0 client, ended by closing the connection
};

/// The content of the `Connection` header.
enum class Persistence : std::uint8_t { silent, keep_alive, close };

/// The `Date` header line, formatted at most once a second. One per thread.
class DateLine {
public:
    std::string_view at(std::time_t now);

private:
    std::time_t second_ = -1;
    std::array<char, 40> line_{};
};

/// Appends the status line, the headers and the empty line after them. Control characters in the response's
/// own headers become spaces, so that a value cannot add another header (response splitting).
void append_head(std::string& out, http::Response const& response, Framing framing, Persistence persistence,
    std::string_view date);

/// Whether a response with that status never has a body (RFC 9110, 6.4.1).
bool is_bodiless(unsigned status) noexcept;

/// Appends one chunk of the chunked transfer coding. `data` must not be empty.
void append_chunk(std::string& out, std::string_view data);

inline constexpr std::string_view last_chunk = "0\r\n\r\n";

} // namespace http_server
