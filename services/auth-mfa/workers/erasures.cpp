#include "workers/erasures.hpp"

#include "core/backoff.hpp"
#include "core/error.hpp"
#include "core/wait.hpp"
#include "crypto/random.hpp"
#include "http_client/client.hpp"
#include "observe/log.hpp"
#include "pg/database.hpp"
#include "tenancy/directory.hpp"
#include "tokens/tokens.hpp"
#include "user_data/user_data.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace auth_mfa {

namespace {

constexpr unsigned threads = 2;
constexpr std::chrono::seconds first_delay{5};
constexpr std::chrono::minutes longest_delay{30};
/// The erasure of a user with much data may take longer. A repeated request continues it.
constexpr std::chrono::seconds request_timeout{30};
constexpr std::size_t max_response = 16U << 10;

/// As service::for_active_tenants, but also runs for suspended tenants: their users are erased, too.
jobs::Handler for_tenants(ErasureWorkerDeps const& deps,
    std::function<jobs::Outcome(core::Scope const& scope, jobs::Claim const& claim)> handler)
{
    return [&deps, handler = std::move(handler)](jobs::Claim& claim, std::stop_token const& /*stop*/) {
        core::Scope const unnamed{claim.scope_id, {}};
        auto const tenant =
            core::wait(deps.io.get_executor(), deps.directory.find_by_id(unnamed.tenant_id()));
        if (!tenant) return jobs::Outcome::done(); // the tenant's data is erased as a whole
        return handler(tenant->scope(unnamed.environment()), claim);
    };
}

/// Whether the response has this status, and a JSON object with this member as its body.
bool is(http_client::Response const& response, unsigned status, std::string_view name,
    boost::json::value const& value)
{
    if (response.status != status) return false;
    boost::system::error_code fault;
    auto const body = boost::json::parse(response.body, fault);
    auto const* const object = fault ? nullptr : body.if_object();
    auto const* const member = object != nullptr ? object->if_contains(name) : nullptr;
    return member != nullptr && *member == value;
}

/// A service that does not have the tenant has no data of the user.
erasures::Attempt attempt_of(http_client::Response const& response)
{
    auto const& no_tenant = core::codes::tenant_not_found;
    if (is(response, 200, "deleted", true) ||
        is(response, no_tenant.status, "code", boost::json::value(no_tenant.name)))
        return {.status = ErasureStatus::done};
    std::string error = "the service answered " + std::to_string(response.status);
    if (response.status == 200) error += " without `deleted`";
    return {.error = std::move(error)};
}

} // namespace

ErasureWorker::ErasureWorker(ErasureWorkerDeps deps)
    : deps_(deps), failed_(deps_.metrics.counter("tetrad_erasures_failed_total",
                       "Erasures that a service did not confirm within three days."))
{
}

jobs::WorkerOptions ErasureWorker::options()
{
    return {.queue = erasures::queue, .threads = threads};
}

jobs::WorkerOptions ErasureWorker::options_of(ErasureService service)
{
    return {.queue = erasures::queue_of(service), .threads = threads};
}

jobs::Handler ErasureWorker::handler()
{
    return for_tenants(deps_,
        [this](core::Scope const& scope, jobs::Claim const& claim) { return erase_here(scope, claim.ref); });
}

jobs::Handler ErasureWorker::handler_of(ErasureService service)
{
    return for_tenants(deps_, [this, service](core::Scope const& scope, jobs::Claim const& claim) {
        return forward(scope, claim, service);
    });
}

std::optional<Erasure> ErasureWorker::find(core::Scope const& scope, core::Uuid const& id)
{
    return deps_.db.transact_blocking(scope, [&](pg::Tx& tx) { return erasures::find(tx, scope, id); });
}

jobs::Outcome ErasureWorker::erase_here(core::Scope const& scope, core::Uuid const& id)
{
    auto const erasure = find(scope, id);
    if (!erasure) return jobs::Outcome::done();
    core::wait(deps_.io.get_executor(), deps_.users.erase({.scope = scope,
                                            .user_id = core::UserId(erasure->user_id.to_string()),
                                            .pseudonym = user_data::new_pseudonym()}));
    return jobs::Outcome::done(
        [scope, id, now = deps_.clock.now()](pg::Tx& tx) { erasures::set_erased(tx, scope, id, now); });
}

jobs::Outcome ErasureWorker::forward(
    core::Scope const& scope, jobs::Claim const& claim, ErasureService service)
{
    auto const erasure = find(scope, claim.ref);
    if (!erasure) return jobs::Outcome::done();
    erasures::Attempt attempt = ask(scope, *erasure, service);
    core::Time const now = deps_.clock.now();
    bool const pending = attempt.status == ErasureStatus::pending;
    bool const over = now >= erasure->expires_at;
    if (pending && over) attempt.status = ErasureStatus::failed;
    auto const record = [scope, id = claim.ref, service, attempt, now](
                            pg::Tx& tx) { erasures::record_attempt(tx, scope, id, service, attempt, now); };
    if (!pending) return jobs::Outcome::done(record);
    deps_.logger.warn(over ? "a service did not erase a user within three days" : "a user is not erased yet",
        {{"tenant", scope.slug}, {"service", to_string(service)}, {"erasureId", claim.ref.to_string()},
            {"error", *attempt.error}});
    if (over) {
        failed_.Increment();
        return jobs::Outcome::dead(record);
    }
    return jobs::Outcome::retry(
        now + core::backoff(claim.attempts - 1, first_delay, longest_delay, crypto::random_u64()), record);
}

erasures::Attempt ErasureWorker::ask(core::Scope const& scope, Erasure const& erasure, ErasureService service)
{
    auto const target = std::ranges::find(deps_.targets, service, &ErasureTargetUrl::service);
    if (target == deps_.targets.end()) return {.error = "ERASURE_TARGETS does not have the service"};
    http_client::Request request;
    request.method = "POST";
    request.url = target->base.of(scope) + "/v1/erasures";
    request.timeout = request_timeout;
    request.max_response_bytes = max_response;
    try {
        core::wait(deps_.io.get_executor(), deps_.tokens.ready());
        request.headers = {{"Authorization",
            "Bearer " + deps_.tokens.erasure_token(scope, erasure.user_id, to_string(service))}};
        return attempt_of(deps_.client.send(request));
    } catch (http_client::Error const& error) {
        return {.error = "the service was not reached: " + std::string(to_string(error.kind()))};
    } catch (core::Error const& error) { // there is no signing key now
        return {.error = "the request could not be signed: " + std::string(error.code().name)};
    }
}

} // namespace auth_mfa
