#include "mail/options.hpp"

#include "support/config.hpp"
#include "support/process.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace mail;

namespace {

constexpr std::string_view local_sender = "Tetrad Test <test@test.localhost>";

std::string config_faults(testing::Variables const& variables)
{
    auto config = testing::config_of("NOTIFY", variables);
    Options::read(config, local_sender);
    return testing::faults_of(config);
}

} // namespace

TEST_CASE("the configuration of email is validated")
{
    CHECK(config_faults({{"EMAIL_OUTBOX", "/tmp/x"}}).empty());
    CHECK(config_faults({{"EMAIL_PROVIDER", "smtp"}, {"EMAIL_FROM", "Demo <a@example.com>"},
                            {"SMTP_URL", "smtps://u:p@mail.example.com:465"}})
            .empty());
    auto const faulty = [](std::string const& name, std::map<std::string, std::string> variables) {
        variables.try_emplace("EMAIL_OUTBOX", "/tmp/x");
        variables.try_emplace("EMAIL_FROM", "a@example.com");
        CHECK_THAT(config_faults(variables), Catch::Contains(name));
    };
    CHECK_THAT(config_faults({}), Catch::Contains("EMAIL_OUTBOX"));
    faulty("SMTP_URL", {{"EMAIL_PROVIDER", "smtp"}});
    faulty("SMTP_URL", {{"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", "https://mail.example.com"}});
    faulty("SMTP_URL", {{"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", "smtp://"}});
    for (auto const* number : {"0", "201", "x"})
        faulty("SMTP_CONNECTIONS", {{"SMTP_CONNECTIONS", number}});
    CHECK_THAT(config_faults({{"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", "smtp://localhost"}}),
        Catch::Contains("EMAIL_FROM"));
    for (auto const* from : {"Demo", "Demo <a@example.com", "De\nmo <a@example.com>", "a@example.com b"})
        faulty("EMAIL_FROM", {{"EMAIL_FROM", from}});
}

TEST_CASE("without EMAIL_FROM, email of a local run comes from the service's local sender")
{
    auto config = testing::config_of("NOTIFY", {{"EMAIL_OUTBOX", "/tmp/x"}});
    auto const options = Options::read(config, local_sender);
    CHECK_NOTHROW(config.check());
    CHECK_FALSE(options.smtp);
    CHECK(options.outbox == "/tmp/x");
    CHECK(options.from.name == "Tetrad Test");
    CHECK(options.from.address == "test@test.localhost");
}

TEST_CASE("outcomes of messages are counted")
{
    testing::TemporaryDirectory const folder("mail");
    auto config = testing::config_of("NOTIFY", {{"EMAIL_OUTBOX", folder.path() + "/mail"}});
    observe::Metrics metrics("notify");
    auto const mailer = make_mailer(Options::read(config, local_sender), {}, metrics);
    auto const counted = [&](std::string_view answer, std::string const& times) {
        std::string const name = "tetrad_provider_answers_total{answer=\"" + std::string(answer) +
                                 "\",provider=\"email\",service=\"notify\"} ";
        CHECK_THAT(metrics.expose(), Catch::Contains(name + times + '\n'));
    };
    for (auto const outcome : core::names_of<Outcome>)
        counted(outcome, "0");
    Message const message{.id = core::Uuid::v7(), .to = "ada@example.org", .subject = "Hello", .text = "Hi"};
    CHECK(mailer->send(message).outcome == Outcome::accepted);
    CHECK(mailer->send(message).outcome == Outcome::accepted);
    counted("accepted", "2");
    CHECK_THAT(metrics.expose(), Catch::Contains("tetrad_email_queued_messages{service=\"notify\"} 0\n") &&
                                     Catch::Contains("tetrad_email_connections{service=\"notify\"} 0\n"));
    counted("transient", "0");
}
