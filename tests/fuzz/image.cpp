// The input is an image of a tenant, as PNG and as WebP.
#include "domain/image.hpp"

#include "fuzz.hpp"

#include <string>

using fuzz::require;

namespace {

void check(std::string const& bytes, auth_mfa::ImageType type)
{
    auto const checked = auth_mfa::check_image(bytes, type);
    auto const* const size = std::get_if<auth_mfa::ImageSize>(&checked);
    if (size == nullptr) return;
    require(size->width >= 1 && size->width <= auth_mfa::max_image_side);
    require(size->height >= 1 && size->height <= auth_mfa::max_image_side);
    // An accepted image is whole, and of one type.
    auto const is_refused = [](std::string const& other, auth_mfa::ImageType as) {
        return std::holds_alternative<auth_mfa::ImageFault>(auth_mfa::check_image(other, as));
    };
    require(is_refused(bytes + '\0', type));
    require(is_refused(bytes.substr(0, bytes.size() - 1), type));
    using enum auth_mfa::ImageType;
    require(is_refused(bytes, type == png ? webp : png));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    std::string const bytes(reinterpret_cast<char const*>(data), size);
    check(bytes, auth_mfa::ImageType::png);
    check(bytes, auth_mfa::ImageType::webp);
    return 0;
}
