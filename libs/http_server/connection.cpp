#include "http_server/connection.hpp"

#include "http/body_budget.hpp"
#include "http/network_key.hpp"
#include "http/problem.hpp"
#include "http_server/shard.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <exception>

namespace http_server {

namespace {

constexpr std::size_t first_read = std::size_t{4} * 1024;
constexpr std::size_t least_space = 1024;

// After the server has closed its side, the client has this time to read the response. Then the server closes
// the connection. If the client has sent bytes that the server has not read, this close resets the
// connection.
constexpr std::chrono::milliseconds linger_silence{1'000};
constexpr std::chrono::milliseconds linger_total{5'000};
constexpr std::size_t linger_bytes = std::size_t{32} << 20;

} // namespace

Connection::Connection(std::shared_ptr<Shard> shard, Socket socket, std::string remote_address,
    std::shared_ptr<void const> network_use)
    : network_use_(std::move(network_use)), shard_(std::move(shard)), socket_(std::move(socket)),
      remote_address_(std::move(remote_address))
{
    shard_->add(*this);
}

Connection::~Connection()
{
    idle_hook.unlink();
    unlink();
    network_use_.reset(); // before the shard stops counting the connection
    shard_->remove();
}

void Connection::expire() noexcept
{
    expired_ = true;
    deadline_ = SteadyTime::max();
    boost::system::error_code ignored;
    socket_.cancel(ignored);
}

void Connection::evict() noexcept
{
    evicted_ = true;
    expire();
}

void Connection::stop() noexcept
{
    keep_ = false;
    broken_ = true;
}

void Connection::abort() noexcept
{
    stop();
    boost::system::error_code ignored;
    socket_.close(ignored);
}

asio::awaitable<void> Connection::run()
{
    while (keep_) {
        if (head_.capacity() == 0) {
            co_await wait(Socket::wait_read, shard_->enter_idle(*this));
            leave_cold();
        } else if (head_.empty()) {
            leave_warm(co_await read_warm());
        }
        if (head_.empty()) continue;
        if (!slot_) slot_ = shard_->take_slot();
        auto head = parse_head();
        if (head == RequestParser::State::more) head = co_await read_slow_head();
        if (broken_) co_return;
        if (head == RequestParser::State::failed) {
            co_await refuse();
            break;
        }

        begin_request();
        http::Response response;
        try {
            response = co_await shard_->application().handle(*slot_->request);
        } catch (std::exception const&) {
            response = http::problem(core::Error::internal(), shard_->make_request_id());
            response.close = true;
        }

        Unsent unsent = begin_response(response);
        if (!unsent.empty()) unsent = write_some(unsent);
        if (!unsent.empty()) co_await write(unsent);
        if (sends_stream(response)) co_await write_stream(response);
        response = {}; // do not keep memory while a slow client sends the rest
        if (keep_ && !slot_->parser.body_done()) co_await discard_rest();
        if (broken_) co_return;
        if (keep_) end_request();
    }
    co_await linger();
}

// The buffer is kept for a short time after a request, because the next request often follows at once. A read
// into the kept buffer costs less than a wait and a read.
asio::awaitable<std::size_t> Connection::read_warm()
{
    auto const idle_end = shard_->enter_idle(*this);
    return read(head_, std::min(idle_end, shard_->after(std::chrono::milliseconds(0))));
}

void Connection::leave_warm(std::size_t size)
{
    idle_hook.unlink();
    shard_->leave_warm();
    head_.commit(size);
    if (size > 0) return;
    if (!expired_ || evicted_ || shard_->draining()) stop();
    head_ = ReadBuffer();
}

// The wait has ended because bytes arrived or at its deadline. In both cases, bytes that have arrived belong
// to a request, which is served.
void Connection::leave_cold()
{
    idle_hook.unlink();
    make_head_room();
    boost::system::error_code ec;
    head_.commit(socket_.read_some(asio::buffer(head_.space(), head_.space_size()), ec));
    if (!head_.empty()) return;
    // If the read would block, an earlier read has already taken the bytes, and the connection is intact.
    bool const nothing = ec == asio::error::would_block || ec == asio::error::try_again;
    if (expired_ || !nothing) stop();
    head_ = ReadBuffer();
}

RequestParser::State Connection::parse_head()
{
    return slot_->parser.head(head_.data(), *slot_->request);
}

asio::awaitable<RequestParser::State> Connection::read_slow_head()
{
    auto const deadline = shard_->after(shard_->options().header_timeout);
    for (;;) {
        bool has_room = true;
        try {
            make_head_room();
        } catch (core::Error const&) {
            has_room = false;
        }
        if (!has_room) co_return slot_->parser.refuse_memory();
        std::size_t const size = co_await read(head_, deadline);
        head_.commit(size);
        if (size > 0) {
            auto const state = parse_head();
            if (state != RequestParser::State::more) co_return state;
        } else if (!expired_) {
            stop();
        }
        if (broken_) co_return RequestParser::State::failed;
        if (expired_) co_return slot_->parser.time_out();
    }
}

void Connection::make_head_room()
{
    if (head_.space_size() >= least_space) return;
    std::string_view const before = head_.data();
    std::size_t const size = std::max(first_read, 2 * before.size());
    if (size > head_.capacity()) count_head(size);
    auto const old = head_.make_room(size);
    if (slot_) slot_->parser.rebase(before, head_.data(), *slot_->request);
}

// The first buffer of a connection is not counted, because the limit of connections limits the total of these
// buffers. Memory for a longer head counts in the budget of bodies.
void Connection::count_head(std::size_t size)
{
    auto* const budget = shard_->application().budget();
    if (budget == nullptr || size <= first_read) return head_lease_.reset();
    if (!head_lease_) {
        http::BodyBudget::Holder holder{.anonymous = true};
        boost::system::error_code not_an_address;
        auto const peer = asio::ip::make_address(remote_address_, not_an_address);
        if (!not_an_address && !shard_->options().is_exempt(peer)) {
            holder.address = http::network_key(peer, 32, 64);
            holder.network = http::network_key(peer, 24, 48);
        }
        head_lease_ = budget->lease(holder);
    }
    head_lease_->hold_body(size);
}

void Connection::begin_request() noexcept
{
    RequestSlot& slot = *slot_;
    head_.consume(slot.parser.head_size());
    slot.request->remote_address = remote_address_;
    slot.request->body_reader = this;
    deadline_ = SteadyTime::max();
    body_failed_ = false;
    owes_continue_ = slot.parser.expects_continue();
    request_deadline_ = shard_->after(shard_->options().request_timeout);
}

void Connection::end_request()
{
    if (!slot_->body.empty()) {
        head_.clear();
        head_.append(slot_->body.data());
    }
    if (!head_.empty()) {
        slot_->reset(shard_->options().header_limit);
        return;
    }
    shard_->give_back(std::move(slot_));
    head_lease_.reset(); // the memory is freed below
    if (!shard_->enter_warm()) {
        head_ = ReadBuffer();
    } else if (head_.capacity() == first_read) {
        head_.clear();
    } else {
        head_ = ReadBuffer();
        make_head_room();
    }
}

// Closing while the client still sends would reset the connection, and the client could lose the response
// (RFC 9112, 9.6).
asio::awaitable<void> Connection::linger()
{
    if (broken_) co_return;
    boost::system::error_code ec;
    socket_.shutdown(Socket::shutdown_send, ec);
    if (ec) co_return;
    slot_.reset(); // do not keep memory while the client continues to send
    auto const end = shard_->after(linger_total);
    for (std::size_t total = 0, size = 1; size > 0 && total < linger_bytes; total += size) {
        co_await wait(Socket::wait_read, std::min(end, shard_->after(linger_silence)));
        if (expired_ || broken_) co_return;
        size = skip_now();
    }
}

/// Reads and discards available bytes.
std::size_t Connection::skip_now() noexcept
{
    std::array<char, std::size_t{16} * 1024> scratch; // NOLINT: never read
    boost::system::error_code ec;
    std::size_t const size = socket_.read_some(asio::buffer(scratch), ec);
    // A spurious wake-up is not the end of the connection.
    return ec == asio::error::would_block || ec == asio::error::try_again ? 1 : size;
}

asio::awaitable<std::size_t> Connection::read(ReadBuffer& buffer, SteadyTime deadline)
{
    expired_ = false;
    deadline_ = deadline;
    return socket_.async_read_some(asio::buffer(buffer.space(), buffer.space_size()),
        asio::redirect_error(asio::use_awaitable, wait_error_));
}

asio::awaitable<void> Connection::wait(Socket::wait_type direction, SteadyTime deadline)
{
    expired_ = false;
    deadline_ = deadline;
    return socket_.async_wait(direction, asio::redirect_error(asio::use_awaitable, wait_error_));
}

} // namespace http_server
