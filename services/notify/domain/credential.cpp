#include "domain/credential.hpp"

#include "core/fields.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace notify {

namespace {

namespace json = boost::json;

constexpr std::size_t max_pem = 16'384;
constexpr std::size_t apple_id_size = 10;
constexpr std::size_t max_bundle_id = 155;
constexpr std::array<std::string_view, 2> apns_environments{"production", "sandbox"};

template <class Allowed> bool consists_of(std::string_view text, Allowed const& allowed)
{
    return !text.empty() && std::ranges::all_of(text, allowed);
}

constexpr bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

constexpr bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

constexpr bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/// 6 to 30 lower-case letters, digits and hyphens, starting with a letter and not ending in a hyphen
/// (https://cloud.google.com/resource-manager/docs/creating-managing-projects). Old ids have a domain in
/// front (`example.com:project`).
bool is_project_id(std::string_view text)
{
    if (auto const colon = text.find(':'); colon != std::string_view::npos) {
        auto const in_domain = [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '.'; };
        if (colon > 100 || !consists_of(text.substr(0, colon), in_domain)) return false;
        text = text.substr(colon + 1);
    }
    return text.size() >= 6 && text.size() <= 30 && is_lower(text.front()) && text.back() != '-' &&
           consists_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

/// The form of Apple's key ids and team ids.
bool is_apple_id(std::string_view text)
{
    return text.size() == apple_id_size &&
           consists_of(text, [](char c) { return is_upper(c) || is_digit(c); });
}

/// CFBundleIdentifier: letters, digits, hyphens and dots.
bool is_bundle_id(std::string_view text)
{
    bool const dots =
        text.starts_with('.') || text.ends_with('.') || text.find("..") != std::string_view::npos;
    return !dots && text.size() <= max_bundle_id && consists_of(text, [](char c) {
        return is_lower(c) || is_upper(c) || is_digit(c) || c == '-' || c == '.';
    });
}

/// Reads the text in the field `name`. Records an error that states the required `form` if `has_form` is
/// false for the text.
template <class Form>
std::string formed(core::Fields& f, std::string_view name, Form const& has_form, std::string_view form)
{
    std::string text = f.text(name, 1, 300);
    if (!text.empty() && !has_form(text)) f.fault(name, "format", "must be " + std::string(form));
    return text;
}

struct Pem {
    core::Secret text;

    /// Reads the key in the field `name` with `read`. If `read` refuses the key, records an error that says
    /// that `what` is required, and returns nullopt.
    template <class Read>
    auto key(core::Fields& f, std::string_view name, Read const& read, std::string_view what)
        -> std::optional<decltype(read(std::string_view()))>
    {
        text = core::Secret(f.text(name, 1, max_pem));
        if (text.empty()) return std::nullopt;
        try {
            return read(text.reveal());
        } catch (std::invalid_argument const&) {
            f.fault(name, "format", "must be " + std::string(what) + " in PEM format, not encrypted");
            return std::nullopt;
        }
    }
};

void check_type(core::Fields& f)
{
    std::string const type = f.text("type", 1, 100);
    if (!type.empty() && type != "service_account") f.fault("type", "not_allowed", "must be service_account");
}

FcmAccount read_fcm(json::value const& body)
{
    core::Fields outer(body);
    auto const* const account = outer.optional_object("serviceAccountKey");
    if (account == nullptr) outer.fault("serviceAccountKey", "required", "is required");
    outer.check();
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): check() throws if it is null
    core::Fields f(*account, "/serviceAccountKey");
    check_type(f);
    std::string project = formed(f, "project_id", is_project_id, "the id of a Google Cloud project");
    std::string email = formed(f, "client_email", core::is_email, "an email address");
    std::string key_id = f.optional_text("private_key_id", 0, 200).value_or("");
    Pem pem;
    auto key =
        pem.key(f, "private_key", crypto::RsaSigningKey::from_pem, "an RSA private key of 2048 bits or more");
    f.check();
    return {std::move(project), std::move(email), std::move(key_id), std::move(*key), std::move(pem.text)};
}

ApnsKey read_apns(json::value const& body)
{
    core::Fields f(body);
    std::string key_id = formed(f, "keyId", is_apple_id, "10 capital letters and digits");
    std::string team_id = formed(f, "teamId", is_apple_id, "10 capital letters and digits");
    std::string bundle_id = formed(f, "bundleId", is_bundle_id, "a bundle identifier");
    bool const sandbox = f.one_of("environment", apns_environments) == 1;
    Pem pem;
    auto key = pem.key(f, "privateKey", crypto::SigningKey::from_pem, "a P-256 private key");
    f.check();
    return {std::move(key_id), std::move(team_id), std::move(bundle_id), sandbox, std::move(*key),
        std::move(pem.text)};
}

/// The JSON form that `read_fcm` reads.
json::value to_json(FcmAccount const& account)
{
    json::object key{{"type", "service_account"}, {"project_id", account.project_id},
        {"client_email", account.client_email}, {"private_key", account.pem.reveal()}};
    if (!account.private_key_id.empty()) key["private_key_id"] = account.private_key_id;
    return {{"serviceAccountKey", std::move(key)}};
}

/// The JSON form that `read_apns` reads.
json::value to_json(ApnsKey const& key)
{
    return {{"keyId", key.key_id}, {"teamId", key.team_id}, {"bundleId", key.bundle_id},
        {"environment", apns_environments[key.sandbox ? 1 : 0]}, {"privateKey", key.pem.reveal()}};
}

/// Reads the JSON form of stored keys.
VapidKeys read_vapid(json::value const& stored)
{
    core::Fields f(stored);
    VapidKeys keys{.subject = f.text("subject", 1, max_vapid_subject), .keys = {}};
    auto const pems = f.optional_list("keys", VapidKeys::max_keys, max_pem);
    f.check();
    if (pems.empty()) throw std::invalid_argument("no key");
    keys.keys.reserve(pems.size());
    for (auto const& pem : pems)
        keys.keys.push_back(VapidKey::restore(pem));
    return keys;
}

/// The JSON form that `read_vapid` reads.
json::value to_json(VapidKeys const& vapid)
{
    json::array pems;
    pems.reserve(vapid.keys.size());
    for (auto const& key : vapid.keys)
        pems.emplace_back(key.pem.reveal());
    return {{"subject", vapid.subject}, {"keys", std::move(pems)}};
}

} // namespace

Credential::Credential(Content content) : content_(std::move(content)), fingerprint_{}
{
    fingerprint_ = crypto::sha256(to_secret().reveal());
}

Credential::Ptr Credential::parse(Carrier carrier, json::value const& body)
{
    auto content = carrier == Carrier::fcm ? Content(read_fcm(body)) : Content(read_apns(body));
    return Ptr(new Credential(std::move(content)));
}

VapidKeys Credential::parse_vapid(json::value const& body, VapidKeys const* earlier)
{
    core::Fields f(body);
    auto subject = f.optional_text("subject", 1, max_vapid_subject);
    if (subject && !subject->empty() && !is_vapid_subject(*subject))
        f.fault("subject", "format", "must be `mailto:` with an email address, or an https URL");
    if (!subject && earlier == nullptr)
        f.fault("subject", "required", "is required, because no keys are stored for Web Push");
    bool const rotate = f.optional_boolean("rotate").value_or(false);
    f.check();
    VapidKeys keys = earlier == nullptr ? VapidKeys() : *earlier;
    if (subject) keys.subject = *std::move(subject);
    if (rotate || keys.keys.empty()) keys.keys.insert(keys.keys.begin(), VapidKey::generate());
    return keys;
}

Credential::Ptr Credential::make(VapidKeys keys)
{
    return Ptr(new Credential(std::move(keys)));
}

Credential::Ptr Credential::restore(Carrier carrier, std::string_view secret)
{
    try {
        json::value const stored = json::parse(secret);
        return carrier == Carrier::webpush ? make(read_vapid(stored)) : parse(carrier, stored);
    } catch (std::exception const&) {
        throw std::invalid_argument("not a stored push credential");
    }
}

core::Secret Credential::to_secret() const
{
    return core::Secret(
        std::visit([](auto const& content) { return json::serialize(to_json(content)); }, content_));
}

Credential::Shown Credential::shown() const
{
    if (carrier() == Carrier::fcm) return {.project_id = fcm().project_id};
    if (carrier() == Carrier::webpush)
        return {.subject = vapid().subject, .public_key = vapid().current().public_key};
    auto const environment = apns_environments[apns().sandbox ? 1 : 0];
    return {.key_id = apns().key_id,
        .team_id = apns().team_id,
        .bundle_id = apns().bundle_id,
        .environment = std::string(environment)};
}

} // namespace notify
