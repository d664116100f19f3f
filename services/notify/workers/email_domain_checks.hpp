#pragma once

#include "email_domain_deps.hpp"
#include "jobs/worker.hpp"

/// Checks the DNS records of every custom domain once a day, and once an hour while the records of a verified
/// domain are wrong. A pending domain becomes verified when its required records are right. A verified domain
/// whose required records are missing or wrong for `domain_grace` becomes pending, and is no longer used as
/// sender.
namespace notify::email_domain_checks {

/// The handler for ServiceBase::add_worker. `deps` must outlive the handler.
jobs::Handler handler(EmailDomainDeps& deps);

} // namespace notify::email_domain_checks
