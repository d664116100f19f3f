#include "push_fixture.hpp"
#include "support/config.hpp"
#include "support/process.hpp"

#include <filesystem>
#include <fstream>

using namespace push_test;

namespace {

/// A PushSender that appends to a file instead of using a carrier.
struct Outbox {
    std::string path(std::string const& name) const { return directory.path() + '/' + name; }

    std::vector<PushResult> send(SharedPush const& message, std::string const& file = "push.jsonl")
    {
        PushSender push({.outbox = path(file)}, client, nullptr, clock, logger);
        return send_all(push, {fcm_credential(), apns_credential()}, message,
            {
                PushTarget{.device_id = 7, .carrier = Carrier::apns, .token = "a1b2c3"},
                PushTarget{.device_id = 8, .carrier = Carrier::fcm, .token = "fcm:\"token"},
            });
    }

    SharedPush message(std::string_view body = "Body") const
    {
        return std::make_shared<RenderedPush const>(render_push({.id = core::Uuid::v7(),
            .title = "Title",
            .body = body,
            .data = {},
            .created_at = clock.now(),
            .scope = core::Scope::of(core::TenantId{3}, core::Environment::sandbox, "acme")}));
    }

    std::map<std::string, json::object> lines_by_platform() const
    {
        std::map<std::string, json::object> lines;
        std::ifstream in(path("push.jsonl"));
        for (std::string line; std::getline(in, line);) {
            auto const object = json::parse(line).as_object();
            lines[text(object, "platform")] = object;
        }
        return lines;
    }

    testing::TemporaryDirectory directory{"pushes"};
    testing::FakeClock clock;
    http_client::Client client{{.addresses = http_client::AddressPolicy(true)}};
    observe::Logger logger{"test", observe::Level::off};
};

} // namespace

TEST_CASE("pushes go to the file of PUSH_OUTBOX only with PUSH_PROVIDER=outbox", "[push]")
{
    struct Case {
        testing::Variables variables;
        std::string outbox, faults;
    };

    for (auto const& [variables, outbox, faults] : std::vector<Case>{
             {{}, "", ""},
             {{{"PUSH_OUTBOX", "/tmp/x"}}, "", ""},
             {{{"PUSH_PROVIDER", "live"}, {"PUSH_OUTBOX", "/tmp/x"}}, "", ""},
             {{{"PUSH_PROVIDER", "outbox"}, {"PUSH_OUTBOX", "/tmp/x"}}, "/tmp/x", ""},
             {{{"PUSH_PROVIDER", "outbox"}}, "", "PUSH_OUTBOX: is required with PUSH_PROVIDER=outbox"},
             {{{"PUSH_PROVIDER", "file"}}, "", "PUSH_PROVIDER: must be one of live, outbox"},
         }) {
        auto config = testing::config_of("NOTIFY", variables);
        auto const options = PushOptions::read(config);
        CHECK(options.outbox == outbox);
        std::string const found = testing::faults_of(config);
        CHECK_THAT(found, Catch::Contains(faults));
        CHECK(found.empty() == faults.empty());
    }
}

TEST_CASE("the outbox gets a line for each device instead of the carrier", "[push]")
{
    Outbox f;
    auto const message = f.message();
    for (auto const& result : f.send(message))
        CHECK(name_of(result) == "accepted");
    auto const lines = f.lines_by_platform();
    REQUIRE(lines.size() == 2);
    for (auto const& [platform, line] : lines) {
        CHECK(text(line, "tenant") == "acme");
        CHECK(text(line, "env") == "sandbox");
        CHECK(text(line, "at") == "2026-01-01T00:00:00.000Z");
    }
    CHECK(text(lines.at("apns"), "token") == "a1b2c3");
    CHECK(lines.at("apns").at("message") == json::parse(message->apns_body));
    CHECK(text(lines.at("fcm"), "token") == "fcm:\"token");
    CHECK(text(lines.at("fcm").at("message").at("message"), "token") == "fcm:\"token");
    auto const access = std::filesystem::status(f.path("push.jsonl")).permissions();
    CHECK((access & std::filesystem::perms::all) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("the outbox refuses a push that is too large for its carrier", "[push]")
{
    Outbox f;
    for (auto const& result : f.send(f.message(std::string(5'000, 'x'))))
        CHECK(name_of(result) == "refused PAYLOAD_TOO_LARGE");
    CHECK(f.lines_by_platform().empty());
}

TEST_CASE("a push is retried if the outbox cannot be written", "[push]")
{
    Outbox f;
    for (auto const& result : f.send(f.message(), "no-such-folder/push.jsonl"))
        CHECK(name_of(result) == "transient OUTBOX");
}
