#include "domain/send_request.hpp"

#include "core/fields.hpp"
#include "domain/device.hpp"
#include "domain/email_address.hpp"
#include "sms/phone.hpp"

#include <algorithm>

namespace notify {

namespace {

bool is_alphanumeric(char c) noexcept
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_restricted_name(std::string_view text) noexcept
{
    constexpr std::string_view marks = "!#$&-^_.+";
    auto const allowed = [&](char c) {
        return is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
    };
    return !text.empty() && text.size() <= 127 && is_alphanumeric(text.front()) &&
           std::ranges::all_of(text, allowed);
}

bool names_user(std::string_view to) noexcept
{
    auto const length = core::count_code_points(to);
    return length >= 1 && length <= max_user_id && is_user_id(to);
}

template <class Address> std::optional<std::string> text_of(std::optional<Address> const& address)
{
    return address ? std::optional(address->text()) : std::nullopt;
}

} // namespace

std::optional<std::string> recipient_of(Channel channel, std::string_view to)
{
    switch (channel) {
    case Channel::email:
        return text_of(EmailAddress::parse(to));
    case Channel::sms:
        return text_of(sms::PhoneNumber::parse(to));
    case Channel::push:
        break;
    }
    return names_user(to) ? std::optional(std::string(to)) : std::nullopt;
}

std::string_view recipient_rule(Channel channel) noexcept
{
    switch (channel) {
    case Channel::email:
        return "must be an email address";
    case Channel::sms:
        return "must be a phone number in E.164 form, such as +14155550100";
    case Channel::push:
        break;
    }
    return "must be a user id of 1 to 128 characters; the prefix `anon:` must be followed by a UUID";
}

bool is_bare_media_type(std::string_view text) noexcept
{
    auto const slash = text.find('/');
    return slash != std::string_view::npos && is_restricted_name(text.substr(0, slash)) &&
           is_restricted_name(text.substr(slash + 1));
}

} // namespace notify
