#include "mail/smtp_client.hpp"

#include "core/backoff.hpp"
#include "core/shares.hpp"
#include "crypto/random.hpp"
#include "crypto/tls_client.hpp"
#include "mail/smtp_connection.hpp"
#include "mail/smtp_queue.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace mail {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

/// A new connection pays off if this number of messages would otherwise wait for another connection.
constexpr std::size_t messages_per_connection = 4;
constexpr std::chrono::milliseconds tick = 250ms;
constexpr std::chrono::milliseconds first_backoff = 100ms, max_backoff = 5s;
/// A server may lock an account after a few refused logins.
constexpr std::chrono::milliseconds first_login_backoff = 5s, max_login_backoff = 30s;

SendResult transient(std::string reason)
{
    return {.outcome = Outcome::transient, .reason = std::move(reason)};
}

SmtpServer make_server(SmtpOptions options)
{
    auto url = parse_smtp_url(options.url.reveal());
    if (!url) throw std::invalid_argument("SMTP_URL must be an smtp:// or smtps:// URL");
    // Otherwise an attacker on the network could remove STARTTLS from the server's reply and read the login.
    options.require_tls = options.require_tls || url->has_login;
    auto tls = crypto::tls::client_context(options.ca_file);
    return {.options = std::move(options), .url = *std::move(url), .tls = std::move(tls)};
}

} // namespace

class SmtpClient::Impl {
public:
    explicit Impl(SmtpOptions options)
        : server_(make_server(std::move(options))), queued_(server_.options.max_queued, 4, 1),
          queued_bytes_(server_.options.max_queued_bytes, 4, 1), guard_(asio::make_work_guard(io_)),
          ticker_(io_), waiting_(server_.options.max_connections), thread_([this] { run(); })
    {
    }

    ~Impl()
    {
        {
            std::lock_guard const lock(mutex_);
            ending_ = true;
        }
        asio::post(io_, [this] { end(); });
        thread_.join();
    }

    Impl(Impl const&) = delete;
    Impl& operator=(Impl const&) = delete;

    void deliver(Envelope envelope, std::stop_token stop, Done done)
    {
        auto const size = envelope.message.size();
        auto const tenant = envelope.tenant;
        auto const now = Steady::now();
        auto const job = std::make_shared<SmtpJob>();
        job->envelope = std::move(envelope);
        job->stop = std::move(stop);
        job->done = std::move(done);
        job->start_by = now + server_.options.timeout / 2;
        job->deadline = now + server_.options.timeout;
        std::unique_lock lock(mutex_);
        bool const full =
            queued_.used() > 0 && (!queued_.admits(tenant) || !queued_bytes_.admits(tenant, size));
        if (ending_ || full) {
            auto const* const reason = ending_ ? "STOPPED" : "BUSY";
            lock.unlock();
            return asio::post(io_, [reason, refused = std::move(job->done)] { refused(transient(reason)); });
        }
        queued_.take(tenant);
        queued_bytes_.take(tenant, size);
        inbox_.push_back(job);
        bool const first = inbox_.size() == 1;
        lock.unlock();
        if (first) asio::post(io_, [this] { take_inbox(); });
    }

    Stats stats() const noexcept
    {
        std::lock_guard const lock(mutex_);
        return {queued_.used(), connections_};
    }

private:
    /// A connection, and the message that it sends.
    struct Session {
        explicit Session(asio::io_context& io) : timer(io) {}

        std::unique_ptr<SmtpConnection> connection;
        asio::steady_timer timer; ///< runs while there is no message
        SmtpJobPtr job;
        bool opening = true;
        bool woken = false;  ///< a message waits for it
        bool served = false; ///< the server has replied to a message
    };

    using Sessions = std::vector<std::shared_ptr<Session>>;

    void run()
    {
        for (;;) {
            try {
                io_.run();
                return;
            } catch (
                std::exception const&) { // out of memory, or a `done` that throws; other messages continue
                back_off(transient("INTERNAL"));
            }
        }
    }

    // --- the queue ---------------------------------------------------------------------------------------

    void take_inbox()
    {
        std::vector<SmtpJobPtr> jobs;
        {
            std::lock_guard const lock(mutex_);
            jobs.swap(inbox_);
        }
        for (auto const& job : jobs) {
            if (job->stop.stop_requested()) {
                finish(job, transient("STOPPED"));
                continue;
            }
            // Runs on the thread that requests the stop, also after the end of the job.
            auto on_stop = [this, weak = std::weak_ptr(job)] {
                asio::post(io_, [this, weak] {
                    if (auto const stopped = weak.lock()) stop(stopped);
                });
            };
            waiting_.push(job);
            job->on_stop.emplace(job->stop, std::move(on_stop));
        }
        grow();
    }

    void stop(SmtpJobPtr const& job)
    {
        if (job->connection != nullptr)
            job->connection->stop();
        else if (!job->ended())
            finish(job, transient("STOPPED"));
        waiting_.forget_ended();
    }

    void finish(SmtpJobPtr const& job, SendResult result)
    {
        job->connection = nullptr;
        job->on_stop.reset();
        {
            std::lock_guard const lock(mutex_);
            queued_.give_back(job->envelope.tenant);
            queued_bytes_.give_back(job->envelope.tenant, job->envelope.message.size());
        }
        job->envelope = {};
        std::exchange(job->done, nullptr)(std::move(result));
    }

    void finish_all(std::vector<SmtpJobPtr> const& jobs, SendResult const& result)
    {
        for (auto const& job : jobs)
            finish(job, result);
    }

    void keep_deadlines()
    {
        finish_all(waiting_.take_late(Steady::now()), transient("TIMEOUT: no connection was free in time"));
    }

    void next_tick()
    {
        if (ticking_ || waiting_.empty()) return;
        ticking_ = true;
        ticker_.expires_after(tick);
        ticker_.async_wait([this](boost::system::error_code cancelled) {
            ticking_ = false;
            if (cancelled) return;
            keep_deadlines();
            grow();
        });
    }

    // --- connections -------------------------------------------------------------------------------------

    std::size_t count(bool Session::* flag) const
    {
        return static_cast<std::size_t>(
            std::ranges::count_if(sessions_, [flag](auto const& session) { return (*session).*flag; }));
    }

    /// Wakes idle connections and opens new ones, as the number of waiting messages requires.
    void grow()
    {
        if (closing_ || waiting_.empty()) return;
        auto const ready = waiting_.usable();
        while (!idle_.empty() && ready > count(&Session::woken))
            wake(*idle_.back());
        auto const woken = count(&Session::woken);
        if (ready > woken && Steady::now() >= not_before_) {
            auto const backlog = waiting_.size() - woken;
            while (sessions_.size() < server_.options.max_connections &&
                   count(&Session::opening) < ready - woken &&
                   count(&Session::opening) * messages_per_connection < backlog)
                open_session();
        }
        if (sessions_.empty())
            finish_all(waiting_.take_all(), last_failure_);
        else
            next_tick();
    }

    std::unique_ptr<SmtpConnection> make_connection()
    {
        return std::make_unique<SmtpConnection>(io_.get_executor(), server_);
    }

    void open_session()
    {
        auto const session = std::make_shared<Session>(io_);
        session->connection = make_connection();
        sessions_.push_back(session);
        connections_ = sessions_.size();
        asio::co_spawn(
            io_, [this, session] { return serve(*session); },
            [this, session](std::exception_ptr const& error) {
                if (session->job) finish_sent(*session, transient("INTERNAL"));
                if (error) back_off(transient("INTERNAL")); // out of memory
                std::erase(sessions_, session);
                connections_ = sessions_.size();
                grow();
            });
    }

    asio::awaitable<void> serve(Session& session)
    {
        auto const failure = co_await session.connection->open();
        session.opening = false;
        if (failure) co_return back_off(*failure);
        failures_ = 0;
        while (session.connection->is_usable()) {
            session.job = waiting_.next();
            if (session.job) {
                co_await send(session);
            } else if (closing_ || !co_await wait_for_message(session)) {
                co_await session.connection->quit();
            }
        }
    }

    /// Sends the session's message. Replaces the connection if the server had closed it.
    asio::awaitable<void> send(Session& session)
    {
        SmtpJob& job = *session.job;
        job.connection = session.connection.get();
        auto attempt = co_await session.connection->send(job.envelope, job.deadline);
        if (attempt.stale) {
            session.connection = make_connection();
            job.connection = session.connection.get();
            session.served = false;
            auto failure = co_await session.connection->open();
            if (failure) {
                if (!job.stop.stop_requested()) back_off(*failure);
                attempt.result = *std::move(failure);
            } else {
                attempt = co_await session.connection->send(job.envelope, job.deadline);
            }
        }
        auto& result = attempt.result;
        // Without a backoff, a server that closes every new connection would be contacted in a tight loop.
        bool const unserved = result.stage == Stage::sender && !concerns_message(result);
        if (unserved && !session.served) back_off(result);
        session.served = session.served || !unserved;
        finish_sent(session, std::move(result));
    }

    /// Ends the session's message.
    void finish_sent(Session& session, SendResult result)
    {
        auto const job = std::exchange(session.job, nullptr);
        waiting_.give_back(job->envelope.tenant);
        finish(job, std::move(result));
    }

    /// Waits until a message waits for this session. Returns false after `idle_timeout`.
    asio::awaitable<bool> wait_for_message(Session& session)
    {
        idle_.push_back(&session);
        session.timer.expires_after(server_.options.idle_timeout);
        co_await session.timer.async_wait(asio::as_tuple(asio::use_awaitable));
        std::erase(idle_, &session);
        co_return std::exchange(session.woken, false);
    }

    void wake(Session& session)
    {
        session.woken = true;
        std::erase(idle_, &session);
        session.timer.cancel();
    }

    void back_off(SendResult const& failure)
    {
        if (closing_) return;
        last_failure_ = failure;
        bool const login = failure.outcome == Outcome::credential;
        not_before_ = Steady::now() + core::backoff(failures_++, login ? first_login_backoff : first_backoff,
                                          login ? max_login_backoff : max_backoff, crypto::random_u64());
    }

    void end()
    {
        closing_ = true;
        take_inbox();
        finish_all(waiting_.take_all(), transient("STOPPED"));
        for (auto const& session : sessions_) {
            if (session->opening || session->job) session->connection->stop();
        }
        while (!idle_.empty())
            wake(*idle_.back());
        ticker_.cancel();
        guard_.reset();
    }

    SmtpServer const server_;
    mutable std::mutex mutex_;
    std::vector<SmtpJobPtr> inbox_;             ///< this and the next members are guarded by the mutex
    core::Shares<core::TenantId> queued_;       ///< messages without a result
    core::Shares<core::TenantId> queued_bytes_; ///< of these messages
    bool ending_ = false;
    std::atomic<std::size_t> connections_ = 0;
    // The members below belong to the thread.
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_;
    asio::steady_timer ticker_;
    SmtpQueue waiting_;
    Sessions sessions_;
    std::vector<Session*> idle_; ///< the session that was used last is at the end
    SendResult last_failure_;
    unsigned failures_ = 0; ///< failures to open a connection, in a row
    SteadyTime not_before_{};
    bool ticking_ = false;
    bool closing_ = false;
    std::thread thread_; ///< started last
};

SmtpClient::SmtpClient(SmtpOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

SmtpClient::~SmtpClient() = default;

void SmtpClient::deliver(Envelope envelope, std::stop_token stop, Done done)
{
    impl_->deliver(std::move(envelope), std::move(stop), std::move(done));
}

Transport::Stats SmtpClient::stats() const noexcept
{
    return impl_->stats();
}

} // namespace mail
