#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// A PNG image of this size. Its pixels depend on `color`.
std::string make_png(unsigned width, unsigned height, unsigned char color = 0);

/// A WebP image of this size.
std::string make_webp(int width, int height);

/// A chunk of a PNG file.
std::string png_chunk(std::string_view type, std::string_view data);

/// `png` with a chunk after its header.
std::string with_png_chunk(std::string png, std::string const& chunk);
