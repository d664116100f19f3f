#include "support/file.hpp"
#include "support/program.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <fstream>

// The board in Chromium. Users sign in at auth-mfa, which runs as a process of its own.

using namespace std::chrono_literals;

namespace {

namespace json = boost::json;

constexpr char const* password = "correct horse battery";

testing::Postgres migrated()
{
    testing::Postgres postgres("auth_mfa");
    testing::Process migration(
        {.argv = {AUTH_MFA_PROGRAM, "migrate"}, .environment = {"DATABASE_URL=" + postgres.owner_url()}});
    if (!migration.wait(60s) || migration.status() != 0)
        throw std::runtime_error("auth-mfa migrate has failed");
    postgres.query("ALTER ROLE " + postgres.database() + "_service LOGIN");
    return postgres;
}

/// The URL with the role that `auth-mfa migrate` has created.
std::string service_url_of(testing::Postgres const& postgres)
{
    auto url = postgres.service_url();
    auto const& role = postgres.service_role();
    return url.replace(url.find(role), role.size(), postgres.database() + "_service");
}

/// auth-mfa with the tenant `demo`.
struct AuthMfa {
    testing::Postgres postgres = migrated();
    testing::Redis redis;
    testing::TemporaryDirectory folder;
    testing::Program program{AUTH_MFA_PROGRAM,
        {{"BASE_HOST", "auth.localhost"}, {"DATABASE_URL", service_url_of(postgres)},
            {"REDIS_URL", redis.url()}, {"MASTER_KEY", testing::master_key},
            {"ENCRYPTION_KEYS", testing::encryption_keys}, {"EMAIL_OUTBOX", folder.path() + "/mails"},
            {"SMS_OUTBOX", folder.path() + "/sms"}, {"TRUSTED_PROXIES", "127.0.0.1"}, {"LOG_LEVEL", "warn"}}};

    AuthMfa()
    {
        auto operator_client = program.client(std::string("Bearer ") + testing::master_key);
        REQUIRE(operator_client.put("/v1/admin/tenants/demo", R"({"displayName":"A tenant"})").status == 201);
    }

    std::string origin() const
    {
        return "http://demo-sandbox.auth.localhost:" + std::to_string(program.port());
    }

    std::string keys() const
    {
        return "http://127.0.0.1:" + std::to_string(program.port()) + "/.well-known/jwks.json";
    }

    void add_user(std::string const& email) const
    {
        testing::HttpClient client("http://127.0.0.1:" + std::to_string(program.port()));
        client.set("Host", "demo-sandbox.auth.localhost");
        auto const made = client.post(
            "/v1/auth/register", json::serialize(json::object{{"email", email}, {"password", password}}));
        INFO(made.body);
        REQUIRE(made.status == 201);
    }
};

/// feedback, whose users have accounts at `auth`.
class SignInWorld : public testing::KeyedWorld<core::SystemClock> {
public:
    explicit SignInWorld(AuthMfa const& auth) : KeyedWorld(feedback::definition())
    {
        begin({{"BLOB_DIR", directory.path() + "/blobs"}, {"JWKS_FILE", ""}, {"JWKS_URL", auth.keys()},
                  {"EMAIL_OUTBOX", directory.path() + "/mails"}, {"BOARD_SIGN_IN_URL", ""}},
            a_tenant, [](service::Settings& settings) {
                settings.trusted_proxies = gateway::TrustedProxies::parse("127.0.0.1").value();
            });
    }
};

std::string add_post(testing::HttpClient& backend, std::string const& title, std::string const& text)
{
    auto const made = backend.post("/v1/feedbacks",
        json::serialize(json::object{{"category", "feature"}, {"title", title}, {"body", text}}));
    INFO(made.body);
    REQUIRE(made.status == 201);
    auto const id = ::text(made.json(), "feedbackId");
    REQUIRE(backend.patch("/v1/feedbacks/" + id, R"({"visibility":"public"})").status == 200);
    return id;
}

template <class AnyWorld> void run_script(AnyWorld const& world, std::string const& name, json::object input)
{
    auto const folder = world.directory.path();
    input["origin"] = "http://demo-sandbox.feedback.localhost:" + std::to_string(world.host->port());
    std::ofstream(folder + "/input.json") << json::serialize(input);
    auto const output = folder + "/output";
    testing::Process script(
        {.argv = {"node", NPM_FOLDER "/" + name, folder + "/input.json"}, .output = output});
    bool const ended = script.wait(5min);
    auto const said = testing::read_file(output);
    INFO(said);
    CHECK(ended);
    CHECK(said.ends_with("done\n"));
}

void turn_on(testing::HttpClient& backend)
{
    REQUIRE(backend.patch("/v1/settings", R"({"publicBoard":true,"publicByDefault":true})").status == 200);
}

} // namespace

TEST_CASE("the board can be read without JavaScript, on every screen and by everyone", "[board][page]")
{
    World world;
    auto backend = world.as_backend();
    turn_on(backend);
    REQUIRE(backend.patch("/v1/settings", R"({"boardColor":"#ffd500"})").status == 200);
    std::string const title = "Donaudampfschifffahrtsgesellschaftskapitänsmütze & <b>dark</b> mode";
    std::string const body =
        "The screen is too bright at night.\n\nA dark theme helps:\n- for the list\n- for "
        "https://example.com/averylongaddresswithoutanyplacewhereitcouldbebroken/0123456789";
    auto const post = add_post(backend, title, body);
    for (int i = 0; i < 22; ++i)
        add_post(backend, "Idea number " + std::to_string(i),
            "It would help to have this idea number " + std::to_string(i) + " in the app, on all devices.");
    auto const shown = backend.get("/v1/feedbacks?limit=4").json().at("items").as_array();
    for (std::size_t i = 0; i < shown.size(); ++i) {
        auto const status = std::array{"in-progress", "in-progress", "resolved", "closed"}.at(i);
        REQUIRE(backend
                    .patch("/v1/feedbacks/" + text(shown[i], "feedbackId"),
                        json::serialize(json::object{{"status", status}}))
                    .status == 200);
    }
    REQUIRE(
        backend.post("/v1/feedbacks/" + post + "/replies", R"({"body":"We build it now."})").status == 201);
    REQUIRE(
        backend.patch("/v1/feedbacks/" + post, R"({"status":"resolved","tags":["design","night"]})").status ==
        200);
    run_script(world, "board_reading.mjs",
        {{"post", post}, {"title", title}, {"body", body}, {"team", "We build it now."}});
}

TEST_CASE("users sign in at auth-mfa to vote and to post", "[board][page]")
{
    AuthMfa const auth;
    std::string const email = "ada@example.com";
    auth.add_user(email);
    SignInWorld world(auth);
    auto backend = world.as_backend();
    turn_on(backend);
    std::string const title = "Export to a spreadsheet";
    auto const post = add_post(backend, title, "As CSV.");
    auto const other = add_post(backend, "Dark mode", "For the night.");
    run_script(world, "board_sign_in.mjs",
        {{"auth", auth.origin()}, {"email", email}, {"password", password}, {"post", post}, {"other", other},
            {"title", title}});
}
