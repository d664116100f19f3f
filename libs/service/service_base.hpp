#pragma once

#include "auth/api_keys.hpp"
#include "auth/erased_users.hpp"
#include "auth/jwks.hpp"
#include "auth/master_key.hpp"
#include "auth/user_tokens.hpp"
#include "core/wait.hpp"
#include "crypto/keyring.hpp"
#include "gateway/expensive_request_limiter.hpp"
#include "gateway/gateway.hpp"
#include "gateway/request_limit.hpp"
#include "http/router.hpp"
#include "http_client/client.hpp"
#include "observe/http_metrics.hpp"
#include "outbound_webhooks/webhook_handlers.hpp"
#include "pg/database.hpp"
#include "pg/listener.hpp"
#include "redis/client.hpp"
#include "redis/rate_limit.hpp"
#include "service/background_work.hpp"
#include "service/service.hpp"
#include "service/webhook_delivery.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/eraser.hpp"
#include "tenancy/tenant_handlers.hpp"
#include "user_data/user_data.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace service {

/// The source of the keys for user tokens, and the expected issuer.
struct TokenIssuer {
    std::string jwks_file; ///< takes precedence over `jwks_url`
    std::string jwks_url;
    std::string host; ///< base host of the issuer: `auth.example.com`
    /// Set by the service that issues the tokens: a blocking function that reads the key set from the
    /// service's own database, for use as an auth::Jwks::Fetch. Takes precedence over `jwks_file` and
    /// `jwks_url`.
    std::function<std::string(pg::Database&, crypto::Keyring const&)> own;

    /// Reads JWKS_FILE or JWKS_URL, and JWT_ISSUER_HOST. Errors are collected in `config`.
    static TokenIssuer read(core::Config& config);
};

/// The options of the shared parts that differ between services.
struct ServiceOptions {
    std::string name; ///< such as `feedback`: prefix of Redis keys, and application_name in PostgreSQL
    TokenIssuer issuer;
    std::vector<auth::ApiKeyKind> key_kinds;
    /// Event types of the service's webhooks, in static storage. If empty, the service has no webhooks.
    std::span<std::string_view const> events;
    bool tenant_headers = false; ///< see gateway::Options
    gateway::RequestLimit::Options requests;
    bool accept_enrolment_tokens = false; ///< see auth::UserTokensOptions
    /// The OAuth clients of the service itself. If it is not empty, tokens of other clients have
    /// Access::client (auth::UserTokensOptions::clients_apart).
    std::vector<std::string> own_clients{};
    bool accept_erasure_tokens = true;         ///< see auth::UserTokensOptions; the audience is `name`
    bool cookies_from_allowed_origins = false; ///< see gateway::Options
    std::string board_host{};                  ///< see gateway::Options
    bool shared_settings = false;              ///< see tenancy::DirectoryOptions
};

/// The base class of the App of each service. It has the parts of every service: database, Redis, tenants,
/// keys, tokens, webhooks, and their background work. The App adds its own parts, and ends its constructor
/// with `serve(routes)`.
class ServiceBase : public Service {
public:
    /// The schema, in order: the libraries' components, then the service's own.
    static std::vector<pg::Component const*> components(std::initializer_list<pg::Component const*> own);

    http::Application& application() override { return *gateway_; }

    std::vector<ReadyCheck> ready_checks() override;
    void start() override;
    void begin_stop() noexcept override;
    void stop_workers() override;
    void stop() override;

protected:
    ServiceBase(ServiceOptions options, Runtime const& runtime);

    /// Makes the gateway. `endpoints`: the service's route table, bound to its dependencies.
    void serve(std::vector<http::Endpoint> endpoints);

    // As the functions of BackgroundWork:
    void add_worker(jobs::WorkerOptions options, jobs::Handler handler)
    {
        background_work_.add_worker(std::move(options), std::move(handler));
    }

    void add_worker(jobs::AsyncWorkerOptions options, jobs::AsyncHandler handler)
    {
        background_work_.add_worker(std::move(options), std::move(handler));
    }

    void add_periodic(jobs::PeriodicOptions options, jobs::Periodic::Step step)
    {
        background_work_.add_periodic(std::move(options), std::move(step));
    }

    void add_purge(std::string name, std::size_t rows, BackgroundWork::Purge purge)
    {
        background_work_.add_purge(std::move(name), rows, std::move(purge));
    }

    void add_gauge(std::string const& name, std::string const& help, DatabaseGauges::Read read)
    {
        background_work_.add_gauge(name, help, std::move(read));
    }

    /// Registers a hook that deletes data outside the database when a scope is erased.
    void add_erasure(tenancy::Eraser::Hook hook) { erasures_.push_back(std::move(hook)); }

    /// Calls `handler` on the listener's thread with the payload of each notification on `channel`, which
    /// must not be a channel of a library. For the App's constructor.
    void add_channel(std::string channel, std::function<void(std::string const& payload)> handler)
    {
        channels_.emplace(std::move(channel), std::move(handler));
    }

    /// Runs a coroutine on an I/O thread and waits for it. For worker threads; never call it on an I/O
    /// thread.
    template <class T> T wait(asio::awaitable<T> task)
    {
        return core::wait(runtime_.io.first().get_executor(), std::move(task));
    }

    ServiceOptions const options_;
    Runtime const runtime_;
    crypto::Keyring const keyring_;
    auth::MasterKey const master_key_;
    pg::Database db_;
    redis::Client redis_;
    redis::RateLimiter limiter_;
    gateway::RequestLimit const requests_;
    http_client::Client internal_; ///< for URLs of the operator
    http_client::Client outbound_; ///< for URLs of tenants

    tenancy::Directory directory_;
    auth::ApiKeys keys_;
    auth::Jwks jwks_;
    auth::UserTokens tokens_;
    auth::ErasedUsers erased_users_;
    user_data::UserData users_;                       ///< the App adds its steps and parts in its constructor
    std::optional<WebhookDelivery> webhook_delivery_; ///< empty if the service has no events
    outbound_webhooks::Api webhooks_;
    tenancy::Eraser eraser_;
    tenancy::TenantAdmin tenants_;

private:
    bool live() const noexcept;
    bool reaches_database() const noexcept;
    void erase_outside(core::Scope const& scope);
    /// Deletes the counter of the user's requests in Redis.
    asio::awaitable<void> forget_requests(user_data::Erasure const& erasure);
    void add_shared_work();
    void show_state();
    void listen();

    std::vector<tenancy::Eraser::Hook> erasures_;
    std::map<std::string, std::function<void(std::string const& payload)>> channels_; ///< of the App
    std::unique_ptr<observe::HttpMetrics> http_metrics_;
    gateway::ExpensiveRequestLimiter expensive_requests_;
    std::unique_ptr<gateway::Gateway> gateway_;
    BackgroundWork background_work_;
    std::atomic<pg::Listener*> started_listener_ = nullptr; ///< `listener_`, for other threads
    std::unique_ptr<pg::Listener> listener_;                ///< last member, because it calls other members
};

} // namespace service
