#include "workers/job_handlers.hpp"

#include "jobs/failure.hpp"
#include "observe/log.hpp"
#include "observe/trace.hpp"
#include "service/tenant_jobs.hpp"
#include "storage/broadcast_chunks.hpp"
#include "storage/broadcasts.hpp"
#include "storage/carrier_configs.hpp"
#include "workers/broadcast_chunk.hpp"
#include "workers/carrier_state.hpp"
#include "workers/email.hpp"
#include "workers/fan_out.hpp"
#include "workers/notification_job.hpp"
#include "workers/push.hpp"
#include "workers/resume_paused_carrier.hpp"
#include "workers/sms.hpp"

namespace notify {

namespace {

// Handlers spend most of their time waiting for providers, so there are many more threads than cores.
constexpr unsigned push_threads = 32;
constexpr unsigned email_threads = 16;

// While some chunks of a broadcast are being sent, other chunks are read or recorded. Four chunks per
// tenant keep the connections busy.
constexpr unsigned chunk_threads = 8;
constexpr unsigned chunks_per_tenant = 4;
/// How long the chunks of a crashed process wait before another process takes them.
constexpr std::chrono::seconds chunk_lease{20};

using service::TenantHandler;

/// As service::for_active_tenants.
jobs::Handler for_active_tenants(WorkerDeps const& deps, TenantHandler handler)
{
    return service::for_active_tenants(deps.io, deps.directory, deps.clock, std::move(handler));
}

/// As `for_active_tenants`, for the jobs of notifications. An unexpected exception counts as an attempt, so
/// that retries end.
jobs::Handler for_notifications(WorkerDeps const& deps, TenantHandler handler)
{
    return [&deps, run = for_active_tenants(deps, std::move(handler))](
               jobs::Claim& claim, std::stop_token const& stop) {
        core::Time const began = deps.clock.now();
        try {
            return run(claim, stop);
        } catch (...) {
            auto const failure = std::current_exception();
            if (jobs::is_outage(failure)) throw;
            deps.logger.error("handling a notification failed unexpectedly",
                {{"queue", claim.queue}, {"notificationId", claim.ref.to_string()},
                    {"what", observe::first_line(jobs::describe(failure))},
                    {"traceId", observe::trace_id_of(claim.traceparent)}});
        }
        return end_after_exception(deps, claim, began);
    };
}

jobs::WorkerOptions channel_options(WorkerDeps const& deps, Channel channel, unsigned threads)
{
    return {.queue = std::string(queue_of(channel)),
        .threads = threads,
        .on_dead = [&deps](
                       pg::Tx& tx, jobs::Claim const& claim) { fail_given_up(tx, claim, deps.clock.now()); }};
}

jobs::WorkerOptions chunk_options(ChunkHandler const& handler)
{
    return {.queue = std::string(broadcast_chunks::queue),
        .threads = chunk_threads,
        .max_per_tenant = chunks_per_tenant,
        .lease = chunk_lease,
        .on_dead = [&handler](pg::Tx& tx, jobs::Claim const& claim) { handler.fail_given_up(tx, claim); }};
}

} // namespace

struct JobHandlers::Impl {
    Impl(sms::Options const& options, WorkerDeps const& d)
        : deps(d), carrier_state(deps), email(deps), push(deps, carrier_state), sms(options, deps),
          resume(deps), fan_out(deps), chunk(deps, carrier_state)
    {
    }

    WorkerDeps const deps;
    CarrierState carrier_state;
    EmailHandler email;
    PushHandler push;
    SmsHandler sms;
    ResumeHandler resume;
    FanOutHandler fan_out;
    ChunkHandler chunk;
};

JobHandlers::JobHandlers(sms::Options const& sms, WorkerDeps deps) : impl_(std::make_unique<Impl>(sms, deps))
{
}

JobHandlers::~JobHandlers() = default;

std::vector<JobHandlers::Queue> JobHandlers::queues() const
{
    Impl& h = *impl_;
    return {
        {channel_options(h.deps, Channel::email, email_threads),
            for_notifications(h.deps, std::ref(h.email))},
        {channel_options(h.deps, Channel::push, push_threads), for_notifications(h.deps, std::ref(h.push))},
        {{.queue = std::string(carrier_configs::resume_queue), .threads = 1}, std::ref(h.resume)},
        {{.queue = std::string(broadcasts::queue), .threads = 3, .lease = chunk_lease},
            for_active_tenants(h.deps, std::ref(h.fan_out))},
        {chunk_options(h.chunk), for_active_tenants(h.deps, std::ref(h.chunk))},
    };
}

JobHandlers::AsyncQueue JobHandlers::text_messages() const
{
    return {impl_->sms.options(), impl_->sms.handler()};
}

} // namespace notify
