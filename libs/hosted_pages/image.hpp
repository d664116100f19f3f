#pragma once

#include "core/enum_names.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

namespace hosted_pages {

/// The accepted types of images, by their media types.
enum class ImageType : std::uint8_t { png, webp };

constexpr auto enum_names(ImageType)
{
    return std::to_array<std::string_view>({"image/png", "image/webp"});
}

/// The maximum width and the maximum height of an image, in pixels.
inline constexpr unsigned max_image_side = 2048;

struct ImageSize {
    unsigned width = 0; ///< 1 to max_image_side
    unsigned height = 0;
};

/// Why an image is refused: the code and the detail of a FieldError.
struct ImageFault {
    std::string_view code; ///< `format`, `range` or `not_allowed`
    std::string_view detail;
};

/// Checks untrusted bytes: they must be one whole image of this type, that can be decoded, has at most
/// `max_image_side` pixels on each side, and is not animated. Bytes after the image are refused. Decodes the
/// image. For any input, it needs at most about 40 MiB of memory and 200 ms of CPU time. Do not call it on an
/// I/O thread.
std::variant<ImageSize, ImageFault> check_image(std::string_view bytes, ImageType type);

} // namespace hosted_pages
