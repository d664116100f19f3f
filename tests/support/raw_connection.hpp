#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace testing {

/// A plain blocking TCP connection for bytes that an HTTP client would not send: partial requests, invalid
/// requests, pipelining.
class RawConnection {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// Throws std::system_error if the connection is refused.
    explicit RawConnection(unsigned short port, std::string const& address = "127.0.0.1");
    ~RawConnection();
    RawConnection(RawConnection const&) = delete;
    RawConnection& operator=(RawConnection const&) = delete;

    /// Sends all bytes. Throws std::system_error if the peer has closed the connection.
    void send(std::string_view bytes);

    /// Reads until the peer closes the connection or `timeout` has passed since the call.
    std::string read_to_close(Milliseconds timeout = std::chrono::seconds(30));

    /// Reads up to and including `end`, or until the peer closes or `timeout` has passed. Bytes after `end`
    /// are kept for the next read.
    std::string read_until(std::string_view end, Milliseconds timeout = std::chrono::seconds(30));

    /// Reads exactly `size` bytes; fewer only when the peer closes or `timeout` has passed.
    std::string read(std::size_t size, Milliseconds timeout = std::chrono::seconds(30));

    /// Whether the peer closed (or reset) the connection, as seen by the reads so far.
    bool closed() const noexcept { return closed_; }

private:
    bool fill(std::chrono::steady_clock::time_point deadline);
    std::string take(std::size_t size);

    int socket_ = -1;
    bool closed_ = false;
    std::string buffer_;
};

} // namespace testing
