#pragma once

#include "http/message.hpp"
#include "http_server/read_buffer.hpp"
#include "http_server/request_parser.hpp"
#include "http_server/request_slot.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/intrusive/list.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace http_server {

namespace asio = boost::asio;

class Shard;

using SteadyTime = std::chrono::steady_clock::time_point;
using Socket = asio::basic_stream_socket<asio::ip::tcp, asio::io_context::executor_type>;
using AutoUnlink = boost::intrusive::link_mode<boost::intrusive::auto_unlink>;

/// One connection: reads requests, passes them to the application, writes responses. Used on its shard's
/// thread only. Internal to the server.
class Connection final : private http::BodyReader, public boost::intrusive::list_base_hook<AutoUnlink> {
public:
    /// `network_use` (from core::KeyedLimiter) counts the connection towards the limit of its network for the
    /// lifetime of the connection. If null, the connection is not counted.
    Connection(std::shared_ptr<Shard> shard, Socket socket, std::string remote_address,
        std::shared_ptr<void const> network_use);
    ~Connection() override;

    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;

    /// Serves requests until the connection ends.
    asio::awaitable<void> run();

    SteadyTime deadline() const noexcept { return deadline_; }

    /// Ends the current wait, as the sweep does at the deadline. Bytes that have arrived are still processed.
    void expire() noexcept;

    /// Closes an idle connection, unless bytes of a request have arrived.
    void evict() noexcept;

    /// Sets the deadline of the current wait.
    void expire_at(SteadyTime time) noexcept { deadline_ = time; }

    /// Closes the connection in any state.
    void abort() noexcept;

    /// Links the connection into its shard's list of idle connections while the connection waits for a
    /// request.
    boost::intrusive::list_member_hook<AutoUnlink> idle_hook;

private:
    enum class Next : std::uint8_t { piece, end, more };

    /// The part of a response that is not written yet.
    struct Unsent {
        std::string_view head;
        std::string_view body;

        bool empty() const noexcept { return head.empty() && body.empty(); }
    };

    std::optional<std::uint64_t> length() const override;
    asio::awaitable<void> read_all(std::string& out, std::size_t limit) override;
    asio::awaitable<std::string_view> read_some() override;

    Next take_piece(std::string_view& piece);
    void append_body(std::string& out, std::string_view piece);
    asio::awaitable<void> fill_body(SteadyTime deadline);
    void make_body_room();
    std::size_t read_body_now(boost::system::error_code& ec);
    std::size_t skip_now() noexcept;
    bool is_rest_discarded() const noexcept;
    asio::awaitable<void> discard_rest();

    asio::awaitable<std::size_t> read_warm();
    void leave_warm(std::size_t size);
    void leave_cold();
    RequestParser::State parse_head();
    asio::awaitable<RequestParser::State> read_slow_head();
    void make_head_room();
    void count_head(std::size_t size);
    void begin_request() noexcept;
    void end_request();

    Unsent begin_response(http::Response const& response);
    bool sends_stream(http::Response const& response) const noexcept;
    asio::awaitable<void> write_stream(http::Response const& response);
    asio::awaitable<void> refuse();
    asio::awaitable<void> linger();
    void stop() noexcept;

    asio::awaitable<std::size_t> read(ReadBuffer& buffer, SteadyTime deadline);
    Unsent write_some(Unsent unsent) noexcept;
    asio::awaitable<void> write(Unsent unsent);
    int send_queue() noexcept;
    bool is_too_slow() noexcept;
    asio::awaitable<void> wait(Socket::wait_type direction, SteadyTime deadline);

    std::shared_ptr<void const> network_use_; ///< null: the connection is not counted
    std::shared_ptr<Shard> shard_;
    Socket socket_;
    std::string remote_address_;
    /// The head, into which the request has views, and the bytes received together with the head. Holds no
    /// memory while the connection is idle for long.
    ReadBuffer head_;
    std::shared_ptr<http::BodyLease> head_lease_; ///< counts the memory of a long head; null for other heads
    std::unique_ptr<RequestSlot> slot_;           ///< null while idle
    SteadyTime deadline_ = SteadyTime::max();
    SteadyTime request_deadline_ = SteadyTime::max();
    std::uint64_t sent_ = 0;                       ///< bytes of this response passed to the socket
    std::chrono::steady_clock::duration waited_{}; ///< time spent waiting for the client to take the response
    boost::system::error_code wait_error_; ///< ignored, because the next read or write reports the error
    bool expired_ = false;                 ///< the last wait ended at its deadline
    bool evicted_ = false;                 ///< closed to make room for another client
    bool broken_ = false;                  ///< nothing can be sent any more
    bool keep_ = true;                     ///< another request may follow
    bool body_failed_ = false;             ///< the request's body is incomplete, malformed or too slow
    bool owes_continue_ = false;           ///< the client waits for 100 Continue before it sends the body
};

} // namespace http_server
