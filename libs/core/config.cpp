#include "core/config.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>

namespace core {

namespace {

/// The flag of a setting: `--database-pool` for `DATABASE_POOL`.
std::string flag_of(std::string_view name)
{
    std::string flag = "--";
    for (char const c : name)
        flag += c == '_' ? '-' : lower(c);
    return flag;
}

void drop_newline(std::string& text)
{
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
}

struct File {
    std::string content;
    std::string fault; ///< why the file could not be read; empty if it was read
};

File read_file(std::string const& path)
{
    constexpr std::size_t limit = 65536;
    std::ifstream stream(path, std::ios::binary);
    std::string content(limit + 1, '\0');
    if (!stream || (stream.read(content.data(), static_cast<std::streamsize>(content.size())).bad()))
        return {{}, "cannot be read: " + std::generic_category().message(errno)};
    content.resize(static_cast<std::size_t>(stream.gcount()));
    if (content.size() > limit) return {{}, "is larger than 64 KiB"};
    drop_newline(content);
    return {std::move(content), {}};
}

} // namespace

ConfigError::ConfigError(std::vector<std::string> const& faults)
{
    for (std::string const& fault : faults) {
        if (!text_.empty()) text_ += '\n';
        text_ += fault;
    }
}

Config::Config(std::string prefix, std::vector<std::string> const& flags, Environment environment)
    : prefix_(std::move(prefix)), environment_(std::move(environment))
{
    read_flags(flags);
}

Config::Environment Config::process_environment()
{
    return [](std::string const& name) -> std::optional<std::string> {
        // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in the process writes to its environment
        char const* const value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
}

void Config::read_flags(std::vector<std::string> const& flags)
{
    for (std::size_t i = 0; i < flags.size(); ++i) {
        std::string const& argument = flags[i];
        if (!argument.starts_with("--") || argument.size() == 2) {
            // The argument may be a secret, so it is not repeated.
            faults_.push_back("argument " + std::to_string(i + 1) + " is not a flag (--name=value)");
            continue;
        }
        auto const equals = argument.find('=');
        std::string const flag = argument.substr(0, equals);
        std::optional<std::string> value;
        if (equals != std::string::npos)
            value = argument.substr(equals + 1);
        else if (i + 1 < flags.size() && !flags[i + 1].starts_with("--"))
            value = flags[++i];
        if (!flags_.emplace(flag, std::move(value)).second)
            faults_.push_back(flag + ": must be given only once");
    }
}

namespace {

std::string required_text(RequiredWhen const& when)
{
    return when.text.empty() ? "required" : "required with " + std::string(when.text);
}

} // namespace

std::string Config::text(std::string_view name, std::string_view fallback, std::string_view help)
{
    know(name, fallback, help);
    auto found = look_up(name);
    return found ? std::move(found->value) : std::string(fallback);
}

std::string Config::required(std::string_view name, std::string_view help, RequiredWhen when)
{
    know(name, required_text(when), help);
    auto found = look_up(name);
    if (found && !found->value.empty()) return std::move(found->value);
    if (when.holds) fault(name, "is " + required_text(when));
    return {};
}

std::int64_t Config::integer(
    std::string_view name, std::int64_t fallback, std::int64_t min, std::int64_t max, std::string_view help)
{
    know(name, std::to_string(fallback), help);
    auto const found = look_up(name);
    if (!found) return fallback;
    std::int64_t number = 0;
    char const* const end = found->value.data() + found->value.size();
    auto const result = std::from_chars(found->value.data(), end, number);
    if (result.ec == std::errc() && result.ptr == end && number >= min && number <= max) return number;
    fault(found->source, "must be an integer from " + std::to_string(min) + " to " + std::to_string(max));
    return fallback;
}

bool Config::boolean(std::string_view name, bool fallback, std::string_view help)
{
    know(name, fallback ? "true" : "false", help);
    auto const found = look_up(name, false);
    if (!found) return fallback;
    if (found->value == "true" || found->value == "false") return found->value == "true";
    fault(found->source, "must be true or false");
    return fallback;
}

std::size_t Config::one_of(
    std::string_view name, std::vector<std::string_view> const& allowed, std::string_view help)
{
    know(name, allowed.front(), help);
    auto const found = look_up(name);
    if (!found) return 0;
    auto const it = std::find(allowed.begin(), allowed.end(), found->value);
    if (it != allowed.end()) return static_cast<std::size_t>(it - allowed.begin());
    std::string detail = "must be one of";
    for (std::string_view const word : allowed)
        detail.append(word == allowed.front() ? " " : ", ").append(word);
    fault(found->source, detail);
    return 0;
}

Secret Config::secret(std::string_view name, std::string_view help)
{
    know(name, {}, help);
    auto found = look_up_secret(name);
    return found ? Secret(std::move(found->value)) : Secret();
}

Secret Config::required_secret(std::string_view name, std::string_view help, RequiredWhen when)
{
    know(name, required_text(when), help);
    auto found = look_up_secret(name);
    if (!found) {
        if (when.holds) fault(name, "is " + required_text(when));
        return {};
    }
    // An empty source means that an error is recorded already.
    if (when.holds && found->value.empty() && !found->source.empty())
        fault(found->source, "must not be empty");
    return Secret(std::move(found->value));
}

void Config::fault(std::string_view name, std::string_view detail)
{
    faults_.push_back(std::string(name).append(": ").append(detail));
}

void Config::check() const
{
    std::vector<std::string> faults = faults_;
    for (auto const& [flag, value] : flags_)
        if (!asked_flags_.contains(flag)) faults.push_back(flag + ": unknown flag");
    if (!faults.empty()) throw ConfigError(faults);
}

std::string Config::help() const
{
    std::size_t width = 0;
    for (Known const& known : known_)
        width = std::max(width, known.name.size());
    std::string text;
    for (Known const& known : known_) {
        std::string const gap(width - known.name.size() + 2, ' ');
        text.append("  ")
            .append(flag_of(known.name))
            .append(gap)
            .append(known.name)
            .append(gap)
            .append(known.help);
        if (!known.fallback.empty()) text.append(" [").append(known.fallback).append("]");
        text += '\n';
    }
    return text;
}

void Config::know(std::string_view name, std::string_view fallback, std::string_view help)
{
    auto const same = [name](Known const& known) { return known.name == name; };
    if (std::none_of(known_.begin(), known_.end(), same))
        known_.push_back({std::string(name), std::string(fallback), std::string(help)});
}

std::optional<Config::Found> Config::from_flag(std::string_view name, bool needs_value)
{
    std::string flag = flag_of(name);
    asked_flags_.insert(flag);
    auto const it = flags_.find(flag);
    if (it == flags_.end()) return std::nullopt;
    if (it->second) return Found{std::move(flag), *it->second};
    if (!needs_value) return Found{std::move(flag), "true"};
    fault(flag, "needs a value");
    return std::nullopt;
}

std::optional<Config::Found> Config::from_variable(std::string const& name) const
{
    auto value = environment_(name);
    if (!value || value->empty()) return std::nullopt;
    return Found{name, std::move(*value)};
}

std::optional<Config::Found> Config::look_up(std::string_view name, bool needs_value)
{
    if (auto found = from_flag(name, needs_value)) return found;
    std::string const variable(name);
    if (auto found = from_variable(prefix_ + "_" + variable)) return found;
    return from_variable(variable);
}

std::optional<Config::Found> Config::look_up_secret(std::string_view name)
{
    std::string const variable(name);
    std::string const file = variable + "_FILE";
    auto flag = from_flag(variable, true);
    auto flag_file = from_flag(file, true);
    if (flag || flag_file) return pick(std::move(flag), std::move(flag_file));
    for (std::string const& prefix : {prefix_ + "_", std::string()}) {
        auto direct = from_variable(prefix + variable);
        auto from_file = from_variable(prefix + file);
        if (direct || from_file) return pick(std::move(direct), std::move(from_file));
    }
    return std::nullopt;
}

/// Returns the value, or the content of the file that contains it. At least one of the arguments must have a
/// value. After an error, both members of the result are empty.
Config::Found Config::pick(std::optional<Found> direct, std::optional<Found> file)
{
    if (direct && file) {
        fault(direct->source, "conflicts with " + file->source + "; set only one of them");
        return {};
    }
    if (direct) return std::move(*direct);
    File content = read_file(file->value);
    if (!content.fault.empty()) {
        fault(file->source, "the file " + content.fault);
        return {};
    }
    return {std::move(file->source), std::move(content.content)};
}

} // namespace core
