// The input is the body of a request to an OAuth endpoint, such as /oauth/token.
#include "core/text.hpp"
#include "domain/oauth_errors.hpp"
#include "fuzz.hpp"
#include "oauth/form.hpp"

#include <algorithm>
#include <set>
#include <string>

using fuzz::require;

namespace {

bool has_controls(std::string_view text)
{
    return std::ranges::any_of(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; });
}

void check(http::Form const& form)
{
    std::set<std::string> names;
    std::string encoded;
    for (auto const& [name, value] : form) {
        require(names.insert(name).second && !value.empty());
        require(fuzz::is_text(name) && fuzz::is_text(value) && !has_controls(name) && !has_controls(value));
        if (!encoded.empty()) encoded += '&';
        encoded += core::percent_encode(name) + '=' + core::percent_encode(value);
    }
    require(form.size() <= 100);
    require(auth_mfa::oauth::parse_parameters(encoded) == form);
}

/// A refused body leads to an error that is allowed in a response (RFC 6749, 5.2).
void check(core::Error const& error)
{
    require(auth_mfa::oauth_code(error) == "invalid_request" && error.code().status == 400);
    auto const description = auth_mfa::oauth_description(error);
    require(!description.empty() && description.size() <= 500);
    require(std::ranges::all_of(
        description, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    std::string_view const body(reinterpret_cast<char const*>(data), size);
    try {
        check(auth_mfa::oauth::parse_parameters(body));
    } catch (core::Error const& error) {
        check(error);
    }
    return 0;
}
