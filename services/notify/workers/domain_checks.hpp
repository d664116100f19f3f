#pragma once

#include "domain_deps.hpp"
#include "jobs/worker.hpp"

/// Checks the DNS records of every custom domain once a day. A pending domain becomes verified when its
/// required records are right. A domain whose required records are missing or wrong becomes pending, and is
/// no longer used as sender.
namespace notify::domain_checks {

/// The handler for Platform::add_worker. `deps` must outlive the handler.
jobs::Handler handler(DomainDeps& deps);

} // namespace notify::domain_checks
