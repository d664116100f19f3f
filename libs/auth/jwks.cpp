#include "auth/jwks.hpp"

#include "http_client/client.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <sys/stat.h>
#include <thread>

namespace auth {

namespace {

using Steady = std::chrono::steady_clock;
using Waiter = std::shared_ptr<asio::steady_timer>;

constexpr std::chrono::seconds retry_after_failure{5};

/// Wakes a waiter on its own executor. If the waiter has not started to wait yet, its wait will end at once.
void wake(Waiter const& waiter)
{
    asio::post(waiter->get_executor(), [waiter] { waiter->expires_at(Steady::time_point::min()); });
}

} // namespace

struct Jwks::Impl {
    Impl(Fetch f, JwksOptions o, OnFailure e) : fetch(std::move(f)), options(o), on_failure(std::move(e)) {}

    bool refetch_allowed() const { return fetching || wanted || Steady::now() >= next_demand; }

    void run(std::stop_token const& stop)
    {
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
            fetching = true;
            wanted = false;
            lock.unlock();
            bool const worked = attempt();
            lock.lock();
            fetching = false;
            if (worked) answered = Steady::now();
            wake_all();
            auto const pause =
                worked ? options.refresh
                       : std::min<std::chrono::milliseconds>(options.refresh, retry_after_failure);
            cause.wait_for(lock, stop, pause, [this] { return wanted; });
        }
        stopped = true;
        wake_all();
    }

    bool attempt()
    {
        try {
            take(fetch());
            return true;
        } catch (std::exception const& e) {
            if (on_failure) on_failure(e.what());
            return false;
        }
    }

    /// Parses and publishes a fetched document. nullopt means that the document is unchanged. If the
    /// unchanged document is not a JWK set, throws again.
    void take(std::optional<std::string> const& text)
    {
        if (!text) {
            if (!refusal.empty()) throw std::runtime_error(refusal);
            return;
        }
        try {
            publish(crypto::parse_jwk_set(*text), *text);
            refusal.clear();
        } catch (std::exception const& e) {
            refusal = std::string("the document is not a JWK set: ") + e.what();
            throw std::runtime_error(refusal);
        }
    }

    void publish(crypto::JwkSet set, std::string const& text)
    {
        std::lock_guard const lock(mutex);
        if (keys && text == document) return;
        keys = std::make_shared<crypto::JwkSet const>(std::move(set));
        document = text;
        ++generation;
    }

    void wake_all()
    {
        for (auto const& waiter : waiters)
            wake(waiter);
        waiters.clear();
    }

    /// Registers the waiter for the running or next fetch, and requests a fetch if needed. Returns false if
    /// no fetch is allowed.
    bool join(Waiter const& waiter)
    {
        std::lock_guard const lock(mutex);
        if (stopped || !refetch_allowed()) return false;
        if (!fetching && !wanted) {
            wanted = true;
            next_demand = Steady::now() + options.min_refetch;
            cause.notify_all();
        }
        waiters.push_back(waiter);
        return true;
    }

    void leave(Waiter const& waiter)
    {
        std::lock_guard const lock(mutex);
        std::erase(waiters, waiter);
    }

    /// Registers a caller of `refetch` as a waiter for the lifetime of this object.
    struct Waiting {
        Waiting(Impl& i, Waiter w) : impl(i), waiter(std::move(w)), joined(impl.join(waiter)) {}

        ~Waiting() { impl.leave(waiter); }

        Waiting(Waiting const&) = delete;
        Waiting& operator=(Waiting const&) = delete;

        Impl& impl;
        Waiter const waiter;
        bool const joined;
    };

    Fetch const fetch;
    JwksOptions const options;
    OnFailure const on_failure;
    /// Why the last document was refused; empty if it was accepted. Used only by the thread.
    std::string refusal;

    mutable std::mutex mutex;
    std::condition_variable_any cause;
    std::shared_ptr<crypto::JwkSet const> keys;
    std::string document;
    std::uint64_t generation = 0;
    bool fetching = true; // the first fetch starts at once
    bool wanted = false;
    bool stopped = false;
    Steady::time_point next_demand; // the epoch: a fetch is allowed at once
    Steady::time_point answered = Steady::now();
    std::vector<Waiter> waiters;
    std::jthread thread;
};

Jwks::Jwks(Fetch fetch, JwksOptions options, OnFailure on_failure)
    : impl_(std::make_unique<Impl>(std::move(fetch), options, std::move(on_failure)))
{
    impl_->thread = std::jthread([impl = impl_.get()](std::stop_token const& stop) { impl->run(stop); });
}

Jwks::~Jwks()
{
    stop();
}

Jwks::Snapshot Jwks::snapshot() const
{
    std::lock_guard const lock(impl_->mutex);
    return {impl_->keys, impl_->generation};
}

std::chrono::nanoseconds Jwks::age() const
{
    std::lock_guard const lock(impl_->mutex);
    return Steady::now() - impl_->answered;
}

bool Jwks::may_refetch() const
{
    std::lock_guard const lock(impl_->mutex);
    return !impl_->stopped && impl_->refetch_allowed();
}

asio::awaitable<void> Jwks::refetch()
{
    auto const executor = co_await asio::this_coro::executor;
    // Removes the waiter when the wait ends in any way, so that a destroyed caller is never woken.
    Impl::Waiting const waiting(
        *impl_, std::make_shared<asio::steady_timer>(executor, impl_->options.patience));
    if (waiting.joined) co_await waiting.waiter->async_wait(asio::as_tuple(asio::use_awaitable));
}

void Jwks::stop()
{
    impl_->thread.request_stop();
    if (impl_->thread.joinable()) impl_->thread.join();
}

Jwks::Fetch jwks_from_file(std::string path)
{
    struct Seen {
        timespec modified{};
        off_t size = -1;
        ino_t inode = 0;
    };

    return [path = std::move(path), seen = Seen{}]() mutable -> std::optional<std::string> {
        struct stat now{};
        if (::stat(path.c_str(), &now) != 0) throw std::runtime_error("the key set file cannot be read");
        bool const same = now.st_mtim.tv_sec == seen.modified.tv_sec &&
                          now.st_mtim.tv_nsec == seen.modified.tv_nsec && now.st_size == seen.size &&
                          now.st_ino == seen.inode;
        if (same) return std::nullopt;
        std::ifstream file(path, std::ios::binary);
        std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        if (!file) throw std::runtime_error("the key set file cannot be read");
        seen = {now.st_mtim, now.st_size, now.st_ino};
        return text;
    };
}

Jwks::Fetch jwks_from_url(http_client::Client& client, std::string url)
{
    return [&client, url = std::move(url)]() -> std::optional<std::string> {
        http_client::Request request;
        request.url = url;
        request.headers = {{"Accept", "application/jwk-set+json, application/json"}};
        request.timeout = std::chrono::seconds(3); // short, because callers and stop() may be waiting
        auto response = client.send(request);
        if (response.status != 200)
            throw std::runtime_error(
                "the URL of the key set responded with " + std::to_string(response.status));
        return std::move(response.body);
    };
}

JwksOptions jwks_file_options()
{
    using namespace std::chrono_literals;
    // Checking a file takes microseconds, so every unknown key id may cause a check.
    return {.refresh = 1s, .min_refetch = 0ms, .patience = 3s};
}

} // namespace auth
