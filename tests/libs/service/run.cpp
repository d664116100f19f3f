#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/http_client.hpp"
#include "support/postgres.hpp"
#include "support/process.hpp"
#include "support/raw_connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <csignal>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <thread>

using namespace std::chrono_literals;

namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#endif

/// The small service as a process, with a complete configuration unless `more` changes it.
class Program {
public:
    explicit Program(
        std::vector<std::string> const& arguments = {}, std::vector<std::string> const& more = {})
    {
        std::vector<std::string> argv{SMALL_SERVICE};
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        std::vector<std::string> environment{"PORT=" + std::to_string(port),
            "OPS_PORT=" + std::to_string(ops_port), "DATABASE_URL=postgresql:///none",
            "REDIS_URL=redis://127.0.0.1", "THREADS=2", "MASTER_KEY=0123456789abcdef0123456789abcdef",
            "ENCRYPTION_KEYS=k1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="};
        for (auto const& variable : more) {
            auto const name = variable.substr(0, variable.find('=') + 1);
            std::erase_if(environment, [&](auto const& e) { return e.starts_with(name); });
            environment.push_back(variable);
        }
        process =
            testing::Process({.argv = argv, .environment = environment, .user = {}, .output = output_path()});
    }

    std::string output_path() const { return folder.path() + "/output"; }

    std::string output() const { return testing::read_file(output_path()); }

    int wait()
    {
        REQUIRE(process.wait());
        return process.status();
    }

    bool is_ready() const
    {
        try {
            return testing::HttpClient("http://127.0.0.1:" + std::to_string(ops_port))
                       .get("/readyz")
                       .status == 200;
        } catch (std::runtime_error const&) {
            return false;
        }
    }

    testing::TemporaryDirectory folder;
    unsigned short port = testing::free_port();
    unsigned short ops_port = testing::free_port();
    testing::Process process;
};

} // namespace

TEST_CASE("--version and --help work with any configuration")
{
    Program version({"--version"}, {"PORT=nonsense"});
    CHECK(version.wait() == 0);
    CHECK(version.output() == "small " TETRAD_VERSION "\n");

    Program help({"--help"}, {"PORT=nonsense"});
    CHECK(help.wait() == 0);
    auto const text = help.output();
    for (auto const* word :
        {"a service for tests", "serve", "migrate", "await-schema", "healthcheck", "say", "logs WORDS",
            "PORT", "8191", "9191", "BASE_HOST", "small.localhost", "DATABASE_URL", "REDIS_URL", "MASTER_KEY",
            "ENCRYPTION_KEYS", "TRUSTED_PROXIES", "LOG_LEVEL", "DRAIN_DELAY_MS", "COLOR"}) {
        CAPTURE(word, text);
        CHECK(text.find(word) != std::string::npos);
    }
}

TEST_CASE("with a wrong configuration the program exits with 2 and reports every error on stderr, including "
          "errors of the service")
{
    Program program({}, {"PORT=x", "MASTER_KEY=short", "DATABASE_URL=", "COLOR=blue"});
    CHECK(program.wait() == 2);
    auto const text = program.output();
    for (auto const* name : {"PORT", "MASTER_KEY", "DATABASE_URL", "COLOR"}) {
        CAPTURE(name, text);
        CHECK(text.find(name) != std::string::npos);
    }
    Program flag({"serve", "--no-such-setting", "1"});
    CHECK(flag.wait() == 2);
    Program command({"dance"});
    CHECK(command.wait() == 2);
}

TEST_CASE("a verb of the service is run, and the program returns its exit code")
{
    Program good({"say", "--words", "hello"});
    CHECK(good.wait() == 3);
    CHECK(good.output().find(R"("message":"hello")") != std::string::npos);
    Program faulty({"say"});
    CHECK(faulty.wait() == 2);
    CHECK(faulty.output().find("WORDS") != std::string::npos);
    Program failing({"say", "--words=throw"});
    CHECK(failing.wait() == 1);
    CHECK(failing.output().find("thrown") != std::string::npos);
}

TEST_CASE("the program becomes ready, uses little memory when idle, and exits with 0 after SIGTERM")
{
    Program program;
    REQUIRE(testing::eventually([&] { return program.is_ready(); }));
    if (!sanitized) {
        auto const metrics =
            testing::HttpClient("http://127.0.0.1:" + std::to_string(program.ops_port)).get("/metrics").body;
        auto const at = metrics.find("\nprocess_resident_memory_bytes ");
        REQUIRE(at != std::string::npos);
        CHECK(std::stod(metrics.substr(metrics.find(' ', at))) < 25.0 * 1024 * 1024);
    }
    testing::RawConnection connection(program.port);
    connection.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
    REQUIRE(testing::eventually([&] { return program.output().find(R"("held")") != std::string::npos; }));
    program.process.signal(SIGTERM);
    auto const answer = connection.read_to_close();
    CHECK(answer.starts_with("HTTP/1.1 200"));
    CHECK(answer.ends_with(R"({"answer":42})"));
    CHECK(program.wait() == 0);
    auto const text = program.output();
    std::size_t last = 0;
    for (auto const* message :
        {"start", "serving", "stopping", "begin stop", "stop workers", "stop", "stopped"}) {
        CAPTURE(message, text);
        auto const at = text.find(std::string("\"message\":\"") + message + "\"", last);
        REQUIRE(at != std::string::npos);
        last = at;
    }
    CHECK(text.find(R"("message":"stop workers","handled":1)") != std::string::npos);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        CHECK(boost::json::parse(line).is_object());
}

TEST_CASE("a second signal ends the program at once")
{
    Program program({}, {"DRAIN_DELAY_MS=60000"}); // longer than the test runs
    REQUIRE(testing::eventually([&] { return program.is_ready(); }));
    program.process.signal(SIGINT);
    REQUIRE(testing::eventually([&] { return !program.is_ready(); }));
    CHECK(program.process.running());
    program.process.signal(SIGTERM);
    CHECK(program.wait() == 1);
    CHECK(program.output().find("second signal") != std::string::npos);
}

TEST_CASE("a signal during the start stops the program in order")
{
    for (auto const wait : {30ms, 60ms, 90ms, 120ms}) {
        Program program;
        std::this_thread::sleep_for(wait); // a different moment each time
        program.process.signal(SIGTERM);
        auto const status = program.wait();
        // Until main() has installed its signal handler, SIGTERM ends the process. The status is then 128 +
        // SIGTERM.
        CHECK((status == 0 || (status == 143 && program.output().empty())));
    }
}

TEST_CASE("a failure to start is logged and exits with 1")
{
    Program first;
    REQUIRE(testing::eventually([&] { return first.is_ready(); }));
    Program second({}, {"PORT=" + std::to_string(first.port)});
    CHECK(second.wait() == 1);
    CHECK(second.output().find(R"("level":"error")") != std::string::npos);
    CHECK(first.is_ready());
    Program green({"--color", "green"});
    CHECK(green.wait() == 1);
    CHECK(green.output().find("green is not made") != std::string::npos);
}

TEST_CASE("migrate applies all migrations and needs only the URL of the database")
{
    testing::Postgres const db;
    for (int i = 0; i < 2; ++i) {
        Program program({"migrate"}, {"DATABASE_URL=" + db.owner_url(), "MASTER_KEY=short", "REDIS_URL="});
        CHECK(program.wait() == 0);
        auto const applied = program.output().find(R"("migration":"small/0001_things")") != std::string::npos;
        CHECK(applied == (i == 0));
    }
    CHECK(db.query("SELECT count(*) FROM things") == "0");
    CHECK(db.query("SELECT count(*) FROM pg_roles WHERE rolname = current_database() || '_service'") == "1");
    Program failing({"migrate"}, {"DATABASE_URL=postgresql:///none?host=/does/not/exist"});
    CHECK(failing.wait() == 1);
    Program missing({"migrate"}, {"DATABASE_URL="});
    CHECK(missing.wait() == 2);
}

TEST_CASE("await-schema waits for the database, for its role and for the migrations")
{
    testing::Postgres const db;
    // The role that the migrations create.
    auto const name = db.query("SELECT current_database() || '_service'");
    auto url = db.service_url();
    url.replace(url.find(db.service_role()), db.service_role().size(), name);
    Program role({"await-schema"}, {"DATABASE_URL=" + url});
    Program schema({"await-schema"}, {"DATABASE_URL=" + db.owner_url(), "MASTER_KEY=short", "REDIS_URL="});
    REQUIRE(testing::eventually(
        [&] { return role.output().find("the database cannot be reached") != std::string::npos; }));
    REQUIRE(testing::eventually([&] {
        return schema.output().find("1 pending, the first is small/0001_things") != std::string::npos;
    }));
    CHECK(role.process.running());
    CHECK(schema.process.running());
    Program migration({"migrate"}, {"DATABASE_URL=" + db.owner_url()});
    REQUIRE(migration.wait() == 0);
    CHECK(schema.wait() == 0);
    CHECK(schema.output().find("the schema is up to date") != std::string::npos);
    CHECK(role.process.running()); // the role that migrations create cannot log in
    db.query("ALTER ROLE " + name + " LOGIN");
    CHECK(role.wait() == 0);
    Program again({"await-schema"}, {"DATABASE_URL=" + url});
    CHECK(again.wait() == 0);
    // DATABASE_URL may be the URL of a pooler, which accepts no session settings, so the server itself is
    // queried.
    Program pooled({"await-schema"}, {"DATABASE_POOLER=transaction", "DATABASE_DIRECT_URL=" + url});
    CHECK(pooled.wait() == 0);
    Program nowhere({"await-schema"}, {"DATABASE_POOLER=transaction"});
    CHECK(nowhere.wait() == 2);
    CHECK(nowhere.output().find("DATABASE_DIRECT_URL") != std::string::npos);
}

TEST_CASE("await-schema fails at its time limit, at a signal, and if waiting cannot help")
{
    testing::Postgres const db;
    auto const url = "DATABASE_URL=" + db.owner_url();
    Program late({"await-schema"}, {url, "SCHEMA_TIMEOUT_SECONDS=1"});
    CHECK(late.wait() == 1);
    CHECK(late.output().find("the schema is not up to date") != std::string::npos);

    Program told({"await-schema"}, {url, "SCHEMA_TIMEOUT_SECONDS=86400"});
    REQUIRE(testing::eventually(
        [&] { return told.output().find("waiting for the schema") != std::string::npos; }));
    told.process.signal(SIGTERM);
    CHECK(told.wait() == 1);

    Program migration({"migrate"}, {url});
    auto const status = migration.wait();
    INFO(migration.output());
    REQUIRE(status == 0);
    db.query("UPDATE schema_migrations SET checksum = 'of another text'");
    Program changed({"await-schema"}, {url, "SCHEMA_TIMEOUT_SECONDS=86400"});
    CHECK(changed.wait() == 1);
    CHECK(changed.output().find("small/0001_things was changed") != std::string::npos);

    Program missing({"await-schema"}, {"DATABASE_URL="});
    CHECK(missing.wait() == 2);
}

TEST_CASE("healthcheck reports whether the service with the same settings responds")
{
    Program program({}, {"BIND=0.0.0.0"});
    REQUIRE(testing::eventually([&] { return program.is_ready(); }));
    auto const ops_port = "OPS_PORT=" + std::to_string(program.ops_port);
    // Only the port and the address are read.
    // On a slow machine the response may take longer than the command waits.
    CHECK(testing::eventually([&] {
        Program healthy({"healthcheck"}, {ops_port, "BIND=0.0.0.0", "MASTER_KEY=short", "DATABASE_URL="});
        return healthy.wait() == 0 && healthy.output().empty();
    }));
    program.process.signal(SIGTERM);
    REQUIRE(program.wait() == 0);
    Program gone({"healthcheck"}, {ops_port, "BIND=0.0.0.0"});
    CHECK(gone.wait() == 1);
    CHECK_FALSE(gone.output().empty());
    Program unknown({"healthcheck"}, {"OPS_PORT=0"});
    CHECK(unknown.wait() == 2);
    CHECK(unknown.output().find("OPS_PORT") != std::string::npos);
}

TEST_CASE("healthcheck requests /livez, and any status except 200 is a failure")
{
    using boost::asio::ip::tcp;
    boost::asio::io_context ioc;
    tcp::acceptor acceptor(ioc, {boost::asio::ip::address_v4::loopback(), 0});
    acceptor.non_blocking(true);
    auto const ops_port = "OPS_PORT=" + std::to_string(acceptor.local_endpoint().port());
    Program program({"healthcheck"}, {ops_port});
    tcp::socket socket(ioc);
    REQUIRE(testing::eventually([&] {
        boost::system::error_code failure;
        acceptor.accept(socket, failure);
        return !failure;
    }));
    std::string request(4096, '\0');
    request.resize(socket.read_some(boost::asio::buffer(request)));
    CHECK(request.starts_with("GET /livez HTTP/1.1\r\n"));
    boost::asio::write(socket, boost::asio::buffer(std::string_view(
                                   "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")));
    CHECK(program.wait() == 1);
    CHECK(program.output().find("503") != std::string::npos);
}

TEST_CASE("a wrong URL of the database is never repeated in errors")
{
    struct Row {
        char const* url;
        int status;
    };

    for (auto const& [url, status] : {Row{"postgresql://owner:hunter%zz2@localhost/db", 2},
             Row{"host=localhost password=x hunter2", 2}, Row{"postgresql://owner:p@hunter2@localhost/db", 1},
             Row{"postgresql://owner:p@%68unter2@localhost/db", 1},
             Row{"postgresql://owner:hunter2/x@localhost/db", 1}}) {
        CAPTURE(url);
        Program program({"migrate"}, {std::string("DATABASE_URL=") + url});
        CHECK(program.wait() == status);
        auto const text = program.output();
        CAPTURE(text);
        CHECK(text.find("hunter") == std::string::npos);
        CHECK(text.size() > 20);
    }
    Program serving({}, {"DATABASE_URL=postgresql://owner:hunter%zz2@localhost/db"});
    CHECK(serving.wait() == 2);
    CHECK(serving.output().find("hunter") == std::string::npos);
}

TEST_CASE("the program raises its limit of file descriptors to the system's maximum")
{
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    rlimit const low{.rlim_cur = 256, .rlim_max = limit.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
    Program program;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    REQUIRE(testing::eventually([&] { return program.is_ready(); }));
    std::ifstream limits("/proc/" + std::to_string(program.process.pid()) + "/limits");
    std::string line;
    while (std::getline(limits, line) && !line.starts_with("Max open files")) {
    }
    std::istringstream words(line.substr(std::min<std::size_t>(line.size(), 15)));
    std::string soft, hard;
    words >> soft >> hard;
    CAPTURE(line);
    CHECK(soft == hard);
    CHECK(soft != "256");
}
