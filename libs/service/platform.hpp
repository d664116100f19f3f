#pragma once

#include "auth/api_keys.hpp"
#include "auth/jwks.hpp"
#include "auth/master_key.hpp"
#include "auth/user_tokens.hpp"
#include "crypto/keyring.hpp"
#include "gateway/gateway.hpp"
#include "gateway/heavy_reads.hpp"
#include "http/router.hpp"
#include "http_client/async_client.hpp"
#include "http_client/client.hpp"
#include "jobs/async_worker.hpp"
#include "jobs/periodic.hpp"
#include "jobs/worker.hpp"
#include "observe/http_metrics.hpp"
#include "pg/database.hpp"
#include "pg/listener.hpp"
#include "redis/client.hpp"
#include "redis/rate_limit.hpp"
#include "service/instance.hpp"
#include "service/survey.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/eraser.hpp"
#include "tenancy/tenant_handlers.hpp"
#include "webhooks/api.hpp"
#include "webhooks/sender.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
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
struct PlatformOptions {
    std::string name; ///< such as `feedback`: prefix of Redis keys, and application_name in PostgreSQL
    TokenIssuer issuer;
    std::vector<auth::ApiKeyKind> key_kinds;
    /// Event types of the service's webhooks, in static storage. If empty, the service has no webhooks.
    std::span<std::string_view const> events;
    bool tenant_headers = false;               ///< see gateway::Options
    std::int64_t user_requests_per_minute = 0; ///< see gateway::Options
    bool rate_limit_fails_open = true;         ///< see gateway::Options
    bool cookies_from_allowed_origins = false; ///< see gateway::Options
    bool shared_settings = false;              ///< see tenancy::DirectoryOptions
};

/// The parts of every service: database, Redis, tenants, keys, tokens, webhooks, and their background work. A
/// service's App derives from it, adds its own parts, and ends its constructor with `serve(routes)`.
class Platform : public Instance {
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
    Platform(PlatformOptions options, Runtime const& runtime);

    /// Makes the gateway. `endpoints`: the service's route table, bound to its dependencies.
    void serve(std::vector<http::Endpoint> endpoints);

    /// Registers a background worker, which `start()` starts.
    void add_worker(jobs::WorkerOptions options, jobs::Handler handler);
    void add_periodic(jobs::PeriodicOptions options, jobs::Periodic::Step step);

    /// Deletes at most `rows` rows of each kind from `scopes`. The transaction may see the rows of these
    /// scopes. Returns the number of deleted rows.
    using Purge =
        std::function<std::size_t(pg::Tx& tx, std::vector<std::int64_t> const& scopes, std::size_t rows)>;

    /// Registers a periodic task that purges all scopes, a batch of scopes at a time.
    void add_purge(std::string name, std::size_t rows, Purge purge);

    /// Registers a gauge that is read from the database at intervals: Survey::add.
    void add_reading(std::string const& name, std::string const& help, Survey::Read read)
    {
        survey_.add(name, help, std::move(read));
    }

    /// Registers a hook that deletes data outside the database when a scope is erased.
    void add_erasure(tenancy::Eraser::Hook hook) { erasures_.push_back(std::move(hook)); }

    /// Runs a coroutine on an I/O thread and waits for it. For worker threads; never call it on an I/O
    /// thread.
    template <class T> T wait(asio::awaitable<T> task)
    {
        return asio::co_spawn(runtime_.io.first(), std::move(task), asio::use_future).get();
    }

    PlatformOptions const options_;
    Runtime const runtime_;
    crypto::Keyring const keyring_;
    auth::MasterKey const master_key_;
    pg::Database db_;
    redis::Client redis_;
    redis::RateLimiter limiter_;
    http::Client internal_; ///< for URLs of the operator
    http::Client outbound_; ///< for URLs of tenants

    tenancy::Directory directory_;
    auth::ApiKeys keys_;
    auth::Jwks jwks_;
    auth::UserTokens tokens_;
    std::optional<http::AsyncClient> webhook_client_; ///< empty, as `sender_`, if the service has no events
    std::optional<webhooks::Sender> sender_;
    webhooks::Api webhooks_;
    tenancy::Eraser eraser_;
    tenancy::TenantAdmin tenants_;

private:
    bool live() const noexcept;
    bool reaches_database() const noexcept;
    void erase_outside(core::Scope const& scope);
    void add_shared_work();
    void add_webhooks();
    void show_webhooks();
    void show_state();
    jobs::Hooks hooks_of(std::string const& queue);
    void show_worker(std::string const& queue, std::size_t capacity, std::function<std::size_t()> in_flight);
    void count_answer(unsigned webhook_status) noexcept;
    void listen();

    std::vector<tenancy::Eraser::Hook> erasures_;
    std::unique_ptr<observe::HttpMetrics> http_metrics_;
    gateway::HeavyReads heavy_reads_;
    std::unique_ptr<gateway::Gateway> gateway_;
    observe::JobMetrics job_metrics_;
    std::array<prometheus::Counter*, 5> webhook_answers_{};  ///< by status: none, `2xx`, ..., `5xx`
    std::array<prometheus::Counter*, 3> webhooks_put_off_{}; ///< by webhooks::Admission::Reason
    Survey survey_;
    std::vector<std::function<void()>> beginnings_;
    std::vector<std::unique_ptr<jobs::Worker>> workers_;
    std::unique_ptr<jobs::AsyncWorker> deliverer_; ///< delivers webhooks
    std::vector<std::unique_ptr<jobs::Periodic>> periodics_;
    std::unique_ptr<pg::Listener> listener_; ///< last member, because it calls other members
};

} // namespace service
