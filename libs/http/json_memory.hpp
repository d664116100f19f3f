#pragma once

#include "http/body_budget.hpp"

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <memory>
#include <string_view>

namespace http {

/// Returns memory for the tree of a JSON text of `text_size` bytes. The memory is freed as a whole when the
/// last value that uses it is destroyed. An allocation throws PAYLOAD_TOO_LARGE if the tree would exceed
/// `json_tree_limit`, and the errors of BodyLease::grow. If `lease` is null, the memory is not counted in a
/// budget.
boost::json::storage_ptr json_memory(std::size_t text_size, std::shared_ptr<BodyLease> lease);

/// The maximum size in bytes of the tree of a text of `text_size` bytes: eight times `text_size`, and at
/// least 64 KiB.
constexpr std::size_t json_tree_limit(std::size_t text_size) noexcept
{
    constexpr std::size_t least = std::size_t{64} * 1024;
    constexpr std::size_t multiple = 8;
    return text_size > least / multiple ? text_size * multiple : least;
}

/// Parses JSON (RFC 8259, UTF-8, maximum depth 32) into memory of `json_memory`. The parser's temporary
/// memory counts in `lease` during the call. Throws MALFORMED_JSON, and the errors of `json_memory`.
boost::json::value parse_json(std::string_view text, std::shared_ptr<BodyLease> const& lease);

} // namespace http
