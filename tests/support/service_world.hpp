#pragma once

#include "service/host.hpp"
#include "service/run.hpp"
#include "support/captured.hpp"
#include "support/config.hpp"
#include "support/database_clock.hpp"
#include "support/http_client.hpp"
#include "support/pgbouncer.hpp"
#include "support/process.hpp"
#include "support/service.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace testing {

/// A whole service in this process, on free ports, with its own PostgreSQL and Redis and the tenants `demo`
/// and `other`. The World of a service's tests derives from it. `Clock` is core::SystemClock or FakeClock.
///
///     class World : public testing::ServiceWorld<testing::FakeClock> {
///     public:
///         World() : ServiceWorld(notify::definition())
///         {
///             begin({{"SMS_OUTBOX", directory.path() + "/sms"}});
///         }
///     };
template <class Clock> class ServiceWorld {
public:
    virtual ~ServiceWorld() = default;
    ServiceWorld(ServiceWorld const&) = delete;
    ServiceWorld& operator=(ServiceWorld const&) = delete;

    /// A client for one environment of a tenant: `demo`, `demo-sandbox`.
    HttpClient client(std::string const& tenant = "demo-sandbox") const
    {
        HttpClient made("http://127.0.0.1:" + std::to_string(host->port()));
        made.set("Host", tenant + '.' + settings_.base_host);
        introduce(made);
        return made;
    }

    /// As `client`, with an Authorization header.
    HttpClient with(std::string const& credential, std::string const& tenant = "demo-sandbox") const
    {
        auto made = client(tenant);
        made.set("Authorization", "Bearer " + credential);
        return made;
    }

    HttpClient as_master(std::string const& tenant = "demo-sandbox") const
    {
        return with(master_key, tenant);
    }

    /// The `scope_id` of a tenant's environment.
    std::string scope_id(std::string const& tenant = "demo-sandbox") const
    {
        bool const sandbox = environment_of(tenant) == core::Environment::sandbox;
        return postgres.query("SELECT tenant_id * 2 + " + std::string(sandbox ? "1" : "0") +
                              " FROM tenants WHERE slug = '" + slug_of(tenant) + "'");
    }

    /// Returns the environment variables with which the service's program uses the same data.
    std::map<std::string, std::string> variables() const
    {
        return {{"BASE_HOST", settings_.base_host}, {"DATABASE_URL", postgres.service_url()},
            {"REDIS_URL", redis.url()}, {"MASTER_KEY", master_key}, {"ENCRYPTION_KEYS", encryption_keys},
            {"LOG_LEVEL", "warn"}};
    }

    /// `feedback`, `auth-mfa`, `notify` or `billing`.
    std::string service_name() const { return definition_.name; }

    /// The log of the service so far, from level `debug` on.
    std::string logged()
    {
        logger.flush(std::chrono::seconds(30));
        return log_.text();
    }

    /// Stops the service and starts a new one on the same data.
    void restart()
    {
        host->stop();
        host.reset();
        start();
    }

    /// Server sessions of a PgBouncer in front of the database: fewer than a service opens, but enough for
    /// the transactions that tests block.
    static constexpr unsigned pooler_sessions = 4;

    Postgres postgres;
    Redis redis;
    mutable Clock clock;
    TemporaryDirectory directory;

private:
    Captured log_;

public:
    observe::Logger logger;

    /// Returns another replica of the service on the same data, with its own ports. `its_clock` must outlive
    /// the replica. Redis scripts use the time of Redis.
    std::unique_ptr<service::Host> replica(core::Clock const& its_clock)
    {
        auto settings = settings_;
        settings.redis_clock = nullptr;
        return make_host(std::move(settings), its_clock);
    }

protected:
    template <class... ForClock>
    explicit ServiceWorld(service::Definition definition, ForClock&&... for_clock)
        : postgres(Postgres::migrated(definition.components, role_prefix(definition.name))),
          clock(std::forward<ForClock>(for_clock)...),
          logger(definition.name, observe::Level::debug, log_.fd()), definition_(std::move(definition))
    {
        if constexpr (std::is_same_v<Clock, FakeClock>) rule_database(clock, postgres);
    }

    static constexpr char const* a_tenant = R"({"displayName":"A tenant"})";

    bool pooled_ = PgBouncer::asked_for(); ///< whether `begin` puts a pooler in front of the database

    /// Begins the service; call it once, from the derived constructor. `environment`: the service's own
    /// configuration. `adjust` may change the settings that services share. `tenant`: the body of the PUT
    /// that creates the tenants. Throws if the configuration is wrong.
    void begin(Variables environment, std::function<void(service::Settings&)> const& adjust = {},
        std::string const& tenant = a_tenant)
    {
        environment_ = std::move(environment);
        settings_ = service_settings(std::string(definition_.defaults.base_host), postgres, redis);
        settings_.log_level = observe::Level::debug;
        // If the test moves the time, Redis scripts use the same time.
        if constexpr (!std::is_same_v<Clock, core::SystemClock>) settings_.redis_clock = &clock;
        settings_.body_budget = definition_.defaults.body_budget;
        if (pooled_) go_through_pooler();
        if (adjust) adjust(settings_);
        start();
        for (std::string const slug : {"demo", "other"}) {
            auto const made = as_master(slug).put("/v1/admin/tenants/" + slug, tenant);
            if (made.status != 201) throw std::runtime_error("the tenant was not created: " + made.body);
        }
    }

private:
    void go_through_pooler()
    {
        pooler_.emplace(postgres, pooler_sessions);
        settings_.database_transaction_pooling = true;
        settings_.database_direct_url = settings_.database_url;
        settings_.database_url = core::Secret(pooler_->service_url());
    }

    static std::string role_prefix(std::string name)
    {
        std::ranges::replace(name, '-', '_');
        return name;
    }

    /// Sets headers that every client of the service sends.
    virtual void introduce(HttpClient& /*client*/) const {}

    void start() { host = make_host(settings_, clock); }

    std::unique_ptr<service::Host> make_host(service::Settings settings, core::Clock const& its_clock)
    {
        auto config = config_of(definition_.config_prefix, environment_);
        auto const factory = definition_.configure(config, settings);
        config.check();
        return std::make_unique<service::Host>(
            definition_.name, std::move(settings), logger, its_clock, factory);
    }

    service::Definition definition_;
    Variables environment_;
    service::Settings settings_;
    std::optional<PgBouncer> pooler_;

public:
    std::unique_ptr<service::Host> host; ///< destroyed first, before everything it uses
};

} // namespace testing
