#include "api/credentials.hpp"

#include "core/text.hpp"
#include "domain/errors.hpp"
#include "domain/password_policy.hpp"
#include "flows/email_tokens.hpp"
#include "mail/address.hpp"

#include <limits>
#include <utility>

namespace auth_mfa {

namespace {

constexpr std::size_t max_email = 254;
/// A code point has at most this many in its canonical decomposition.
constexpr std::size_t max_decomposition = 4;

/// Reads a password of `min` to `max_password` characters, counted in Normalization Form C.
SentPassword read(core::Fields& fields, std::string_view name, std::size_t min)
{
    std::string sent = fields.text(name, 0, std::numeric_limits<std::size_t>::max());
    // The length is checked before the text is normalised, which takes long for very long texts.
    bool const may_fit = core::count_code_points(sent) <= max_password * max_decomposition;
    std::string normal = may_fit ? core::nfc(sent) : std::string();
    std::size_t const length = core::count_code_points(normal);
    if (!may_fit || length > max_password)
        fields.fault(name, "too_long", "must be at most " + std::to_string(max_password) + " characters");
    else if (length < min)
        fields.fault(name, "too_short",
            min == 1 ? "must not be empty" : "must be at least " + std::to_string(min) + " characters");
    SentPassword password{.normal = core::Secret(std::move(normal))};
    if (!password.normal.equals(sent)) password.raw.emplace(std::move(sent));
    return password;
}

} // namespace

std::string read_email(core::Fields& fields)
{
    std::string email = fields.text("email", 1, max_email);
    if (!email.empty() && !core::is_email(email)) fields.fault("email", "format", "must be an email address");
    return email;
}

std::string read_new_email(core::Fields& fields, std::string_view name)
{
    std::string email = fields.text(name, 1, max_email);
    if (!email.empty() && !mail::Address::parse(email))
        fields.fault(name, "format", "must be an email address, such as name@example.com");
    return email;
}

std::string parse_email(http::Request const& req)
{
    core::Fields f(req.json());
    std::string email = read_email(f);
    f.check();
    return email;
}

SentPassword read_password(core::Fields& fields, std::string_view name)
{
    return read(fields, name, 1);
}

core::Secret read_new_password(core::Fields& fields, std::string_view name)
{
    core::Secret password = read(fields, name, min_password).normal;
    auto const& text = password.reveal();
    if (!text.empty() && text.size() <= quickly_estimated && password_bits(text) < min_password_bits) {
        auto const [code, detail] = weak_password();
        fields.fault(name, std::string(code), std::string(detail));
    }
    return password;
}

TokenAndPassword TokenAndPassword::parse(http::Request const& req, std::string_view name)
{
    core::Fields f(req.json());
    TokenAndPassword body{read_token(f), read_new_password(f, name)};
    f.check();
    return body;
}

core::Error invalid_credentials()
{
    return {codes::invalid_credentials, "The email or the password is wrong. Check both."};
}

} // namespace auth_mfa
