// What strangers can make the program hold. The figures are those of the program's own process.
#include "testing/eventually.hpp"
#include "testing/program.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <future>
#include <latch>

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t callers = 50;

/// A document of `size` bytes that takes many times as much once it is parsed, and that sign-in routes do not
/// refuse for what it lacks.
std::string dense_document(std::size_t size)
{
    std::string text = R"({"email":"nobody@example.com","password":"wrong and long enough",)"
                       R"("mfa_token":"none","method":"totp","code":"000000","x":[[0])";
    while (text.size() + 6 <= size)
        text += ",[0]";
    return text + "]}";
}

struct Program : testing::Program {
    explicit Program(World const& world) : testing::Program(AUTH_MFA_PROGRAM, variables_of(world)) {}

    static testing::Program::Environment variables_of(World const& world)
    {
        auto variables = world.variables();
        variables["SMS_PROVIDER"] = "outbox";
        variables["SMS_OUTBOX"] = world.directory.path() + "/sms-of-program";
        variables["SMS_BRAND_PROVIDER"] = World::provider;
        return variables;
    }

    /// A line of /proc/<pid>/status in bytes: `VmRSS`, and `VmHWM`, the most that it was.
    std::size_t memory(std::string const& name) const
    {
        std::ifstream status("/proc/" + std::to_string(pid()) + "/status");
        for (std::string word; status >> word;) {
            std::size_t kibibytes = 0;
            if (word == name + ':' && status >> kibibytes) return kibibytes * 1024;
        }
        throw std::runtime_error("no " + name);
    }

    /// Has all callers send the document at the same time; how many got which status.
    std::map<unsigned, std::size_t> send(
        std::string const& path, std::string const& document, std::string const& authorization) const
    {
        std::latch ready(callers);
        std::vector<std::future<unsigned>> answers;
        for (std::size_t i = 0; i < callers; ++i)
            answers.push_back(std::async(std::launch::async, [&] {
                auto caller = client(authorization);
                ready.arrive_and_wait();
                auto const answer = caller.post(path, document);
                bool const comes_back = answer.status != 503 || !answer.header("retry-after").empty();
                return comes_back ? answer.status : 0;
            }));
        std::map<unsigned, std::size_t> counts;
        for (auto& answer : answers)
            ++counts[answer.get()];
        return counts;
    }
};

} // namespace

TEST_CASE("50 documents of 1 MiB from strangers at once cost at most 64 MiB, for a moment")
{
    World const world;
    Program const program(world);
    auto const before = program.memory("VmRSS");
    auto const path = GENERATE("/v1/auth/mfa/verify", "/v1/auth/login");
    auto const counts = program.send(path, dense_document(mebibyte), "");
    auto const most = program.memory("VmHWM");
    WARN("resident: " << before / mebibyte << " MiB before, at most " << most / mebibyte << " MiB");
    CHECK(counts == std::map<unsigned, std::size_t>{{413, callers}});
    CHECK(most - before <= 64 * mebibyte);
    CHECK(testing::eventually([&] { return program.memory("VmRSS") <= before + 16 * mebibyte; }, 60s));
}

TEST_CASE("50 documents of 1 MiB from users at once cost at most 64 MiB, for a moment")
{
    World const world;
    Program const program(world);
    Account const account = world.new_account();
    auto const signed_in = program.client("").post(
        "/v1/auth/login", body({{"email", account.email}, {"password", account.password}}));
    auto const token = "Bearer " + text(testing::require(200, signed_in).json(), "accessToken");
    auto const before = program.memory("VmRSS");
    auto const counts = program.send("/v1/auth/password", dense_document(mebibyte), token);
    auto const most = program.memory("VmHWM");
    WARN("resident: " << before / mebibyte << " MiB before, at most " << most / mebibyte << " MiB");
    for (auto const& [status, count] : counts) {
        CAPTURE(status, count);
        CHECK((status == 413 || status == 503));
    }
    CHECK(most - before <= 64 * mebibyte);
    CHECK(testing::eventually([&] { return program.memory("VmRSS") <= before + 16 * mebibyte; }, 60s));
}
