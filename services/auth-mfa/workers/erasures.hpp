#pragma once

#include "config.hpp"
#include "core/clock.hpp"
#include "domain/erasure.hpp"
#include "jobs/worker.hpp"
#include "observe/metrics.hpp"
#include "service/forward_declarations.hpp"
#include "storage/erasures.hpp"

#include <boost/asio/io_context.hpp>

#include <span>
#include <stop_token>

namespace auth_mfa {

class Tokens; // tokens/tokens.hpp

/// What the worker of erasures uses. All of it outlives the worker.
struct ErasureWorkerDeps {
    pg::Database& db;
    tenancy::Directory& directory;
    user_data::UserData& users;
    Tokens& tokens;
    http_client::Client& client;
    std::span<ErasureTargetUrl const> targets;
    boost::asio::io_context& io; ///< runs coroutines
    core::Clock const& clock;
    observe::Logger& logger;
    observe::Metrics& metrics;
};

/// Completes the erasure of users whose account was deleted: erases what is left of them in this service, and
/// asks the other services to erase them (`POST /v1/erasures`). Each service has a queue and threads of its
/// own, so that one that is down delays no other. A service that does not confirm is asked again, with
/// increasing delays, for three days.
class ErasureWorker {
public:
    explicit ErasureWorker(ErasureWorkerDeps deps);

    /// The options and the handlers for jobs::Worker. This object must outlive the workers.
    static jobs::WorkerOptions options();
    jobs::Handler handler();
    static jobs::WorkerOptions options_of(ErasureService service);
    jobs::Handler handler_of(ErasureService service);

private:
    jobs::Outcome erase_here(core::Scope const& scope, core::Uuid const& id);
    jobs::Outcome forward(core::Scope const& scope, jobs::Claim const& claim, ErasureService service);
    erasures::Attempt ask(core::Scope const& scope, Erasure const& erasure, ErasureService service);
    std::optional<Erasure> find(core::Scope const& scope, core::Uuid const& id);

    ErasureWorkerDeps const deps_;
    prometheus::Counter& failed_;
};

} // namespace auth_mfa
