#pragma once

#include "auth/tenant_urls.hpp"
#include "core/clock.hpp"
#include "core/scope.hpp"
#include "crypto/keyring.hpp"
#include "domain/thread_mail.hpp"
#include "jobs/async_worker.hpp"
#include "jobs/worker.hpp"
#include "mail/domain_lanes.hpp"
#include "mail/mailer.hpp"
#include "service/forward_declarations.hpp"
#include "service/tenant_jobs.hpp"
#include "storage/thread_mails.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace feedback {

namespace asio = boost::asio;

/// The objects that the workers of emails use. All of them outlive the workers.
struct MailWorkerDeps {
    pg::Database& db;
    tenancy::Directory& directory;
    crypto::Keyring const& keyring;
    auth::TenantUrls urls; ///< of this service's hosts
    mail::Mailer& mailer;
    asio::io_context& io; ///< runs the coroutines, and looks tenants up; one thread
    core::Clock const& clock;
    observe::Logger& logger;
};

/// Sends the emails of threads: the handlers of the queues `mail_fan_outs` and `thread_mails`. No thread
/// waits for the mail server. Emails that are claimed together are read in one transaction, and their
/// outcomes are written in one transaction.
///
/// The first change is sent at once. Changes in the 5 minutes after an email are sent in one email at the end
/// of these minutes. After a transient failure, an email is repeated with backoff until a day after its last
/// change. A refusal is final. If the process dies after the mail server has taken an email and before the
/// commit, the email is sent again with the same Message-ID.
///
/// Tenants share the worker's capacity (jobs::AsyncWorker) and the connections to the mail server. A domain
/// of recipients has its own lane for each tenant (mail::DomainLanes).
class MailHandlers {
public:
    explicit MailHandlers(MailWorkerDeps deps);

    /// The options and the handler of each queue. This object must outlive the workers.
    static jobs::WorkerOptions fan_out_options();
    jobs::Handler fan_out_handler();
    static jobs::AsyncWorkerOptions options();
    jobs::AsyncHandler handler();

private:
    struct Run;
    using RunPtr = std::shared_ptr<Run>;

    void begin(std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker, std::stop_token const& stop);
    std::vector<RunPtr> load(std::vector<jobs::Claim> const& claims, service::Tenants const& tenants,
        jobs::AsyncWorker& worker) const;
    void load_content(pg::Tx& tx, std::span<RunPtr const> runs) const;
    asio::awaitable<void> run(RunPtr run);
    asio::awaitable<jobs::FinishedRun> attempt(Run& run);
    asio::awaitable<mail::SendResult> submit(Run const& run);
    mail::Message compose(Run const& run) const;
    jobs::FinishedRun end_of(Run const& run, mail::SendResult const& sent) const;
    jobs::FinishedRun failed(Run const& run, std::string_view reason) const;
    jobs::FinishedRun put_off(std::chrono::milliseconds wait) const;

    MailWorkerDeps const deps_;
    mail::DomainLanes lanes_; ///< used by the coroutines
};

} // namespace feedback
