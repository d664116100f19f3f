#include "providers/push_sender.hpp"

#include "core/suspended.hpp"
#include "core/thread_pool.hpp"
#include "http_client/client.hpp"
#include "observe/log.hpp"
#include "providers/apns.hpp"
#include "providers/carrier_client.hpp"
#include "providers/fcm.hpp"
#include "providers/push_outbox.hpp"
#include "providers/web_push_client.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <atomic>
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

} // namespace

class PushSender::Impl {
public:
    Impl(PushOptions options, http_client::Client& client, PushQuota* quota, core::Clock const& clock,
        observe::Logger& logger, PushObservers observers)
        : options_(std::move(options)), client_(client), quota_(quota), clock_(clock), logger_(logger),
          observer_(std::move(observers.finished)), outbox_(options_.outbox, clock_, logger_),
          breakers_(clock_,
              [this, told = std::move(observers.breaker)](
                  Carrier carrier, std::string_view origin, bool open) {
                  log_breaker(carrier, origin, open);
                  if (told) told(carrier, origin, open);
              }),
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

    std::chrono::microseconds least_latency(Carrier carrier) const noexcept
    {
        return latencies_[static_cast<std::size_t>(carrier)].get();
    }

    std::vector<Breakers::Open> open_breakers() const { return breakers_.all_open(); }

    CarrierStatus status_of(Credential const& credential, core::ScopeId scope_id) const
    {
        if (credential.carrier() == Carrier::webpush) return web_push_status(scope_id);
        auto const now = Steady::now();
        auto const wait = [now](Steady::time_point until) {
            return std::max(0ms, std::chrono::ceil<std::chrono::milliseconds>(until - now));
        };
        auto const origin = origin_of(credential);
        auto open = breakers_.find_open(credential.carrier(), origin);
        if (!open) open = breakers_.find_open(credential.carrier(), origin, credential.fingerprint());
        if (open) return {CarrierStatus::State::down, open->since, wait(open->next_probe)};
        std::lock_guard const lock(mutex_);
        auto const it = throttled_.find(credential.fingerprint());
        if (it == throttled_.end()) return {};
        return {CarrierStatus::State::throttled, it->second.since, wait(it->second.until)};
    }

    asio::awaitable<CarrierStatus> find_status(core::ScopeId scope_id, Credential::Ptr credential) const
    {
        auto const known = status_of(*credential, scope_id);
        bool const is_paced = quota_ != nullptr && credential->carrier() == Carrier::fcm;
        if (known.state != CarrierStatus::State::ok || !is_paced) co_return known;
        auto const hold = co_await quota_->find_hold(core::tenant_of(scope_id), credential->fcm().project_id);
        if (!hold) co_return known;
        co_return CarrierStatus{CarrierStatus::State::throttled, hold->since, hold->left};
    }

private:
    /// Web Push has many origins. It is down if one of them is down for all scopes or for this scope, but
    /// pushes to the others may be sent.
    CarrierStatus web_push_status(core::ScopeId scope_id) const
    {
        CarrierStatus status;
        auto const own = Breakers::sender_of(scope_id);
        for (auto const& open : breakers_.all_open()) {
            if (open.carrier != Carrier::webpush || !open.has_answered) continue;
            if (open.sender != Breakers::everyone && open.sender != own) continue;
            status.state = CarrierStatus::State::down;
            status.since = std::min(status.since.value_or(open.since), open.since);
        }
        return status;
    }

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

    void log_breaker(Carrier carrier, std::string_view origin, bool open)
    {
        if (open)
            logger_.warn("a push carrier is down; its pushes wait",
                {{"platform", to_string(carrier)}, {"origin", origin}});
        else
            logger_.info(
                "a push carrier works again", {{"platform", to_string(carrier)}, {"origin", origin}});
    }

    /// The server to which all pushes of the credential are sent; empty for Web Push.
    std::string origin_of(Credential const& credential) const
    {
        if (credential.carrier() == Carrier::webpush) return {};
        bool const is_fcm = credential.carrier() == Carrier::fcm;
        auto const url =
            BaseUrl::parse(is_fcm ? options_.fcm_base_url : apns::base_url_for(credential.apns(), options_));
        return url.origin();
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
                known = clients_.emplace(batch->credential->fingerprint(), make_client(*batch)).first;
        } catch (std::exception const& error) { // an invalid base URL
            logger_.error("cannot set up the connection to a push carrier", {{"detail", error.what()}});
            batch->set_all(push_result(Verdict::transient, std::string(push_reasons::connect)));
            return finished(std::move(batch));
        }
        known->second->add(std::move(batch));
    }

    struct Throttled {
        core::Time since;
        Steady::time_point until{};
    };

    using Clients = std::map<crypto::Digest, std::shared_ptr<CarrierSender>>;

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

    std::shared_ptr<CarrierSender> make_client(PushBatch const& batch)
    {
        auto const& credential = batch.credential;
        if (credential->carrier() == Carrier::webpush)
            return make_web_client(credential, batch.push->scope.id);
        auto const holder = std::make_shared<std::weak_ptr<CarrierClient>>();
        auto const changed = [holder] {
            if (auto const client = holder->lock()) client->authorization_changed();
        };
        auto client = std::make_shared<CarrierClient>(make_protocol(credential, changed), *credential,
            core::tenant_of(batch.push->scope.id),
            CarrierClient::Deps{io_.get_executor(), context_, options_, clock_, logger_, dropped_, breakers_,
                latencies_[static_cast<std::size_t>(credential->carrier())],
                credential->carrier() == Carrier::fcm ? quota_ : nullptr},
            [this](std::unique_ptr<PushBatch> finished_batch) { finished(std::move(finished_batch)); });
        *holder = client;
        return client;
    }

    std::shared_ptr<CarrierSender> make_web_client(Credential::Ptr const& credential, core::ScopeId scope_id)
    {
        if (!web_client_)
            web_client_ = std::make_unique<http_client::AsyncClient>(
                http_client::ClientOptions{.addresses = http_client::AddressPolicy(options_.allow_private),
                    .ca_file = options_.ca_file});
        return std::make_shared<WebPushClient>(credential, scope_id,
            WebPushClient::Deps{
                io_.get_executor(), *web_client_, options_, clock_, logger_, dropped_, breakers_, web_load_},
            [this](std::unique_ptr<PushBatch> finished_batch) { finished(std::move(finished_batch)); });
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
        note_throttled();
        breakers_.forget_idle();
        dropped_.forget_old(now);
        std::erase_if(
            clients_, [now](auto const& entry) { return now - entry.second->used() > client_kept; });
    }

    /// Publishes which credentials are throttled, and since when.
    void note_throttled()
    {
        std::lock_guard const lock(mutex_);
        for (auto const& [fingerprint, client] : clients_) {
            auto const until = client->held_until();
            if (until)
                throttled_.try_emplace(fingerprint, Throttled{clock_.now(), {}}).first->second.until = *until;
            else
                throttled_.erase(fingerprint);
        }
        std::erase_if(throttled_, [this](auto const& entry) { return !clients_.contains(entry.first); });
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
    PushQuota* const quota_;
    core::Clock const& clock_;
    observe::Logger& logger_;
    std::function<void(PushBatch const&)> const observer_;
    PushOutbox const outbox_;
    Breakers breakers_;
    std::array<LatencyFloor, core::names_of<Carrier>.size()> latencies_; ///< by carrier
    std::shared_ptr<http2_client::Context> const context_;
    mutable std::mutex mutex_; ///< protects the next three members
    std::vector<std::unique_ptr<PushBatch>> inbox_;
    std::map<crypto::Digest, Throttled> throttled_; ///< by credential
    std::atomic<std::size_t> queued_ = 0;           ///< increased only under the mutex
    std::atomic<std::size_t> connections_ = 0;
    bool stopping_ = false; ///< protected by the mutex, too
    bool ticking_ = false;
    std::stop_source stop_;
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_;
    asio::steady_timer timer_;
    DroppedDevices dropped_;
    WebPushLoad web_load_;
    std::unique_ptr<http_client::AsyncClient> web_client_; ///< null until the first batch for Web Push
    Clients clients_;
    core::ThreadPool workers_; ///< destroyed before the members that its work posts to
    std::thread thread_;
};

PushSender::PushSender(PushOptions options, http_client::Client& client, PushQuota* quota,
    core::Clock const& clock, observe::Logger& logger, PushObservers observers)
    : impl_(std::make_unique<Impl>(std::move(options), client, quota, clock, logger, std::move(observers)))
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

std::chrono::microseconds PushSender::least_latency(Carrier carrier) const noexcept
{
    return impl_->least_latency(carrier);
}

std::vector<Breakers::Open> PushSender::open_breakers() const
{
    return impl_->open_breakers();
}

CarrierStatus PushSender::status_of(Credential const& credential, core::ScopeId scope_id) const
{
    return impl_->status_of(credential, scope_id);
}

asio::awaitable<CarrierStatus> PushSender::find_status(
    core::ScopeId scope_id, Credential::Ptr credential) const
{
    return impl_->find_status(scope_id, std::move(credential));
}

} // namespace notify
