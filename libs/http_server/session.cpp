#include "http_server/session.hpp"

#include "http/body_budget.hpp"
#include "http/network_key.hpp"
#include "http/problem.hpp"
#include "http_server/shard.hpp"
#include "http/wire.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <linux/sockios.h>
#include <sys/ioctl.h>

namespace http {

namespace {

constexpr std::size_t first_read = std::size_t{4} * 1024;
constexpr std::size_t least_space = 1024;
constexpr std::size_t kept_memory = std::size_t{16} * 1024; ///< maximum buffer size of a spare exchange
constexpr std::size_t copied_body = std::size_t{16} * 1024; ///< a larger body is written without a copy

// After the server has closed its side, the client has this time to read the response. Then the server closes
// the connection. If the client has sent bytes that the server has not read, this close resets the
// connection.
constexpr std::chrono::milliseconds linger_silence{1'000};
constexpr std::chrono::milliseconds linger_total{5'000};
constexpr std::size_t linger_bytes = std::size_t{32} << 20;

} // namespace

void Exchange::reset(std::size_t header_limit)
{
    parser.reset(header_limit);
    auto headers = std::move(request->headers);
    headers.clear();
    request.emplace().headers = std::move(headers);
    body.clear();
    if (body.capacity() > kept_memory) body = ReadBuffer();
    out.clear();
    if (out.capacity() > 2 * copied_body) out = std::string();
}

Session::Session(std::shared_ptr<Shard> shard, Socket socket, std::string remote_address,
    std::shared_ptr<void const> place)
    : place_(std::move(place)), shard_(std::move(shard)), socket_(std::move(socket)),
      remote_address_(std::move(remote_address))
{
    shard_->add(*this);
}

Session::~Session()
{
    idle_hook.unlink();
    unlink();
    place_.reset(); // before the shard stops counting the connection
    shard_->remove();
}

void Session::expire() noexcept
{
    expired_ = true;
    deadline_ = SteadyTime::max();
    boost::system::error_code ignored;
    socket_.cancel(ignored);
}

void Session::evict() noexcept
{
    evicted_ = true;
    expire();
}

void Session::stop() noexcept
{
    keep_ = false;
    broken_ = true;
}

void Session::abort() noexcept
{
    stop();
    boost::system::error_code ignored;
    socket_.close(ignored);
}

asio::awaitable<void> Session::run()
{
    while (keep_) {
        if (head_.capacity() == 0) {
            co_await wait(Socket::wait_read, shard_->enter_idle(*this));
            leave_cold();
        } else if (head_.empty()) {
            leave_warm(co_await read_warm());
        }
        if (head_.empty()) continue;
        if (!exchange_) exchange_ = shard_->take_exchange();
        auto head = parse_head();
        if (head == RequestParser::State::more) head = co_await read_slow_head();
        if (broken_) co_return;
        if (head == RequestParser::State::failed) {
            co_await refuse();
            break;
        }

        begin_request();
        Response response;
        try {
            response = co_await shard_->application().handle(*exchange_->request);
        } catch (std::exception const&) {
            response = problem(core::Error::internal(), shard_->make_request_id());
            response.close = true;
        }

        Unsent unsent = begin_response(response);
        if (!unsent.empty()) unsent = write_some(unsent);
        if (!unsent.empty()) co_await write(unsent);
        if (sends_stream(response)) co_await write_stream(response);
        response = {}; // do not keep memory while a slow client sends the rest
        if (keep_ && !exchange_->parser.body_done()) co_await discard_rest();
        if (broken_) co_return;
        if (keep_) end_request();
    }
    co_await linger();
}

// The buffer is kept for a short time after a request, because the next request often follows at once. A read
// into the kept buffer costs less than a wait and a read.
asio::awaitable<std::size_t> Session::read_warm()
{
    auto const idle_end = shard_->enter_idle(*this);
    return read(head_, std::min(idle_end, shard_->after(std::chrono::milliseconds(0))));
}

void Session::leave_warm(std::size_t size)
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
void Session::leave_cold()
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

RequestParser::State Session::parse_head()
{
    return exchange_->parser.head(head_.data(), *exchange_->request);
}

asio::awaitable<RequestParser::State> Session::read_slow_head()
{
    auto const deadline = shard_->after(shard_->options().header_timeout);
    for (;;) {
        bool has_room = true;
        try {
            make_head_room();
        } catch (core::Error const&) {
            has_room = false;
        }
        if (!has_room) co_return exchange_->parser.refuse_memory();
        std::size_t const size = co_await read(head_, deadline);
        head_.commit(size);
        if (size > 0) {
            auto const state = parse_head();
            if (state != RequestParser::State::more) co_return state;
        } else if (!expired_) {
            stop();
        }
        if (broken_) co_return RequestParser::State::failed;
        if (expired_) co_return exchange_->parser.time_out();
    }
}

void Session::make_head_room()
{
    if (head_.space_size() >= least_space) return;
    std::string_view const before = head_.data();
    std::size_t const size = std::max(first_read, 2 * before.size());
    if (size > head_.capacity()) count_head(size);
    auto const old = head_.make_room(size);
    if (exchange_) exchange_->parser.rebase(before, head_.data(), *exchange_->request);
}

// The first buffer of a connection is not counted, because the limit of connections limits the total of these
// buffers. Memory for a longer head counts in the budget of bodies.
void Session::count_head(std::size_t size)
{
    auto* const budget = shard_->application().budget();
    if (budget == nullptr || size <= first_read) return head_lease_.reset();
    if (!head_lease_) {
        BodyBudget::Holder holder{.anonymous = true};
        boost::system::error_code not_an_address;
        auto const peer = asio::ip::make_address(remote_address_, not_an_address);
        if (!not_an_address && !shard_->options().is_exempt(peer)) {
            holder.address = network_key(peer, 32, 64);
            holder.network = network_key(peer, 24, 48);
        }
        head_lease_ = budget->lease(holder);
    }
    head_lease_->hold_body(size);
}

void Session::begin_request() noexcept
{
    Exchange& exchange = *exchange_;
    head_.consume(exchange.parser.head_size());
    exchange.request->remote_address = remote_address_;
    exchange.request->body_reader = this;
    deadline_ = SteadyTime::max();
    body_failed_ = false;
    owes_continue_ = exchange.parser.expects_continue();
    request_deadline_ = shard_->after(shard_->options().request_timeout);
}

void Session::end_request()
{
    if (!exchange_->body.empty()) {
        head_.clear();
        head_.append(exchange_->body.data());
    }
    if (!head_.empty()) {
        exchange_->reset(shard_->options().header_limit);
        return;
    }
    shard_->give_back(std::move(exchange_));
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

Session::Unsent Session::begin_response(Response const& response)
{
    Exchange& exchange = *exchange_;
    RequestParser const& parser = exchange.parser;
    auto framing = Framing::length;
    if (response.stream) framing = parser.http11() ? Framing::chunked : Framing::close;
    keep_ = parser.keep_alive() && !response.close && !shard_->draining() && framing != Framing::close &&
            !body_failed_ && (parser.body_done() || is_rest_discarded());
    auto persistence = Persistence::close;
    if (keep_) persistence = parser.http11() ? Persistence::silent : Persistence::keep_alive;

    sent_ = 0;
    waited_ = {};
    exchange.out.clear();
    append_head(exchange.out, response, framing, persistence, shard_->date_line());
    if (parser.is_head() || response.stream || is_bodiless(response.status)) return {exchange.out, {}};
    auto const body = response.content();
    if (body.size() > copied_body) return {exchange.out, body};
    exchange.out += body;
    return {exchange.out, {}};
}

bool Session::sends_stream(Response const& response) const noexcept
{
    return response.stream && !exchange_->parser.is_head() && !is_bodiless(response.status);
}

asio::awaitable<void> Session::write_stream(Response const& response)
{
    bool const chunked = exchange_->parser.http11();
    std::string& out = exchange_->out;
    while (!broken_) {
        out.clear();
        bool failed = false;
        try {
            std::string const piece = co_await response.stream();
            if (piece.empty()) break;
            if (chunked) {
                append_chunk(out, piece);
            } else {
                out = piece;
            }
        } catch (std::exception const&) {
            failed = true;
        }
        if (failed) {
            // The client must see that the response is incomplete. With chunked coding, the missing last
            // chunk shows this. In HTTP/1.0, the end of the connection is the end of the body, so only a
            // reset shows this.
            boost::system::error_code ignored;
            if (!chunked) socket_.set_option(asio::socket_base::linger(true, 0), ignored);
            abort();
            co_return;
        }
        co_await write({out, {}});
    }
    if (chunked && !broken_) co_await write({last_chunk, {}});
}

// Responds to a malformed or slow request with an error and ends the connection. The bytes after such a
// request cannot be interpreted safely.
asio::awaitable<void> Session::refuse()
{
    keep_ = false;
    core::Error const error = exchange_->parser.error();
    shard_->application().on_protocol_error(error.code().name);
    std::string const id = shard_->make_request_id();
    Response response = problem(error, id);
    response.headers.emplace_back("X-Request-Id", id);
    exchange_->out.clear();
    append_head(exchange_->out, response, Framing::length, Persistence::close, shard_->date_line());
    exchange_->out += response.body;
    co_await write({exchange_->out, {}});
}

// Closing while the client still sends would reset the connection, and the client could lose the response
// (RFC 9112, 9.6).
asio::awaitable<void> Session::linger()
{
    if (broken_) co_return;
    boost::system::error_code ec;
    socket_.shutdown(Socket::shutdown_send, ec);
    if (ec) co_return;
    exchange_.reset(); // do not keep memory while the client goes on sending
    auto const end = shard_->after(linger_total);
    for (std::size_t total = 0, size = 1; size > 0 && total < linger_bytes; total += size) {
        co_await wait(Socket::wait_read, std::min(end, shard_->after(linger_silence)));
        if (expired_ || broken_) co_return;
        size = skip_now();
    }
}

/// Reads and discards available bytes.
std::size_t Session::skip_now() noexcept
{
    std::array<char, kept_memory> scratch; // NOLINT: never read
    boost::system::error_code ec;
    std::size_t const size = socket_.read_some(asio::buffer(scratch), ec);
    // A spurious wake-up is not the end of the connection.
    return ec == asio::error::would_block || ec == asio::error::try_again ? 1 : size;
}

asio::awaitable<std::size_t> Session::read(ReadBuffer& buffer, SteadyTime deadline)
{
    expired_ = false;
    deadline_ = deadline;
    return socket_.async_read_some(asio::buffer(buffer.space(), buffer.space_size()),
        asio::redirect_error(asio::use_awaitable, wait_error_));
}

Session::Unsent Session::write_some(Unsent unsent) noexcept
{
    std::array<asio::const_buffer, 2> const buffers{asio::buffer(unsent.head), asio::buffer(unsent.body)};
    boost::system::error_code ec;
    std::size_t sent =
        unsent.body.empty() ? socket_.write_some(buffers[0], ec) : socket_.write_some(buffers, ec);
    if (ec && ec != asio::error::would_block && ec != asio::error::try_again) {
        broken_ = true;
        return {};
    }
    sent_ += sent;
    std::size_t const of_head = std::min(sent, unsent.head.size());
    sent -= of_head;
    unsent.head.remove_prefix(of_head);
    unsent.body.remove_prefix(sent);
    return unsent;
}

asio::awaitable<void> Session::write(Unsent unsent)
{
    while (!broken_) {
        unsent = write_some(unsent);
        if (unsent.empty()) co_return;
        // A socket becomes writable only when much of its send queue is free. So the size of the queue shows
        // whether a slow client still reads.
        int queued = send_queue();
        for (;;) {
            auto const begun = shard_->now();
            co_await wait(Socket::wait_write, shard_->after(shard_->options().write_timeout));
            waited_ += shard_->now() - begun;
            if (is_dawdling()) {
                broken_ = true;
                co_return;
            }
            if (!expired_) break;
            int const left = send_queue();
            if (left >= queued) {
                broken_ = true;
                co_return;
            }
            queued = left;
        }
    }
}

// Whether the client reads more slowly than `min_write_rate`. Bytes in the socket's send queue count as not
// read.
bool Session::is_dawdling() noexcept
{
    auto const& options = shard_->options();
    if (waited_ <= options.write_timeout) return false;
    auto const taken = static_cast<double>(sent_) - send_queue();
    return taken <
           static_cast<double>(options.min_write_rate) * std::chrono::duration<double>(waited_).count();
}

int Session::send_queue() noexcept
{
    int queued = 0;
    ::ioctl(socket_.native_handle(), SIOCOUTQ, &queued);
    return queued;
}

asio::awaitable<void> Session::wait(Socket::wait_type direction, SteadyTime deadline)
{
    expired_ = false;
    deadline_ = deadline;
    return socket_.async_wait(direction, asio::redirect_error(asio::use_awaitable, wait_error_));
}

} // namespace http
