#pragma once

#include "auth/api_keys.hpp"
#include "auth/erased_users.hpp"
#include "auth/master_key.hpp"
#include "auth/user_tokens.hpp"
#include "gateway/gateway.hpp"
#include "http/router.hpp"
#include "observe/http_metrics.hpp"
#include "observe/log.hpp"
#include "pg/database.hpp"
#include "pg/listener.hpp"
#include "redis/client.hpp"
#include "redis/rate_limit.hpp"
#include "support/captured.hpp"
#include "support/fake_clock.hpp"
#include "support/issuer.hpp"
#include "support/postgres.hpp"
#include "support/run_awaitable.hpp"
#include "tenancy/directory.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

/// A body that is already in memory.
class TextBody final : public http::BodyReader {
public:
    explicit TextBody(std::string text) : text_(std::move(text)) {}

    std::optional<std::uint64_t> length() const override { return text_.size(); }

    boost::asio::awaitable<void> read_all(std::string& out, std::size_t limit) override;
    boost::asio::awaitable<std::string_view> read_some() override;

    bool touched = false;

private:
    std::string text_;
    bool ended_ = false;
};

/// The request of a test. Its strings must stay valid while the gateway handles it.
struct Call {
    http::Method method = http::Method::get;
    std::string path = "/v1/things";
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    std::string peer = "192.0.2.1";
};

/// The response. The keys of `headers` are lower-case names. The values of a repeated header are joined with
/// a comma and a space.
struct Answer {
    unsigned status = 0;
    std::string body;
    std::map<std::string, std::string> headers;

    std::string header(std::string const& name) const;
    /// The code of the problem document, or "" if the body is not a problem document.
    std::string code() const;
};

struct FixtureOptions {
    bool tenant_headers = true;
    bool fails_open = true;
    std::int64_t user_requests_per_minute = 0;
    std::string redis_url = {}; ///< empty: no rate limits
    std::string proxies = {};
    bool memory = true; ///< whether the directory and the keys may use their caches
    std::size_t body_budget = std::size_t{32} << 20;
};

/// A gateway with a small route table and the tenants `demo`, `other` and the suspended `asleep`.
class Fixture {
public:
    explicit Fixture(FixtureOptions const& options = {});
    ~Fixture();

    Answer send(Call const& call);

    /// The log so far.
    std::string log();

    std::string mint(
        std::string const& slug, core::Environment environment, std::string const& kind = "secret");
    void set_origins(
        std::string const& slug, core::Environment environment, std::vector<std::string> const& origins);
    void set_limit(std::string const& slug, std::int64_t requests_per_minute);
    core::Scope scope(std::string const& slug, core::Environment environment);
    /// Records that the user's account was deleted, and notifies the gateway.
    void erase_user(std::string const& slug, core::Environment environment, std::string const& user_id);
    /// Suspends the tenant and plans its erasure in a week.
    void schedule_erasure(std::string const& slug);
    /// Clears the caches of directory and keys.
    void forget();

    gateway::Gateway& gateway() { return *gateway_; }

    http::BodyBudget& bodies() { return *bodies_; }

    static constexpr char const* master = "master-key-of-the-operator";

    testing::Postgres postgres;
    testing::FakeClock clock;
    testing::Issuer issuer{clock};
    pg::Database database;
    std::atomic<bool> live = true;
    auth::ApiKeys keys;

private:
    void make_tenants();

    boost::asio::io_context context_{1};
    auth::Jwks jwks_;
    auth::UserTokens tokens_;
    auth::ErasedUsers erased_users_;
    auth::MasterKey master_key_;
    tenancy::Directory directory_;
    testing::Captured captured_;
    observe::Logger logger_;
    observe::Metrics metrics_;
    std::unique_ptr<redis::Client> redis_;
    std::unique_ptr<redis::RateLimiter> limiter_;
    std::optional<gateway::RequestLimit> requests_;
    std::unique_ptr<observe::HttpMetrics> http_metrics_;
    std::shared_ptr<http::BodyBudget> bodies_;
    std::unique_ptr<gateway::Gateway> gateway_;
};

std::pair<std::string, std::string> bearer(std::string const& token);
std::pair<std::string, std::string> host(std::string const& name);
