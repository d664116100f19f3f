#pragma once

#include "core/enum_names.hpp"
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

/// All errors of a configuration: one line per error, with the name of the variable or flag.
class ConfigError : public std::exception {
public:
    explicit ConfigError(std::vector<std::string> const& faults);

    char const* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

/// The condition under which a setting is required.
struct RequiredWhen {
    bool holds = true;
    std::string_view text{}; ///< the condition, such as `SMS_PROVIDER=twilio`; empty if always required
};

/// Reads settings by the name of their environment variable. The first of these that is set is used: the
/// flag, the variable `<PREFIX>_NAME` (`FEEDBACK_PORT`), the variable `NAME`. The flag of `DATABASE_POOL` is
/// `--database-pool=8` or `--database-pool 8`; a boolean flag needs no value. An empty variable counts as
/// unset.
///
/// A secret may also be read from a file. The path of the file is the setting `NAME_FILE`, which is given as
/// a flag or a variable like any setting. One trailing newline is dropped. It is an error to set both the
/// value and the file in the same source.
///
/// Errors are collected; `check()` throws all of them. An error names the source of a value and never
/// contains the value. `help()` lists every setting that was read. Not thread-safe.
class Config {
public:
    using Environment = std::function<std::optional<std::string>(std::string const& name)>;

    /// `prefix` is `FEEDBACK`, `AUTH`, `NOTIFY` or `BILLING`. `flags` are the arguments after the program's
    /// command.
    Config(std::string prefix, std::vector<std::string> const& flags, Environment environment);

    /// Reads the variables of this process.
    static Environment process_environment();

    std::string text(std::string_view name, std::string_view fallback, std::string_view help);

    /// If the setting is unset or empty, returns "" and, if `when.holds` is true, records an error.
    std::string required(std::string_view name, std::string_view help, RequiredWhen when = {});

    /// A number from `min` to `max`, inclusive. `fallback` is not checked against the range.
    std::int64_t integer(std::string_view name, std::int64_t fallback, std::int64_t min, std::int64_t max,
        std::string_view help);

    /// `true` or `false`.
    bool boolean(std::string_view name, bool fallback, std::string_view help);

    /// Returns an index into `allowed`. The first entry is the default.
    std::size_t one_of(
        std::string_view name, std::vector<std::string_view> const& allowed, std::string_view help);

    /// Like the other `one_of`, for the names of an enum. The first value of the enum is the default.
    template <NamedEnum E> E one_of(std::string_view name, std::string_view help)
    {
        return static_cast<E>(one_of(name, {names_of<E>.begin(), names_of<E>.end()}, help));
    }

    /// Returns an empty secret if the setting is unset.
    Secret secret(std::string_view name, std::string_view help);
    /// Like `required`, for a secret.
    Secret required_secret(std::string_view name, std::string_view help, RequiredWhen when = {});

    /// Records an error found by the caller. `detail` is logged, so it must not contain a secret.
    void fault(std::string_view name, std::string_view detail);

    /// Throws ConfigError if there were errors. Unknown flags are errors, too.
    void check() const;

    /// One line per setting that was read: flag, variable, help, default.
    std::string help() const;

private:
    struct Found {
        std::string source; ///< such as `--port` or `FEEDBACK_PORT`
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
    std::map<std::string, std::optional<std::string>, std::less<>> flags_; ///< nullopt: no value was given
    Environment environment_;
    std::vector<Known> known_;
    std::set<std::string, std::less<>> asked_flags_;
    std::vector<std::string> faults_;
};

} // namespace core
