#include "images.hpp"

#include <cstdint>
#include <png.h>
#include <stdexcept>
#include <vector>
#include <webp/encode.h>
#include <zlib.h>

namespace {

std::string big_endian(std::uint32_t number)
{
    std::string bytes;
    for (unsigned const shift : {24U, 16U, 8U, 0U})
        bytes += static_cast<char>(number >> shift & 0xffU);
    return bytes;
}

} // namespace

std::string make_png(unsigned width, unsigned height, unsigned char color)
{
    ::png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_GRAY;
    std::vector<unsigned char> const pixels(std::size_t{width} * height, color);
    png_alloc_size_t size = std::size_t{width} * height * 2 + 1000;
    std::string bytes(size, '\0');
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
        throw std::runtime_error(image.message);
    bytes.resize(size);
    return bytes;
}

std::string make_webp(int width, int height)
{
    std::vector<std::uint8_t> const pixels(
        static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3, 90);
    std::uint8_t* encoded = nullptr;
    std::size_t const size = WebPEncodeLosslessRGB(pixels.data(), width, height, width * 3, &encoded);
    std::string bytes(reinterpret_cast<char const*>(encoded), size);
    WebPFree(encoded);
    return bytes;
}

std::string png_chunk(std::string_view type, std::string_view data)
{
    std::string const checked = std::string(type) + std::string(data);
    auto const sum =
        crc32(0, reinterpret_cast<Bytef const*>(checked.data()), static_cast<uInt>(checked.size()));
    return big_endian(static_cast<std::uint32_t>(data.size())) + checked +
           big_endian(static_cast<std::uint32_t>(sum));
}

std::string with_png_chunk(std::string png, std::string const& chunk)
{
    return png.insert(33, chunk); // after the signature and IHDR
}
