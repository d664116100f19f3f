#include "providers/push_sender.hpp"

#include "core/suspended.hpp"
#include "core/thread_pool.hpp"
#include "http_client/client.hpp"
#include "observe/log.hpp"
#include "providers/apns.hpp"
#include "providers/carrier_client.hpp"
#include "providers/fcm.hpp"
#include "providers/push_outbox.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <atomic>
#include <latch>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace notify {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds tick = 100ms;
/// How long an unused client is kept. An access token is valid for a shorter time.
constexpr std::chrono::minutes client_kept = 70min;
constexpr unsigned token_threads = 4;

constexpr char foreign_target[] = "the push has a device of another carrier than its credential";

/// A batch of the targets of `carrier`. Throws std::invalid_argument if there are such targets, but no
/// credential.
std::unique_ptr<PushBatch> batch_of(
    PushCredentials const& credentials, Carrier carrier, std::span<PushTarget const> targets)
{
    auto batch = std::make_unique<PushBatch>();
    batch->credential = credentials.of(carrier);
    std::ranges::copy_if(targets, std::back_inserter(batch->targets),
        [carrier](PushTarget const& target) { return target.carrier == carrier; });
    if (!batch->targets.empty() && !batch->credential)
        throw std::invalid_argument("a push has no credential");
    return batch;
}

} // namespace

class PushSender::Impl {
public:
    Impl(PushOptions options, http_client::Client& client, core::Clock const& clock, observe::Logger& logger,
        Observer observer)
        : options_(std::move(options)), client_(client), clock_(clock), logger_(logger),
          observer_(std::move(observer)), outbox_(options_.outbox, clock_, logger_),
          context_(http2_client::make_context(options_.ca_file)), guard_(asio::make_work_guard(io_)),
          timer_(io_), workers_(token_threads), thread_([this] { run(); })
    {
    }

    ~Impl()
    {
        {
            std::lock_guard const lock(mutex_);
            stopping_ = true;
        }
        stop_.request_stop();
        asio::post(io_, [this] { end(); });
        thread_.join();
    }

    Impl(Impl const&) = delete;
    Impl& operator=(Impl const&) = delete;

    void send(std::unique_ptr<PushBatch> batch)
    {
        std::size_t const count = batch->targets.size();
        bool first = false;
        std::string_view refusal;
        std::unique_ptr<PushBatch> refused;
        {
            std::lock_guard const lock(mutex_);
            if (stopping_)
                refusal = push_reasons::stopped;
            else if (queued_ + count > options_.max_queued && queued_ > 0)
                refusal = push_reasons::busy;
            if (refusal.empty()) {
                queued_ += count;
                first = inbox_.empty();
                inbox_.push_back(std::move(batch));
            } else {
                refused = std::move(batch);
            }
        }
        if (refused) {
            refused->set_all(push_result(Verdict::transient, std::string(refusal)));
            return hand_back(std::move(refused));
        }
        if (first) asio::post(io_, [this] { take_inbox(); });
    }

    void drop_devices(std::vector<std::int64_t> device_ids)
    {
        asio::post(io_, [this, ids = std::move(device_ids)] { dropped_.add(ids, Steady::now()); });
    }

    Stats stats() const noexcept { return {queued_, connections_}; }

private:
    void run()
    {
        for (;;) {
            try {
                io_.run();
                return;
            } catch (std::exception const& error) { // other pushes continue
                logger_.error("a task of the push thread failed", {{"detail", error.what()}});
            }
        }
    }

    void hand_back(std::unique_ptr<PushBatch> batch) const
    {
        if (observer_) observer_(*batch);
        auto const done = std::move(batch->done);
        done(std::move(batch));
    }

    void finished(std::unique_ptr<PushBatch> batch)
    {
        queued_ -= batch->targets.size();
        hand_back(std::move(batch));
    }

    void take_inbox()
    {
        std::vector<std::unique_ptr<PushBatch>> batches;
        {
            std::lock_guard const lock(mutex_);
            batches.swap(inbox_);
        }
        for (auto& batch : batches)
            take(std::move(batch));
        if (!ticking_) next_tick();
    }

    void take(std::unique_ptr<PushBatch> batch)
    {
        if (!options_.outbox.empty()) {
            outbox_.deliver(*batch);
            return finished(std::move(batch));
        }
        auto known = clients_.find(batch->credential->fingerprint());
        if (known == clients_.end() && !make_room()) {
            batch->set_all(push_result(Verdict::transient, std::string(push_reasons::busy)));
            return finished(std::move(batch));
        }
        try {
            if (known == clients_.end())
                known =
                    clients_.emplace(batch->credential->fingerprint(), make_client(batch->credential)).first;
        } catch (std::exception const& error) { // an invalid base URL
            logger_.error("cannot set up the connection to a push carrier", {{"detail", error.what()}});
            batch->set_all(push_result(Verdict::transient, std::string(push_reasons::connect)));
            return finished(std::move(batch));
        }
        known->second->add(std::move(batch));
    }

    using Clients = std::map<crypto::Digest, std::shared_ptr<CarrierClient>>;

    /// Makes room for one more client by removing the idle client that was used longest ago. Returns false
    /// if no client is idle.
    bool make_room()
    {
        if (clients_.size() < options_.max_clients) return true;
        auto longest = clients_.end();
        for (auto it = clients_.begin(); it != clients_.end(); ++it) {
            if (!it->second->idle()) continue;
            if (longest == clients_.end() || it->second->used() < longest->second->used()) longest = it;
        }
        if (longest == clients_.end()) return false;
        clients_.erase(longest);
        return true;
    }

    std::shared_ptr<CarrierClient> make_client(Credential::Ptr const& credential)
    {
        auto const holder = std::make_shared<std::weak_ptr<CarrierClient>>();
        auto const changed = [holder] {
            if (auto const client = holder->lock()) client->authorization_changed();
        };
        auto client = std::make_shared<CarrierClient>(make_protocol(credential, changed),
            CarrierClient::Deps{io_.get_executor(), context_, options_, clock_, logger_, dropped_},
            [this](std::unique_ptr<PushBatch> batch) { finished(std::move(batch)); });
        *holder = client;
        return client;
    }

    std::shared_ptr<CarrierProtocol> make_protocol(
        Credential::Ptr const& credential, std::function<void()> changed)
    {
        if (credential->carrier() == Carrier::apns)
            return std::make_shared<apns::Protocol>(credential, options_, clock_);
        return std::make_shared<fcm::Protocol>(credential, options_,
            fcm::ProtocolDeps{client_, clock_, workers_, io_.get_executor(), stop_.get_token()},
            std::move(changed));
    }

    void next_tick()
    {
        ticking_ = !clients_.empty();
        if (!ticking_) return;
        timer_.expires_after(tick);
        timer_.async_wait([this](boost::system::error_code error) {
            if (error) return;
            next_tick(); // first, so that an exception below cannot stop the ticks
            keep_deadlines();
        });
    }

    void keep_deadlines()
    {
        auto const now = Steady::now();
        std::size_t connections = 0;
        for (auto const& [fingerprint, client] : clients_) {
            client->tick(now);
            connections += client->connections();
        }
        connections_ = connections;
        dropped_.forget_old(now);
        std::erase_if(
            clients_, [now](auto const& entry) { return now - entry.second->used() > client_kept; });
    }

    void end()
    {
        take_inbox();
        clients_.clear();
        timer_.cancel();
        guard_.reset();
    }

    PushOptions const options_;
    http_client::Client& client_;
    core::Clock const& clock_;
    observe::Logger& logger_;
    Observer const observer_;
    PushOutbox const outbox_;
    std::shared_ptr<http2_client::Context> const context_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<PushBatch>> inbox_;
    std::atomic<std::size_t> queued_ = 0; ///< increased only under the mutex
    std::atomic<std::size_t> connections_ = 0;
    bool stopping_ = false;
    bool ticking_ = false;
    std::stop_source stop_;
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_;
    asio::steady_timer timer_;
    DroppedDevices dropped_;
    Clients clients_;
    core::ThreadPool workers_; ///< destroyed before the members that its work posts to
    std::thread thread_;
};

PushSender::PushSender(PushOptions options, http_client::Client& client, core::Clock const& clock,
    observe::Logger& logger, Observer observer)
    : impl_(std::make_unique<Impl>(std::move(options), client, clock, logger, std::move(observer)))
{
}

PushSender::~PushSender() = default;

void PushSender::send(std::unique_ptr<PushBatch> batch)
{
    bool const matches = std::ranges::all_of(batch->targets,
        [&](PushTarget const& target) { return target.carrier == batch->credential->carrier(); });
    if (!matches) throw std::invalid_argument(foreign_target);
    impl_->send(std::move(batch));
}

std::vector<PushResult> PushSender::send_all(PushCredentials const& credentials, SharedPush const& push,
    std::span<PushTarget const> targets, std::chrono::milliseconds send_timeout, std::stop_token const& stop)
{
    std::array<std::vector<PushResult>, core::names_of<Carrier>.size()> results;
    std::array batches{
        batch_of(credentials, Carrier::fcm, targets), batch_of(credentials, Carrier::apns, targets)};
    std::latch left(batches.size());
    for (std::size_t carrier = 0; carrier < batches.size(); ++carrier) {
        auto& batch = batches[carrier];
        batch->push = push;
        batch->deadline = Steady::now() + send_timeout;
        batch->stop = stop;
        batch->done = [&left, &mine = results[carrier]](std::unique_ptr<PushBatch> done) {
            mine = std::move(done->results);
            left.count_down();
        };
        if (batch->targets.empty())
            left.count_down();
        else
            impl_->send(std::move(batch));
    }
    left.wait();
    std::vector<PushResult> all;
    all.reserve(targets.size());
    std::array<std::size_t, core::names_of<Carrier>.size()> next{};
    for (PushTarget const& target : targets) {
        auto const carrier = static_cast<std::size_t>(target.carrier);
        all.push_back(std::move(results[carrier][next[carrier]++]));
    }
    return all;
}

asio::awaitable<PushResult> PushSender::send_one(
    Credential::Ptr credential, SharedPush push, PushTarget target, std::chrono::milliseconds send_timeout)
{
    if (target.carrier != credential->carrier()) throw std::invalid_argument(foreign_target);
    auto batch = std::make_unique<PushBatch>();
    batch->credential = std::move(credential);
    batch->push = std::move(push);
    batch->targets.push_back(std::move(target));
    batch->deadline = Steady::now() + send_timeout;
    PushResult result;
    co_await core::suspend([&](core::Suspended caller) {
        // Shared, because std::function needs a copyable callable.
        auto const waiting = std::make_shared<core::Suspended>(std::move(caller));
        batch->done = [&result, waiting](std::unique_ptr<PushBatch> done) {
            result = std::move(done->results.front());
            core::Suspended::resume(std::move(*waiting));
        };
        impl_->send(std::move(batch));
    });
    co_return result;
}

void PushSender::drop_devices(std::vector<std::int64_t> device_ids)
{
    impl_->drop_devices(std::move(device_ids));
}

PushSender::Stats PushSender::stats() const noexcept
{
    return impl_->stats();
}

} // namespace notify
