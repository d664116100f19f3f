#pragma once

#include "core/config.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace testing {

using Variables = std::map<std::string, std::string>; ///< by name

/// Reads `variables` instead of the variables of this process.
inline core::Config config_of(
    std::string prefix, Variables variables, std::vector<std::string> const& flags = {})
{
    return {std::move(prefix), flags, [variables = std::move(variables)](std::string const& name) {
                auto const it = variables.find(name);
                return it == variables.end() ? std::nullopt : std::optional(it->second);
            }};
}

/// The text of the errors that were found; empty if there are none.
inline std::string faults_of(core::Config const& config)
{
    try {
        config.check();
        return {};
    } catch (core::ConfigError const& error) {
        return error.what();
    }
}

} // namespace testing
