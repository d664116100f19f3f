#include "http2_client/connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <iterator>
#include <netinet/tcp.h>
#include <tuple>

namespace http2_client {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;
using asio::ip::tcp;

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

constexpr std::size_t write_size = std::size_t{64} * 1024;
constexpr std::size_t batch = 64;        ///< requests submitted between two writes
constexpr int reads_in_a_row = 8;        ///< after so many reads, other work of the thread runs
constexpr int unsent_limit = 128 * 1024; ///< bytes in the kernel that an urgent request may have to wait for

constexpr auto silence_limit = 5s; ///< after this silence with requests in flight, a PING is sent
constexpr auto ping_timeout = 5s;
constexpr auto doubtful_after = 30s; ///< after this silence, the next request is sent with a PING
constexpr auto memory_kept = 1s;     ///< an idle connection frees its output buffer after this time

} // namespace

std::shared_ptr<Context> make_context(std::string const& ca_file)
{
    return std::make_shared<Context>(ca_file);
}

Connection::Connection(asio::any_io_executor const& executor, std::shared_ptr<Context> context,
    ClientOptions const& options, Owner& owner)
    : socket_(executor), resolver_(executor), context_(std::move(context)), options_(options), owner_(&owner),
      protocol_(options.max_streams)
{
    if (options_.tls) tls_.emplace(*context_->tls, options_.host);
}

void Connection::start()
{
    asio::co_spawn(
        socket_.get_executor(), [self = shared_from_this()] { return self->run(); },
        [self = shared_from_this()](std::exception_ptr const& error) {
            if (error) self->fail("out of memory"); // no other exception is possible
        });
}

asio::awaitable<void> Connection::run()
{
    std::string const fault = co_await establish();
    if (!fault.empty()) fail(fault);
    if (dead_) co_return;
    open_ = true;
    if (tls_) decrypt(); // bytes that came with the end of the handshake
    watch_protocol();
    pump();
    while (!dead_) {
        co_await wait(Socket::wait_read);
        if (dead_) co_return;
        read();
        watch_protocol();
        pump();
        if (!dead_ && protocol_.finished()) fail(protocol_.fault());
    }
}

asio::awaitable<std::string> Connection::establish()
{
    auto const [unresolved, endpoints] =
        co_await resolver_.async_resolve(options_.host, std::to_string(options_.port), as_result);
    if (unresolved) co_return "resolve: " + unresolved.message();
    if (std::string fault = co_await connect(endpoints); !fault.empty()) co_return fault;
    boost::system::error_code error;
    socket_.non_blocking(true, error);
    if (!error) socket_.set_option(tcp::no_delay(true), error);
    if (error) co_return "connect: " + error.message();
    // A failure is ignored, because its only effect is that urgent requests may wait longer in the kernel.
    setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_limit, sizeof unsent_limit);
    co_return tls_ ? co_await handshake() : std::string();
}

asio::awaitable<std::string> Connection::connect(tcp::resolver::results_type const& endpoints)
{
    boost::system::error_code error = asio::error::host_not_found;
    for (auto it = endpoints.begin(); it != endpoints.end() && !dead_; ++it) {
        boost::system::error_code ignored;
        socket_.close(ignored);
        bool const last = std::next(it) == endpoints.end();
        next_address_ = last ? SteadyTime::max() : Steady::now() + options_.connect_timeout / 4;
        std::tie(error) = co_await socket_.async_connect(*it, as_result);
        if (!error) break;
    }
    next_address_ = SteadyTime::max();
    co_return error ? "connect: " + error.message() : std::string();
}

asio::awaitable<std::string> Connection::handshake()
{
    for (;;) {
        auto const state = tls_->handshake();
        tls_->take_output(out_);
        while (!dead_ && write() && !out_.empty())
            co_await wait(Socket::wait_write);
        if (state == Tls::State::failed) co_return tls_->fault();
        if (dead_ || state == Tls::State::done) co_return std::string();
        co_await wait(Socket::wait_read);
        boost::system::error_code error;
        std::size_t const size = dead_ ? 0 : socket_.read_some(asio::buffer(context_->input), error);
        if (error && error != asio::error::would_block) co_return "TLS: " + error.message();
        if (size > 0) tls_->receive(std::span<char const>(context_->input.data(), size));
    }
}

// Errors are ignored: the next use of the socket reports them.
asio::awaitable<void> Connection::wait(Socket::wait_type what)
{
    co_await socket_.async_wait(what, as_result);
}

void Connection::pump()
{
    if (!open_ || writing_ || dead_) return;
    for (;;) {
        auto const now = Steady::now();
        if (protocol_.free_streams() > 0) owner_->fill(protocol_, batch, now);
        if (protocol_.in_flight() > 0) {
            bool const doubtful = now - heard_ > doubtful_after && now - used_ > doubtful_after;
            if (doubtful && !protocol_.ping_pending()) {
                protocol_.ping();
                pinged_ = now;
            }
            used_ = now;
        }
        if (!produce() || out_.empty() || !write()) return;
        if (!out_.empty()) return await_writable();
    }
}

/// Fills `out_` with the bytes that the protocol has to send. Returns false if the connection is dead.
bool Connection::produce()
{
    std::string& frames = tls_ ? context_->plain : out_;
    if (tls_) frames.clear();
    if (!protocol_.produce(frames, write_size)) {
        fail(protocol_.fault());
        return false;
    }
    if (!tls_) return true;
    if (!tls_->write(frames)) {
        fail(tls_->fault());
        return false;
    }
    tls_->take_output(out_);
    return true;
}

/// Writes as much of `out_` as the socket accepts; `out_` is empty after all bytes were written. Returns
/// false if the connection is dead.
bool Connection::write()
{
    boost::system::error_code error;
    while (sent_ < out_.size() && !error)
        sent_ += socket_.write_some(asio::buffer(out_.data() + sent_, out_.size() - sent_), error);
    if (sent_ == out_.size()) {
        out_.clear();
        sent_ = 0;
    }
    if (!error || error == asio::error::would_block) return true;
    fail("write: " + error.message());
    return false;
}

void Connection::await_writable()
{
    writing_ = true;
    // An error of the wait is ignored, because the next write reports it.
    socket_.async_wait(
        Socket::wait_write, [self = shared_from_this()](boost::system::error_code /*ignored*/) {
            self->writing_ = false;
            if (self->dead_ || !self->write()) return;
            if (self->out_.empty())
                self->pump();
            else
                self->await_writable();
        });
}

void Connection::read()
{
    for (int i = 0; i < reads_in_a_row && !dead_; ++i) {
        boost::system::error_code error;
        std::size_t const size = socket_.read_some(asio::buffer(context_->input), error);
        if (error == asio::error::would_block) return;
        if (error) {
            // If the server has sent GOAWAY, `fault` contains its reason, which is more precise.
            return fail(protocol_.fault().empty() ? "read: " + error.message() : protocol_.fault());
        }
        heard_ = Steady::now();
        if (!receive({context_->input.data(), size})) return;
        if (size < context_->input.size()) return;
    }
}

/// Returns false if the connection is dead.
bool Connection::receive(std::span<char const> bytes)
{
    if (tls_) {
        tls_->receive(bytes);
        return decrypt();
    }
    if (!protocol_.receive(bytes)) fail(protocol_.fault());
    return !dead_;
}

/// Passes decrypted data to the protocol. Returns false if the connection is dead.
bool Connection::decrypt()
{
    std::size_t size = 0;
    while (!dead_ && (size = tls_->read(context_->decrypted)) > 0) {
        if (!protocol_.receive({context_->decrypted.data(), size})) fail(protocol_.fault());
    }
    if (tls_->failed()) fail(protocol_.fault().empty() ? tls_->fault() : protocol_.fault());
    return !dead_;
}

void Connection::watch_protocol()
{
    if (dead_) return;
    bool const changed = protocol_.ready() != was_ready_ || protocol_.draining() != was_draining_;
    was_ready_ = protocol_.ready();
    was_draining_ = protocol_.draining();
    if (changed) owner_->changed(*this);
}

void Connection::tick(SteadyTime now, std::chrono::milliseconds idle_timeout)
{
    if (dead_) return;
    if (!protocol_.ready()) {
        boost::system::error_code ignored;
        if (now > next_address_) socket_.cancel(ignored);
        if (now - born_ > options_.connect_timeout) fail("the server was not ready in time");
        return;
    }
    protocol_.expire(now - options_.answer_timeout);
    bool const busy = protocol_.in_flight() > 0;
    if (busy) used_ = now;
    if (protocol_.ping_pending()) {
        if (now - pinged_ > ping_timeout) return fail("no answer to a PING");
    } else if (busy && now - heard_ > silence_limit) {
        protocol_.ping();
        pinged_ = now;
    }
    if (!busy && out_.empty() && now - used_ > memory_kept) out_ = std::string();
    if (!busy && protocol_.draining()) return fail(protocol_.fault());
    if (!busy && now - used_ > idle_timeout) return fail({});
    pump();
}

void Connection::detach()
{
    owner_ = nullptr;
    if (!dead_) close();
    protocol_.end_all(StreamEnd::lost);
}

void Connection::fail(std::string_view detail)
{
    if (dead_) return;
    std::string const reason(detail);
    announced_ = protocol_.draining() && protocol_.in_flight() == 0;
    close();
    protocol_.end_all(StreamEnd::lost);
    owner_->ended(*this, reason);
}

void Connection::close() noexcept
{
    dead_ = true;
    boost::system::error_code ignored;
    if (open_ && !writing_) {
        // Sends only as many bytes as the socket accepts without waiting.
        protocol_.send_goaway();
        std::string& frames = tls_ ? context_->plain : out_;
        frames.clear();
        protocol_.produce(frames, write_size);
        if (tls_ && tls_->write(frames)) {
            tls_->close();
            tls_->take_output(out_);
        }
        socket_.write_some(asio::buffer(out_), ignored);
    }
    resolver_.cancel();
    socket_.close(ignored);
}

} // namespace http2_client
