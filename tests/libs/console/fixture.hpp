#pragma once

#include "console/bundle.hpp"
#include "console/settings.hpp"
#include "core/config.hpp"
#include "core/scope.hpp"
#include "http/message.hpp"
#include "support/run_awaitable.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace console {

/// The files of tests/libs/console/bundle, which CMake embeds.
std::span<File const> test_files();

} // namespace console

namespace console_test {

inline console::Bundle const& bundle()
{
    static console::Bundle const made(console::test_files());
    return made;
}

inline http::Request asking(std::vector<http::Header> headers = {})
{
    http::Request request;
    request.method = http::Method::get;
    request.headers = std::move(headers);
    request.context.scope = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "acme");
    return request;
}

/// The value of the response's header; empty if it is absent.
inline std::string header(http::Response const& response, std::string_view name)
{
    auto const found = std::ranges::find(response.headers, name, &std::pair<std::string, std::string>::first);
    return found == response.headers.end() ? "" : found->second;
}

/// The whole body of the response.
inline std::string body_of(http::Response const& response)
{
    if (!response.stream) return std::string(response.content());
    std::string all;
    for (;;) {
        auto const piece = testing::run_awaitable(response.stream());
        if (piece.empty()) return all;
        all += piece;
    }
}

/// Reads the settings from variables. Throws core::ConfigError.
inline console::Settings read(std::map<std::string, std::string> const& variables)
{
    core::Config config("AUTH", {}, [&](std::string const& name) {
        auto const found = variables.find(name);
        return found != variables.end() ? std::optional(found->second) : std::nullopt;
    });
    auto settings = console::Settings::read(config);
    config.check();
    return settings;
}

} // namespace console_test
