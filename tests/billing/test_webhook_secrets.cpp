#include "events.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <vector>

// Which secrets authenticate the webhooks of the providers, and for which environment.

namespace {

namespace json = boost::json;
using Environment = core::Environment;

std::vector<std::string> const hosts{"demo", "demo-sandbox"};

void set(World const& world, json::object const& settings)
{
    require(200, world.as_master("demo").patch("/v1/settings", body(settings)));
}

testing::HttpResponse post_purchase(World const& world, std::string const& secret, std::string const& sent,
    std::string const& host = "demo-sandbox")
{
    return world.client(host).post("/webhooks/purchases", sent, {{"Authorization", secret}});
}

/// Posts an event that all of `secrets` have signed.
testing::HttpResponse post_payment(World const& world, std::vector<std::string> const& secrets,
    std::string const& sent, std::string const& host = "demo-sandbox")
{
    std::string header;
    for (auto const& secret : secrets) {
        auto const signature_header = signature(sent, secret, world.clock.now());
        header += header.empty() ? signature_header : signature_header.substr(signature_header.find(','));
    }
    return world.client(host).post("/webhooks/payments", sent, {{"Stripe-Signature", header}});
}

/// A purchase of a new user.
std::string purchase(Environment environment, json::object changes = {})
{
    changes["environment"] = environment == Environment::production ? "PRODUCTION" : "SANDBOX";
    changes["app_user_id"] = core::Uuid::v7().to_string();
    return body(events::purchase("INITIAL_PURCHASE", changes));
}

/// An event of a type that the service does not handle, without an environment.
std::string purchase_without_environment()
{
    return body({{"event", json::object{{"id", core::Uuid::v7().to_string()}, {"type", "TEST"}}}});
}

/// A subscription of a new user.
std::string subscription(Environment environment, json::object changes = {})
{
    bool const live = environment == Environment::production;
    auto const id = core::Uuid::v7().to_string();
    changes["livemode"] = live;
    changes["id"] = "sub_" + id;
    changes["metadata"] = json::object{{"userId", id}};
    auto const object = events::subscription({events::item("a")}, changes);
    return body(events::payment("customer.subscription.created", object, {{"livemode", live}}));
}

/// An event of a type that the service does not handle.
std::string customer(Environment environment)
{
    return body(events::payment(
        "customer.created", {{"id", "cus_1"}}, {{"livemode", environment == Environment::production}}));
}

std::string customer_without_livemode()
{
    return body(events::payment("customer.created", {{"id", "cus_1"}}, {{"livemode", events::undefined}}));
}

json::object signing_secret_of(std::string_view environment)
{
    return {{"secret", "whsec_" + std::string(environment)}, {"environment", environment}};
}

/// Sets signing secrets for production, for the sandbox, for any environment, and one as a plain text.
void set_signing_secrets(World const& world)
{
    set(world,
        {{"paymentsSigningSecrets", json::array{signing_secret_of("production"), signing_secret_of("sandbox"),
                                        signing_secret_of("any"), "whsec_plain"}}});
}

std::size_t count_events(World const& world, std::string const& host)
{
    auto backend = world.as_backend(host);
    return all_items(backend, "/v1/events").size();
}

/// The number of refused requests of a provider, read from /metrics.
int count_refused(World const& world, std::string const& provider)
{
    testing::HttpClient operations("http://127.0.0.1:" + std::to_string(world.host->ops_port()));
    auto const metrics = operations.get("/metrics").body;
    auto const name =
        "tetrad_billing_events_total{provider=\"" + provider + "\",result=\"refused\",service=\"billing\"} ";
    auto const at = metrics.find(name);
    return at == std::string::npos ? -1 : std::stoi(metrics.substr(at + name.size()));
}

void change_status(World const& world, std::string const& status)
{
    auto const changed =
        world.as_master().put("/v1/admin/tenants/demo", body({{"displayName", "Demo"}, {"status", status}}));
    REQUIRE(changed.status == 200);
}

/// Waits until the service has noticed that the tenant is suspended.
bool becomes_suspended(World const& world)
{
    return eventually([&] {
        return result_of(post_purchase(world, purchases_secret, purchase_without_environment())) ==
               "deferred";
    });
}

} // namespace

TEST_CASE("during the rotation of the purchases secret both secrets are valid in both environments",
    "[billing][secrets]")
{
    World const world;
    set(world, {{"purchasesSecret", "next"}, {"purchasesSecretPrevious", purchases_secret}});
    for (auto const& host : hosts) {
        for (auto const environment : {Environment::production, Environment::sandbox}) {
            CAPTURE(host, to_string(environment));
            CHECK(post_purchase(world, "next", purchase(environment), host).status == 200);
            CHECK(post_purchase(world, purchases_secret, purchase(environment), host).status == 200);
            CHECK(post_purchase(world, "another", purchase(environment), host).status == 401);
            CHECK(post_purchase(world, "", purchase(environment), host).status == 401);
        }
    }
    set(world, {{"purchasesSecretPrevious", nullptr}});
    CHECK(post_purchase(world, purchases_secret, purchase(Environment::sandbox)).status == 401);
    CHECK(post_purchase(world, "next", purchase(Environment::sandbox)).status == 200);
}

TEST_CASE("a replaced purchases secret does not become the previous one by itself", "[billing][secrets]")
{
    World const world;
    set(world, {{"purchasesSecret", "next"}});
    CHECK(post_purchase(world, purchases_secret, purchase(Environment::sandbox)).status == 401);
    CHECK(world.as_backend().get("/v1/settings").json().at("purchasesSecretPrevious") == false);
}

TEST_CASE("a purchases secret of the sandbox is the only one that can write the sandbox, and cannot write "
          "production",
    "[billing][secrets]")
{
    World const world;
    set(world, {{"purchasesSecretPrevious", "previous"}, {"purchasesSecretSandbox", "sandbox"}});
    auto const refused_before = count_refused(world, "purchases");
    for (auto const& host : hosts) {
        auto const status = [&](std::string const& secret, Environment environment) {
            return post_purchase(world, secret, purchase(environment), host).status;
        };
        CAPTURE(host);
        CHECK(status(purchases_secret, Environment::production) == 200);
        CHECK(status("previous", Environment::production) == 200);
        CHECK(status("sandbox", Environment::production) == 401);
        CHECK(status(purchases_secret, Environment::sandbox) == 401);
        CHECK(status("previous", Environment::sandbox) == 401);
        CHECK(status("sandbox", Environment::sandbox) == 200);
    }
    CHECK(count_events(world, "demo") == 4);
    CHECK(count_events(world, "demo-sandbox") == 2);
    CHECK(count_refused(world, "purchases") == refused_before + 6);

    set(world, {{"purchasesSecret", nullptr}, {"purchasesSecretPrevious", nullptr}});
    CHECK(post_purchase(world, "sandbox", purchase(Environment::production)).status == 401);
    CHECK(post_purchase(world, "sandbox", purchase(Environment::sandbox)).status == 200);

    set(world, {{"purchasesSecret", purchases_secret}, {"purchasesSecretSandbox", nullptr}});
    CHECK(post_purchase(world, "sandbox", purchase(Environment::sandbox)).status == 401);
    CHECK(post_purchase(world, purchases_secret, purchase(Environment::sandbox)).status == 200);
}

TEST_CASE("a purchase event that is archived in the host's environment needs the secret of that environment",
    "[billing][secrets]")
{
    World const world;
    set(world, {{"purchasesSecretSandbox", "sandbox"}});
    auto const incomplete = purchase(Environment::sandbox, {{"product_id", events::undefined}});

    struct Row {
        std::string body;
        unsigned status;
    };

    for (auto const& [sent, status] : {Row{purchase_without_environment(), 200}, Row{"{", 400},
             Row{R"({"event":[]})", 400}, Row{incomplete, 400}}) {
        CAPTURE(sent);
        CHECK(post_purchase(world, "sandbox", sent, "demo").status == 401);
        CHECK(post_purchase(world, purchases_secret, sent, "demo-sandbox").status == 401);
        CHECK(post_purchase(world, purchases_secret, sent, "demo").status == status);
        CHECK(post_purchase(world, "sandbox", sent, "demo-sandbox").status == status);
    }
    for (auto const& host : hosts)
        CHECK(count_events(world, host) == 4);
}

TEST_CASE("an event of the payments provider needs a signing secret of the environment that livemode states",
    "[billing][secrets]")
{
    World const world;
    set_signing_secrets(world);
    auto const refused_before = count_refused(world, "payments");
    for (auto const& host : hosts) {
        for (bool const is_handled : {true, false}) {
            auto const status = [&](std::string const& secret, Environment environment) {
                auto const sent = is_handled ? subscription(environment) : customer(environment);
                return post_payment(world, {secret}, sent, host).status;
            };
            CAPTURE(host, is_handled);
            CHECK(status("whsec_production", Environment::production) == 200);
            CHECK(status("whsec_production", Environment::sandbox) == 401);
            CHECK(status("whsec_sandbox", Environment::production) == 401);
            CHECK(status("whsec_sandbox", Environment::sandbox) == 200);
            for (auto const environment : {Environment::production, Environment::sandbox}) {
                CHECK(status("whsec_any", environment) == 200);
                CHECK(status("whsec_plain", environment) == 200);
                CHECK(status("whsec_another", environment) == 401);
            }
        }
    }
    for (auto const& host : hosts)
        CHECK(count_events(world, host) == 12);
    CHECK(count_refused(world, "payments") == refused_before + 16);
}

TEST_CASE("the object's livemode decides which signing secret is needed, not that of the envelope",
    "[billing][secrets]")
{
    World const world;
    set_signing_secrets(world);
    auto const sent = [](Environment of_object, Environment of_envelope) {
        auto event = json::parse(subscription(of_object)).as_object();
        event["livemode"] = of_envelope == Environment::production;
        return body(event);
    };
    using enum core::Environment;
    for (auto const& host : hosts) {
        CAPTURE(host);
        CHECK(post_payment(world, {"whsec_sandbox"}, sent(production, sandbox), host).status == 401);
        CHECK(post_payment(world, {"whsec_production"}, sent(sandbox, production), host).status == 401);
        CHECK(post_payment(world, {"whsec_production"}, sent(production, sandbox), host).status == 200);
        CHECK(post_payment(world, {"whsec_sandbox"}, sent(sandbox, production), host).status == 200);
    }
    CHECK(count_events(world, "demo") == 2);
    CHECK(count_events(world, "demo-sandbox") == 2);
}

TEST_CASE("if several secrets signed an event, one secret of its environment is enough", "[billing][secrets]")
{
    World const world;
    set_signing_secrets(world);
    auto const status = [&](std::vector<std::string> const& secrets, Environment environment) {
        return post_payment(world, secrets, subscription(environment)).status;
    };
    CHECK(status({"whsec_production", "whsec_any"}, Environment::sandbox) == 200);
    CHECK(status({"whsec_any", "whsec_production"}, Environment::sandbox) == 200);
    CHECK(status({"whsec_production", "whsec_sandbox"}, Environment::production) == 200);
    CHECK(status({"whsec_production", "whsec_sandbox"}, Environment::sandbox) == 200);
    CHECK(status({"whsec_production", "whsec_another"}, Environment::sandbox) == 401);
}

TEST_CASE("a malformed event of the payments provider needs a secret of the host's environment",
    "[billing][secrets]")
{
    World const world;
    set_signing_secrets(world);
    auto const incomplete = subscription(Environment::production, {{"items", events::undefined}});
    CHECK(post_payment(world, {"whsec_sandbox"}, incomplete, "demo").status == 401);
    CHECK(post_payment(world, {"whsec_production"}, incomplete, "demo").status == 400);
    CHECK(post_payment(world, {"whsec_sandbox"}, "{", "demo").status == 401);
    CHECK(post_payment(world, {"whsec_production"}, "{", "demo").status == 400);
    CHECK(post_payment(world, {"whsec_another"}, "{", "demo").status == 401);
    CHECK(count_events(world, "demo") == 2);
}

TEST_CASE("an event of the payments provider without livemode needs a secret of the host's environment",
    "[billing][secrets]")
{
    World const world;
    set_signing_secrets(world);
    CHECK(post_payment(world, {"whsec_sandbox"}, customer_without_livemode(), "demo").status == 401);
    CHECK(post_payment(world, {"whsec_production"}, customer_without_livemode(), "demo").status == 200);
    CHECK(post_payment(world, {"whsec_sandbox"}, customer_without_livemode(), "demo-sandbox").status == 200);
    CHECK(post_payment(world, {"whsec_any"}, customer_without_livemode(), "demo").status == 200);
}

TEST_CASE("webhook secrets never appear in responses to webhooks or in logs", "[billing][secrets]")
{
    World world;
    set(world, {{"purchasesSecret", "hush-1"}, {"purchasesSecretPrevious", "hush-2"},
                   {"purchasesSecretSandbox", "hush-3"},
                   {"paymentsSigningSecrets",
                       json::array{json::object{{"secret", "hush-4"}, {"environment", "production"}}}}});
    for (std::string const secret : {"hush-1", "hush-2", "hush-3", "hush-4", "hush-5"}) {
        for (auto const environment : {Environment::production, Environment::sandbox}) {
            auto const responses = {post_purchase(world, secret, purchase(environment)),
                post_purchase(world, secret, "{"), post_payment(world, {secret}, subscription(environment)),
                post_payment(world, {secret}, "{")};
            for (auto const& response : responses)
                CHECK(response.body.find("hush") == std::string::npos);
        }
    }
    CHECK(world.logged().find("hush") == std::string::npos);
}

TEST_CASE("events of a suspended tenant are authenticated and deferred", "[billing][secrets]")
{
    World const world;
    set_signing_secrets(world);
    auto backend = world.as_backend();
    change_status(world, "suspended");
    REQUIRE(becomes_suspended(world));
    auto const purchased = body(events::purchase("INITIAL_PURCHASE"));
    CHECK(result_of(post_purchase(world, purchases_secret, purchased)) == "deferred");
    CHECK(result_of(post_purchase(world, purchases_secret, purchased)) == "duplicate");
    CHECK(
        result_of(post_payment(world, {"whsec_sandbox"}, subscription(Environment::sandbox))) == "deferred");

    CHECK(post_purchase(world, "another", purchased).status == 401);
    CHECK(post_payment(world, {"whsec_another"}, customer(Environment::sandbox)).status == 401);
    CHECK(post_payment(world, {"whsec_production"}, customer(Environment::sandbox)).status == 401);
    CHECK(post_purchase(world, purchases_secret, "{").status == 400);
    CHECK(backend.get("/v1/events").status == 403);

    auto master = world.as_master();
    CHECK(master.get("/v1/users/ada/entitlements").json().at("entitlements") == json::array());
    CHECK(all_items(master, "/v1/events?result=rejected").size() == 1);
    for (auto const& event : all_items(master, "/v1/events"))
        CHECK(text(event, "result") != "applied");
}

TEST_CASE("events of a tenant that waits for its erasure are deferred", "[billing][secrets]")
{
    World const world;
    REQUIRE(world.as_master().del("/v1/admin/tenants/demo").status == 200);
    REQUIRE(becomes_suspended(world));
    CHECK(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "deferred");
    CHECK(post_purchase(world, "another", purchase(Environment::sandbox)).status == 401);
}
