#include "workers/delivery.hpp"

#include "storage/platform_state.hpp"
#include "workers/email.hpp"
#include "workers/push.hpp"
#include "workers/resume.hpp"
#include "workers/sms.hpp"

namespace notify {

namespace {

// Handlers wait for providers nearly all of their time, so there are many more threads than cores.
constexpr unsigned push_threads = 32;
constexpr unsigned email_threads = 16;
constexpr unsigned sms_threads = 16;

jobs::WorkerOptions worker(std::string_view queue, unsigned threads)
{
    return {.queue = std::string(queue), .threads = threads};
}

} // namespace

struct Delivery::Impl {
    Impl(sms::Options const& options, DeliveryDeps const& d)
        : deps(d), email(deps), push(deps), sms(options, deps), resume(deps)
    {
    }

    DeliveryDeps const deps;
    EmailHandler email;
    PushHandler push;
    SmsHandler sms;
    Resume resume;
};

Delivery::Delivery(sms::Options const& sms, DeliveryDeps deps) : impl_(std::make_unique<Impl>(sms, deps)) {}

Delivery::~Delivery() = default;

std::vector<Delivery::Queue> Delivery::queues() const
{
    return {
        {worker(queue_of(Channel::email), email_threads), std::ref(impl_->email)},
        {worker(queue_of(Channel::push), push_threads), std::ref(impl_->push)},
        {worker(queue_of(Channel::sms), sms_threads), std::ref(impl_->sms)},
        {worker(platform_state::resume_queue, 1), std::ref(impl_->resume)},
    };
}

} // namespace notify
