#include "config.hpp"

#include "auth/token_claims.hpp"
#include "core/text.hpp"
#include "domain/limits.hpp"
#include "domain/sms_code.hpp"
#include "http_client/url.hpp"
#include "service/settings.hpp"
#include "sms/gsm7.hpp"

#include <algorithm>
#include <thread>

namespace auth_mfa {

namespace {

/// The port of feedback in a local run.
constexpr std::uint16_t local_feedback_port = 8101;

/// Reads `service=URL`. nullopt if it is malformed.
std::optional<ErasureTargetUrl> parse_target(std::string_view text)
{
    auto const equals = text.find('=');
    auto const service = core::parse_enum<ErasureService>(core::trim(text.substr(0, equals)));
    if (!service || equals == std::string_view::npos) return std::nullopt;
    auto base = auth::TenantUrlPattern::parse(text.substr(equals + 1));
    if (!base) return std::nullopt;
    return ErasureTargetUrl{*service, *std::move(base)};
}

/// Reads ERASURE_TARGETS: `service=URL,service=URL`.
std::vector<ErasureTargetUrl> read_targets(core::Config& config)
{
    std::string const text = config.text("ERASURE_TARGETS", "",
        "services that must erase deleted users: `service=base URL` separated by commas, with `{tenant}` for "
        "the tenant's host label (feedback=https://{tenant}.feedback.example.com,notify=…,billing=…)");
    std::vector<ErasureTargetUrl> targets;
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string_view const item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(item.size() + 1, rest.size()));
        if (core::trim(item).empty()) continue;
        auto target = parse_target(item);
        bool const valid = target && std::ranges::find(targets, target->service,
                                         &ErasureTargetUrl::service) == targets.end();
        if (!valid) {
            config.fault("ERASURE_TARGETS", "must be a list of service=URL; each service (feedback, notify, "
                                            "billing) at most once; each URL "
                                            "http or https, with {tenant}");
            return {};
        }
        targets.push_back(*std::move(target));
    }
    return targets;
}

} // namespace

std::vector<ErasureService> Config::erasure_services() const
{
    std::vector<ErasureService> services;
    services.reserve(erasure_targets.size());
    for (auto const& target : erasure_targets)
        services.push_back(target.service);
    return services;
}

Config Config::below(std::string_view base_host) const
{
    Config config = *this;
    if (!auth::token::is_local(base_host) && auth::token::is_local(feedback_base_host))
        config.feedback_base_host.clear();
    return config;
}

Issuer Config::board_urls() const
{
    return Issuer(feedback_base_host, local_feedback_port);
}

Config Config::read(core::Config& config)
{
    Config c;
    auto const cores = std::clamp(std::thread::hardware_concurrency(), 1U, 64U);
    c.password_threads = static_cast<unsigned>(config.integer("PASSWORD_THREADS", cores, 1, 256,
        "threads that hash passwords, 19 MiB of memory each; the default is one per core"));
    c.password_cost.memory_kib = static_cast<std::uint32_t>(config.integer("ARGON2_MEMORY_KIB",
        crypto::Argon2Cost().memory_kib, 64, crypto::max_imported_cost.memory_kib,
        "memory of an Argon2id hash of a password in KiB; a lower value than the default is only for tests"));
    c.registrations_per_hour = config.integer("REGISTRATIONS_PER_HOUR", registration_limit_per_network.count,
        1, 100'000, "registrations per hour from one network, in each tenant's environment");
    c.reauthentication_window =
        std::chrono::seconds(config.integer("REAUTHENTICATION_SECONDS", 300, 30, 86'400,
            "seconds for which an authentication is fresh enough to change factors, the email and "
            "identities, and to delete the account"));
    c.mail = mail::Options::read(config, "Tetrad <accounts@auth.localhost>");
    c.breach_api_url = config.text("BREACH_API_URL", "",
        "base URL of the range search for breached passwords (https://api.pwnedpasswords.com); if empty, new "
        "passwords are not looked up");
    if (!c.breach_api_url.empty() && !http_client::parse_url(c.breach_api_url))
        config.fault("BREACH_API_URL", "must be an http or https URL");
    while (c.breach_api_url.ends_with('/'))
        c.breach_api_url.pop_back();
    c.sms = sms::Options::read(config);
    c.sms_brand_provider = config.text("SMS_BRAND_PROVIDER", "Tetrad",
        "name of the sender in text messages with codes, and on the enrolment page");
    std::size_t const septets = sms::gsm7::septets(c.sms_brand_provider);
    if (septets == 0 || septets > max_provider_septets)
        config.fault("SMS_BRAND_PROVIDER",
            "must be 1 to " + std::to_string(max_provider_septets) + " characters of the GSM-7 alphabet");
    c.erasure_targets = read_targets(config);
    c.console = console::Settings::read(config);
    c.feedback_base_host = service::read_host(config, "FEEDBACK_BASE_HOST", c.feedback_base_host,
        "base host of feedback; pages of {slug}.FEEDBACK_BASE_HOST and {slug}-sandbox.FEEDBACK_BASE_HOST may "
        "call the tenant's environment and sign in as the client tetrad-board");
    return c;
}

} // namespace auth_mfa
