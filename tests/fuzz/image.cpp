// The input is an image of a tenant, as PNG and as WebP.
#include "hosted_pages/image.hpp"

#include "fuzz.hpp"

#include <string>

using fuzz::require;

namespace {

void check(std::string const& bytes, hosted_pages::ImageType type)
{
    auto const checked = hosted_pages::check_image(bytes, type);
    auto const* const size = std::get_if<hosted_pages::ImageSize>(&checked);
    if (size == nullptr) return;
    require(size->width >= 1 && size->width <= hosted_pages::max_image_side);
    require(size->height >= 1 && size->height <= hosted_pages::max_image_side);
    // An accepted image is whole, and of one type.
    auto const is_refused = [](std::string const& other, hosted_pages::ImageType as) {
        return std::holds_alternative<hosted_pages::ImageFault>(hosted_pages::check_image(other, as));
    };
    require(is_refused(bytes + '\0', type));
    require(is_refused(bytes.substr(0, bytes.size() - 1), type));
    using enum hosted_pages::ImageType;
    require(is_refused(bytes, type == png ? webp : png));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    std::string const bytes(reinterpret_cast<char const*>(data), size);
    check(bytes, hosted_pages::ImageType::png);
    check(bytes, hosted_pages::ImageType::webp);
    return 0;
}
