#include "workers/job_handlers.hpp"

#include "jobs/failure.hpp"
#include "observe/log.hpp"
#include "observe/trace.hpp"
#include "service/tenant_jobs.hpp"
#include "storage/broadcast_chunks.hpp"
#include "storage/broadcasts.hpp"
#include "storage/carrier_configs.hpp"
#include "workers/broadcast_chunk.hpp"
#include "workers/broadcast_prune.hpp"
#include "workers/carrier_state.hpp"
#include "workers/chunk_changes.hpp"
#include "workers/email.hpp"
#include "workers/fan_out.hpp"
#include "workers/message_changes.hpp"
#include "workers/notification_job.hpp"
#include "workers/push.hpp"
#include "workers/push_changes.hpp"
#include "workers/push_resolver.hpp"
#include "workers/resume_paused_carrier.hpp"
#include "workers/sms.hpp"

#include <deque>
#include <functional>

namespace notify {

namespace {

/// How long the split of a broadcast waits for another process after its process has crashed.
constexpr std::chrono::seconds fan_out_lease{20};

using service::TenantHandler;

/// As service::for_active_tenants.
jobs::Handler for_active_tenants(WorkerDeps const& deps, TenantHandler handler)
{
    return service::for_active_tenants(deps.io, deps.directory, deps.clock, std::move(handler));
}

/// Writes the outcomes of runs (jobs::AsyncHandler::record) at `now`.
using Record = void(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs, core::Time now);

/// The queue of `handler`, which starts the jobs. `record` writes their outcomes.
template <class Handler>
JobHandlers::AsyncQueue async_queue(Handler& handler, Record& record, core::Clock const& clock)
{
    return {.options = handler.options(),
        .handler = {.begin = std::bind_front(&Handler::begin, &handler),
            .record = [&clock, &record](pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs) {
                record(tx, runs, clock.now());
            }}};
}

/// As `async_queue`, for jobs of notifications. A notification whose outcome cannot be written fails.
template <class Handler>
JobHandlers::AsyncQueue notification_queue(Handler& handler, Record& record, core::Clock const& clock)
{
    auto queue = async_queue(handler, record, clock);
    queue.options.on_dead = [&clock](pg::Tx& tx, jobs::Claim const& claim) {
        fail_given_up(tx, claim, clock.now());
    };
    return queue;
}

} // namespace

struct JobHandlers::Impl {
    Impl(sms::Options const& options, WorkerDeps const& d)
        : deps(d), carrier_state(deps), latencies(deps.metrics), email(deps, latencies), resolver(deps),
          sms(options, deps), resume(deps), fan_out(deps), broadcast_prune(deps)
    {
        for (std::size_t i = 0; i < core::names_of<Carrier>.size(); ++i) {
            push.emplace_back(static_cast<Carrier>(i), deps, carrier_state, latencies);
            chunk.emplace_back(static_cast<Carrier>(i), deps, carrier_state);
        }
    }

    WorkerDeps const deps;
    CarrierState carrier_state;
    DeliveryLatencies latencies;
    EmailHandler email;
    PushResolver resolver;
    std::deque<PushHandler> push; ///< one per carrier
    SmsHandler sms;
    ResumeHandler resume;
    FanOutHandler fan_out;
    std::deque<ChunkHandler> chunk; ///< one per carrier
    BroadcastPruneHandler broadcast_prune;
};

JobHandlers::JobHandlers(sms::Options const& sms, WorkerDeps const& deps)
    : impl_(std::make_unique<Impl>(sms, deps))
{
}

JobHandlers::~JobHandlers() = default;

std::vector<JobHandlers::Queue> JobHandlers::queues() const
{
    Impl& h = *impl_;
    return {
        {{.queue = std::string(carrier_configs::resume_queue), .threads = 1}, std::ref(h.resume)},
        {{.queue = std::string(broadcasts::queue), .threads = 3, .lease = fan_out_lease},
            for_active_tenants(h.deps, std::ref(h.fan_out))},
        {{.queue = std::string(broadcast_chunks::mixed_queue), .threads = 1},
            [&h](jobs::Claim& claim, std::stop_token const&) { return h.fan_out.split_mixed(claim); }},
        {{.queue = std::string(broadcasts::prune_queue), .threads = 1},
            for_active_tenants(h.deps, std::ref(h.broadcast_prune))},
    };
}

std::vector<JobHandlers::AsyncQueue> JobHandlers::async_queues() const
{
    Impl& h = *impl_;
    auto const& clock = h.deps.clock;
    std::vector<AsyncQueue> queues{notification_queue(h.email, record_message_changes, clock),
        notification_queue(h.sms, record_message_changes, clock),
        notification_queue(h.resolver, resolve_pushes, clock)};
    for (auto& push : h.push)
        queues.push_back(notification_queue(push, record_push_changes, clock));
    for (auto& chunk : h.chunk)
        queues.push_back(async_queue(chunk, record_chunk_changes, clock));
    return queues;
}

} // namespace notify
