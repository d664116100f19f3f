#pragma once

#include "core/secret.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Every fault of a configuration, one line each with the variable's name.
class ConfigError : public std::exception {
public:
    explicit ConfigError(std::vector<std::string> const& faults);

    char const* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

/// Reads settings by the name of their environment variable. Each is also a flag (`DATABASE_POOL` is
/// `--database-pool=8` or `--database-pool 8`; a boolean needs no value), a flag wins, then `<PREFIX>_NAME`
/// (`FEEDBACK_PORT`), then `NAME`. A variable that is set to nothing counts as unset.
///
/// A secret may also come from a file that `NAME_FILE` names, by each of the three ways (one trailing newline
/// is dropped); naming both in one way is a fault.
///
/// Faults are gathered and say where a value came from, never the value; `check()` throws them all. Every
/// name asked for is remembered, which is how `help()` lists them. For one thread.
class Config {
public:
    using Environment = std::function<std::optional<std::string>(std::string const& name)>;

    /// `prefix`: `FEEDBACK`, `AUTH`, `NOTIFY`, `BILLING`. `flags`: arguments after the verb.
    Config(std::string prefix, std::vector<std::string> const& flags, Environment environment);

    /// The variables of this process.
    static Environment process_environment();

    std::string text(std::string_view name, std::string_view fallback, std::string_view help);

    /// Unset: a fault, and "".
    std::string required(std::string_view name, std::string_view help);

    /// From `min` to `max`, both allowed; `fallback` is not looked at.
    std::int64_t integer(std::string_view name, std::int64_t fallback, std::int64_t min, std::int64_t max,
        std::string_view help);

    /// `true` or `false`.
    bool boolean(std::string_view name, bool fallback, std::string_view help);

    /// Index into `allowed`, of which the first is the default.
    std::size_t one_of(
        std::string_view name, std::vector<std::string_view> const& allowed, std::string_view help);

    /// Empty when unset.
    Secret secret(std::string_view name, std::string_view help);
    Secret required_secret(std::string_view name, std::string_view help);

    /// Records a fault found by the caller's own rule. `detail` goes to the log: it holds no secret.
    void fault(std::string_view name, std::string_view detail);

    /// Throws ConfigError when anything was wrong; flags nobody asked for are faults too.
    void check() const;

    /// One line per setting asked for: flag, variable, default, help.
    std::string help() const;

private:
    struct Found {
        std::string source; ///< `--port`, `FEEDBACK_PORT`
        std::string value;
    };

    struct Known {
        std::string name, fallback, help;
    };

    void read_flags(std::vector<std::string> const& flags);
    void know(std::string_view name, std::string_view fallback, std::string_view help);
    std::optional<Found> from_flag(std::string_view name, bool needs_value);
    std::optional<Found> from_variable(std::string const& name) const;
    std::optional<Found> look_up(std::string_view name, bool needs_value = true);
    std::optional<Found> look_up_secret(std::string_view name);
    Found pick(std::optional<Found> direct, std::optional<Found> file);

    std::string prefix_;
    std::map<std::string, std::optional<std::string>, std::less<>> flags_; ///< nullopt: given without a value
    Environment environment_;
    std::vector<Known> known_;
    std::set<std::string, std::less<>> asked_flags_;
    std::vector<std::string> faults_;
};

} // namespace core
