// The input is the client data of a passkey's response, which is JSON, on a line. Then it is the JSON of the
// whole response, as a browser's `toJSON()` returns it.
#include "core/fields.hpp"
#include "domain/webauthn.hpp"
#include "fuzz.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace json = boost::json;
namespace webauthn = auth_mfa::webauthn;
using fuzz::require;

namespace {

void check(webauthn::ClientData const& data)
{
    require(!data.type.empty() && !data.origin.empty() && !data.challenge.empty());
    require(core::is_utf8(data.type) && core::is_utf8(data.origin));
}

void check_client_data(std::string_view input)
{
    auto const result = webauthn::parse_client_data(input);
    if (auto const* fault = std::get_if<webauthn::Fault>(&result))
        return require(fault->kind == webauthn::FaultKind::malformed && !fault->detail.empty());
    require(input.size() <= webauthn::max_client_data);
    check(std::get<webauthn::ClientData>(result));
}

/// The properties that both kinds of responses share.
template <class Credential> void check_common(Credential const& credential)
{
    require(!credential.id.empty() && credential.id.size() <= webauthn::max_credential_id);
    require(!credential.client_data_json.empty() &&
            credential.client_data_json.size() <= webauthn::max_client_data);
    check(credential.client_data);
}

bool is_transport(std::string const& name)
{
    return !name.empty() && name.size() <= 32 &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos;
}

void check(webauthn::Registration const& registration)
{
    check_common(registration);
    auto const size = registration.attestation_object.size();
    require(size > 0 && size <= webauthn::max_attestation_object);
    require(registration.transports.size() <= webauthn::max_transports);
    require(std::ranges::all_of(registration.transports, is_transport));
}

void check(webauthn::Assertion const& assertion)
{
    check_common(assertion);
    auto const size = assertion.authenticator_data.size();
    require(size > 0 && size <= webauthn::max_authenticator_data);
    require(!assertion.signature.empty() && assertion.signature.size() <= webauthn::max_signature);
    auto const& user = assertion.user_handle;
    require(!user || (!user->empty() && user->size() <= webauthn::max_user_handle));
}

/// Reads the member `credential`. There is a result exactly if there are no faults.
template <class Read> void check_credential(json::value const& credential, Read read)
{
    json::value const body{{"credential", credential}};
    core::Fields fields(body);
    auto const result = read(fields, "credential");
    require(result.has_value() == fields.ok());
    for (auto const& fault : fields.faults())
        require(fault.pointer.starts_with("/credential"));
    if (result) check(*result);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    fuzz::Input input(data, size);
    check_client_data(input.line());
    boost::system::error_code failed;
    auto const credential = json::parse(input.rest(), failed);
    if (failed) return 0;
    check_credential(credential, &webauthn::read_registration);
    check_credential(credential, &webauthn::read_assertion);
    return 0;
}
