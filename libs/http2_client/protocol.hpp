#pragma once
// Internal to the HTTP/2 client: the protocol of one connection, without I/O.

#include "http2_client/client.hpp"

#include <boost/intrusive/list.hpp>
#include <nghttp2/nghttp2.h>

namespace http2_client {

/// Wraps nghttp2's client session. `receive` takes received bytes and ends streams. `produce` returns the
/// bytes to send.
class Protocol {
public:
    explicit Protocol(std::size_t max_streams);
    ~Protocol();
    Protocol(Protocol const&) = delete;
    Protocol& operator=(Protocol const&) = delete;

    /// The number of streams that may be opened now. 0 before the server's SETTINGS and after its GOAWAY.
    std::size_t free_streams() const noexcept;

    /// The maximum number of concurrent streams.
    std::size_t limit() const noexcept { return limit_; }

    /// Precondition: `free_streams() > 0`. Copies the values of `headers`, but not their names.
    void submit(std::span<Header const> headers, Stream& stream, SteadyTime now);

    /// Processes received bytes. Returns false if the connection cannot be used any more; see `fault`.
    bool receive(std::span<char const> bytes);

    /// Appends bytes to send, until `out` has `enough` bytes or nothing is left. Returns false if the
    /// connection cannot be used any more; see `fault`.
    bool produce(std::string& out, std::size_t enough);

    /// Ends the streams that were submitted before `then`, with `StreamEnd::timeout`.
    void expire(SteadyTime then);

    /// Ends all streams with `end`. Afterwards the object may only be destroyed.
    void end_all(StreamEnd end);

    void ping();
    /// Sends GOAWAY.
    void send_goaway();

    bool ready() const noexcept { return ready_; } ///< the server's SETTINGS have arrived

    /// Whether the server's GOAWAY has arrived, or the connection can open no further stream.
    bool draining() const noexcept { return draining_; }

    bool ping_pending() const noexcept { return ping_pending_; }

    /// Whether both sides have sent GOAWAY and all streams are closed.
    bool finished() const noexcept;

    std::size_t in_flight() const noexcept { return in_flight_.size(); }

    std::size_t answered() const noexcept { return answered_; }

    /// The reason of a failure, or of the server's GOAWAY, for logs.
    std::string const& fault() const noexcept { return fault_; }

private:
    struct Callbacks;

    using Hook =
        boost::intrusive::member_hook<Stream, boost::intrusive::list_member_hook<>, &Stream::in_flight_>;

    void apply_settings() noexcept;
    void on_goaway(nghttp2_goaway const& frame);
    void close(std::int32_t stream_id, std::uint32_t error);
    void forget(Stream& stream) noexcept;
    ssize_t read_body(
        std::int32_t stream_id, std::uint8_t* out, std::size_t size, std::uint32_t& flags) noexcept;
    Stream* find(std::int32_t stream_id) const noexcept;

    nghttp2_session* session_ = nullptr;
    boost::intrusive::list<Stream, Hook> in_flight_; ///< in the order of submission
    std::size_t const max_streams_;
    std::size_t limit_ = 0;
    std::size_t active_ = 0; ///< open HTTP/2 streams, also if their Stream has timed out
    std::size_t answered_ = 0;
    bool ready_ = false;
    bool draining_ = false;
    bool ping_pending_ = false;
    std::string fault_;
};

} // namespace http2_client
