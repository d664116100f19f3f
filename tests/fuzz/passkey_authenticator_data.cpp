// The input is the authenticator data of an assertion (bytes, not text), for the RP id auth.example.com.
#include "core/hex.hpp"
#include "domain/webauthn.hpp"
#include "domain/webauthn_cbor.hpp"
#include "fuzz.hpp"

#include <string>

namespace webauthn = auth_mfa::webauthn;
using fuzz::require;

namespace {

/// A passkey whose public key is the base point of P-256. No signature of the engine is right for it.
webauthn::Credential const stored{
    .id = "id",
    .public_key = core::hex::decode("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                                    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
        .value(),
    .sign_count = 7,
};

webauthn::Expected const expected{std::string(webauthn::challenge_bytes, 'c'), "auth.example.com",
    [](std::string_view) { return true; }, false};

/// The parts fill the input, and no shorter input is complete.
void check(webauthn::AuthenticatorData const& data, std::string_view input)
{
    using Data = webauthn::AuthenticatorData;
    constexpr std::size_t fixed = 37;
    std::size_t size = fixed + data.extensions.size();
    if (data.has(Data::has_credential)) size += 18 + data.credential_id.size() + data.public_key.size();
    require(size == input.size() && data.rp_id_hash.size() == 32);
    require(data.extensions.empty() != data.has(Data::has_extensions));
    require(data.public_key.empty() != data.has(Data::has_credential));
    require(!webauthn::parse_authenticator_data(input.substr(0, size - 1)));
    require(!webauthn::parse_authenticator_data(input.substr(0, size / 2)));
    if (auto const extensions = webauthn::parse_extensions(data.extensions))
        require(extensions->size() <= data.extensions.size());
    webauthn::cose_algorithm(data.public_key);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size)
{
    std::string const input(reinterpret_cast<char const*>(bytes), size);
    auto const data = webauthn::parse_authenticator_data(input);
    if (data) check(*data, input);
    webauthn::Assertion assertion;
    assertion.id = stored.id;
    assertion.client_data_json = "{}";
    assertion.client_data = {"webauthn.get", expected.challenge, "https://auth.example.com"};
    assertion.authenticator_data = input;
    assertion.signature = input.substr(0, webauthn::max_signature);
    auto const result = webauthn::verify_assertion(assertion, stored, expected);
    auto const* fault = std::get_if<webauthn::Fault>(&result);
    require(fault != nullptr && (data || fault->kind == webauthn::FaultKind::malformed));
    require(fault->kind != webauthn::FaultKind::counter); // the signature is compared first
    return 0;
}
