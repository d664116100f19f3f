#include "domain/thread_mail.hpp"

#include "crypto/hash.hpp"

#include <algorithm>

namespace feedback {

core::Uuid message_id_of(ThreadMail const& mail, core::Time until)
{
    auto const text = mail.id.to_string() + ' ' + std::to_string(mail.since.time_since_epoch().count()) +
                      ' ' + std::to_string(until.time_since_epoch().count());
    auto const digest = crypto::sha256(text);
    std::array<std::uint8_t, 16> bytes{};
    std::copy_n(digest.begin(), bytes.size(), bytes.begin());
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0fU) | 0x80U); // version 8 (RFC 9562, 5.8)
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3fU) | 0x80U); // variant
    return core::Uuid::from_bytes(bytes);
}

} // namespace feedback
