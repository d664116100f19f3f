#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace testing {

/// A plain blocking TCP connection for what an HTTP client would not send: halves of requests, nonsense,
/// pipelining.
class RawConnection {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// Throws std::system_error when refused.
    explicit RawConnection(unsigned short port, std::string const& address = "127.0.0.1");
    ~RawConnection();
    RawConnection(RawConnection const&) = delete;
    RawConnection& operator=(RawConnection const&) = delete;

    /// Sends everything; throws std::system_error when the peer has closed.
    void send(std::string_view bytes);

    /// Closes our sending half: the peer reads end of file.
    void finish_sending();

    /// What arrives until the peer closes or `timeout` has passed in all.
    std::string read_to_close(Milliseconds timeout = std::chrono::seconds(30));

    /// What arrives up to and including `end` (what comes after is kept for the next read), or until the peer
    /// closes or `timeout` has passed.
    std::string read_until(std::string_view end, Milliseconds timeout = std::chrono::seconds(30));

    /// At most `size` bytes; fewer only when the peer closes or `timeout` has passed.
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
