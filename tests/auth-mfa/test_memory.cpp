// The memory that callers can make the program use, measured in the program's own process.
#include "support/check_memory.hpp"
#include "support/program.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

using testing::mebibyte;

namespace {

constexpr std::size_t callers = 50;
/// The limit of the body of a request without a credential.
constexpr std::size_t body_limit = std::size_t{16} << 10;

/// A document of `size` bytes with many values of `item` and all fields that the sign-in routes require.
std::string document(std::size_t size, std::string_view item = "[0]")
{
    return testing::dense_document(size,
        R"("email":"nobody@example.com","password":"wrong and long enough",)"
        R"("mfa_token":"none","method":"totp","code":"000000",)",
        item);
}

struct Program : testing::Program {
    explicit Program(World const& world) : testing::Program(AUTH_MFA_PROGRAM, variables_of(world)) {}

    static testing::Variables variables_of(World const& world)
    {
        auto variables = world.variables();
        variables["SMS_PROVIDER"] = "outbox";
        variables["SMS_OUTBOX"] = world.directory.path() + "/sms-of-program";
        variables["EMAIL_OUTBOX"] = world.directory.path() + "/mails-of-program";
        variables["SMS_BRAND_PROVIDER"] = World::provider;
        return variables;
    }

    /// Posts the document from all callers at the same time.
    testing::Burst send(
        std::string const& path, std::string const& document, std::string const& authorization = "") const
    {
        return testing::send_at_once(
            *this, callers, authorization, [&](auto& client) { return client.post(path, document); });
    }
};

} // namespace

TEST_CASE("50 simultaneous bodies of 1 MiB without a credential are refused because of their length")
{
    World const world;
    Program const program(world);
    auto const path = GENERATE("/v1/auth/mfa/verify", "/v1/auth/login");
    auto const burst = program.send(path, document(mebibyte));
    CHECK(burst.counts == std::map<unsigned, std::size_t>{{413, callers}});
    testing::check_memory(program, burst, 64 * mebibyte);
}

TEST_CASE("50 simultaneous bodies without a credential are parsed, use at most 32 MiB, and free it")
{
    World const world;
    Program const program(world);
    // The first document has too many values, so its parsing is aborted. The second one is parsed completely.
    auto const [item, status] = GENERATE(table<char const*, unsigned>({{"[0]", 413}, {"12345", 410}}));
    auto const text = document(body_limit, item);
    auto const one = program.client("").post("/v1/auth/mfa/verify", text);
    INFO(one.body);
    CHECK(one.status == status);
    if (status == 413) CHECK_THAT(one.body, Catch::Contains("too many small values"));
    auto const burst = program.send("/v1/auth/mfa/verify", text);
    for (auto const& [answered, count] : burst.counts) {
        CAPTURE(answered, count);
        CHECK((answered == status || answered == 503));
    }
    testing::check_memory(program, burst, 32 * mebibyte);
}

TEST_CASE("50 simultaneous bodies of 1 MiB from users use at most 64 MiB, and free it")
{
    World const world;
    Program const program(world);
    Account const account = world.new_account();
    auto const signed_in = program.client("").post(
        "/v1/auth/login", body({{"email", account.email}, {"password", account.password}}));
    auto const token = "Bearer " + text(testing::require(200, signed_in).json(), "accessToken");
    auto const burst = program.send("/v1/auth/password", document(mebibyte), token);
    for (auto const& [status, count] : burst.counts) {
        CAPTURE(status, count);
        CHECK((status == 413 || status == 503));
    }
    testing::check_memory(program, burst, 64 * mebibyte);
}
