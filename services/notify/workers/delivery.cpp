#include "workers/delivery.hpp"

#include "jobs/failure.hpp"
#include "observe/log.hpp"
#include "observe/trace.hpp"
#include "storage/platform_state.hpp"
#include "workers/broadcast.hpp"
#include "workers/carriers.hpp"
#include "workers/email.hpp"
#include "workers/push.hpp"
#include "workers/resume.hpp"
#include "workers/sms.hpp"

namespace notify {

namespace {

// Handlers spend most of their time waiting for providers, so there are many more threads than cores.
constexpr unsigned push_threads = 32;
constexpr unsigned email_threads = 16;
constexpr unsigned sms_threads = 16;

// While some chunks of a broadcast are being sent, other chunks are read or recorded. Four chunks per
// tenant keep the connections busy.
constexpr unsigned chunk_threads = 8;
constexpr unsigned chunks_per_tenant = 4;
/// How long the chunks of a crashed process wait before another process takes them.
constexpr std::chrono::seconds chunk_lease{20};

jobs::WorkerOptions channel_worker(DeliveryDeps const& deps, Channel channel, unsigned threads)
{
    return {.queue = std::string(queue_of(channel)),
        .threads = threads,
        .given_up = [&deps](pg::Tx& tx, jobs::Claim const& claim) {
            give_up_unwritten(tx, claim, deps.clock.now());
        }};
}

/// The handler of a channel. An unexpected exception counts as an attempt, so that retries end.
template <class Handler> jobs::Handler channel_handler(DeliveryDeps const& deps, Handler& handler)
{
    return [&](jobs::Claim& claim, std::stop_token const& stop) {
        core::Time const began = deps.clock.now();
        try {
            return handler(claim, stop);
        } catch (...) {
            auto const failure = std::current_exception();
            if (jobs::is_outage(failure)) throw;
            deps.logger.error("handling a notification failed unexpectedly",
                {{"queue", claim.queue}, {"notificationId", claim.ref.to_string()},
                    {"what", observe::first_line(jobs::describe(failure))},
                    {"traceId", observe::trace_id_of(claim.traceparent)}});
        }
        return end_broken(deps, claim, began);
    };
}

} // namespace

struct Delivery::Impl {
    Impl(sms::Options const& options, DeliveryDeps const& d)
        : deps(d), carriers(deps), email(deps), push(deps, carriers), sms(options, deps), resume(deps),
          cutter(deps), broadcast(deps, carriers)
    {
    }

    DeliveryDeps const deps;
    Carriers carriers;
    EmailHandler email;
    PushHandler push;
    SmsHandler sms;
    Resume resume;
    BroadcastCutter cutter;
    BroadcastSender broadcast;
};

Delivery::Delivery(sms::Options const& sms, DeliveryDeps deps) : impl_(std::make_unique<Impl>(sms, deps)) {}

Delivery::~Delivery() = default;

std::vector<Delivery::Queue> Delivery::queues() const
{
    DeliveryDeps const& deps = impl_->deps;
    return {
        {channel_worker(deps, Channel::email, email_threads), channel_handler(deps, impl_->email)},
        {channel_worker(deps, Channel::push, push_threads), channel_handler(deps, impl_->push)},
        {channel_worker(deps, Channel::sms, sms_threads), channel_handler(deps, impl_->sms)},
        {{.queue = std::string(platform_state::resume_queue), .threads = 1}, std::ref(impl_->resume)},
        {{.queue = std::string(broadcasts::queue), .threads = 3, .lease = chunk_lease},
            std::ref(impl_->cutter)},
        {{.queue = std::string(broadcast_chunks::queue),
             .threads = chunk_threads,
             .max_per_tenant = chunks_per_tenant,
             .lease = chunk_lease,
             .given_up = [&sender = impl_->broadcast](
                             pg::Tx& tx, jobs::Claim const& claim) { sender.give_up(tx, claim); }},
            std::ref(impl_->broadcast)},
    };
}

} // namespace notify
