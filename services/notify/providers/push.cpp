#include "providers/push.hpp"

#include "core/suspended.hpp"
#include "core/workers.hpp"
#include "http_client/client.hpp"
#include "observe/log.hpp"
#include "providers/apns.hpp"
#include "providers/fcm.hpp"
#include "providers/push_channel.hpp"
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
/// How long an unused channel is kept. An access token is valid for a shorter time.
constexpr std::chrono::minutes channel_kept = 70min;
constexpr unsigned token_threads = 4;

constexpr char foreign_target[] = "the push has a device of another carrier than its credential";

std::string read_base(
    core::Config& config, std::string_view name, std::string_view fallback, std::string_view help)
{
    std::string url = config.text(name, fallback, help);
    while (url.ends_with('/'))
        url.pop_back();
    if (!url.empty() && !http::parse_outbound_url(url)) config.fault(name, "must be an http or https URL");
    return url;
}

/// A batch of the targets of `kind`. Throws std::invalid_argument if there are such targets, but no
/// credential.
std::unique_ptr<PushBatch> batch_of(
    PushCredentials const& credentials, PlatformKind kind, std::span<PushTarget const> targets)
{
    auto batch = std::make_unique<PushBatch>();
    batch->credential = credentials.of(kind);
    std::ranges::copy_if(targets, std::back_inserter(batch->targets),
        [kind](PushTarget const& target) { return target.kind == kind; });
    if (!batch->targets.empty() && !batch->credential)
        throw std::invalid_argument("a push has no credential");
    return batch;
}

} // namespace

PushOptions PushOptions::read(core::Config& config)
{
    PushOptions o;
    bool const to_file =
        config.one_of("PUSH_PROVIDER", {"live", "outbox"},
            "where pushes are sent: live (FCM and APNs), or outbox, which appends them to PUSH_OUTBOX") == 1;
    auto file = config.required("PUSH_OUTBOX", "file that pushes are appended to instead of being sent",
        {to_file, "PUSH_PROVIDER=outbox"});
    if (to_file) o.outbox = std::move(file);
    o.fcm_base_url = read_base(
        config, "FCM_BASE_URL", "https://fcm.googleapis.com", "base URL of Firebase Cloud Messaging");
    o.fcm_token_url = config.text(
        "FCM_TOKEN_URL", "https://oauth2.googleapis.com/token", "URL that issues access tokens for FCM");
    if (!http::parse_outbound_url(o.fcm_token_url))
        config.fault("FCM_TOKEN_URL", "must be an http or https URL");
    o.apns_base_url = read_base(config, "APNS_BASE_URL", "",
        "base URL of APNs; if empty, Apple's host for the credential's environment");
    return o;
}

class Push::Impl {
public:
    Impl(PushOptions options, http::Client& client, core::Clock const& clock, observe::Logger& logger,
        Answered answered)
        : options_(std::move(options)), client_(client), clock_(clock), logger_(logger),
          answered_(std::move(answered)), outbox_(options_.outbox, clock_, logger_),
          context_(http::h2::make_context(options_.ca_file)), guard_(asio::make_work_guard(io_)), timer_(io_),
          workers_(token_threads), thread_([this] { run(); })
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
            answer_all(*refused, push_answer(Verdict::transient, std::string(refusal)));
            return hand_back(std::move(refused));
        }
        if (first) asio::post(io_, [this] { take_inbox(); });
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
        if (answered_) answered_(*batch);
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
        auto known = channels_.find(batch->credential->fingerprint());
        if (known == channels_.end() && !make_room()) {
            answer_all(*batch, push_answer(Verdict::transient, std::string(push_reasons::busy)));
            return finished(std::move(batch));
        }
        try {
            if (known == channels_.end())
                known = channels_.emplace(batch->credential->fingerprint(), make_channel(batch->credential))
                            .first;
        } catch (std::exception const& error) { // an invalid base URL
            logger_.error("cannot set up the connection to a push carrier", {{"detail", error.what()}});
            answer_all(*batch, push_answer(Verdict::transient, std::string(push_reasons::connect)));
            return finished(std::move(batch));
        }
        known->second->add(std::move(batch));
    }

    using Channels = std::map<crypto::Digest, std::shared_ptr<PushChannel>>;

    /// Makes room for one more channel by removing the idle channel that was used longest ago. Returns false
    /// if no channel is idle.
    bool make_room()
    {
        if (channels_.size() < options_.max_channels) return true;
        auto longest = channels_.end();
        for (auto it = channels_.begin(); it != channels_.end(); ++it) {
            if (!it->second->idle()) continue;
            if (longest == channels_.end() || it->second->used() < longest->second->used()) longest = it;
        }
        if (longest == channels_.end()) return false;
        channels_.erase(longest);
        return true;
    }

    std::shared_ptr<PushChannel> make_channel(Credential::Ptr const& credential)
    {
        auto const holder = std::make_shared<std::weak_ptr<PushChannel>>();
        auto const changed = [holder] {
            if (auto const channel = holder->lock()) channel->authorization_changed();
        };
        auto channel = std::make_shared<PushChannel>(make_carrier(credential, changed),
            PushChannel::Deps{io_.get_executor(), context_, options_, clock_, logger_},
            [this](std::unique_ptr<PushBatch> batch) { finished(std::move(batch)); });
        *holder = channel;
        return channel;
    }

    std::shared_ptr<Carrier> make_carrier(Credential::Ptr const& credential, std::function<void()> changed)
    {
        if (credential->kind() == PlatformKind::apns)
            return std::make_shared<apns::Carrier>(credential, options_, clock_);
        return std::make_shared<fcm::Carrier>(credential, options_,
            fcm::CarrierDeps{client_, clock_, workers_, io_.get_executor(), stop_.get_token()},
            std::move(changed));
    }

    void next_tick()
    {
        ticking_ = !channels_.empty();
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
        for (auto const& [fingerprint, channel] : channels_) {
            channel->tick(now);
            connections += channel->connections();
        }
        connections_ = connections;
        std::erase_if(
            channels_, [now](auto const& entry) { return now - entry.second->used() > channel_kept; });
    }

    void end()
    {
        take_inbox();
        channels_.clear();
        timer_.cancel();
        guard_.reset();
    }

    PushOptions const options_;
    http::Client& client_;
    core::Clock const& clock_;
    observe::Logger& logger_;
    Answered const answered_;
    PushOutbox const outbox_;
    std::shared_ptr<http::h2::Context> const context_;
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
    Channels channels_;
    core::Workers workers_; ///< destroyed before the members that its work posts to
    std::thread thread_;
};

Push::Push(PushOptions options, http::Client& client, core::Clock const& clock, observe::Logger& logger,
    Answered answered)
    : impl_(std::make_unique<Impl>(std::move(options), client, clock, logger, std::move(answered)))
{
}

Push::~Push() = default;

void Push::send(std::unique_ptr<PushBatch> batch)
{
    bool const matches = std::ranges::all_of(
        batch->targets, [&](PushTarget const& target) { return target.kind == batch->credential->kind(); });
    if (!matches) throw std::invalid_argument(foreign_target);
    impl_->send(std::move(batch));
}

std::vector<PushAnswer> Push::send_all(PushCredentials const& credentials, SharedPush const& push,
    std::span<PushTarget const> targets, std::chrono::milliseconds patience, std::stop_token const& stop)
{
    std::array<std::vector<PushAnswer>, platform_kinds.size()> answers;
    std::array batches{batch_of(credentials, PlatformKind::fcm, targets),
        batch_of(credentials, PlatformKind::apns, targets)};
    std::latch left(batches.size());
    for (std::size_t kind = 0; kind < batches.size(); ++kind) {
        auto& batch = batches[kind];
        batch->push = push;
        batch->deadline = Steady::now() + patience;
        batch->stop = stop;
        batch->done = [&left, &mine = answers[kind]](std::unique_ptr<PushBatch> done) {
            mine = std::move(done->answers);
            left.count_down();
        };
        if (batch->targets.empty())
            left.count_down();
        else
            impl_->send(std::move(batch));
    }
    left.wait();
    std::vector<PushAnswer> all;
    all.reserve(targets.size());
    std::array<std::size_t, platform_kinds.size()> next{};
    for (PushTarget const& target : targets) {
        auto const kind = static_cast<std::size_t>(target.kind);
        all.push_back(std::move(answers[kind][next[kind]++]));
    }
    return all;
}

asio::awaitable<PushAnswer> Push::send_one(
    Credential::Ptr credential, SharedPush push, PushTarget target, std::chrono::milliseconds patience)
{
    if (target.kind != credential->kind()) throw std::invalid_argument(foreign_target);
    auto batch = std::make_unique<PushBatch>();
    batch->credential = std::move(credential);
    batch->push = std::move(push);
    batch->targets.push_back(std::move(target));
    batch->deadline = Steady::now() + patience;
    PushAnswer answer;
    co_await core::suspend([&](core::Suspended caller) {
        // Shared, because std::function needs a copyable callable.
        auto const waiting = std::make_shared<core::Suspended>(std::move(caller));
        batch->done = [&answer, waiting](std::unique_ptr<PushBatch> done) {
            answer = std::move(done->answers.front());
            core::Suspended::resume(std::move(*waiting));
        };
        impl_->send(std::move(batch));
    });
    co_return answer;
}

Push::Stats Push::stats() const noexcept
{
    return impl_->stats();
}

} // namespace notify
