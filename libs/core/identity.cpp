#include "core/identity.hpp"

namespace core {

std::string_view to_string(Environment env) noexcept
{
    return env == Environment::sandbox ? "sandbox" : "production";
}

std::optional<Environment> parse_environment(std::string_view text) noexcept
{
    if (text == "production") return Environment::production;
    if (text == "sandbox") return Environment::sandbox;
    return std::nullopt;
}

} // namespace core
