#pragma once

#include "core/clock.hpp"
#include "domain/issuer.hpp"
#include "domain/mail.hpp"
#include "domain/user.hpp"
#include "jobs/worker.hpp"
#include "mail/mailer.hpp"
#include "pg/tx.hpp"
#include "service/forward_declarations.hpp"

#include <optional>
#include <stop_token>
#include <string>

namespace tenancy {
struct Tenant;
}

namespace auth_mfa {

class EmailTokens; // tokens/email_tokens.hpp

/// What the worker of emails uses. All of it outlives the worker.
struct MailWorkerDeps {
    pg::Database& db;
    tenancy::Directory& directory;
    EmailTokens const& tokens;
    Issuer issuer; ///< the hosts of the hosted pages
    mail::Mailer& mailer;
    boost::asio::io_context& io; ///< looks tenants up
    core::Clock const& clock;
    observe::Logger& logger;
};

/// Sends the emails of the queue `mails`. Each attempt makes the email's token valid again, so that a delay
/// of the mail server does not shorten it. While the server is down, attempts continue for about three days.
class MailWorker {
public:
    explicit MailWorker(MailWorkerDeps deps);

    /// The options and the handler for jobs::Worker. This object must outlive the worker.
    static jobs::WorkerOptions options();
    jobs::Handler handler();

private:
    /// An email that is still wanted.
    struct Prepared {
        Mail mail;
        std::string account_email; ///< the account's present address
        std::string token;         ///< empty for a notice
    };

    jobs::Outcome run(core::Scope const& scope, jobs::Claim& claim, std::stop_token const& stop);
    std::optional<Prepared> prepare(pg::Tx& tx, core::Scope const& scope, jobs::Claim& claim) const;
    mail::Message compose(
        core::Scope const& scope, tenancy::Tenant const& tenant, Prepared const& prepared) const;

    MailWorkerDeps const deps_;
};

} // namespace auth_mfa
