#include "mail_world.hpp"
#include "postfix_server.hpp"
#include "support/eventually.hpp"
#include "support/program.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/transaction>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <unistd.h>

// Emails of the whole program: crashes, the outbox, and a real mail server.

using testing::body, testing::require;
namespace json = boost::json;

namespace {

/// A World whose own service has stopped, so that only programs send emails.
class Data {
public:
    Data()
    {
        key = world.key();
        user = world.issuer.token({.subject = ada, .email = "ada@users.example"}, {{"email_verified", true}});
        world.host->stop();
    }

    testing::Variables variables(std::string const& smtp_url) const
    {
        auto variables = world.variables();
        variables["BLOB_DIR"] = world.directory.path() + "/blobs";
        variables["EMAIL_PROVIDER"] = "smtp";
        variables["SMTP_URL"] = smtp_url;
        variables["EMAIL_FROM"] = "feedback@mail.example";
        return variables;
    }

    /// Releases the leases of a dead process.
    void make_due() const
    {
        world.postgres.query(
            "UPDATE jobs SET run_at = jobs_now(), lease_owner = NULL WHERE queue LIKE '%mail%'");
    }

    World world;
    std::string key, user;
};

/// Creates a thread of the user, and answers it as staff.
void create_and_answer(testing::Program const& program, Data const& data, std::string const& title)
{
    auto user = program.client("Bearer " + data.user), backend = program.client("Bearer " + data.key);
    auto const thread = new_thread(user, title);
    require(201, backend.post("/v1/feedbacks/" + thread + "/replies", R"({"body":"An answer"})"));
}

std::map<std::string, int> counted(testing::SmtpServer const& server, char const* member)
{
    std::map<std::string, int> counts;
    for (auto const& mail : server.mails())
        ++counts[std::string(mail.at(member).as_string())];
    return counts;
}

} // namespace

TEST_CASE(
    "an email that the mail server took before a kill -9 is sent again with the same Message-ID", "[mail]")
{
    Data data;
    testing::SmtpServer const server;
    auto const& postgres = data.world.postgres;
    postgres.query(R"(
        CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM pg_advisory_xact_lock(7);
            RETURN NEW;
        END
        $$;
        CREATE TRIGGER hold BEFORE UPDATE ON thread_mails FOR EACH ROW EXECUTE FUNCTION hold())");
    {
        pqxx::connection connection(postgres.superuser_url());
        pqxx::work lock(connection);
        lock.exec("SELECT pg_advisory_xact_lock(7)");
        testing::Program program(FEEDBACK_PROGRAM, data.variables(server.url()));
        create_and_answer(program, data, "Once");
        server.mails(1);
        program.kill();
    }
    postgres.query("DROP TRIGGER hold ON thread_mails");
    data.make_due();
    testing::Program const again(FEEDBACK_PROGRAM, data.variables(server.url()));
    server.mails(2);
    CHECK(counted(server, "messageId").size() == 1);
    CHECK(testing::eventually([&] {
        return postgres.query(
                   "SELECT count(*) FROM thread_mails WHERE sent_at IS NOT NULL AND requested_at IS NULL") ==
               "1";
    }));
    server.mails(2);
}

TEST_CASE("after a kill -9 under load every email has been sent, and few were sent twice", "[mail]")
{
    Data data;
    testing::SmtpServer const server({{"delay", 20}});
    constexpr int threads = 60;
    {
        testing::Program program(FEEDBACK_PROGRAM, data.variables(server.url()));
        for (int i = 0; i < threads; ++i)
            create_and_answer(program, data, "Thread " + std::to_string(i));
        REQUIRE(testing::eventually([&] { return server.mails().size() >= 10; }));
        program.kill();
    }
    data.make_due();
    testing::Program const again(FEEDBACK_PROGRAM, data.variables(server.url()));
    CHECK(testing::eventually([&] {
        return data.world.postgres.query("SELECT count(*) FROM thread_mails WHERE requested_at IS NULL") ==
               std::to_string(threads);
    }));
    CHECK(counted(server, "subject").size() == threads);
    CHECK(counted(server, "messageId").size() == threads);
    auto const ids = counted(server, "messageId");
    CHECK(std::ranges::all_of(ids, [](auto const& count) { return count.second <= 2; }));
}

TEST_CASE("links work after the encryption key was replaced", "[mail]")
{
    Data data;
    testing::SmtpServer const server;
    auto variables = data.variables(server.url());
    std::string const new_key = "new:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
    std::string link;
    {
        testing::Program program(FEEDBACK_PROGRAM, variables);
        create_and_answer(program, data, "Title");
        link = unsubscribe_path(server.mails(1).front());
        CHECK(program.terminate() == 0);
    }
    variables["ENCRYPTION_KEYS"] = new_key + ',' + testing::encryption_keys;
    testing::Process::Options options{.argv = {FEEDBACK_PROGRAM, "reencrypt"}};
    for (auto const& [name, value] : variables)
        options.environment.push_back(name + '=' + value);
    testing::Process reencrypt(options);
    REQUIRE(reencrypt.wait());
    REQUIRE(reencrypt.status() == 0);
    variables["ENCRYPTION_KEYS"] = new_key;
    testing::Program const program(FEEDBACK_PROGRAM, variables);
    CHECK(program.client("").post(link, "").status == 200);
    CHECK(data.world.postgres.query("SELECT count(*) FROM thread_opt_outs") == "1");
}

TEST_CASE("without a mail server, emails are files of the outbox", "[mail]")
{
    World world;
    auto user = world.with(
        world.issuer.token({.subject = ada, .email = "ada@users.example"}, {{"email_verified", true}}));
    auto const thread = new_thread(user, "In a file");
    auto backend = world.as_backend();
    require(201, backend.post("/v1/feedbacks/" + thread + "/replies", R"({"body":"An answer"})"));
    auto const files = [&] {
        std::set<std::string> names;
        for (auto const& entry : std::filesystem::directory_iterator(world.directory.path() + "/mails"))
            if (entry.path().extension() == ".eml") names.insert(entry.path().string());
        return names;
    };
    REQUIRE(testing::eventually([&] { return files().size() == 1; }));
    auto const message = testing::read_file(*files().begin());
    for (auto const* line :
        {"\r\nTo: ada@users.example\r\n", "\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n",
            "\r\nAuto-Submitted: auto-generated\r\n",
            "\r\nList-Unsubscribe: <http://demo-sandbox.feedback.localhost"})
        CHECK(message.find(line) != std::string::npos);
}

TEST_CASE("Postfix takes the emails, and refuses a recipient that does not exist", "[mail]")
{
    if (geteuid() != 0) {
        WARN("Postfix needs root, so it is not tested");
        return;
    }
    testing::PostfixServer const postfix;
    MailWorld world({{"SMTP_URL", "smtp://localhost:" + std::to_string(postfix.plain())}});
    auto backend = world.as_backend();
    for (std::string const name : {"ada", "gone"}) {
        auto user = world.as(name, name + "@example.org");
        auto const thread = new_thread(user, "Thread of " + name);
        require(201, backend.post("/v1/feedbacks/" + thread + "/replies", R"({"body":"An answer"})"));
    }
    world.settle();
    auto const message = [&] { // a file is written piece by piece
        auto const messages = postfix.delivered();
        return messages.size() == 1 ? messages.front() : std::string();
    };
    CHECK(testing::eventually([&] { return message().find("=One-Click") != std::string::npos; }));
    CHECK_THAT(message(), Catch::Contains("Thread of ada") && Catch::Contains("List-Unsubscribe: <http://") &&
                              Catch::Contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"));
    CHECK(world.postgres.query("SELECT count(*) FROM thread_mails WHERE requested_at IS NOT NULL") == "0");
}
