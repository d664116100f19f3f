#include "pg/listener.hpp"

#include "core/backoff.hpp"
#include "pg/conninfo.hpp"
#include "pg/database.hpp"

#include <atomic>
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
/// A server that takes longer to connect or to answer is taken for gone.
constexpr auto patience = 5s;

/// Ends the wait for the server, and the thread.
struct Stopped {};

struct ResultDeleter {
    void operator()(PGresult* result) const { PQclear(result); }
};

} // namespace

/// libpq itself rather than libpqxx: every wait here has to end by `stop` or a deadline.
struct Listener::Impl {
    Impl(std::string const& url, std::map<std::string, std::function<void(std::string const&)>> given,
        std::function<void()> gap);
    ~Impl();

    void loop();
    void listen();
    ConnectionHandle connect() const;
    void execute(PGconn* connection, std::string const& sql);
    void deliver(PGconn* connection);
    bool wait(int socket, short events, Clock::time_point deadline) const;

    std::string const conninfo;
    std::map<std::string, std::function<void(std::string const&)>> const handlers;
    std::function<void()> const on_gap;

    int const stop_event;
    std::atomic<Clock::rep> answered =
        0; ///< when the last heartbeat that was answered was sent; 0: not listening
    std::thread thread;
};

Listener::Impl::Impl(std::string const& url,
    std::map<std::string, std::function<void(std::string const&)>> given, std::function<void()> gap)
    : conninfo(complete_conninfo(url, "listener")), handlers(std::move(given)), on_gap(std::move(gap)),
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
                // Lost, or never made: live() tells.
                if (answered.exchange(0) != 0) attempt = 0;
            }
            auto const delay = core::backoff(attempt, 100ms, 1s, std::random_device()());
            wait(-1, 0, Clock::now() + delay);
        }
    } catch (Stopped const&) {
        answered = 0;
    }
}

/// One connection's life: returns by throwing only.
void Listener::Impl::listen()
{
    ConnectionHandle const connection = connect();
    std::string channels;
    for (auto const& [channel, handler] : handlers) {
        std::unique_ptr<char, decltype(&PQfreemem)> const quoted(
            PQescapeIdentifier(connection.get(), channel.data(), channel.size()), &PQfreemem);
        if (!quoted) throw std::runtime_error(PQerrorMessage(connection.get()));
        channels += std::string("LISTEN ") + quoted.get() + ";";
    }
    execute(connection.get(), channels);
    on_gap();
    while (true) {
        auto const sent = Clock::now();
        // The answer comes after every notification that was committed before the question.
        execute(connection.get(), "SELECT 1");
        deliver(connection.get());
        answered = sent.time_since_epoch().count();
        while (wait(PQsocket(connection.get()), POLLIN, sent + heartbeat))
            deliver(connection.get());
    }
}

ConnectionHandle Listener::Impl::connect() const
{
    auto const deadline = Clock::now() + patience;
    ConnectionHandle connection(PQconnectStart(conninfo.c_str()));
    if (!connection || PQstatus(connection.get()) == CONNECTION_BAD)
        throw std::runtime_error("cannot connect");
    PQsetNoticeProcessor(connection.get(), [](void*, char const*) {}, nullptr); // they would go to stderr
    auto step = PGRES_POLLING_WRITING;
    while (step != PGRES_POLLING_OK && step != PGRES_POLLING_FAILED) {
        short const events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (!wait(PQsocket(connection.get()), events, deadline)) throw std::runtime_error("timed out");
        step = PQconnectPoll(connection.get());
    }
    if (step == PGRES_POLLING_FAILED) throw std::runtime_error("cannot connect");
    return connection;
}

void Listener::Impl::execute(PGconn* connection, std::string const& sql)
{
    auto const deadline = Clock::now() + patience;
    auto const check = [&](bool good) {
        if (!good) throw std::runtime_error(PQerrorMessage(connection));
    };
    check(PQsendQuery(connection, sql.c_str()) == 1);
    while (true) {
        while (PQisBusy(connection)) {
            if (!wait(PQsocket(connection), POLLIN, deadline)) throw std::runtime_error("timed out");
            check(PQconsumeInput(connection) == 1);
        }
        std::unique_ptr<PGresult, ResultDeleter> const result(PQgetResult(connection));
        if (!result) return;
        check(PQresultStatus(result.get()) != PGRES_FATAL_ERROR);
    }
}

void Listener::Impl::deliver(PGconn* connection)
{
    if (PQconsumeInput(connection) != 1) throw std::runtime_error(PQerrorMessage(connection));
    while (std::unique_ptr<PGnotify, decltype(&PQfreemem)> const notification{
        PQnotifies(connection), &PQfreemem}) {
        auto const handler = handlers.find(notification->relname);
        if (handler != handlers.end()) handler->second(notification->extra);
    }
}

/// Waits for the socket (or for nothing, with -1); false at the deadline. Throws Stopped.
bool Listener::Impl::wait(int socket, short events, Clock::time_point deadline) const
{
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd watched[2] = {{stop_event, POLLIN, 0}, {socket, events, 0}};
    int const ready = ::poll(watched, 2, static_cast<int>(std::max<decltype(left)>(left, 0)));
    if (watched[0].revents != 0) throw Stopped();
    return ready > 0;
}

Listener::Listener(std::string const& url,
    std::map<std::string, std::function<void(std::string const& payload)>> handlers,
    std::function<void()> on_gap)
    : impl_(std::make_unique<Impl>(url, std::move(handlers), std::move(on_gap)))
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
