// Measures how many password hashes the machine computes per second. The benchmark of auth-mfa compares the
// rate of sign-ins with this rate.
//
//     bare_hash --threads N --seconds N
//
// Hashes with the services' cost parameters on every thread. Prints hashes per second.
#include "crypto/password.hpp"

#include <argon2.h>
#include <boost/program_options.hpp>

#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string_view>
#include <thread>
#include <vector>

namespace options = boost::program_options;

static double rate_of_a_thread(std::chrono::duration<double> length)
{
    using Clock = std::chrono::steady_clock;
    constexpr crypto::Argon2Cost cost;
    constexpr std::string_view secret = "a heron on the weir";
    constexpr std::array<char, 16> salt{};
    std::array<char, 32> hash{};
    auto const begun = Clock::now();
    std::chrono::duration<double> passed{};
    double hashes = 0;
    do {
        if (argon2id_hash_raw(cost.passes, cost.memory_kib, cost.lanes, secret.data(), secret.size(),
                salt.data(), salt.size(), hash.data(), hash.size()) != ARGON2_OK)
            std::abort();
        ++hashes;
        passed = Clock::now() - begun;
    } while (passed < length);
    return hashes / passed.count();
}

int main(int argc, char** argv)
{
    unsigned threads = 1;
    double seconds = 1;
    options::options_description arguments;
    arguments.add_options()("threads", options::value(&threads))("seconds", options::value(&seconds));
    options::variables_map given;
    options::store(options::parse_command_line(argc, argv, arguments), given);
    options::notify(given);

    std::vector<double> rates(threads);
    std::vector<std::jthread> running;
    for (double& rate : rates)
        running.emplace_back(
            [&rate, seconds] { rate = rate_of_a_thread(std::chrono::duration<double>(seconds)); });
    running.clear(); // joins
    std::cout << std::accumulate(rates.begin(), rates.end(), 0.0) << std::endl;
}
