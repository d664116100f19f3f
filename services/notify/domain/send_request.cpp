#include "domain/send_request.hpp"

#include "core/fields.hpp"
#include "domain/device.hpp"
#include "mail/address.hpp"
#include "sms/phone.hpp"

namespace notify {

namespace {

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
        return text_of(mail::Address::parse(to));
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

} // namespace notify
