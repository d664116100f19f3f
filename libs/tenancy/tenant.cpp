#include "tenancy/tenant.hpp"

namespace tenancy {

Limits Limits::from_json(boost::json::object const& object)
{
    Values values;
    for (auto const& member : object) {
        if (auto const* number = member.value().if_int64()) values.emplace(member.key(), *number);
        if (auto const* is_on = member.value().if_bool()) values.emplace(member.key(), *is_on);
    }
    return Limits(std::move(values));
}

std::optional<std::int64_t> Limits::find(std::string_view name) const
{
    auto const it = values_.find(name);
    if (it == values_.end()) return std::nullopt;
    auto const* const number = std::get_if<std::int64_t>(&it->second);
    return number == nullptr ? std::nullopt : std::optional(*number);
}

bool Limits::sandbox_sms() const
{
    auto const it = values_.find("sandboxSms");
    return it != values_.end() && it->second == Value(true);
}

} // namespace tenancy
