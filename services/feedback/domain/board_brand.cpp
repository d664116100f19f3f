#include "domain/board_brand.hpp"

namespace feedback {

namespace {

constexpr std::size_t logo_version = 16; ///< digits of the hash

std::string text_in(boost::json::object const& object, std::string_view name)
{
    auto const* const value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

} // namespace

BoardBrand BoardBrand::of(tenancy::Tenant const& tenant, core::Environment environment)
{
    auto const& document = tenant.settings(environment).document;
    BoardBrand brand{text_in(document, "boardName"), text_in(document, "boardColor"), {}};
    if (brand.name.empty()) brand.name = tenant.display_name;
    if (auto const* const logo = document.if_contains("logo"); logo != nullptr && logo->is_object())
        brand.logo = text_in(logo->get_object(), "sha256").substr(0, logo_version);
    return brand;
}

} // namespace feedback
