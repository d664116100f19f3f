#include "service/settings.hpp"

#include "support/config.hpp"

#include <catch2/catch.hpp>

using service::Settings;

namespace {

using testing::Variables;

Variables good()
{
    return {{"DATABASE_URL", "postgresql:///feedback"}, {"REDIS_URL", "redis://127.0.0.1"},
        {"MASTER_KEY", std::string(32, 'm')},
        {"ENCRYPTION_KEYS", "k1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}};
}

Settings read(Variables const& variables)
{
    auto config = testing::config_of("FEEDBACK", variables);
    auto settings =
        Settings::read(config, {.base_host = "feedback.localhost", .port = 8101, .ops_port = 9101});
    config.check();
    return settings;
}

/// The errors found, or "" when there are none.
std::string faults(Variables const& changes)
{
    auto variables = good();
    for (auto const& [name, value] : changes)
        variables[name] = value;
    try {
        read(variables);
        return "";
    } catch (core::ConfigError const& e) {
        return e.what();
    }
}

} // namespace

TEST_CASE("settings that are not required have their defaults")
{
    auto const s = read(good());
    CHECK(s.bind == "127.0.0.1");
    CHECK(s.port == 8101);
    CHECK(s.ops_port == 9101);
    CHECK(s.base_host == "feedback.localhost");
    CHECK(s.threads >= 1);
    CHECK(s.database_url.reveal() == "postgresql:///feedback");
    CHECK(s.database_pool == 5);
    CHECK_FALSE(s.database_transaction_pooling);
    CHECK(s.session_url().reveal() == "postgresql:///feedback");
    CHECK(s.master_key.equals(std::string(32, 'm')));
    CHECK(s.master_key_previous.empty());
    CHECK(s.log_level == observe::Level::info);
    CHECK(s.outbound_ca_file.empty());
    CHECK_FALSE(s.outbound_allow_private);
    CHECK(s.drain_delay.count() == 0);
    CHECK(s.body_budget == 32 << 20);
    CHECK(s.drain_timeout == std::chrono::seconds(25));
    CHECK(s.trusted_proxies.client_address("10.0.0.1", "1.2.3.4") == "10.0.0.1");
}

TEST_CASE("the values of settings are read")
{
    auto variables = good();
    variables.insert({{"PORT", "80"}, {"OPS_PORT", "81"}, {"BIND", "::"},
        {"BASE_HOST", "Feedback.Example.COM"}, {"THREADS", "7"}, {"DATABASE_POOL", "9"},
        {"MASTER_KEY_PREVIOUS", std::string(40, 'p')}, {"TRUSTED_PROXIES", "10.0.0.0/8, ::1"},
        {"LOG_LEVEL", "warn"}, {"OUTBOUND_CA_FILE", "/dev/null"}, {"OUTBOUND_ALLOW_PRIVATE", "true"},
        {"DRAIN_DELAY_MS", "1500"}, {"BODY_BUDGET_BYTES", "67108864"}, {"FEEDBACK_PORT", "8080"}});
    auto const s = read(variables);
    CHECK(s.port == 8080);
    CHECK(s.ops_port == 81);
    CHECK(s.bind == "::");
    CHECK(s.base_host == "feedback.example.com");
    CHECK(s.threads == 7);
    CHECK(s.database_pool == 9);
    CHECK(s.master_key_previous.equals(std::string(40, 'p')));
    CHECK(s.trusted_proxies.client_address("10.0.0.1", "1.2.3.4") == "1.2.3.4");
    CHECK(s.log_level == observe::Level::warn);
    CHECK(s.outbound_ca_file == "/dev/null");
    CHECK(s.outbound_allow_private);
    CHECK(s.drain_delay == std::chrono::milliseconds(1500));
    CHECK(s.body_budget == 64 << 20);
}

TEST_CASE("behind a pooler the server's own URL is required too")
{
    auto variables = good();
    variables["DATABASE_POOLER"] = "transaction";
    CHECK(faults({{"DATABASE_POOLER", "transaction"}}).find("DATABASE_DIRECT_URL") != std::string::npos);
    variables["DATABASE_DIRECT_URL"] = "postgresql://server/feedback";
    auto const s = read(variables);
    CHECK(s.database_transaction_pooling);
    CHECK(s.database_url.reveal() == "postgresql:///feedback");
    CHECK(s.session_url().reveal() == "postgresql://server/feedback");
}

TEST_CASE("every wrong value is an error that contains the variable and not the value")
{
    std::vector<std::pair<std::string, std::string>> const rows{{"PORT", "-1"}, {"PORT", "65536"},
        {"PORT", "9101"}, {"OPS_PORT", "x"}, {"BIND", "localhost"}, {"BASE_HOST", "feedback.localhost:8101"},
        {"BASE_HOST", ".localhost"}, {"BASE_HOST", "a..b"}, {"BASE_HOST", "a_b"}, {"THREADS", "0"},
        {"THREADS", "257"}, {"DATABASE_POOL", "0"}, {"DATABASE_URL", ""}, {"DATABASE_POOLER", "session"},
        {"DATABASE_DIRECT_URL", "hunter2"}, {"REDIS_URL", ""}, {"REDIS_URL", "redis+cluster://hunter2@a,b"},
        {"REDIS_URL", "rediss://hunter2@a"}, {"REDIS_CA_FILE", "/does/not/exist"},
        {"REDIS_CERTIFICATE_FILE", "/does/not/exist"}, {"REDIS_PRIVATE_KEY_FILE", "/dev/null"},
        {"MASTER_KEY", ""}, {"MASTER_KEY", std::string(31, 'h')},
        {"MASTER_KEY_PREVIOUS", std::string(31, 'h')}, {"ENCRYPTION_KEYS", ""},
        {"ENCRYPTION_KEYS", "k1:hunter2"}, {"TRUSTED_PROXIES", "10.0.0.0/33"},
        {"TRUSTED_PROXIES", "proxy.local"}, {"LOG_LEVEL", "trace"}, {"OUTBOUND_CA_FILE", "/does/not/exist"},
        {"OUTBOUND_ALLOW_PRIVATE", "maybe"}, {"DRAIN_DELAY_MS", "60001"}, {"BODY_BUDGET_BYTES", "16777215"}};
    for (auto const& [name, value] : rows) {
        CAPTURE(name, value);
        auto const found = faults({{name, value}});
        auto const shown = name == "PORT" && value == "9101" ? "OPS_PORT" : name;
        CHECK(found.find(shown) != std::string::npos);
        CHECK(found.find("hunter2") == std::string::npos);
        CHECK(found.find("hhhh") == std::string::npos);
    }
}

TEST_CASE("Redis with TLS has separate settings for authorities and certificate")
{
    auto variables = good();
    variables["REDIS_URL"] = "rediss+cluster://:pw@a,b";
    for (auto const* name : {"REDIS_CA_FILE", "REDIS_CERTIFICATE_FILE", "REDIS_PRIVATE_KEY_FILE"})
        variables[name] = "/dev/null";
    auto const s = read(variables);
    CHECK(s.redis_url.reveal() == "rediss+cluster://:pw@a,b");
    CHECK(s.redis_tls.ca_file == "/dev/null");
    CHECK(s.redis_tls.certificate_file == "/dev/null");
    CHECK(s.redis_tls.private_key_file == "/dev/null");
    CHECK(s.redis_clock == nullptr);
}

TEST_CASE("files for Redis with TLS are an error if the URL does not use TLS")
{
    for (auto const* url : {"redis://a", "unix:///run/redis.sock", "redis+cluster://a,b"}) {
        CAPTURE(url);
        auto const found = faults({{"REDIS_URL", url}, {"REDIS_CA_FILE", "/dev/null"},
            {"REDIS_CERTIFICATE_FILE", "/dev/null"}, {"REDIS_PRIVATE_KEY_FILE", "/dev/null"}});
        CHECK(found.find("REDIS_CA_FILE") != std::string::npos);
        CHECK(found.find("REDIS_CERTIFICATE_FILE") != std::string::npos);
        CHECK(found.find("REDIS_URL: ") == std::string::npos);
    }
}

TEST_CASE("all errors are reported together")
{
    auto const found =
        faults({{"PORT", "x"}, {"MASTER_KEY", "short"}, {"REDIS_URL", "http://r"}, {"LOG_LEVEL", "loud"}});
    for (auto const* name : {"PORT", "MASTER_KEY", "REDIS_URL", "LOG_LEVEL"}) {
        CAPTURE(name, found);
        CHECK(found.find(name) != std::string::npos);
    }
}

TEST_CASE("the operations port is reached through loopback if it is open on every address")
{
    struct Row {
        char const* bind;
        char const* origin;
    };

    for (auto const& [bind, origin] : {Row{"127.0.0.1", "http://127.0.0.1:9101"},
             Row{"0.0.0.0", "http://127.0.0.1:9101"}, Row{"::", "http://[::1]:9101"},
             Row{"10.1.2.3", "http://10.1.2.3:9101"}, Row{"fd00::1", "http://[fd00::1]:9101"}}) {
        auto config = testing::config_of("FEEDBACK", {{"BIND", bind}});
        CHECK(service::read_ops_origin(config, {.ops_port = 9101}) == origin);
        config.check();
    }
    for (auto const& wrong :
        {Variables{{"OPS_PORT", "0"}}, Variables{{"OPS_PORT", "x"}}, Variables{{"BIND", "localhost"}}}) {
        auto config = testing::config_of("FEEDBACK", wrong);
        service::read_ops_origin(config, {.ops_port = 9101});
        CHECK_THROWS_AS(config.check(), core::ConfigError);
    }
}
