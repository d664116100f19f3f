#pragma once

#include <string_view>

namespace crypto {

/// Whether the bytes are the same, in a time that depends on the lengths alone. Different lengths are
/// unequal.
bool equal_constant_time(std::string_view a, std::string_view b) noexcept;

} // namespace crypto
