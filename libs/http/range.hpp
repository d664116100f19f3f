#pragma once

#include "core/error.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace http {

inline constexpr core::ErrorCode range_not_satisfiable{"RANGE_NOT_SATISFIABLE", 416};

/// A part of a representation, in bytes.
struct ByteRange {
    std::uint64_t first = 0; ///< position of the first byte
    std::uint64_t length = 0;
};

/// The part of a representation that a GET requests with `Range` (RFC 9110, 14.2). `size` is the length of
/// the representation in bytes, and `current` is its strong entity tag. Returns nullopt if the response is
/// the whole representation: the request is not a GET, has no `Range`, has several or malformed ranges or
/// another unit than `bytes`, or has an `If-Range` other than `current` (13.1.5). Throws
/// RANGE_NOT_SATISFIABLE with `Content-Range: bytes */<size>` if the representation has no byte of the range.
std::optional<ByteRange> requested_range(
    Request const& request, std::uint64_t size, std::string_view current);

/// The value of `Content-Range` for a part of a representation of `size` bytes: `bytes 0-499/1234`.
std::string content_range(ByteRange range, std::uint64_t size);

} // namespace http
