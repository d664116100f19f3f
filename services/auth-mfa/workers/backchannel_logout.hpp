#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "http_client/async_client.hpp"
#include "jobs/async_worker.hpp"
#include "observe/metrics.hpp"
#include "outbound_webhooks/admission.hpp"
#include "service/forward_declarations.hpp"
#include "storage/logout_notices.hpp"
#include "tenancy/tenant.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace auth_mfa {

class Tokens; // tokens/tokens.hpp

/// What the worker of logout notices uses. All of it outlives the worker.
struct BackchannelLogoutDeps {
    pg::Database& db;
    tenancy::Directory& directory;
    Tokens& tokens;
    http_client::ClientOptions client; ///< the addresses that tenants' clients may have
    boost::asio::io_context& io;       ///< runs coroutines
    core::Clock const& clock;
    observe::Logger& logger;
    observe::Metrics& metrics;
};

/// Tells clients that sessions have ended: posts a logout token to the client's backchannelLogoutUri (OpenID
/// Connect Back-Channel Logout 1.0). A client accepts the token with any 2xx response. Otherwise it gets new
/// tokens, with increasing delays, for a day. No thread waits for a client. The limits for busy and slow
/// hosts are those of webhooks (outbound_webhooks::Admission), counted apart from them. While a tenant is
/// suspended, its notices wait.
class BackchannelLogout {
public:
    explicit BackchannelLogout(BackchannelLogoutDeps deps);

    /// The options and the handler for jobs::AsyncWorker. This object must outlive the worker.
    static jobs::AsyncWorkerOptions options();
    jobs::AsyncHandler handler();

private:
    using Admission = outbound_webhooks::Admission;
    using Steady = std::chrono::steady_clock;
    using Notice = logout_notices::Notice;

    /// A notice that was claimed and has not ended.
    struct Delivery {
        jobs::Claim claim;
        Notice notice;
        core::Scope scope;
        jobs::AsyncWorker& worker;
        std::stop_token stop;
        Steady::time_point begun{};
    };

    using DeliveryPtr = std::shared_ptr<Delivery>;
    using Notices = std::map<std::pair<core::ScopeId, core::Uuid>, Notice>;
    using Tenants = std::map<core::TenantId, std::shared_ptr<tenancy::Tenant const>>;

    void begin(std::vector<jobs::Claim>&& claims, jobs::AsyncWorker& worker, std::stop_token const& stop);
    Notices load(std::vector<jobs::Claim> const& claims) const;
    Tenants tenants_of(Notices const& notices) const;
    void begin_one(jobs::Claim claim, Notice notice, tenancy::Tenant const* tenant, jobs::AsyncWorker& worker,
        std::stop_token const& stop);
    void offer(DeliveryPtr delivery);
    void apply(std::vector<Admission::Verdict> const& verdicts);
    void start(Admission::Id id, DeliveryPtr const& delivery);
    http_client::Request request_for(Delivery const& delivery) const;
    void finished(Admission::Id id, DeliveryPtr const& delivery, bool timed_out);
    void answered(Admission::Id id, DeliveryPtr const& delivery, http_client::Result const& result);
    jobs::FinishedRun judge(Delivery const& delivery, http_client::Result const& result);
    /// Ends the run without an attempt. The notice is due again after `pause`.
    void put_off(Delivery const& delivery, std::chrono::milliseconds pause);
    void end_waiting();

    BackchannelLogoutDeps const deps_;
    prometheus::Counter& failed_;
    http_client::AsyncClient client_;

    std::mutex mutex_;
    Admission admission_;
    std::map<Admission::Id, DeliveryPtr> waiting_;
    Admission::Id next_id_ = 1;
};

} // namespace auth_mfa
