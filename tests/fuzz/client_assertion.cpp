// The input is the assertion with which a client authenticates: `{header}` on a line, then `{claims}`.
#include "domain/client_assertion.hpp"

#include "core/json.hpp"
#include "fuzz.hpp"

#include <boost/json.hpp>

#include <array>
#include <chrono>

namespace json = boost::json;
using fuzz::require;

namespace {

core::Time const now{std::chrono::seconds(1'767'225'600)};

std::array<std::string, 2> const audiences{
    "https://demo.auth.example.com", "https://demo.auth.example.com/oauth/token"};

std::optional<json::object> read_object(std::string_view text)
{
    boost::system::error_code failed;
    auto const value = json::parse(text, failed);
    if (failed || !value.is_object()) return std::nullopt;
    return value.get_object();
}

void check(auth_mfa::ClientAssertion const& assertion, crypto::Jws const& jws)
{
    require(!assertion.client_id.empty() && !assertion.id.empty() && assertion.id.size() <= 255);
    require(core::text_of(jws.payload, "sub") == assertion.client_id);
    require(core::text_of(jws.payload, "iss") == assertion.client_id);
    require(assertion.expires_at > now - std::chrono::seconds(30));
    require(assertion.expires_at <= now + auth_mfa::max_assertion_lifetime + std::chrono::seconds(30));
    // It is for this server alone.
    require(!auth_mfa::read_client_assertion(jws, {}, now));
    require(!auth_mfa::read_client_assertion(jws, audiences, now + std::chrono::hours(1)));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    fuzz::Input input(data, size);
    auto header = read_object(input.line());
    auto claims = read_object(input.rest());
    if (!header || !claims) return 0;
    crypto::Jws const jws{*std::move(header), *std::move(claims), {}, {}};
    if (auto const assertion = auth_mfa::read_client_assertion(jws, audiences, now)) check(*assertion, jws);
    require(!auth_mfa::is_signed_by(jws, R"({"keys":[]})"));
    return 0;
}
