#include "service/run.hpp"

#include "core/clock.hpp"
#include "http_client/client.hpp"
#include "pg/conninfo.hpp"
#include "service/host.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <pqxx/connection>
#include <pqxx/except>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sys/resource.h>
#include <thread>
#include <utility>

namespace service {

namespace {

using namespace std::chrono_literals;

constexpr int failed = 1;
constexpr int misconfigured = 2;
constexpr auto healthcheck_timeout = 2s;
constexpr auto schema_poll = 1s;

/// The command and its arguments.
struct CommandLine {
    std::string command = "serve";
    std::vector<std::string> flags;
};

CommandLine parse(int argc, char const* const* argv)
{
    CommandLine line{.flags = {argv + std::min(1, argc), argv + argc}};
    if (!line.flags.empty() && (!line.flags.front().starts_with('-') || line.flags.front() == "--help" ||
                                   line.flags.front() == "--version" || line.flags.front() == "-h")) {
        line.command = line.flags.front();
        line.flags.erase(line.flags.begin());
    }
    return line;
}

core::Config config_of(Definition const& definition, std::vector<std::string> const& flags)
{
    return {definition.config_prefix, flags, core::Config::process_environment()};
}

/// Every command, with its help text.
std::vector<std::pair<std::string, std::string>> commands_of(Definition const& definition)
{
    std::vector<std::pair<std::string, std::string>> commands{
        {"serve", "(default) serve requests until SIGTERM"},
        {"migrate", "apply pending migrations; the role in DATABASE_URL must own the database"},
        {"await-schema",
            "exit with 0 once all migrations are applied, or with 1 after SCHEMA_TIMEOUT_SECONDS"},
        {"healthcheck", "exit with 0 if the service on this machine responds on its operations port"}};
    for (auto const& command : definition.commands)
        commands.emplace_back(command.name, command.help);
    return commands;
}

int help(Definition const& definition)
{
    // Reading every setting registers its help text; the environment is not read.
    core::Config config(definition.config_prefix, {}, [](std::string const&) { return std::nullopt; });
    auto const settings = Settings::read(config, definition.defaults);
    definition.configure(config, settings);
    auto const commands = commands_of(definition);
    std::size_t width = 0;
    std::cout << definition.name << ": " << definition.summary << "\n\nUsage: " << definition.name << " [";
    for (auto const& [name, text] : commands) {
        std::cout << (width == 0 ? "" : "|") << name;
        width = std::max(width, name.size());
    }
    std::cout << "] [--setting value ...]\n";
    for (auto const& [name, text] : commands)
        std::cout << "  " << name << std::string(width - name.size() + 2, ' ') << text << '\n';
    std::cout << "\nSettings, from a flag, " << definition.config_prefix << "_NAME or NAME:\n"
              << config.help();
    return 0;
}

/// Raises the limit of open files to the system's maximum, because each connection and file needs a
/// descriptor.
void raise_file_limit()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Waits for SIGTERM or SIGINT. After the first signal, a second one ends the process at once.
class Signals {
public:
    explicit Signals(observe::Logger& logger) : logger_(logger), set_(ioc_, SIGTERM, SIGINT) {}

    ~Signals()
    {
        boost::asio::post(ioc_, [this] { set_.cancel(); });
        if (second_.joinable()) second_.join();
    }

    Signals(Signals const&) = delete;
    Signals& operator=(Signals const&) = delete;

    void wait()
    {
        set_.async_wait([](auto, int) {});
        ioc_.run();
        set_.async_wait([this](auto cancelled, int) {
            if (cancelled) return;
            logger_.warn("stopped at once by a second signal");
            logger_.flush(std::chrono::milliseconds(100));
            std::_Exit(failed);
        });
        ioc_.restart();
        second_ = std::thread([this] { ioc_.run(); });
    }

private:
    observe::Logger& logger_;
    boost::asio::io_context ioc_{1}; // only for signals
    boost::asio::signal_set set_;
    std::thread second_;
};

int serve(Definition const& definition, std::vector<std::string> const& flags)
{
    auto config = config_of(definition, flags);
    auto settings = Settings::read(config, definition.defaults);
    auto const factory = definition.configure(config, settings);
    config.check();
    raise_file_limit();
    observe::Logger logger(definition.name, settings.log_level);
    try {
        core::SystemClock const clock;
        Signals signals(logger);
        Host host(definition.name, std::move(settings), logger, clock, factory);
        logger.info(
            "serving", {{"version", TETRAD_VERSION}, {"port", host.port()}, {"opsPort", host.ops_port()}});
        signals.wait();
        logger.info("stopping");
        bool const answered = host.stop();
        if (!answered) logger.warn("requests in flight were aborted");
        logger.info("stopped");
        return 0;
    } catch (std::exception const& e) {
        logger.error("failed", {{"reason", e.what()}});
        return failed;
    }
}

int migrate(Definition const& definition, std::vector<std::string> const& flags)
{
    auto config = config_of(definition, flags);
    auto const url = read_database_url(config);
    config.check();
    observe::Logger logger(definition.name);
    try {
        auto const conninfo =
            pg::complete_conninfo(url.reveal(), "migrate", {}, pg::migration_connect_timeout);
        auto const database = std::string(pqxx::connection(conninfo).dbname());
        auto const applied = pg::migrate(url.reveal(), definition.components, database + "_service");
        for (auto const& name : applied)
            logger.info("migration applied", {{"migration", name}});
        logger.info("database is up to date", {{"database", database}, {"applied", applied.size()}});
        return 0;
    } catch (pqxx::broken_connection const& e) {
        logger.error("the database cannot be reached", {{"reason", pg::loggable_reason(e.what())}});
        return failed;
    } catch (std::exception const& e) {
        logger.error("migration failed", {{"reason", e.what()}});
        return failed;
    }
}

/// Returns the reason why the schema is not ready, as a text for the log, or "" if it is ready.
std::string what_is_missing(std::string const& url, std::vector<pg::Component const*> const& components)
{
    try {
        auto const names = pg::pending(url, components);
        if (names.empty()) return {};
        return std::to_string(names.size()) + " pending, the first is " + names.front();
    } catch (pqxx::broken_connection const& e) {
        return "the database cannot be reached: " + pg::loggable_reason(e.what());
    }
}

/// Blocks SIGTERM and SIGINT, and waits for them. Without such code, these signals would not end the first
/// process of a container (process 1), for which the kernel ignores them by default.
class StopSignals {
public:
    StopSignals() noexcept
    {
        ::sigemptyset(&set_);
        ::sigaddset(&set_, SIGTERM);
        ::sigaddset(&set_, SIGINT);
        ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    }

    /// Waits at most `time`. Returns whether a signal arrived.
    bool come_within(std::chrono::seconds time) const noexcept
    {
        timespec const limit{.tv_sec = time.count(), .tv_nsec = 0};
        return ::sigtimedwait(&set_, nullptr, &limit) > 0;
    }

private:
    sigset_t set_{};
};

int await_schema(Definition const& definition, std::vector<std::string> const& flags)
{
    auto config = config_of(definition, flags);
    auto const url = read_session_url(config);
    std::chrono::seconds const timeout(
        config.integer("SCHEMA_TIMEOUT_SECONDS", 300, 1, 86'400, "seconds to wait for the migrations"));
    config.check();
    StopSignals const signals; // before threads are started, because they inherit the blocked signals
    observe::Logger logger(definition.name);
    auto const deadline = std::chrono::steady_clock::now() + timeout;
    std::string reported;
    try {
        for (;;) {
            auto const missing = what_is_missing(url.reveal(), definition.components);
            if (missing.empty()) break;
            if (std::exchange(reported, missing) != missing)
                logger.info("waiting for the schema", {{"reason", missing}});
            if (std::chrono::steady_clock::now() >= deadline || signals.come_within(schema_poll)) {
                logger.error("the schema is not up to date", {{"reason", missing}});
                return failed;
            }
        }
        logger.info("the schema is up to date");
        return 0;
    } catch (std::exception const& e) {
        logger.error("the schema cannot be used", {{"reason", e.what()}});
        return failed;
    }
}

int healthcheck(Definition const& definition, std::vector<std::string> const& flags)
{
    auto config = config_of(definition, flags);
    auto const origin = read_ops_origin(config, definition.defaults);
    config.check();
    try {
        http_client::Client client({.addresses = http_client::AddressPolicy(true)});
        auto const answer = client.send({.url = origin + "/livez", .timeout = healthcheck_timeout});
        if (answer.status == 200) return 0;
        std::cerr << definition.name << ": /livez returned " << answer.status << '\n';
    } catch (http_client::Error const& e) {
        std::cerr << definition.name << ": " << e.what() << '\n';
    }
    return failed;
}

int perform(Command const& command, Definition const& definition, std::vector<std::string> const& flags)
{
    auto config = config_of(definition, flags);
    auto const settings = Settings::read(config, definition.defaults);
    auto const task = command.prepare(config, settings);
    config.check();
    observe::Logger logger(definition.name, settings.log_level);
    try {
        return task(logger);
    } catch (std::exception const& e) {
        logger.error("failed", {{"verb", command.name}, {"reason", e.what()}});
        return failed;
    }
}

int dispatch(Definition const& definition, CommandLine const& line)
{
    if (line.command == "--help" || line.command == "-h") return help(definition);
    if (line.command == "--version") {
        std::cout << definition.name << ' ' << TETRAD_VERSION << '\n';
        return 0;
    }
    if (line.command == "serve") return serve(definition, line.flags);
    if (line.command == "migrate") return migrate(definition, line.flags);
    if (line.command == "await-schema") return await_schema(definition, line.flags);
    if (line.command == "healthcheck") return healthcheck(definition, line.flags);
    for (auto const& command : definition.commands)
        if (command.name == line.command) return perform(command, definition, line.flags);
    std::cerr << definition.name << ": unknown command " << line.command << "; --help lists the commands\n";
    return misconfigured;
}

} // namespace

int run(int argc, char const* const* argv, Definition const& definition)
{
    // A write to a connection that the peer has closed must fail instead of ending the process, also in
    // libraries.
    std::signal(SIGPIPE, SIG_IGN); // NOLINT(cert-err33-c): it cannot fail for SIGPIPE
    try {
        return dispatch(definition, parse(argc, argv));
    } catch (core::ConfigError const& e) {
        std::cerr << definition.name << ": the configuration is wrong\n" << e.what() << '\n';
        return misconfigured;
    } catch (std::exception const& e) {
        std::cerr << definition.name << ": " << e.what() << '\n';
        return failed;
    }
}

} // namespace service
