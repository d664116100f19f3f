// The memory that a caller with a key can make the program use, measured in the program's own process.
#include "program.hpp"
#include "sends.hpp"
#include "support/check_memory.hpp"

#include <catch2/catch.hpp>

using testing::mebibyte;

namespace {

constexpr std::size_t callers = 50;
constexpr std::size_t budget = 128 * mebibyte; ///< BODY_BUDGET_BYTES

/// The body of a send request: `size` bytes, with a field of many values that the service ignores.
std::string document(std::size_t size, std::string_view item)
{
    return testing::dense_document(
        size, R"("templateName":"none","channel":"email","to":"ada@example.com",)", item);
}

} // namespace

TEST_CASE("50 simultaneous sends of many MiB use at most the body budget, and free it", "[notify]")
{
    World world;
    auto const key = world.key();
    world.host->stop();
    NotifyProgram const program(world, key, {{"BODY_BUDGET_BYTES", std::to_string(budget)}});
    // The parsed tree of the first document exceeds the limit and is discarded. The second document is parsed
    // completely.
    auto const [size, item, status] = GENERATE(table<std::size_t, char const*, unsigned>(
        {{15 * mebibyte, "[0]", 413}, {2 * mebibyte, "12345", 404}}));
    auto const text = document(size, item);
    CHECK(program.client().post(sends::path, text).status == status);
    auto const burst = testing::send_at_once(
        program, callers, "Bearer " + key, [&](auto& client) { return client.post(sends::path, text); });
    for (auto const& [answered, count] : burst.counts) {
        CAPTURE(answered, count);
        CHECK((answered == status || answered == 503));
    }
    testing::check_memory(program, burst, budget);
}
