#include "api/credentials.hpp"

#include "domain/common_passwords.hpp"
#include "domain/errors.hpp"

namespace auth_mfa {

namespace {

constexpr std::size_t min_password = 8;
constexpr std::size_t max_password = 128;
constexpr std::size_t max_email = 254;

} // namespace

std::string read_email(core::Fields& fields)
{
    std::string email = fields.text("email", 1, max_email);
    if (!email.empty() && !core::is_email(email)) fields.fault("email", "format", "must be an email address");
    return email;
}

core::Secret read_password(core::Fields& fields, std::string_view name)
{
    return core::Secret(fields.text(name, 1, max_password));
}

core::Secret read_new_password(core::Fields& fields, std::string_view name)
{
    core::Secret password(fields.text(name, min_password, max_password));
    if (is_common_password(password.reveal()))
        fields.fault(name, "too_common", "is one of the most common passwords; choose another password");
    return password;
}

core::Error invalid_credentials()
{
    return {codes::invalid_credentials, "The email or the password is wrong. Check both."};
}

} // namespace auth_mfa
