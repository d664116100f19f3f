#include "hosted_pages/image.hpp"

#include <memory>
#include <optional>
#include <png.h>
#include <string>
#include <webp/decode.h>

namespace hosted_pages {

namespace {

using Checked = std::variant<ImageSize, ImageFault>;

constexpr std::size_t bytes_per_pixel = 4; // RGBA

constexpr ImageFault wrong_size{"range", "must be 1 to 2048 pixels wide and 1 to 2048 pixels high"};
constexpr ImageFault animated{"not_allowed", "must not be animated"};
constexpr ImageFault bytes_after_end{"format", "must not have bytes after the end of the image"};

bool is_permitted(std::size_t side)
{
    return side >= 1 && side <= max_image_side;
}

std::uint8_t const* data_of(std::string_view bytes)
{
    return reinterpret_cast<std::uint8_t const*>(bytes.data());
}

/// Memory for the decoded pixels, which are dropped.
std::unique_ptr<std::uint8_t[]> pixels_of(ImageSize const& size)
{
    return std::make_unique_for_overwrite<std::uint8_t[]>(
        std::size_t{size.width} * size.height * bytes_per_pixel);
}

namespace png {

constexpr std::string_view signature{"\x89PNG\r\n\x1a\n", 8};
constexpr ImageFault broken{"format", "must be a complete PNG image"};

/// Takes `count` bytes from the front. `bytes` must have them.
std::string_view take(std::string_view& bytes, std::size_t count)
{
    std::string_view const taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
}

std::uint32_t read_number(std::string_view four)
{
    return png_get_uint_32(data_of(four));
}

struct Chunk {
    std::string_view type;
    std::string_view whole; ///< length, type, data and checksum
};

/// Takes the next chunk; nullopt if it is cut off.
std::optional<Chunk> take_chunk(std::string_view& bytes)
{
    constexpr std::size_t around_data = 12;
    if (bytes.size() < around_data) return std::nullopt;
    std::uint32_t const length = read_number(bytes.substr(0, 4));
    if (length > bytes.size() - around_data) return std::nullopt;
    std::string_view const whole = take(bytes, around_data + length);
    return Chunk{whole.substr(4, 4), whole};
}

/// Whether a decoder may ignore chunks of this type (PNG 5.4: the first letter is in lower case).
bool is_ancillary(std::string_view type)
{
    return type.front() >= 'a' && type.front() <= 'z';
}

/// The image without the chunks that do not change its pixels. Some of them are compressed, and libpng would
/// unpack them without a limit on their sum.
std::variant<std::string, ImageFault> essence_of(std::string_view bytes)
{
    if (!bytes.starts_with(signature)) return broken;
    std::string essence(take(bytes, signature.size()));
    while (auto const chunk = take_chunk(bytes)) {
        if (chunk->type == "acTL") return animated;
        if (!is_ancillary(chunk->type) || chunk->type == "tRNS") essence += chunk->whole;
        if (chunk->type != "IEND") continue;
        if (!bytes.empty()) return bytes_after_end;
        return essence;
    }
    return broken;
}

Checked check(std::string_view bytes)
{
    auto const essence = essence_of(bytes);
    if (auto const* const fault = std::get_if<ImageFault>(&essence)) return *fault;
    auto const& stripped = std::get<std::string>(essence);
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    std::unique_ptr<png_image, decltype(&png_image_free)> const freed(&image, &png_image_free);
    if (png_image_begin_read_from_memory(&image, stripped.data(), stripped.size()) == 0) return broken;
    ImageSize const size{image.width, image.height};
    if (!is_permitted(size.width) || !is_permitted(size.height)) return wrong_size;
    image.format = PNG_FORMAT_RGBA;
    auto const pixels = pixels_of(size);
    if (png_image_finish_read(&image, nullptr, pixels.get(), 0, nullptr) == 0) return broken;
    return size;
}

} // namespace png

namespace webp {

constexpr ImageFault broken{"format", "must be a complete WebP image"};

/// The number of bytes that the file has according to its header, which must have 12 bytes.
std::size_t declared_size(std::string_view bytes)
{
    auto const at = [&](std::size_t place) { return std::size_t{data_of(bytes)[place]}; };
    return 8 + (at(4) | at(5) << 8U | at(6) << 16U | at(7) << 24U);
}

Checked check(std::string_view bytes)
{
    bool const has_header = bytes.size() >= 12 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP";
    if (!has_header || declared_size(bytes) > bytes.size()) return broken;
    if (declared_size(bytes) < bytes.size()) return bytes_after_end;
    WebPBitstreamFeatures features{};
    if (WebPGetFeatures(data_of(bytes), bytes.size(), &features) != VP8_STATUS_OK) return broken;
    if (features.has_animation != 0) return animated;
    ImageSize const size{static_cast<unsigned>(features.width), static_cast<unsigned>(features.height)};
    if (!is_permitted(size.width) || !is_permitted(size.height)) return wrong_size;
    auto const pixels = pixels_of(size);
    std::size_t const row = size.width * bytes_per_pixel;
    auto const* const decoded = WebPDecodeRGBAInto(
        data_of(bytes), bytes.size(), pixels.get(), row * size.height, static_cast<int>(row));
    if (decoded == nullptr) return broken;
    return size;
}

} // namespace webp

} // namespace

std::variant<ImageSize, ImageFault> check_image(std::string_view bytes, ImageType type)
{
    return type == ImageType::png ? png::check(bytes) : webp::check(bytes);
}

} // namespace hosted_pages
