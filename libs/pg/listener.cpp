#include "pg/listener.hpp"

#include "core/backoff.hpp"
#include "pg/conninfo.hpp"
#include "pg/wire.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <libpq-fe.h>
#include <poll.h>
#include <random>
#include <stdexcept>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace pg {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto heartbeat = 300ms;
constexpr auto trusted_for = 900ms;
/// If the server takes longer to answer, it counts as silent. Even a server under load answers a heartbeat in
/// milliseconds.
constexpr auto silence_limit = 2s;
/// If the server takes longer to answer, the connection is replaced.
constexpr auto answer_timeout = 5s;

/// Thrown to end the wait for the server, and then the thread.
struct Stopped {};

/// For the listener's own connection, which must continue while the Database counts the server as silent.
constinit std::atomic<bool> const never_silent = false;
constexpr WireOptions wire_options{
    .prepares = false, .silence_limit = answer_timeout, .server_silent = never_silent};

} // namespace

struct Listener::Impl {
    Impl(std::string const& url, ListenerHandlers given);
    ~Impl();

    void loop();
    void listen();
    void execute(Wire& wire, std::span<Statement const> statements);
    void wait_for_answer(Wire const& wire, Wire::Need need, Clock::time_point sent);
    void deliver(Wire const& wire);
    void set_silent(bool now);
    bool wait(int socket, short events, Clock::time_point deadline) const;

    std::string const conninfo;
    ListenerHandlers const handlers;

    int const stop_event;
    bool silent = false;
    /// When the last answered heartbeat was sent. 0 if no heartbeat of the current connection has been
    /// answered.
    std::atomic<Clock::rep> answered = 0;
    std::thread thread;
};

Listener::Impl::Impl(std::string const& url, ListenerHandlers given)
    : conninfo(complete_conninfo(url, "listener")), handlers(std::move(given)),
      stop_event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    if (stop_event < 0) throw std::runtime_error("eventfd failed");
    thread = std::thread([this] { loop(); });
}

Listener::Impl::~Impl()
{
    ::close(stop_event);
}

void Listener::Impl::loop()
{
    try {
        for (unsigned attempt = 0;; ++attempt) {
            try {
                listen();
            } catch (std::exception const&) {
                // The connection was lost or never made. `live()` is false until the next one answers.
                if (answered.exchange(0) != 0) attempt = 0;
            }
            // If the server refuses this connection, it is not silent. The other connections find and report
            // this failure themselves.
            if (silent && PQping(conninfo.c_str()) != PQPING_NO_RESPONSE) set_silent(false);
            auto const delay = core::backoff(attempt, 100ms, 1s, std::random_device()());
            wait(-1, 0, Clock::now() + delay);
        }
    } catch (Stopped const&) {
        answered = 0;
        set_silent(false); // no heartbeat follows that could end the silence
    }
}

/// Serves one connection. Returns only by throwing.
void Listener::Impl::listen()
{
    Wire wire(connect(conninfo), wire_options);
    for (auto const& [channel, handler] : handlers.channels) {
        std::unique_ptr<char, decltype(&PQfreemem)> const quoted(
            PQescapeIdentifier(wire.connection(), channel.data(), channel.size()), &PQfreemem);
        if (!quoted) throw std::runtime_error(PQerrorMessage(wire.connection()));
        std::string const sql = std::string("LISTEN ") + quoted.get();
        Statement const statement{sql};
        execute(wire, {&statement, 1});
    }
    set_silent(false);
    handlers.on_gap();
    while (true) {
        auto const sent = Clock::now();
        // The server sends this answer after every notification that was committed before the heartbeat.
        Statement const question{"SELECT 1"};
        execute(wire, {&question, 1});
        deliver(wire);
        answered = sent.time_since_epoch().count();
        while (wait(wire.socket(), POLLIN, sent + heartbeat))
            deliver(wire);
    }
}

void Listener::Impl::execute(Wire& wire, std::span<Statement const> statements)
{
    auto const sent = Clock::now();
    for (auto need = wire.send(statements); need != Wire::Need::nothing; need = wire.advance())
        wait_for_answer(wire, need, sent);
    wire.take();
    set_silent(false);
}

void Listener::Impl::wait_for_answer(Wire const& wire, Wire::Need need, Clock::time_point sent)
{
    short const events = need == Wire::Need::read ? POLLIN : POLLIN | POLLOUT;
    if (!silent) {
        if (wait(wire.socket(), events, sent + silence_limit)) return;
        set_silent(true);
    }
    if (!wait(wire.socket(), events, sent + answer_timeout)) throw std::runtime_error("timed out");
}

void Listener::Impl::set_silent(bool now)
{
    if (std::exchange(silent, now) != now) handlers.on_silence(now);
}

void Listener::Impl::deliver(Wire const& wire)
{
    if (!read_all(wire.connection())) throw std::runtime_error(PQerrorMessage(wire.connection()));
    while (std::unique_ptr<PGnotify, decltype(&PQfreemem)> const notification{
        PQnotifies(wire.connection()), &PQfreemem}) {
        auto const handler = handlers.channels.find(notification->relname);
        if (handler != handlers.channels.end()) handler->second(notification->extra);
    }
}

/// Waits until `socket` is ready, or only for the deadline if `socket` is -1. Returns false at the deadline.
/// Throws Stopped after `stop`.
bool Listener::Impl::wait(int socket, short events, Clock::time_point deadline) const
{
    pollfd watched[2] = {{stop_event, POLLIN, 0}, {socket, events, 0}};
    for (;;) {
        auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        int const ready = ::poll(watched, 2, static_cast<int>(std::max<decltype(left)>(left, 0)));
        if (ready < 0 && errno == EINTR) continue;
        if (watched[0].revents != 0) throw Stopped();
        return ready > 0;
    }
}

Listener::Listener(std::string const& url, ListenerHandlers handlers)
    : impl_(std::make_unique<Impl>(url, std::move(handlers)))
{
}

Listener::~Listener()
{
    stop();
}

bool Listener::live() const noexcept
{
    auto const answered = impl_->answered.load();
    return answered != 0 && Clock::now() - Clock::time_point(Clock::duration(answered)) <= trusted_for;
}

void Listener::stop()
{
    if (!impl_->thread.joinable()) return;
    ::eventfd_write(impl_->stop_event, 1);
    impl_->thread.join();
}

} // namespace pg
