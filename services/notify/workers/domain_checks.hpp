#pragma once

#include "api/domains.hpp"
#include "jobs/worker.hpp"

/// DNS is asked about every custom domain once a day: one that was waiting for its records is verified by
/// itself, and one whose records are gone is no longer sent from.
namespace notify::domain_checks {

/// For Platform::add_worker. `domains` outlives the handler.
jobs::Handler handler(Domains& domains);

} // namespace notify::domain_checks
