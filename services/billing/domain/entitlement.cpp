#include "domain/entitlement.hpp"

#include "crypto/hash.hpp"

#include <algorithm>
#include <tuple>

namespace billing {

namespace {

/// Prefixes the text with its length, so that different lists of texts give different keys.
void append(std::string& key, std::string_view text)
{
    key.append(std::to_string(text.size())).append(1, ':').append(text);
}

} // namespace

core::Uuid entitlement_id(core::ScopeId scope_id, Source source, core::UserId const& user_id,
    std::string_view provider_product_id, std::string_view transaction_id)
{
    std::string key;
    append(key, core::to_string(scope_id));
    for (auto const part :
        {to_string(source), std::string_view(user_id.text()), provider_product_id, transaction_id})
        append(key, part);
    auto const digest = crypto::sha256(key);
    std::array<std::uint8_t, 16> bytes{};
    std::copy_n(digest.begin(), bytes.size(), bytes.begin());
    bytes[6] = static_cast<std::uint8_t>(0x70 | (bytes[6] & 0x0f)); // version
    bytes[8] = static_cast<std::uint8_t>(0x80 | (bytes[8] & 0x3f)); // variant
    return core::Uuid::from_bytes(bytes);
}

std::optional<core::Time> ends_at(Entitlement const& e) noexcept
{
    if (!e.expires_at || !e.grace_until) return e.expires_at;
    return std::max(*e.expires_at, *e.grace_until);
}

bool is_active(Entitlement const& e, core::Time now) noexcept
{
    auto const end = ends_at(e);
    return e.status == Status::active && (!end || now < *end);
}

bool differs(Entitlement const& a, Entitlement const& b) noexcept
{
    auto const shown = [](Entitlement const& e) {
        return std::tie(e.provider_product_id, e.alternative_product_id, e.status, e.purchased_at,
            e.expires_at, e.grace_until, e.will_renew, e.reason, e.last_event_type, e.last.at);
    };
    return shown(a) != shown(b);
}

} // namespace billing
