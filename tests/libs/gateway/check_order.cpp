#include "support.hpp"

using core::Environment;
using http::Method;

namespace {

/// One request and its expected result.
struct Case {
    char const* what;
    Call call;
    unsigned status;
    char const* code = "";
    char const* body_has = "";
};

void check(Fixture& f, std::vector<Case> const& cases)
{
    for (auto const& c : cases) {
        INFO(c.what);
        auto const answer = f.send(c.call);
        CHECK(answer.status == c.status);
        CHECK(answer.code() == c.code);
        CHECK_THAT(answer.body, Catch::Contains(c.body_has));
        CHECK(answer.header("x-request-id").size() == 32);
        if (answer.status >= 400) CHECK_THAT(answer.body, Catch::Contains(answer.header("x-request-id")));
        CHECK((answer.status == 401) == !answer.header("www-authenticate").empty());
    }
}

struct Credentials {
    explicit Credentials(Fixture& f)
        : demo(bearer(f.mint("demo", Environment::production))),
          demo_sandbox(bearer(f.mint("demo", Environment::sandbox))),
          other(bearer(f.mint("other", Environment::production))),
          asleep(bearer(f.mint("asleep", Environment::production))),
          publishable(bearer(f.mint("demo", Environment::production, "publishable"))),
          user(bearer(f.issuer.token({.environment = Environment::production}))),
          admin(bearer(f.issuer.token({.environment = Environment::production, .role = "admin"}))),
          sandbox_user(bearer(f.issuer.token({.environment = Environment::sandbox})))
    {
    }

    std::pair<std::string, std::string> demo, demo_sandbox, other, asleep, publishable, user, admin,
        sandbox_user;
    std::pair<std::string, std::string> master = bearer(Fixture::master);
    std::pair<std::string, std::string> wrong = bearer("nonsense");
};

auto const at_demo = host("demo.things.localhost");
auto const at_base = host("things.localhost");
auto const at_unknown = host("nobody.things.localhost");
auto const at_asleep = host("asleep.things.localhost");
std::pair<std::string, std::string> const slug_other{"X-Tenant-Slug", "other"};
std::pair<std::string, std::string> const slug_demo{"X-Tenant-Slug", "demo"};
std::pair<std::string, std::string> const env_sandbox{"X-Tenant-Env", "sandbox"};
std::pair<std::string, std::string> const env_wrong{"X-Tenant-Env", "staging"};

} // namespace

TEST_CASE("valid credentials reach their scope")
{
    Fixture f;
    Credentials const c(f);
    auto const production = core::to_string(f.scope("demo", Environment::production).id) + " demo";
    auto const sandbox = core::to_string(f.scope("demo", Environment::sandbox).id) + " demo";
    auto const p = production.c_str();
    auto const s = sandbox.c_str();
    check(f,
        {
            {"key, by host", {.headers = {at_demo, c.demo}}, 200, "", p},
            {"key, by headers", {.headers = {at_base, slug_demo, c.demo}}, 200, "", p},
            {"key, by headers, sandbox", {.headers = {slug_demo, env_sandbox, c.demo_sandbox}}, 200, "", s},
            {"key alone", {.headers = {at_base, c.demo_sandbox}}, 200, "", s},
            {"key alone, without a Host", {.headers = {c.demo}}, 200, "", p},
            {"key, environment alone", {.headers = {env_sandbox, c.demo_sandbox}}, 200, "", s},
            {"key, host with a port", {.headers = {host("demo.things.localhost:8101"), c.demo}}, 200, "", p},
            {"user, by host", {.headers = {at_demo, c.user}}, 200, "", p},
            {"user, by headers", {.headers = {slug_demo, env_sandbox, c.sandbox_user}}, 200, "", s},
            {"master, by host", {.headers = {at_demo, c.master}}, 200, "", p},
            {"anonymous, open route", {.path = "/v1/open", .headers = {at_demo}}, 200, "", p},
        });
}

TEST_CASE("a route may permit callers with and without a credential")
{
    Fixture f;
    Credentials const c(f);
    std::string const path = "/v1/half-open";
    check(f, {
                 {"without a credential", {.path = path, .headers = {at_demo}}, 200, "", "\"caller\":\" \""},
                 {"user", {.path = path, .headers = {at_demo, c.user}}, 200, "", " user\""},
                 {"a wrong credential", {.path = path, .headers = {at_demo, c.wrong}}, 401, "UNAUTHORIZED"},
                 {"a token of another scope", {.path = path, .headers = {at_demo, c.sandbox_user}}, 401,
                     "UNAUTHORIZED"},
                 {"another kind", {.path = path, .headers = {at_demo, c.demo}}, 403, "FORBIDDEN"},
             });
}

TEST_CASE("a token that only enrols a factor gets 401 on other routes")
{
    Fixture f;
    auto const enrolment = bearer(f.issuer.token(
        {.environment = Environment::production}, {{"aud", "mfa-enrollment"}, {"sid", "enrolment.1"}}));
    check(f, {
                 {"enrolment", {.path = "/v1/enrol", .headers = {at_demo, enrolment}}, 200, "", " user\""},
                 {"other route", {.headers = {at_demo, enrolment}}, 401, "UNAUTHORIZED"},
                 {"optional credential", {.path = "/v1/half-open", .headers = {at_demo, enrolment}}, 401,
                     "UNAUTHORIZED"},
             });
}

TEST_CASE("a handler gets the identity and role of its caller")
{
    Fixture f;
    auto const raw = f.mint("demo", Environment::production);
    check(f, {
                 {"key", {.headers = {bearer(raw)}}, 200, "", "\"caller\":\"key:fbk_"},
                 {"master", {.headers = {at_demo, bearer(Fixture::master)}}, 200, "",
                     "\"caller\":\"master owner\""},
             });
    auto const token = f.issuer.token(
        {.environment = Environment::production, .subject = "u-1", .email = "a@b.test", .role = "admin"},
        {{"sid", "s-1"}});
    auto const answer = f.send({.headers = {at_demo, bearer(token)}});
    CHECK_THAT(answer.body, Catch::Contains("\"caller\":\"u-1 admin\""));
    CHECK_THAT(answer.body, Catch::Contains("\"email\":\"a@b.test\""));
    CHECK_THAT(answer.body, Catch::Contains("\"session\":\"s-1\""));
    CHECK_THAT(
        f.send({.headers = {bearer(raw)}}).body, Catch::Contains("key:" + raw.substr(0, 12) + " admin"));
}

TEST_CASE("1: contradictory tenants are refused before any other check")
{
    Fixture f;
    Credentials const c(f);
    check(f,
        {
            {"slug against host", {.headers = {at_demo, slug_other, c.demo}}, 400, "TENANT_MISMATCH"},
            {"without a credential", {.headers = {at_demo, slug_other}}, 400, "TENANT_MISMATCH"},
            {"with a wrong credential", {.headers = {at_demo, slug_other, c.wrong}}, 400, "TENANT_MISMATCH"},
            {"environment against host", {.headers = {at_demo, env_sandbox, c.demo}}, 400, "TENANT_MISMATCH"},
            {"unknown environment", {.headers = {slug_demo, env_wrong, c.demo}}, 400, "TENANT_MISMATCH"},
            {"unknown route", {.path = "/v1/nope", .headers = {at_demo, slug_other}}, 400, "TENANT_MISMATCH"},
            {"wrong method", {.method = Method::del, .headers = {at_demo, slug_other}}, 400,
                "TENANT_MISMATCH"},
            {"anonymous route", {.path = "/v1/open", .headers = {at_demo, slug_other}}, 400,
                "TENANT_MISMATCH"},
        });
}

TEST_CASE("2: the credential is checked before tenant, route and method")
{
    Fixture f;
    Credentials const c(f);
    auto const expired = bearer(f.issuer.token({.environment = Environment::production}, {{"exp", 1}}));
    auto const lower = std::pair<std::string, std::string>("Authorization", "Basic YTpi");
    check(f,
        {
            {"none", {.headers = {at_demo}}, 401, "UNAUTHORIZED"},
            {"another scheme", {.headers = {at_demo, lower}}, 401, "UNAUTHORIZED"},
            {"wrong", {.headers = {at_demo, c.wrong}}, 401, "UNAUTHORIZED"},
            {"expired", {.headers = {at_demo, expired}}, 401, "UNAUTHORIZED"},
            {"two", {.headers = {at_demo, c.demo, c.demo}}, 401, "UNAUTHORIZED"},
            {"unknown tenant", {.headers = {at_unknown, c.wrong}}, 401, "UNAUTHORIZED"},
            {"unknown tenant, none", {.headers = {at_unknown}}, 401, "UNAUTHORIZED"},
            {"unknown tenant, another's key", {.headers = {at_unknown, c.demo}}, 401, "UNAUTHORIZED"},
            {"unknown tenant, another's token", {.headers = {at_unknown, c.user}}, 401, "UNAUTHORIZED"},
            {"suspended tenant", {.headers = {at_asleep, c.wrong}}, 401, "UNAUTHORIZED"},
            {"unknown route", {.path = "/v1/nope", .headers = {at_demo}}, 401, "UNAUTHORIZED"},
            {"the API's root", {.path = "/v1", .headers = {at_demo}}, 401, "UNAUTHORIZED"},
            {"wrong method", {.method = Method::del, .headers = {at_demo, c.wrong}}, 401, "UNAUTHORIZED"},
            {"tenantless route", {.method = Method::put, .path = "/v1/admin/tenants/x"}, 401, "UNAUTHORIZED"},
            {"another tenant's key", {.headers = {at_demo, c.other}}, 401, "UNAUTHORIZED"},
            {"another environment's key", {.headers = {at_demo, c.demo_sandbox}}, 401, "UNAUTHORIZED"},
            {"key against the environment alone", {.headers = {env_sandbox, c.demo}}, 401, "UNAUTHORIZED"},
            {"another environment's token", {.headers = {at_demo, c.sandbox_user}}, 401, "UNAUTHORIZED"},
            {"another tenant's token", {.headers = {slug_other, c.user}}, 401, "UNAUTHORIZED"},
            {"host two labels deep", {.headers = {host("a.demo.things.localhost"), c.demo}}, 401,
                "UNAUTHORIZED"},
        });
}

TEST_CASE("WWW-Authenticate states whether a token was sent")
{
    Fixture f;
    CHECK(f.send({.headers = {at_demo}}).header("www-authenticate") == "Bearer");
    std::string const invalid = "Bearer error=\"invalid_token\"";
    CHECK(f.send({.headers = {at_demo, bearer("x")}}).header("www-authenticate") == invalid);
    CHECK(f.send({.headers = {at_demo, {"Authorization", "Bearer a b"}}}).header("www-authenticate") ==
          invalid);
    auto const other = f.mint("other", Environment::production);
    CHECK(f.send({.headers = {at_demo, bearer(other)}}).header("www-authenticate") == invalid);
}

TEST_CASE("3: the tenant is checked before route and method")
{
    Fixture f;
    Credentials const c(f);
    check(f,
        {
            {"unknown", {.headers = {at_unknown, c.master}}, 404, "TENANT_NOT_FOUND"},
            {"unknown, wrong method", {.method = Method::del, .headers = {at_unknown, c.master}}, 404,
                "TENANT_NOT_FOUND"},
            {"unknown, unknown route", {.path = "/v1/nope", .headers = {at_unknown, c.master}}, 404,
                "TENANT_NOT_FOUND"},
            {"not a slug", {.headers = {host("no_slug.things.localhost"), c.master}}, 404,
                "TENANT_NOT_FOUND"},
            {"master, no tenant named", {.headers = {at_base, c.master}}, 404, "TENANT_NOT_FOUND"},
            {"token, no tenant named", {.headers = {at_base, c.user}}, 404, "TENANT_NOT_FOUND"},
            {"anonymous, no tenant named", {.path = "/v1/open", .headers = {at_base}}, 404,
                "TENANT_NOT_FOUND"},
            {"suspended, its key", {.headers = {at_asleep, c.asleep}}, 403, "TENANT_SUSPENDED"},
            {"suspended, its key alone", {.headers = {c.asleep}}, 403, "TENANT_SUSPENDED"},
            {"suspended, anonymous", {.path = "/v1/open", .headers = {at_asleep}}, 403, "TENANT_SUSPENDED"},
            {"suspended, unknown route", {.path = "/v1/nope", .headers = {c.asleep}}, 403,
                "TENANT_SUSPENDED"},
            {"suspended, master reads", {.headers = {at_asleep, c.master}}, 200, "", "asleep"},
            {"suspended, master writes", {.method = Method::post, .headers = {at_asleep, c.master}}, 403,
                "TENANT_SUSPENDED"},
        });
}

TEST_CASE("a route may serve suspended tenants, with all other checks")
{
    Fixture f;
    Credentials const c(f);
    auto const report = [](std::vector<std::pair<std::string, std::string>> headers) {
        return Call{.method = Method::post, .path = "/v1/reports", .headers = std::move(headers)};
    };
    auto const event = [](std::vector<std::pair<std::string, std::string>> headers) {
        return Call{.method = Method::post, .path = "/webhooks/provider", .headers = std::move(headers)};
    };
    check(f, {
                 {"anonymous", event({at_asleep}), 200, "", " asleep\""},
                 {"its key", report({c.asleep}), 200, "", " asleep\""},
                 {"master writes", report({at_asleep, c.master}), 200, "", " asleep\""},
                 {"a wrong credential", report({at_asleep, c.wrong}), 401, "UNAUTHORIZED"},
                 {"no credential", report({at_asleep}), 401, "UNAUTHORIZED"},
                 {"another tenant's key", report({at_asleep, c.demo}), 401, "UNAUTHORIZED"},
                 {"an active tenant", event({at_demo}), 200, "", " demo\""},
                 {"an unknown tenant", event({at_unknown}), 404, "TENANT_NOT_FOUND"},
                 {"wrong method", {.path = "/v1/reports", .headers = {c.asleep}}, 403, "TENANT_SUSPENDED"},
             });
}

TEST_CASE("a tenant that waits for its erasure is suspended, also on routes that serve suspended tenants")
{
    Fixture f;
    Credentials const c(f);
    f.schedule_erasure("demo");
    Call const event{.method = Method::post, .path = "/webhooks/provider", .headers = {at_demo}};
    check(f, {
                 {"elsewhere", {.headers = {at_demo, c.demo}}, 403, "TENANT_SUSPENDED"},
                 {"on the route", event, 200, "", " demo\""},
             });
}

TEST_CASE("4: route, method and access are checked in this order")
{
    Fixture f;
    Credentials const c(f);
    check(f, {
                 {"unknown route", {.path = "/v1/nope", .headers = {c.demo}}, 404, "NOT_FOUND"},
                 {"wrong method", {.method = Method::del, .headers = {c.demo}}, 405, "METHOD_NOT_ALLOWED"},
                 {"wrong method, no access", {.method = Method::del, .headers = {c.publishable}}, 405,
                     "METHOD_NOT_ALLOWED"},
                 {"user on a staff route",
                     {.method = Method::patch, .path = "/v1/staff", .headers = {at_demo, c.user}}, 403,
                     "FORBIDDEN"},
                 {"admin on a staff route",
                     {.method = Method::patch, .path = "/v1/staff", .headers = {at_demo, c.admin}}, 200},
                 {"publishable key elsewhere", {.headers = {c.publishable}}, 403, "FORBIDDEN"},
                 {"publishable key on its route",
                     {.method = Method::put, .path = "/v1/devices/t", .headers = {c.publishable}}, 200},
                 {"key on the operator's route",
                     {.method = Method::put, .path = "/v1/admin/tenants/x", .headers = {c.demo}}, 403,
                     "FORBIDDEN"},
                 {"token on the operator's route",
                     {.method = Method::put, .path = "/v1/admin/tenants/x", .headers = {at_base, c.admin}},
                     403, "FORBIDDEN"},
             });
    CHECK(f.send({.method = Method::del, .headers = {c.demo}}).header("allow") == "GET, HEAD, POST");
}

TEST_CASE("tenantless routes need no tenant, and paths outside the API need no credential")
{
    Fixture f;
    Credentials const c(f);
    check(
        f, {
               {"operator, base host",
                   {.method = Method::put, .path = "/v1/admin/tenants/x", .headers = {at_base, c.master}},
                   200, "", "\"scope\":\"0 \""},
               {"operator, no host",
                   {.method = Method::put, .path = "/v1/admin/tenants/x", .headers = {c.master}}, 200},
               {"operator, unknown tenant's host",
                   {.method = Method::put, .path = "/v1/admin/tenants/x", .headers = {at_unknown, c.master}},
                   200},
               {"wrong method", {.path = "/v1/admin/tenants/x", .headers = {at_base, c.master}}, 405,
                   "METHOD_NOT_ALLOWED"},
               {"upload", {.method = Method::put, .path = "/uploads/s3cret"}, 200},
               {"upload, with a wrong credential",
                   {.method = Method::put, .path = "/uploads/s3cret", .headers = {c.wrong}}, 200},
               {"upload, wrong method", {.path = "/uploads/s3cret"}, 405, "METHOD_NOT_ALLOWED"},
               {"unknown", {.path = "/favicon.ico"}, 404, "NOT_FOUND"},
               {"unknown, contradicting headers", {.path = "/", .headers = {at_demo, slug_other}}, 404,
                   "NOT_FOUND"},
               {"path similar to the API's", {.path = "/v10/things"}, 404, "NOT_FOUND"},
               {"known, protected", {.path = "/page"}, 401, "UNAUTHORIZED"},
           });
}

TEST_CASE("5: the idempotency key and then the body are checked, only for callers with access")
{
    Fixture f;
    Credentials const c(f);
    std::pair<std::string, std::string> const good{"Idempotency-Key", "abc"};
    std::pair<std::string, std::string> const bad{"Idempotency-Key", std::string(256, 'a')};
    check(f,
        {
            {"good key", {.method = Method::post, .headers = {c.demo, good}, .body = "{}"}, 200, "",
                "\"key\":\"abc\""},
            {"body", {.method = Method::post, .headers = {c.demo}, .body = "hello"}, 200, "",
                "\"body\":\"hello\""},
            {"bad key", {.method = Method::post, .headers = {c.demo, bad}}, 400, "VALIDATION_ERROR"},
            {"bad key, route ignores it",
                {.method = Method::post, .path = "/v1/small", .headers = {c.demo, bad}}, 200, "",
                "\"key\":\"\""},
            {"at the limit",
                {.method = Method::post, .path = "/v1/small", .headers = {c.demo}, .body = "12345678"}, 200},
            {"above the limit",
                {.method = Method::post, .path = "/v1/small", .headers = {c.demo}, .body = "123456789"}, 413,
                "PAYLOAD_TOO_LARGE"},
            {"streamed",
                {.method = Method::post, .path = "/v1/stream", .headers = {c.demo}, .body = "pieces"}, 200,
                "", R"({"body":"","piece":"pieces"})"},
            {"refused before the body", {.method = Method::post, .path = "/v1/small", .body = "123456789"},
                401, "UNAUTHORIZED"},
        });
}

TEST_CASE("without tenant headers only the host counts")
{
    Fixture f({.tenant_headers = false});
    Credentials const c(f);
    check(f,
        {
            {"headers are ignored", {.headers = {at_demo, slug_other, env_wrong, c.demo}}, 200},
            {"headers name no tenant", {.headers = {at_base, slug_demo, c.master}}, 404, "TENANT_NOT_FOUND"},
        });
}

TEST_CASE("requests get the same responses without caches")
{
    Fixture f({.memory = false});
    Credentials const c(f);
    check(f, {
                 {"key", {.headers = {at_demo, c.demo}}, 200},
                 {"key again", {.headers = {at_demo, c.demo}}, 200},
                 {"another tenant's key", {.headers = {at_demo, c.other}}, 401, "UNAUTHORIZED"},
                 {"suspended", {.headers = {c.asleep}}, 403, "TENANT_SUSPENDED"},
                 {"unknown tenant", {.headers = {at_unknown, c.master}}, 404, "TENANT_NOT_FOUND"},
             });
}

TEST_CASE("a key of an erased tenant is refused")
{
    Fixture f;
    auto const key = bearer(f.mint("demo", Environment::production));
    CHECK(f.send({.headers = {key}}).status == 200);
    f.postgres.query("DELETE FROM tenants WHERE slug = 'demo'");
    f.forget();
    CHECK(f.send({.headers = {key}}).status == 401);
}

TEST_CASE("without a database invalid credentials are refused and valid credentials get 503")
{
    Fixture f;
    auto const raw = f.mint("demo", Environment::production);
    f.forget();
    f.postgres.stop();
    CHECK(f.send({.headers = {at_demo}}).status == 401);
    CHECK(f.send({.headers = {at_demo, bearer("nonsense")}}).status == 401);
    std::string wrong = raw;
    wrong.back() = wrong.back() == '0' ? '1' : '0';
    CHECK(f.send({.headers = {at_demo, bearer(wrong)}}).status == 401);
    CHECK(f.send({.headers = {at_demo, bearer(f.issuer.token({}, {{"exp", 1}}))}}).status == 401);
    auto const answer = f.send({.headers = {at_demo, bearer(raw)}});
    CHECK(answer.status == 503);
    CHECK_FALSE(answer.header("retry-after").empty());
    f.postgres.start();
}
