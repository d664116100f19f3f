// The memory that requests to a provider's address can make the program use, measured in the program's own
// process.
#include "program.hpp"
#include "support/check_memory.hpp"

#include <catch2/catch.hpp>

using testing::mebibyte;

namespace {

constexpr std::size_t callers = 50;

/// Posts the document from many clients at the same time, signed with `secret`. Each gets `status`, or 503.
testing::Burst send(BillingProgram const& program, std::string const& document, std::string const& secret,
    unsigned status, std::size_t count = callers)
{
    testing::HttpClient::Headers const headers{
        {"Stripe-Signature", signature(document, secret, core::SystemClock().now())}};
    auto burst = testing::send_at_once(program, count, "",
        [&](auto& client) { return client.post("/webhooks/payments", document, headers); });
    for (auto const& [answered, times] : burst.counts) {
        CAPTURE(answered, times);
        CHECK((answered == status || (answered == 503 && count > 1)));
    }
    return burst;
}

} // namespace

TEST_CASE("50 simultaneous events of 1 MiB with a wrong secret use at most 64 MiB, and free it", "[billing]")
{
    World const world;
    BillingProgram const program(world);
    auto const burst = send(program, testing::dense_document(mebibyte), "whsec_of-nobody", 401);
    testing::check_memory(program, burst, 64 * mebibyte);
}

TEST_CASE("50 simultaneous signed events are parsed, use at most 64 MiB, and free it", "[billing]")
{
    World const world;
    BillingProgram const program(world);
    // The parsed tree of the first document exceeds the limit and is discarded. The second document is parsed
    // completely, but it is not an event.
    auto const [size, item, status] = GENERATE(
        table<std::size_t, char const*, unsigned>({{mebibyte, "[0]", 413}, {mebibyte / 4, "12345", 400}}));
    auto const document = testing::dense_document(size, "", item);
    send(program, document, signing_secret, status, 1);
    auto const burst = send(program, document, signing_secret, status);
    testing::check_memory(program, burst, 64 * mebibyte);
}
