// The input is the attestation object of a registration (CBOR, not text), for the RP id auth.example.com.
#include "domain/webauthn.hpp"
#include "domain/webauthn_cbor.hpp"
#include "fuzz.hpp"

#include <string>

namespace webauthn = auth_mfa::webauthn;
using fuzz::require;

namespace {

webauthn::Expected expected(std::string rp_id)
{
    return {
        std::string(webauthn::challenge_bytes, 'c'), std::move(rp_id), [](std::string_view) { return true; }};
}

/// A registration with this attestation object and the id that its authenticator data contains.
webauthn::Registration registration_of(std::string attestation_object)
{
    webauthn::Registration registration;
    registration.client_data_json = "{}";
    registration.client_data = {
        "webauthn.create", std::string(webauthn::challenge_bytes, 'c'), "https://auth.example.com"};
    registration.attestation_object = std::move(attestation_object);
    auto const object = webauthn::parse_attestation_object(registration.attestation_object);
    if (!object) return registration;
    auto const data = webauthn::parse_authenticator_data(object->authenticator_data);
    if (data) registration.id = data->credential_id;
    return registration;
}

bool accepts(webauthn::Registration const& registration, std::string rp_id)
{
    return std::holds_alternative<webauthn::Credential>(
        webauthn::verify_registration(registration, expected(std::move(rp_id))));
}

void check(webauthn::Credential const& credential)
{
    require(!credential.id.empty() && credential.id.size() <= webauthn::max_credential_id);
    require(webauthn::algorithm_of(static_cast<int>(credential.algorithm)) == credential.algorithm);
    auto const size = credential.public_key.size();
    switch (credential.algorithm) {
    case webauthn::Algorithm::es256:
        return require(size == 64 && (credential.backup_eligible || !credential.backed_up));
    case webauthn::Algorithm::eddsa:
        return require(size == 32 && (credential.backup_eligible || !credential.backed_up));
    case webauthn::Algorithm::rs256:
        return require(size == 259 && (credential.backup_eligible || !credential.backed_up));
    }
    require(false);
}

/// An accepted object is refused with one byte less, with one byte more, and for another RP id.
void check_neighbours(webauthn::Registration registration)
{
    require(!accepts(registration, "example.com"));
    auto& bytes = registration.attestation_object;
    bytes += '\0';
    require(!accepts(registration, "auth.example.com"));
    bytes.resize(bytes.size() - 2);
    require(!accepts(registration, "auth.example.com"));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    std::string const input(reinterpret_cast<char const*>(data), size);
    auto const item = webauthn::cbor_item_size(input);
    require(!item || (*item > 0 && *item <= size));
    if (size > webauthn::max_attestation_object) return 0;
    auto const registration = registration_of(input);
    auto const result = webauthn::verify_registration(registration, expected("auth.example.com"));
    if (auto const* fault = std::get_if<webauthn::Fault>(&result)) {
        require(!fault->detail.empty() && fault->pointer.starts_with('/'));
        return 0;
    }
    check(std::get<webauthn::Credential>(result));
    check_neighbours(registration);
    return 0;
}
