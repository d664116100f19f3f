#include "core/fields.hpp"
#include "core/json.hpp"
#include "crypto/encoding.hpp"
#include "domain/webauthn.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace auth_mfa::webauthn {

namespace json = boost::json;

namespace {

constexpr std::string_view at_client_data = "/response/clientDataJSON";
constexpr std::array<std::string_view, 1> types{"public-key"};
constexpr std::size_t max_transport = 32;

/// The length of `bytes` bytes in base64url.
constexpr std::size_t encoded(std::size_t bytes)
{
    return (bytes * 4 + 2) / 3;
}

/// A required member in base64url with 1 to `max` bytes.
std::string read_bytes(core::Fields& f, std::string_view name, std::size_t max)
{
    auto const text = f.text(name, 1, encoded(max));
    if (text.empty()) return {};
    auto bytes = crypto::base64url::decode(text);
    if (!bytes) {
        f.fault(name, "format", "must be base64url without padding");
        return {};
    }
    return *std::move(bytes);
}

/// As `read_bytes`; nullopt if the member is absent or null.
std::optional<std::string> read_optional_bytes(core::Fields& f, std::string_view name, std::size_t max)
{
    if (!f.has(name) || f.is_null(name)) return std::nullopt;
    return read_bytes(f, name, max);
}

bool is_transport(json::value const& value)
{
    auto const* text = value.if_string();
    return text != nullptr && !text->empty() && text->size() <= max_transport &&
           std::ranges::all_of(*text, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

/// The transports that have the form of a name. Browsers may report names that are not known yet.
std::vector<std::string> read_transports(core::Fields& f)
{
    constexpr std::size_t max_given = 64;
    std::vector<std::string> transports;
    auto const* given = f.optional_array("transports", max_given);
    if (given == nullptr) return transports;
    for (auto const& value : *given) {
        if (transports.size() == max_transports) break;
        if (!is_transport(value)) continue;
        std::string name(value.get_string());
        if (std::ranges::find(transports, name) == transports.end()) transports.push_back(std::move(name));
    }
    return transports;
}

/// Reads the client data of `response` into `credential`.
template <class Credential> void read_client_data(core::Fields& response, Credential& credential)
{
    credential.client_data_json = read_bytes(response, "clientDataJSON", max_client_data);
    if (credential.client_data_json.empty()) return;
    auto parsed = parse_client_data(credential.client_data_json);
    if (auto const* fault = std::get_if<Fault>(&parsed))
        response.fault("clientDataJSON", "format", std::string(fault->detail));
    else
        credential.client_data = std::get<ClientData>(std::move(parsed));
}

void read_response(core::Fields& response, Registration& registration)
{
    read_client_data(response, registration);
    registration.attestation_object = read_bytes(response, "attestationObject", max_attestation_object);
    registration.transports = read_transports(response);
}

void read_response(core::Fields& response, Assertion& assertion)
{
    read_client_data(response, assertion);
    assertion.authenticator_data = read_bytes(response, "authenticatorData", max_authenticator_data);
    assertion.signature = read_bytes(response, "signature", max_signature);
    assertion.user_handle = read_optional_bytes(response, "userHandle", max_user_handle);
}

/// Reads the members that both kinds of credentials have, and `response`.
template <class Credential>
std::optional<Credential> read_credential(core::Fields& body, std::string_view name)
{
    auto const* object = body.optional_object(name);
    if (object == nullptr) {
        body.fault(name, "required", "is required");
        return std::nullopt;
    }
    std::string const prefix = "/" + std::string(name);
    core::Fields outer(*object, prefix);
    Credential credential;
    credential.id = read_bytes(outer, "id", max_credential_id);
    auto const raw_id = read_bytes(outer, "rawId", max_credential_id);
    if (outer.ok() && raw_id != credential.id) outer.fault("rawId", "not_allowed", "must equal id");
    outer.one_of("type", types);
    auto const* response = outer.optional_object("response");
    if (response == nullptr) {
        outer.fault("response", "required", "is required");
    } else {
        core::Fields inner(*response, prefix + "/response");
        read_response(inner, credential);
        outer.absorb(inner);
    }
    body.absorb(outer);
    return outer.ok() ? std::optional(std::move(credential)) : std::nullopt;
}

json::array to_json(std::span<Descriptor const> credentials)
{
    json::array list;
    list.reserve(credentials.size());
    for (auto const& credential : credentials) {
        json::object entry{{"type", "public-key"}, {"id", crypto::base64url::encode(credential.id)}};
        if (!credential.transports.empty())
            entry["transports"] = json::array(credential.transports.begin(), credential.transports.end());
        list.push_back(std::move(entry));
    }
    return list;
}

constexpr std::int64_t timeout_ms = std::chrono::milliseconds(ceremony_timeout).count();

} // namespace

core::FieldError field_error(Fault const& fault, std::string_view name)
{
    std::string pointer = "/";
    pointer.append(name).append(fault.pointer);
    return {std::move(pointer), fault.kind == FaultKind::malformed ? "format" : "not_allowed",
        std::string(fault.detail)};
}

std::variant<ClientData, Fault> parse_client_data(std::string_view text)
{
    Fault const malformed{
        FaultKind::malformed, at_client_data, "must be JSON with type, challenge and origin"};
    if (text.size() > max_client_data) return malformed;
    boost::system::error_code failed;
    auto const value = json::parse(text, failed);
    auto const* object = failed ? nullptr : value.if_object();
    if (object == nullptr) return malformed;

    ClientData data{.type = std::string(core::text_of(*object, "type")),
        .origin = std::string(core::text_of(*object, "origin"))};
    auto challenge = crypto::base64url::decode(core::text_of(*object, "challenge"));
    auto const* cross_origin = object->if_contains("crossOrigin");
    if (data.type.empty() || data.origin.empty() || !challenge || challenge->empty()) return malformed;
    if (cross_origin != nullptr && !cross_origin->is_bool()) return malformed;
    data.challenge = *std::move(challenge);
    data.cross_origin = cross_origin != nullptr && cross_origin->get_bool();
    return data;
}

std::optional<Registration> read_registration(core::Fields& body, std::string_view name)
{
    return read_credential<Registration>(body, name);
}

std::optional<Assertion> read_assertion(core::Fields& body, std::string_view name)
{
    return read_credential<Assertion>(body, name);
}

json::object creation_options(CreationRequest const& request)
{
    json::array algorithms;
    for (auto const algorithm : {Algorithm::eddsa, Algorithm::es256, Algorithm::rs256})
        algorithms.push_back({{"type", "public-key"}, {"alg", static_cast<int>(algorithm)}});
    return {
        {"rp", {{"id", request.rp_id}, {"name", request.rp_name}}},
        {"user", {{"id", crypto::base64url::encode(request.user_id)}, {"name", request.user_name},
                     {"displayName", request.user_name}}},
        {"challenge", crypto::base64url::encode(request.challenge)},
        {"pubKeyCredParams", std::move(algorithms)},
        {"timeout", timeout_ms},
        {"excludeCredentials", to_json(request.exclude)},
        {"authenticatorSelection",
            {{"residentKey", "required"}, {"requireResidentKey", true}, {"userVerification", "required"}}},
        {"attestation", "none"},
    };
}

json::object request_options(AssertionRequest const& request)
{
    return {
        {"challenge", crypto::base64url::encode(request.challenge)},
        {"timeout", timeout_ms},
        {"rpId", request.rp_id},
        {"allowCredentials", to_json(request.allow)},
        {"userVerification", request.user_verification ? "required" : "preferred"},
    };
}

} // namespace auth_mfa::webauthn
