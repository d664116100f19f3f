#include "mail/outbox.hpp"

#include "mail/mime.hpp"
#include "mailing.hpp"
#include "support/file.hpp"
#include "support/process.hpp"

#include <filesystem>
#include <fstream>

using namespace mailing;

namespace fs = std::filesystem;

TEST_CASE("the outbox contains one complete file per message, even if the message is repeated")
{
    testing::TemporaryDirectory const folder("outbox");
    std::string const directory = folder.path() + "/deep/mail";
    Mailer post(shared, std::make_unique<Outbox>(directory));
    CHECK((fs::status(directory).permissions() & fs::perms::all) == fs::perms::owner_all);
    auto const email = message_to("ada@example.org");
    for (int i = 0; i < 2; ++i)
        REQUIRE(post.send(email).outcome == Outcome::accepted);
    std::vector<std::string> names;
    for (auto const& entry : fs::directory_iterator(directory))
        names.push_back(entry.path().filename());
    CHECK(names == std::vector<std::string>{email.id.to_string() + ".eml"});
    auto const message = testing::read_file(directory + '/' + names.at(0));
    CHECK(message == compose(email, shared, email.id.to_string() + "@shared.example"));

    fs::remove_all(directory);
    auto const result = post.send(email);
    CHECK(result.outcome == Outcome::transient);
    CHECK_THAT(result.reason, Catch::StartsWith("OUTBOX: "));
    std::ofstream(folder.path() + "/file") << "x";
    CHECK_THROWS_AS(Outbox(folder.path() + "/file"), std::runtime_error);
}
