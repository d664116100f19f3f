#include "server_settings.hpp"

#include "support/eventually.hpp"

#include <stdexcept>

namespace {

void reload(testing::Postgres const& postgres, std::map<std::string, std::string> const& expected)
{
    postgres.query("SELECT pg_reload_conf()");
    for (auto const& [name, value] : expected) {
        bool const set = testing::eventually([&] { return postgres.query("SHOW " + name) == value; });
        if (!set) throw std::runtime_error(name + " is not " + value);
    }
}

} // namespace

ServerSettings::ServerSettings(
    testing::Postgres const& postgres, std::map<std::string, std::string> const& settings)
    : postgres_(postgres)
{
    for (auto const& [name, value] : settings) {
        before_.emplace(name, postgres.query("SHOW " + name));
        postgres.query("ALTER SYSTEM SET " + name + " = '" + value + "'");
    }
    reload(postgres, settings);
}

ServerSettings::~ServerSettings()
{
    try {
        reset();
    } catch (std::exception const&) { // NOLINT(bugprone-empty-catch): the test has already failed
    }
}

void ServerSettings::reset()
{
    for (auto const& [name, value] : before_)
        postgres_.query("ALTER SYSTEM RESET " + name);
    reload(postgres_, std::exchange(before_, {}));
}
