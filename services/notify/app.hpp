#pragma once

#include "batchers.hpp"
#include "blobs/attachments.hpp"
#include "config.hpp"
#include "core/thread_pool.hpp"
#include "definition.hpp"
#include "deps.hpp"
#include "email_domain_deps.hpp"
#include "mail/mailer.hpp"
#include "providers/dkim_keys.hpp"
#include "providers/dns.hpp"
#include "providers/push_quota.hpp"
#include "providers/push_sender.hpp"
#include "redis/quota.hpp"
#include "service/service_base.hpp"
#include "workers/job_handlers.hpp"

#include <memory>
#include <vector>

namespace notify {

/// The migrations of this service's own tables.
pg::Component const& migrations();

/// Owns all parts of the service, in construction order.
class App final : public service::ServiceBase {
public:
    App(Config const& config, service::Runtime const& runtime);

    /// All schema components, in the order of their migrations: first the components of the libraries, then
    /// the service's own component.
    static std::vector<pg::Component const*> components();

private:
    void add_work();
    void add_user_data();
    void add_metrics();
    /// Shows the open breakers of the carrier: of its origins, or those of single senders.
    void add_breaker_gauge(Carrier carrier, bool of_origins);

    sms::Options const sms_;
    WebPushHosts const web_push_hosts_;
    std::unique_ptr<blobs::BlobStore> store_;
    blobs::Attachments attachments_;
    redis::Quota quota_;
    core::ThreadPool readers_;
    PushQuota push_quota_;
    PushSender push_;
    std::unique_ptr<mail::Mailer> mailer_;
    Dns dns_;
    DkimKeyGenerator dkim_keys_;
    EmailDomainDeps domains_;
    JobHandlers job_handlers_;
    Batchers batchers_;
    Deps deps_;
};

} // namespace notify
