#pragma once

#include "http/body_budget.hpp"

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <memory>
#include <string_view>

namespace http {

/// Memory for the tree that a JSON text of `text_size` bytes becomes. It is all given back with the last
/// value that uses it. An allocation throws PAYLOAD_TOO_LARGE once the tree takes more than
/// `json_tree_limit`, and as BodyLease::grow. `lease` may be null: then nothing is counted in a budget.
boost::json::storage_ptr json_memory(std::size_t text_size, std::shared_ptr<BodyLease> lease);

/// Bytes that the tree of a text of that length may take: eight times as many, and at least 64 KiB.
constexpr std::size_t json_tree_limit(std::size_t text_size) noexcept
{
    constexpr std::size_t least = std::size_t{64} * 1024;
    constexpr std::size_t multiple = 8;
    return text_size > least / multiple ? text_size * multiple : least;
}

/// `text` as JSON (RFC 8259, UTF-8, depth 32) in such memory; what parsing needs beside the tree counts for
/// as long as it takes. Throws MALFORMED_JSON, and as the memory does.
boost::json::value parse_json(std::string_view text, std::shared_ptr<BodyLease> const& lease);

} // namespace http
