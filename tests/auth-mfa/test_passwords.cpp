#include "core/hex.hpp"
#include "core/text.hpp"
#include "crypto/hash.hpp"
#include "crypto/password.hpp"
#include "receiver.hpp"
#include "support/gate.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <mutex>
#include <thread>

namespace {

constexpr char const* nfc = "caf\u00e9 au lait \u1e0d\u0307";
constexpr char const* nfd = "cafe\u0301 au lait d\u0323\u0307";

/// The pointer and the code of the only fault of a response.
std::string fault_of(testing::HttpResponse const& response)
{
    INFO(response.body);
    CHECK(response.status == 400);
    CHECK(error_of(response) == "VALIDATION_ERROR");
    auto const faults = response.json().at("errors").as_array();
    REQUIRE(faults.size() == 1);
    return text(faults[0], "pointer") + " " + text(faults[0], "code");
}

testing::HttpResponse register_with(World const& world, std::string const& password)
{
    return world.client().post("/v1/auth/register", credentials(World::new_email(), password));
}

/// The environment of a service that hashes as in production.
std::map<std::string, std::string> const usual_cost{{"ARGON2_MEMORY_KIB", "19456"}};

std::string hash_of(World const& world, Account const& account)
{
    return world.postgres.query("SELECT password_hash FROM users WHERE user_id = '" + account.user_id + "'");
}

/// Stores a hash that other software made.
void import(World const& world, Account const& account, std::string const& hash)
{
    REQUIRE(crypto::is_importable_hash(hash));
    world.postgres.query(
        "UPDATE users SET password_hash = '" + hash + "' WHERE user_id = '" + account.user_id + "'");
}

/// The value of a series of `tetrad_breach_checks_total`.
int breach_checks(World const& world, std::string const& result)
{
    testing::HttpClient operations("http://127.0.0.1:" + std::to_string(world.host->ops_port()));
    auto const metrics = operations.get("/metrics").body;
    std::string const name = "\ntetrad_breach_checks_total{result=\"" + result + "\",service=\"auth-mfa\"} ";
    auto const at = metrics.find(name);
    REQUIRE(at != std::string::npos);
    return std::stoi(metrics.substr(at + name.size()));
}

std::string sha1_hex(std::string_view text)
{
    return core::upper(core::hex::encode(crypto::view(crypto::sha1(text))));
}

} // namespace

TEST_CASE("a password is the same in every Unicode normalization form", "[passwords]")
{
    World const world;
    for (auto const& [registered, sent] : {std::pair{nfc, nfd}, {nfd, nfc}}) {
        auto const email = World::new_email();
        REQUIRE(world.client().post("/v1/auth/register", credentials(email, registered)).status == 201);
        auto const r = world.client().post("/v1/auth/login", credentials(email, sent));
        CHECK(r.status == 200);
        CHECK(world.client().post("/v1/auth/login", credentials(email, registered)).status == 200);
        CHECK(world.client().post("/v1/auth/login", credentials(email, "cafe au lait \u1e0d\u0307")).status ==
              401);
        auto const changed =
            world.with(text(r.json(), "accessToken"))
                .post("/v1/auth/password",
                    body({{"currentPassword", sent}, {"newPassword", std::string(sent) + "!"}}));
        CHECK(changed.status == 200);
        CHECK(
            world.client().post("/v1/auth/login", credentials(email, std::string(nfc) + "!")).status == 200);
    }
}

TEST_CASE("the length of a password counts characters of its normalised form", "[passwords]")
{
    World const world;
    std::string longest, decomposed; // 128 characters in NFC, 512 in NFD
    for (int i = 0; i < 128; ++i) {
        longest += i % 2 == 0 ? "\u1f82" : "\u1f83";
        decomposed += i % 2 == 0 ? "\u03b1\u0313\u0300\u0345" : "\u03b1\u0314\u0300\u0345";
    }
    auto const email = World::new_email();
    CHECK(world.client().post("/v1/auth/register", credentials(email, decomposed)).status == 201);
    CHECK(world.client().post("/v1/auth/login", credentials(email, longest)).status == 200);
    CHECK(fault_of(register_with(world, decomposed + "x")) == "/password too_long");
    CHECK(fault_of(register_with(world, longest + "x")) == "/password too_long");
    std::string marks = "a"; // never reordered: the text is too long in every form
    for (int i = 0; i < 4'000; ++i)
        marks += i % 2 == 0 ? "\u0301" : "\u0323";
    CHECK(fault_of(register_with(world, marks)) == "/password too_long");
    // 8 code points as sent, 7 when normalised.
    CHECK(fault_of(register_with(world, "k9#mQze\u0301")) == "/password too_short");
    CHECK(register_with(world, "k9#mQz!e\u0301").status == 201);
}

TEST_CASE("a user whose hash is of bytes that are not normalised can sign in", "[passwords]")
{
    World const world;
    auto const ada = world.new_account();
    auto const old = crypto::hash_password(nfd);
    import(world, ada, old);
    auto const sign_in = [&](std::string const& password) {
        return world.client().post("/v1/auth/login", credentials(ada.email, password)).status;
    };
    CHECK(sign_in(nfc) == 401); // the bytes of the hash are not known to this client
    CHECK(sign_in(nfd) == 200);
    CHECK(hash_of(world, ada) != old);
    CHECK(crypto::verify_password(nfc, hash_of(world, ada)));
    CHECK(sign_in(nfc) == 200);
    CHECK(sign_in(nfd) == 200);
}

TEST_CASE("weak passwords and the own email are refused wherever a password is set", "[passwords]")
{
    World const world;
    for (auto const* weak : {"Password1!", "qwertyuiop", "19871987"})
        CHECK(fault_of(register_with(world, weak)) == "/password too_weak");
    CHECK(fault_of(register_with(world, std::string(128, 'a'))) == "/password too_weak");
    auto const email = World::new_email();
    auto const enter = [&](std::string const& password) {
        return world.client().post("/v1/auth/register", credentials(email, password));
    };
    CHECK(fault_of(enter(email)) == "/password same_as_email");
    CHECK(fault_of(enter(core::upper(email))) == "/password same_as_email");
    CHECK(enter(World::password).status == 201);

    auto const ada = world.new_account();
    auto const change = [&](std::string const& wanted) {
        return world.as(ada).post(
            "/v1/auth/password", body({{"currentPassword", ada.password}, {"newPassword", wanted}}));
    };
    CHECK(fault_of(change("Password1!")) == "/newPassword too_weak");
    CHECK(fault_of(change(ada.email)) == "/newPassword same_as_email");
    CHECK(fault_of(change(ada.password)) == "/newPassword same_as_current");
    CHECK(fault_of(change(std::string(100, '7'))) == "/newPassword too_weak");
    CHECK(change("another good one").status == 200);

    auto const owner = [&](std::string const& address, std::string const& password) {
        return world.as_master().post(
            "/v1/admin/tenants/demo/owners", body({{"email", address}, {"password", password}}));
    };
    CHECK(fault_of(owner(World::new_email(), "Password1!")) == "/password too_weak");
    CHECK(fault_of(owner("olivia@example.com", "olivia@example.com")) == "/password same_as_email");
}

TEST_CASE("an imported hash is replaced at the first sign-in", "[passwords]")
{
    World const world({.environment = usual_cost});
    auto const ada = world.new_account();
    auto const sign_in = [&](std::string const& password) {
        return world.client().post("/v1/auth/login", credentials(ada.email, password)).status;
    };
    SECTION("Argon2id with other parameters")
    {
        import(world, ada,
            crypto::hash_password(ada.password, {.memory_kib = 64 * 1024, .passes = 1, .lanes = 4}));
    }
    SECTION("bcrypt")
    {
        // The npm package bcrypt 6.0.0: hash("correct horse battery", 4).
        import(world, ada, "$2b$04$Ytb/W/43VfZ5IT8CrxqeiunHD8Qxifvvi38BCVX0BxISmqu5KEfAK");
    }
    auto const imported = hash_of(world, ada);
    auto const version = [&] {
        return world.postgres.query(
            "SELECT credentials_version || ' ' || updated_at FROM users WHERE user_id = '" + ada.user_id +
            "'");
    };
    auto const before = version();
    CHECK(sign_in("not the password") == 401);
    CHECK(hash_of(world, ada) == imported);
    CHECK(sign_in(ada.password) == 200);
    auto const renewed = hash_of(world, ada);
    CHECK_FALSE(crypto::needs_rehash(renewed));
    CHECK(renewed.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
    CHECK(version() == before); // sign-ins and sessions continue
    CHECK(world.as(ada).get("/v1/auth/me").status == 200);
    CHECK(sign_in(ada.password) == 200);
    CHECK(hash_of(world, ada) == renewed);
    CHECK(sign_in("not the password") == 401);
}

TEST_CASE("a sign-in succeeds although the new hash cannot be stored", "[passwords]")
{
    World world({.environment = usual_cost});
    auto const ada = world.new_account();
    import(world, ada, crypto::hash_password(ada.password, {.memory_kib = 64, .passes = 1, .lanes = 1}));
    auto const imported = hash_of(world, ada);
    world.postgres.query("ALTER TABLE users ADD CONSTRAINT unchanged CHECK (password_hash = '" + imported +
                         "' OR user_id <> '" + ada.user_id + "') NOT VALID");
    CHECK(world.login(ada).status == 200);
    CHECK(hash_of(world, ada) == imported);
    CHECK(world.logged().find("could not replace an outdated password hash") != std::string::npos);
    CHECK(world.logged().find(imported) == std::string::npos);
}

namespace {

/// A server with the range search of the Pwned Passwords API, which knows some passwords.
class BreachServer {
public:
    explicit BreachServer(std::vector<std::string> const& passwords)
    {
        for (auto const& password : passwords)
            hashes_.push_back(sha1_hex(password));
    }

    std::string url() const { return receiver_.url(""); }

    std::vector<testing::Received> received() const { return receiver_.received(); }

    /// What the server does with requests from now on.
    enum class Mode : std::uint8_t { answer, fail, talk_nonsense, close, hang };
    std::atomic<Mode> mode = Mode::answer;

private:
    std::string answer(testing::Received const& request)
    {
        switch (mode) {
        case Mode::answer:
            break;
        case Mode::fail:
            return testing::reply(503, "down");
        case Mode::talk_nonsense:
            return testing::reply(200, "<html>Sign in to the network</html>");
        case Mode::close:
            return {};
        case Mode::hang:
            gate_.pass_blocking();
            return {};
        }
        auto const prefix = request.target.substr(request.target.rfind('/') + 1);
        // Padding: hashes that are in no breach have the count 0.
        std::string lines = std::string(35, '0') + ":0\r\n" + padding_.substr(prefix.size()) + ":0\r\n";
        for (auto const& hash : hashes_)
            if (hash.starts_with(prefix)) lines += hash.substr(prefix.size()) + ":42\r\n";
        return testing::reply(200, lines);
    }

    std::vector<std::string> hashes_;
    std::string const padding_ = sha1_hex("a password of the padding");
    testing::Gate gate_;
    testing::Receiver receiver_{[this](testing::Received const& request) { return answer(request); }};
    testing::OpenAtEnd const at_end_{gate_};
};

constexpr char const* breached = "tetrad breached horse";

} // namespace

TEST_CASE("a new password from a data breach is refused", "[passwords]")
{
    BreachServer server({breached, nfc});
    World const world({.environment = {{"BREACH_API_URL", server.url() + "/"}}});
    CHECK(fault_of(register_with(world, breached)) == "/password breached");
    CHECK(fault_of(register_with(world, nfd)) == "/password breached");
    CHECK(breach_checks(world, "breached") == 2);
    CHECK(breach_checks(world, "clear") == 0);
    auto const request = server.received().front();
    CHECK(request.method == "GET");
    CHECK(request.target == "/range/" + sha1_hex(breached).substr(0, 5));
    CHECK(request.headers.at("add-padding") == "true");
    CHECK(request.body.empty());
    CHECK(register_with(world, "a password of the padding").status == 201); // listed with the count 0
    CHECK(breach_checks(world, "clear") == 1);

    auto const ada = world.new_account();
    auto const change = [&](std::string const& wanted) {
        return world.as(ada).post(
            "/v1/auth/password", body({{"currentPassword", ada.password}, {"newPassword", wanted}}));
    };
    CHECK(fault_of(change(breached)) == "/newPassword breached");
    CHECK(change("another good one").status == 200);
    auto const owner = [&](std::string const& password) {
        return world.as_master().post(
            "/v1/admin/tenants/demo/owners", body({{"email", World::new_email()}, {"password", password}}));
    };
    CHECK(fault_of(owner(breached)) == "/password breached");
    CHECK(owner(World::password).status == 201);

    // Weak passwords and sign-ins are not looked up.
    auto const lookups = server.received().size();
    CHECK(fault_of(register_with(world, "Password1!")) == "/password too_weak");
    CHECK(world.client().post("/v1/auth/login", credentials(ada.email, "another good one")).status == 200);
    CHECK(server.received().size() == lookups);
}

TEST_CASE("a password is accepted if the list of breaches cannot be searched", "[passwords]")
{
    BreachServer server({breached});
    World world({.environment = {{"BREACH_API_URL", server.url()}}});
    using Mode = BreachServer::Mode;
    int failures = 0;
    for (auto const mode : {Mode::fail, Mode::talk_nonsense, Mode::close, Mode::hang}) {
        server.mode = mode;
        CHECK(register_with(world, breached).status == 201);
        CHECK(breach_checks(world, "failed") == ++failures);
    }
    CHECK(breach_checks(world, "breached") == 0);
    CHECK(world.logged().find("could not look up a password") != std::string::npos);
    CHECK(world.logged().find(sha1_hex(breached).substr(0, 5)) == std::string::npos);
    server.mode = Mode::answer;
    CHECK(fault_of(register_with(world, breached)) == "/password breached");
}

TEST_CASE("without BREACH_API_URL passwords are not looked up", "[passwords]")
{
    World const world;
    CHECK(register_with(world, breached).status == 201);
    for (auto const* result : {"clear", "breached", "failed"})
        CHECK(breach_checks(world, result) == 0);
}
