// test-issuer: stands in for the authentication service when a service is tried out or tested alone. It makes
// a key, prints the key set to configure as JWKS_FILE, and prints user tokens that verify with it.
#include "testing/issuer.hpp"

#include <boost/program_options.hpp>

#include <fstream>
#include <iostream>

namespace {

namespace po = boost::program_options;

constexpr char const* usage = "usage: test-issuer jwks  --key FILE [--out FILE]\n"
                              "       test-issuer token --key FILE [options]\n"
                              "The key file is made when it is missing.\n\n";

po::options_description describe()
{
    po::options_description options("options");
    auto add = options.add_options();
    add("help", "print this");
    add("key", po::value<std::string>(), "PEM file with the signing key");
    add("out", po::value<std::string>(), "write the key set to this file instead of printing it");
    add("issuer-host", po::value<std::string>()->default_value("auth.localhost"),
        "JWT_ISSUER_HOST of the services");
    add("tenant", po::value<std::string>()->default_value("demo"), "slug");
    add("env", po::value<std::string>()->default_value("sandbox"), "production or sandbox");
    add("sub", po::value<std::string>()->default_value(testing::TokenFor().subject), "user id");
    add("email", po::value<std::string>()->default_value(testing::TokenFor().email), "address");
    add("role", po::value<std::string>()->default_value("user"), "user, admin or owner");
    add("ttl", po::value<std::int64_t>()->default_value(900),
        "seconds until the token expires; may be negative");
    return options;
}

testing::TokenFor read_token(po::variables_map const& given)
{
    auto const env = core::parse_environment(given["env"].as<std::string>());
    if (!env) throw std::invalid_argument("--env is production or sandbox");
    return {.tenant = given["tenant"].as<std::string>(),
        .environment = *env,
        .subject = given["sub"].as<std::string>(),
        .email = given["email"].as<std::string>(),
        .role = given["role"].as<std::string>(),
        .lifetime = std::chrono::seconds(given["ttl"].as<std::int64_t>())};
}

void put(po::variables_map const& given, std::string const& text)
{
    if (given.count("out") == 0) {
        std::cout << text << '\n';
        return;
    }
    auto const path = given["out"].as<std::string>();
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text << '\n';
    if (!file.flush()) throw std::runtime_error(path + " could not be written");
}

int run(int argc, char** argv)
{
    auto const options = describe();
    std::string const verb = argc > 1 ? argv[1] : "";
    po::variables_map given;
    if (argc > 2) po::store(po::command_line_parser(argc - 1, argv + 1).options(options).run(), given);
    bool const known = verb == "jwks" || verb == "token";
    if (!known || given.count("help") != 0 || given.count("key") == 0) {
        std::cerr << usage << options;
        return verb == "--help" || given.count("help") != 0 ? 0 : 2;
    }
    core::SystemClock const clock;
    testing::Issuer const issuer(clock, given["issuer-host"].as<std::string>(),
        testing::Issuer::key_from_file(given["key"].as<std::string>()));
    put(given, verb == "jwks" ? issuer.jwks() : issuer.token(read_token(given)));
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        return run(argc, argv);
    } catch (std::exception const& error) {
        std::cerr << "test-issuer: " << error.what() << '\n';
        return 1;
    }
}
