#pragma once

#include "http/buffer.hpp"
#include "http/message.hpp"
#include "http/parser.hpp"

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

namespace http {

class Shard;

using SteadyTime = std::chrono::steady_clock::time_point;
using Socket = asio::basic_stream_socket<asio::ip::tcp, asio::io_context::executor_type>;
using AutoUnlink = boost::intrusive::link_mode<boost::intrusive::auto_unlink>;

/// What a connection needs while a request is being served, and gives back before it waits for the next: a
/// few of them serve a thread's connections, and stay in the processor's cache. Internal to the server.
struct Exchange {
    explicit Exchange(std::size_t header_limit) : request(std::in_place) { parser.reset(header_limit); }

    RequestParser parser;
    std::optional<Request> request; ///< always there; an optional for its `emplace`
    ReadBuffer body;                ///< what came after the head was read
    std::string out;

    /// Forgets the request, and lets go of more memory than one ordinarily needs.
    void reset(std::size_t header_limit);
};

/// One connection: reads requests, lets the application answer them, writes the answers. Used on its shard's
/// thread only. Internal to the server.
class Session final : private BodyReader, public boost::intrusive::list_base_hook<AutoUnlink> {
public:
    /// `place`: the connection's among those of its network; kept as long as the session.
    Session(std::shared_ptr<Shard> shard, Socket socket, std::string remote_address,
        std::shared_ptr<void const> place);
    ~Session() override;

    Session(Session const&) = delete;
    Session& operator=(Session const&) = delete;

    /// Serves until the connection is over.
    asio::awaitable<void> run();

    SteadyTime deadline() const noexcept { return deadline_; }

    /// Ends the wait the session is in, as the sweep does at its deadline. Bytes that have arrived are still
    /// served.
    void expire() noexcept;

    /// Closes the connection, which is idle, unless a request has arrived.
    void evict() noexcept;

    /// Sets the end of the wait the session is in.
    void expire_at(SteadyTime time) noexcept { deadline_ = time; }

    /// Closes the connection, whatever is going on.
    void abort() noexcept;

    /// Links the session into its shard's list of idle ones while it waits for a request.
    boost::intrusive::list_member_hook<AutoUnlink> idle_hook;

private:
    enum class Next : std::uint8_t { piece, end, more };

    /// What of a response is still to be written.
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

    Unsent begin_response(Response const& response);
    bool sends_stream(Response const& response) const noexcept;
    asio::awaitable<void> write_stream(Response const& response);
    asio::awaitable<void> refuse();
    asio::awaitable<void> linger();
    void stop() noexcept;

    asio::awaitable<std::size_t> read(ReadBuffer& buffer, SteadyTime deadline);
    Unsent write_some(Unsent unsent) noexcept;
    asio::awaitable<void> write(Unsent unsent);
    int send_queue() noexcept;
    bool is_dawdling() noexcept;
    asio::awaitable<void> wait(Socket::wait_type direction, SteadyTime deadline);

    std::shared_ptr<void const> place_; ///< null: not counted
    std::shared_ptr<Shard> shard_;
    Socket socket_;
    std::string remote_address_;
    ReadBuffer
        head_; ///< the head, which the request has views of, and what came with it; no memory when long idle
    std::shared_ptr<BodyLease> head_lease_; ///< of a head that is longer than most; else null
    std::unique_ptr<Exchange> exchange_;    ///< null while idle
    SteadyTime deadline_ = SteadyTime::max();
    SteadyTime request_deadline_ = SteadyTime::max();
    std::uint64_t sent_ = 0;                       ///< of this response, to the socket
    std::chrono::steady_clock::duration waited_{}; ///< for the client to take it
    boost::system::error_code
        wait_error_;             ///< of no interest: what matters is what can be read or written after
    bool expired_ = false;       ///< the last wait ended at its deadline
    bool evicted_ = false;       ///< the connection is wanted for another client
    bool broken_ = false;        ///< nothing can be sent any more
    bool keep_ = true;           ///< another request may follow
    bool body_failed_ = false;   ///< the request's body broke off, is malformed or too slow
    bool owes_continue_ = false; ///< the client waits for 100 before it sends the body
};

} // namespace http
