#pragma once
// Private to the HTTP/2 client: the protocol of one connection, without the connection.

#include "http/h2_client.hpp"

#include <boost/intrusive/list.hpp>
#include <nghttp2/nghttp2.h>

namespace http::h2 {

/// nghttp2's client session: bytes received go in, bytes to send come out, exchanges end.
class Session {
public:
    explicit Session(std::size_t max_streams);
    ~Session();
    Session(Session const&) = delete;
    Session& operator=(Session const&) = delete;

    /// Streams that may be opened now: none before the server's SETTINGS, nor after its GOAWAY.
    std::size_t room() const noexcept;

    /// How many streams there may be at once.
    std::size_t limit() const noexcept { return limit_; }

    /// Precondition: there is room. What `headers` refer to is copied, names excepted.
    void submit(std::span<Header const> headers, Exchange& exchange, SteadyTime now);

    /// Takes what arrived, all of it. False: the connection is of no more use (`fault`).
    bool receive(std::span<char const> bytes);

    /// Appends what is to be sent, until `out` has `enough` bytes or nothing is left. False as above.
    bool produce(std::string& out, std::size_t enough);

    /// Ends as timed out what was submitted before `then`.
    void expire(SteadyTime then);

    /// Ends everything, after which only destruction is allowed.
    void abandon(End end);

    void ping();
    /// Tells the server that this is the end.
    void say_goodbye();

    bool ready() const noexcept { return ready_; } ///< the server's SETTINGS have arrived

    bool leaving() const noexcept
    {
        return leaving_;
    } ///< the server's GOAWAY has, or no stream can be opened

    bool ping_pending() const noexcept { return ping_pending_; }

    /// Both sides have said goodbye, and all streams are done.
    bool finished() const noexcept;

    std::size_t in_flight() const noexcept { return in_flight_.size(); }

    std::size_t answered() const noexcept { return answered_; }

    std::string const& fault() const noexcept { return fault_; } ///< for logs; also what a GOAWAY said

private:
    struct Callbacks;

    using Hook =
        boost::intrusive::member_hook<Exchange, boost::intrusive::list_member_hook<>, &Exchange::in_flight_>;

    void learn_settings() noexcept;
    void leave(nghttp2_goaway const& frame);
    void close(std::int32_t stream, std::uint32_t error);
    void forget(Exchange& exchange) noexcept;
    ssize_t read_body(
        std::int32_t stream, std::uint8_t* out, std::size_t size, std::uint32_t& flags) noexcept;
    Exchange* find(std::int32_t stream) const noexcept;

    nghttp2_session* session_ = nullptr;
    boost::intrusive::list<Exchange, Hook> in_flight_; ///< in the order in which they were submitted
    std::size_t const max_streams_;
    std::size_t limit_ = 0;
    std::size_t active_ = 0; ///< open streams, those whose exchange has timed out included
    std::size_t answered_ = 0;
    bool ready_ = false;
    bool leaving_ = false;
    bool ping_pending_ = false;
    std::string fault_;
};

} // namespace http::h2
