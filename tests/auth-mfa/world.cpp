#include "world.hpp"

#include "crypto/encoding.hpp"
#include "domain/totp.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <filesystem>
#include <mutex>
#include <regex>
#include <sstream>
#include <thread>

namespace {

/// The bytes of base32 (RFC 4648) without padding.
std::string from_base32(std::string_view text)
{
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    std::string bytes;
    unsigned bits = 0, held = 0;
    for (char const c : text) {
        bits = bits << 5 | static_cast<unsigned>(alphabet.find(c));
        held += 5;
        if (held < 8) continue;
        held -= 8;
        bytes += static_cast<char>(bits >> held & 0xff);
    }
    return bytes;
}

std::vector<std::string> strings(boost::json::value const& array)
{
    std::vector<std::string> result;
    for (auto const& item : array.as_array())
        result.emplace_back(item.as_string());
    return result;
}

/// The first header field `name` of a message, unfolded.
std::string header(std::string const& message, std::string const& name)
{
    std::smatch found;
    std::regex const field("(?:^|\r\n)" + name + ": ((?:[^\r]|\r\n[ \t])*)", std::regex::icase);
    if (!std::regex_search(message, found, field)) return {};
    return std::regex_replace(found[1].str(), std::regex("\r\n[ \t]"), " ");
}

/// Decodes quoted-printable (RFC 2045, 6.7).
std::string from_quoted_printable(std::string const& encoded)
{
    std::string text;
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        if (encoded[i] != '=') {
            text += encoded[i];
        } else if (encoded.compare(i, 3, "=\r\n") == 0) {
            i += 2;
        } else {
            text += static_cast<char>(std::stoi(encoded.substr(i + 1, 2), nullptr, 16));
            i += 2;
        }
    }
    return text;
}

/// The boundary of the parts of a message. A line of text can begin with `--` too, for example a link's
/// second half.
std::string boundary(std::string const& message)
{
    std::smatch found;
    REQUIRE(std::regex_search(message, found, std::regex("boundary=\"([^\"]+)\"")));
    return found[1];
}

/// The text part of a message, which must not be encoded as base64.
SentMail read_mail(std::string const& message)
{
    SentMail mail{.subject = header(message, "Subject")};
    auto const part = message.find("Content-Type: text/plain");
    auto const begin = message.find("\r\n\r\n", part) + 4;
    auto const head = message.substr(part, begin - part);
    auto const text = message.substr(begin, message.find("\r\n--" + boundary(message), begin) - begin);
    mail.text = head.find("quoted-printable") == std::string::npos ? text : from_quoted_printable(text);
    std::smatch found;
    if (std::regex_search(mail.text, found, std::regex("(?:^|\n)([A-Za-z0-9_-]{43})(?:\r|\n|$)")))
        mail.token = found[1];
    return mail;
}

std::atomic<unsigned> number = 0; // the last number of an account, phone or client address

} // namespace

void Account::take(testing::HttpResponse const& signed_in)
{
    auto const answer = signed_in.json();
    access_token = text(answer, "accessToken");
    refresh_token = text(answer, "refreshToken");
    if (auto const* user = answer.as_object().if_contains("user")) user_id = text(*user, "userId");
}

World::World(Options options) : ServiceWorld(auth_mfa::definition(), options.now)
{
    auto& environment = options.environment;
    environment["SMS_BRAND_PROVIDER"] = provider;
    environment.try_emplace("ARGON2_MEMORY_KIB", "64"); // most of the time of these tests would be hashing
    environment.try_emplace("EMAIL_PROVIDER", "outbox");
    environment.try_emplace("EMAIL_OUTBOX", directory.path() + "/mails");
    environment.try_emplace("SMS_OUTBOX", directory.path() + "/sms");
    if (options.twilio_url.empty()) {
        environment["SMS_PROVIDER"] = "outbox";
    } else {
        environment["SMS_PROVIDER"] = "twilio";
        environment["TWILIO_BASE_URL"] = options.twilio_url;
        environment["TWILIO_ACCOUNT_SID"] = testing::TwilioServer::account_sid;
        environment["TWILIO_AUTH_TOKEN"] = testing::TwilioServer::auth_token;
        environment["TWILIO_FROM"] = testing::TwilioServer::from;
    }
    environment.try_emplace("SMS_SENDER_VERIFIED", "true");
    std::string const without_limits = options.twilio_url.empty() ? "{}" : sends_from_sandbox;
    std::string const limits = options.limits.empty() ? without_limits : options.limits;
    begin(
        std::move(environment),
        [&](service::Settings& settings) {
            settings.base_host = options.base_host;
            settings.port = options.port;
            if (!options.redis_url.empty()) settings.redis_url = core::Secret(options.redis_url);
            settings.trusted_proxies = gateway::TrustedProxies::parse("127.0.0.1").value();
        },
        R"({"displayName":"A tenant","limits":)" + limits + "}");
    await_first_key();
}

void World::restart()
{
    ServiceWorld::restart();
    await_first_key();
}

/// The first signing key is made in the background, and sign-ins need it.
void World::await_first_key() const
{
    auto anyone = client();
    REQUIRE(testing::eventually([&] { return anyone.get("/.well-known/jwks.json").status == 200; }));
}

void World::introduce(testing::HttpClient& client) const
{
    unsigned const n = ++number;
    client.set("X-Forwarded-For",
        one_network ? "192.0.2." + std::to_string(n & 0xff)
                    : "10." + std::to_string(n >> 8 & 0xff) + "." + std::to_string(n & 0xff) + ".1");
}

testing::HttpClient World::as(Account const& account) const
{
    return with(account.access_token, account.tenant);
}

Account World::new_account(std::string const& tenant) const
{
    Account account{.tenant = tenant, .email = new_email(), .password = password};
    auto const r = client(tenant).post("/v1/auth/register", credentials(account.email, account.password));
    INFO(r.body);
    REQUIRE(r.status == 201);
    account.take(r);
    return account;
}

Account World::new_owner(std::string const& tenant) const
{
    Account account{.tenant = tenant, .email = new_email(), .password = password};
    auto const r = as_master().post("/v1/admin/tenants/" + testing::slug_of(tenant) + "/owners",
        body({{"email", account.email}, {"password", account.password},
            {"environment", core::to_string(testing::environment_of(tenant))}}));
    INFO(r.body);
    REQUIRE(r.status == 201);
    account.take(login(account));
    return account;
}

Account World::new_member(Account const& owner, std::string const& role) const
{
    Account account = new_account(owner.tenant);
    if (role != "user") verify_email(account);
    auto const r = as(owner).patch("/v1/members/" + account.user_id, body({{"role", role}}));
    INFO(r.body);
    REQUIRE(r.status == 200);
    account.take(login(account));
    return account;
}

std::string World::new_key(std::string const& tenant) const
{
    auto const environment = core::to_string(testing::environment_of(tenant));
    auto const made = as_master(tenant).post("/v1/keys", body({{"environment", environment}}));
    return text(testing::require(201, made).json(), "key");
}

Account World::new_account_with_sms(std::string const& tenant) const
{
    Account account = new_account(tenant);
    enrol_sms(account);
    return account;
}

Account World::new_account_with_totp(std::string const& tenant) const
{
    Account account = new_account(tenant);
    enrol_totp(account);
    return account;
}

void World::enrol_sms(Account& account, std::string const& phone) const
{
    if (!account.recovery_codes.empty()) reauthenticate(account); // another factor needs the first one
    auto caller = as(account);
    auto const setup = caller.post("/v1/auth/mfa/sms/setup", body({{"phone", phone}}));
    INFO(setup.body);
    REQUIRE(setup.status == 200);
    auto const confirmed = caller.post("/v1/auth/mfa/sms/confirm", body({{"code", code_sent_to(phone)}}));
    INFO(confirmed.body);
    REQUIRE(confirmed.status == 200);
    account.phone = phone;
    if (auto codes = strings(confirmed.json().at("recoveryCodes")); !codes.empty())
        account.recovery_codes = std::move(codes);
}

void World::enrol_totp(Account& account) const
{
    if (!account.recovery_codes.empty()) reauthenticate(account); // another factor needs the first one
    auto caller = as(account);
    auto const setup = caller.post("/v1/auth/mfa/totp/setup", "{}");
    INFO(setup.body);
    REQUIRE(setup.status == 200);
    account.totp_secret = text(setup.json(), "secret");
    auto const confirmed = caller.post("/v1/auth/mfa/totp/confirm", body({{"code", totp_code(account)}}));
    INFO(confirmed.body);
    REQUIRE(confirmed.status == 200);
    if (auto codes = strings(confirmed.json().at("recoveryCodes")); !codes.empty())
        account.recovery_codes = std::move(codes);
}

testing::HttpResponse World::login(Account const& account) const
{
    auto anyone = client(account.tenant);
    return login(account, anyone);
}

testing::HttpResponse World::login(Account const& account, testing::HttpClient& client) const
{
    return client.post("/v1/auth/login", credentials(account.email, account.password));
}

std::string World::challenged(Account const& account) const
{
    auto const r = login(account);
    INFO(r.body);
    REQUIRE(r.status == 403);
    REQUIRE(error_of(r) == "mfa_required");
    return text(r.json(), "mfa_token");
}

testing::HttpResponse World::verify(std::string const& mfa_token, std::string const& method,
    std::string const& code, bool trust, std::string const& tenant) const
{
    return client(tenant).post("/v1/auth/mfa/verify",
        body({{"mfa_token", mfa_token}, {"method", method}, {"code", code}, {"trustDevice", trust}}));
}

testing::HttpResponse World::send(std::string const& mfa_token, std::string const& tenant) const
{
    return client(tenant).post("/v1/auth/mfa/challenge",
        body({{"mfa_token", mfa_token}, {"challenge_type", "oob"}, {"oob_channel", "sms"}}));
}

void World::limit(boost::json::object const& limits, std::string const& slug) const
{
    auto const changed = as_master(slug).put(
        "/v1/admin/tenants/" + slug, body({{"displayName", "A tenant"}, {"limits", limits}}));
    INFO(changed.body);
    REQUIRE(changed.status == 200);
    set({}, slug); // the service learns of changes in their order
}

void World::set(boost::json::object settings, std::string const& tenant) const
{
    // The service reads all settings together. When it accepts the new allowed origin, it uses the other new
    // settings too.
    std::string const origin = "https://app" + std::to_string(++number) + ".example.com";
    settings["allowedOrigins"] = boost::json::array{origin};
    auto const changed = as_master(tenant).patch("/v1/settings", body(settings));
    INFO(changed.body);
    REQUIRE(changed.status == 200);
    auto page = client(tenant);
    REQUIRE(testing::eventually([&] {
        return page.get("/pages.css", {{"Origin", origin}}).header("access-control-allow-origin") == origin;
    }));
}

std::string World::totp_code(Account const& account, int steps) const
{
    return auth_mfa::totp::code_at(
        from_base32(account.totp_secret), auth_mfa::totp::step_at(clock.now()) + steps);
}

std::vector<boost::json::object> World::messages_to(std::string const& phone) const
{
    std::vector<boost::json::object> found;
    std::istringstream lines(testing::read_file(directory.path() + "/sms"));
    for (std::string line; std::getline(lines, line);) {
        auto message = boost::json::parse(line).as_object();
        if (text(message, "to") == phone) found.push_back(std::move(message));
    }
    return found;
}

std::string World::code_sent_to(std::string const& phone) const
{
    auto const messages = messages_to(phone);
    REQUIRE_FALSE(messages.empty());
    std::string const said(messages.back().at("body").as_string());
    std::smatch found;
    REQUIRE(std::regex_search(said, found, std::regex(R"(: (\d{6}) is your)")));
    return found[1];
}

std::vector<SentMail> World::mails_to(std::string const& address) const
{
    std::vector<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::directory_iterator(directory.path() + "/mails"))
        if (entry.path().extension() == ".eml") files.push_back(entry.path());
    std::ranges::sort(files); // the names are UUIDs of version 7
    std::vector<SentMail> mails;
    for (auto const& file : files) {
        auto const message = testing::read_file(file.string());
        if (header(message, "To").find(address) != std::string::npos) mails.push_back(read_mail(message));
    }
    return mails;
}

std::string World::token_mailed_to(std::string const& address, std::string const& subject) const
{
    std::string token;
    auto const has_arrived = [&] {
        for (auto const& mail : mails_to(address))
            if (mail.subject.find(subject) != std::string::npos) token = mail.token;
        return !token.empty();
    };
    INFO(subject);
    REQUIRE(testing::eventually(has_arrived));
    return token;
}

void World::verify_email(Account const& account) const
{
    auto const token = token_mailed_to(account.email, "Confirm your email address");
    auto const r = client(account.tenant).post("/v1/auth/email/verify", body({{"token", token}}));
    INFO(r.body);
    REQUIRE(r.status == 200);
}

void World::reauthenticate(Account& account) const
{
    std::string method = "totp", code;
    if (!account.totp_secret.empty()) {
        clock.advance(30s); // each code is accepted once
        code = totp_code(account);
    } else {
        method = "sms";
        auto const sent = as(account).post("/v1/auth/reauthenticate/challenge", "{}");
        INFO(sent.body);
        REQUIRE(sent.status == 200);
        code = code_sent_to(account.phone);
    }
    auto const r = as(account).post("/v1/auth/reauthenticate", body({{"method", method}, {"code", code}}));
    INFO(r.body);
    REQUIRE(r.status == 200);
    account.access_token = text(r.json(), "accessToken");
}

std::string World::new_phone()
{
    return "+49151" + std::to_string(10'000'000 + ++number);
}

std::string World::new_email()
{
    return "user" + std::to_string(++number) + "@example.com";
}

std::string credentials(std::string const& email, std::string const& password)
{
    return body({{"email", email}, {"password", password}});
}

boost::json::object claims_of(std::string const& token)
{
    auto const first = token.find('.'), second = token.rfind('.');
    return boost::json::parse(*crypto::base64url::decode(token.substr(first + 1, second - first - 1)))
        .as_object();
}

std::string other_code(std::string code)
{
    code.back() = code.back() == '9' ? '0' : static_cast<char>(code.back() + 1);
    return code;
}

std::string device_cookie_of(testing::HttpResponse const& response)
{
    auto const& set = response.header("set-cookie");
    return set.starts_with("mfa_device=") ? set.substr(0, set.find(';')) : "";
}

std::map<unsigned, int> at_once(int n, std::function<testing::HttpResponse(int number)> const& request)
{
    std::barrier start(n);
    std::mutex mutex;
    std::map<unsigned, int> statuses;
    std::vector<std::thread> threads;
    for (int i = 0; i < n; ++i) {
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            unsigned const status = request(i).status;
            std::lock_guard const lock(mutex);
            ++statuses[status];
        });
    }
    for (auto& thread : threads)
        thread.join();
    return statuses;
}
