// The smallest possible program of a service, for the tests of service::run.
#include "service/run.hpp"
#include "small_service.hpp"

#include <stdexcept>

namespace {

pg::Component const& component()
{
    static pg::Component const one{
        "small", {{"0001_things", "CREATE TABLE things (id bigint PRIMARY KEY);"}}};
    return one;
}

service::Command say()
{
    return {
        "say", "logs WORDS", [](core::Config& config, service::Settings const&) -> service::Command::Task {
            auto words = config.required("WORDS", "what to say");
            return [words](observe::Logger& logger) {
                if (words == "throw") throw std::runtime_error("thrown");
                logger.info(words);
                return 3;
            };
        }};
}

} // namespace

int main(int argc, char** argv)
{
    return service::run(argc, argv,
        {.name = "small",
            .config_prefix = "SMALL",
            .summary = "a service for tests",
            .defaults = {.base_host = "small.localhost", .port = 8191, .ops_port = 9191},
            .components = {&component()},
            .configure = [](core::Config& config, service::Settings const&) -> service::Factory {
                auto const color = config.one_of("COLOR", {"red", "green"}, "a setting of its own");
                return [color](service::Runtime const& runtime) {
                    if (color == 1) throw std::runtime_error("green is not made");
                    return std::make_unique<SmallService>(runtime);
                };
            },
            .commands = {say()}});
}
