#include "core/config.hpp"

#include "support/config.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using core::Config;
using testing::faults_of, testing::Variables;

namespace {

using Flags = std::vector<std::string>;

Config make(Flags const& flags, Variables variables = {})
{
    return testing::config_of("FEEDBACK", std::move(variables), flags);
}

/// A temporary file, removed with this object.
class TempFile {
public:
    explicit TempFile(std::string_view content)
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "tetrad-config-XXXXXX").string();
        int const fd = mkstemp(pattern.data());
        REQUIRE(fd >= 0);
        REQUIRE(::close(fd) == 0);
        path_ = pattern;
        std::ofstream(path_, std::ios::binary) << content;
    }

    TempFile(TempFile const&) = delete;
    TempFile& operator=(TempFile const&) = delete;

    ~TempFile()
    {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }

    std::string const& path() const { return path_; }

private:
    std::string path_;
};

} // namespace

TEST_CASE("a flag overrides the service's variable, which overrides the common variable")
{
    Variables const both{{"FEEDBACK_PORT", "2"}, {"PORT", "3"}};
    CHECK(make({"--port=1"}, both).integer("PORT", 9, 0, 10, "") == 1);
    CHECK(make({"--port", "1"}, both).integer("PORT", 9, 0, 10, "") == 1);
    CHECK(make({}, both).integer("PORT", 9, 0, 10, "") == 2);
    CHECK(make({}, {{"PORT", "3"}}).integer("PORT", 9, 0, 10, "") == 3);
    CHECK(make({}, {{"AUTH_PORT", "3"}}).integer("PORT", 9, 0, 10, "") == 9);
    CHECK(make({}).integer("PORT", 9, 0, 10, "") == 9);
}

TEST_CASE("an empty variable counts as unset")
{
    CHECK(make({}, {{"FEEDBACK_HOST", ""}, {"HOST", "b"}}).text("HOST", "c", "") == "b");
    CHECK(make({}, {{"FEEDBACK_HOST", ""}, {"HOST", ""}}).text("HOST", "c", "") == "c");
    Config config = make({}, {{"HOST", ""}});
    CHECK(config.required("HOST", "").empty());
    CHECK(faults_of(config) == "HOST: is required");
}

TEST_CASE("a setting that another setting requires is an error only with that setting")
{
    for (bool const holds : {false, true}) {
        CAPTURE(holds);
        Config config = make({}, {});
        CHECK(config.required("FILE", "a file", {holds, "STORE=local"}).empty());
        CHECK(config.required_secret("TOKEN", "a token", {holds, "STORE=remote"}).empty());
        CHECK(faults_of(config) ==
              (holds ? "FILE: is required with STORE=local\nTOKEN: is required with STORE=remote" : ""));
        CHECK_THAT(config.help(),
            Catch::Contains("required with STORE=local") && Catch::Contains("required with STORE=remote"));
    }
    Config config = make({}, {{"FILE", "/a"}});
    CHECK(config.required("FILE", "a file", {false, "STORE=local"}) == "/a");
}

TEST_CASE("values of flags may contain equals signs and dashes, or be empty")
{
    Config config = make({"--a-b=x=y", "--c", "-5", "--d=", "--e=--f"});
    CHECK(config.text("A_B", "", "") == "x=y");
    CHECK(config.integer("C", 0, -10, 10, "") == -5);
    CHECK(config.text("D", "fallback", "").empty());
    CHECK(config.text("E", "", "") == "--f");
    CHECK(faults_of(config).empty());
}

TEST_CASE("an integer must be a whole number within its range")
{
    struct Case {
        char const* text;
        bool good;
    };

    auto const c = GENERATE(Case{"0", true}, Case{"-3", true}, Case{"65535", true}, Case{"65536", false},
        Case{"-4", false}, Case{"12x", false}, Case{"x", false}, Case{" 1", false}, Case{"1 ", false},
        Case{"+1", false}, Case{"1.0", false}, Case{"0x10", false}, Case{"99999999999999999999", false},
        Case{"1e3", false});
    CAPTURE(c.text);
    Config config = make({}, {{"FEEDBACK_N", c.text}});
    auto const value = config.integer("N", 7, -3, 65535, "");
    if (c.good) {
        CHECK(value == std::stoll(c.text));
        CHECK(faults_of(config).empty());
    } else {
        CHECK(value == 7);
        CHECK(faults_of(config) == "FEEDBACK_N: must be an integer from -3 to 65535");
    }
}

TEST_CASE("booleans are read from flags and variables")
{
    CHECK(make({"--v"}).boolean("V", false, ""));
    CHECK(make({"--v", "--w"}).boolean("V", false, ""));
    CHECK(make({"--v=true"}).boolean("V", false, ""));
    CHECK_FALSE(make({"--v", "false"}).boolean("V", true, ""));
    CHECK(make({}, {{"V", "true"}}).boolean("V", false, ""));
    CHECK(make({}).boolean("V", true, ""));
    auto const* text = GENERATE(as<char const*>(), "1", "yes", "TRUE", "on", "truely");
    Config config = make({}, {{"V", text}});
    CHECK(config.boolean("V", true, ""));
    CHECK(faults_of(config) == "V: must be true or false");
}

TEST_CASE("a setting with allowed values defaults to the first")
{
    CHECK(make({}).one_of("STORE", {"local", "s3"}, "") == 0);
    CHECK(make({}, {{"STORE", "s3"}}).one_of("STORE", {"local", "s3"}, "") == 1);
    Config config = make({"--store=S3"});
    CHECK(config.one_of("STORE", {"local", "s3"}, "") == 0);
    CHECK(faults_of(config) == "--store: must be one of local, s3");
}

TEST_CASE("a secret comes from its variable, its flag or a file")
{
    TempFile const file("from file\n");
    CHECK(make({}, {{"KEY", "direct"}}).secret("KEY", "").equals("direct"));
    CHECK(make({"--key=flag"}, {{"KEY", "direct"}}).secret("KEY", "").equals("flag"));
    CHECK(make({}, {{"KEY_FILE", file.path()}}).secret("KEY", "").equals("from file"));
    CHECK(make({}, {{"FEEDBACK_KEY_FILE", file.path()}, {"KEY", "direct"}})
            .secret("KEY", "")
            .equals("from file"));
    CHECK(make({"--key-file", file.path()}, {{"FEEDBACK_KEY", "x"}})
            .required_secret("KEY", "")
            .equals("from file"));
    CHECK(make({}).secret("KEY", "").empty());
    Config config = make({"--key-file=" + file.path()});
    CHECK(config.secret("KEY", "").equals("from file"));
    CHECK(faults_of(config).empty());
}

TEST_CASE("one trailing newline of a file is dropped")
{
    struct Case {
        std::string_view content, secret;
    };

    auto const c = GENERATE(Case{"a", "a"}, Case{"a\n", "a"}, Case{"a\n\n", "a\n"}, Case{"a\r\n", "a"},
        Case{"a ", "a "}, Case{"\na", "\na"}, Case{"a\nb\n", "a\nb"}, Case{"", ""});
    TempFile const file(c.content);
    Config config = make({}, {{"KEY_FILE", file.path()}});
    CHECK(config.secret("KEY", "").equals(c.secret));
    CHECK(faults_of(config).empty());
}

TEST_CASE("a required secret must be set and not empty")
{
    Config absent = make({});
    CHECK(absent.required_secret("KEY", "").empty());
    CHECK(faults_of(absent) == "KEY: is required");
    TempFile const file("\n");
    Config empty = make({}, {{"KEY_FILE", file.path()}});
    CHECK(empty.required_secret("KEY", "").empty());
    CHECK(faults_of(empty) == "KEY_FILE: must not be empty");
}

TEST_CASE("the error contains the reason why a file cannot be read")
{
    Config missing = make({}, {{"KEY_FILE", "/nonexistent/key"}});
    CHECK(missing.required_secret("KEY", "").empty());
    CHECK(faults_of(missing) == "KEY_FILE: the file cannot be read: No such file or directory");
    Config directory = make({}, {{"KEY_FILE", std::filesystem::temp_directory_path().string()}});
    CHECK(directory.required_secret("KEY", "").empty());
    CHECK(faults_of(directory) == "KEY_FILE: the file cannot be read: Is a directory");
    TempFile const large(std::string(65537, 'x'));
    Config too_large = make({}, {{"KEY_FILE", large.path()}});
    CHECK(too_large.required_secret("KEY", "").empty());
    CHECK(faults_of(too_large) == "KEY_FILE: the file is larger than 64 KiB");
    TempFile const fits(std::string(65536, 'x'));
    Config largest = make({}, {{"KEY_FILE", fits.path()}});
    CHECK(largest.required_secret("KEY", "").reveal().size() == 65536);
}

TEST_CASE("a secret that is set in two ways is an error")
{
    Config config = make({}, {{"KEY", "hidden"}, {"KEY_FILE", "/some/file"}});
    CHECK(config.secret("KEY", "").empty());
    CHECK(faults_of(config) == "KEY: conflicts with KEY_FILE; set only one of them");
}

TEST_CASE("all errors are reported together, without any value")
{
    Config config = make({"--port=s3cret", "s3cret", "--unknown=s3cret", "--port=s3cret", "--", "--name"},
        {{"FEEDBACK_STORE", "s3cret"}, {"FLAG", "s3cret"}});
    config.integer("PORT", 1, 1, 9, "");
    config.one_of("STORE", {"local", "s3"}, "");
    config.boolean("FLAG", false, "");
    config.text("NAME", "", "");
    config.required("DATABASE_URL", "");
    config.fault("JWKS_URL", "must start with https://");
    CHECK(faults_of(config) == "argument 2 is not a flag (--name=value)\n"
                               "--port: must be given only once\n"
                               "argument 5 is not a flag (--name=value)\n"
                               "--port: must be an integer from 1 to 9\n"
                               "FEEDBACK_STORE: must be one of local, s3\n"
                               "FLAG: must be true or false\n"
                               "--name: needs a value\n"
                               "DATABASE_URL: is required\n"
                               "JWKS_URL: must start with https://\n"
                               "--unknown: unknown flag");
}

TEST_CASE("help lists each setting once")
{
    Config config = make({});
    config.integer("PORT", 8101, 0, 65535, "where to listen");
    config.text("DATABASE_POOL", "8", "connections");
    config.secret("MASTER_KEY", "the operator's key");
    config.required("BASE_HOST", "the host in front of which tenants stand");
    config.integer("PORT", 8101, 0, 65535, "where to listen");
    CHECK(config.help() ==
          "  --port           PORT           where to listen [8101]\n"
          "  --database-pool  DATABASE_POOL  connections [8]\n"
          "  --master-key     MASTER_KEY     the operator's key\n"
          "  --base-host      BASE_HOST      the host in front of which tenants stand [required]\n");
}

TEST_CASE("the variables of the process can be read")
{
    auto const environment = Config::process_environment();
    // NOLINTNEXTLINE(concurrency-mt-unsafe): this is the only thread
    REQUIRE(setenv("TETRAD_TEST_VARIABLE", "here", 1) == 0);
    CHECK(environment("TETRAD_TEST_VARIABLE") == "here");
    CHECK_FALSE(environment("TETRAD_TEST_VARIABLE_THAT_IS_NOT"));
}
