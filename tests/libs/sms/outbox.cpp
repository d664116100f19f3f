#include "sms/outbox.hpp"

#include "support/fake_clock.hpp"
#include "support/process.hpp"
#include "support/run_awaitable.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <thread>

namespace {

sms::Message message(std::string body)
{
    return {core::Scope::of(core::TenantId{7}, core::Environment::sandbox, "demo"),
        *sms::PhoneNumber::parse("+14155550100"), std::move(body)};
}

sms::SendResult send(sms::Sender& sender, sms::Message message)
{
    return testing::run_awaitable(sender.send(std::move(message), sms::send_timeout));
}

std::vector<std::string> lines(std::string const& path)
{
    std::ifstream file(path);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);)
        all.push_back(line);
    return all;
}

} // namespace

TEST_CASE("a message is written as a line of JSON to a file that only its owner can read")
{
    testing::TemporaryDirectory const directory;
    std::string const path = directory.path() + "/outbox.jsonl";
    testing::FakeClock const clock;
    sms::Outbox outbox(path, clock);
    CHECK(send(outbox, message("a \"b\"\n\u00e9")).outcome == sms::Outcome::accepted);
    REQUIRE(lines(path).size() == 1);
    CHECK(lines(path)[0] == R"({"at":"2026-01-01T00:00:00.000Z","tenant":"demo","env":"sandbox",)"
                            R"("to":"+14155550100","body":"a \"b\"\n)"
                            "\u00e9\"}");
    CHECK(std::filesystem::status(path).permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));

    std::filesystem::remove(path); // the file may be deleted
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int n = 0; n < 50; ++n)
                send(outbox, message("x"));
        });
    for (auto& thread : threads)
        thread.join();
    CHECK(lines(path).size() == 200);
}

TEST_CASE("a message is not sent if the file cannot be written")
{
    testing::FakeClock const clock;
    sms::Outbox outbox("/nowhere/at/all", clock);
    CHECK(send(outbox, message("x")).outcome == sms::Outcome::not_sent);
}
