#include "tenancy/tenant.hpp"

namespace tenancy {

Limits Limits::from_json(boost::json::object const& object)
{
    Values values;
    for (auto const& member : object)
        if (auto const* number = member.value().if_int64()) values.emplace(member.key(), *number);
    return Limits(std::move(values));
}

std::optional<std::int64_t> Limits::find(std::string_view name) const
{
    auto const it = values_.find(name);
    return it == values_.end() ? std::nullopt : std::optional(it->second);
}

} // namespace tenancy
