#pragma once

#include <string_view>

namespace crypto {

/// Whether the bytes are equal, in a time that depends only on the lengths. Texts of different lengths are
/// unequal.
bool equal_constant_time(std::string_view a, std::string_view b) noexcept;

} // namespace crypto
