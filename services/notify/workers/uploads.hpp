#pragma once
// Only EmailHandler uses this header.

#include "blobs/store.hpp"
#include "workers/deps.hpp"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace notify {

/// Reads the bytes of an upload. The call blocks, so make it on a worker thread. Returns nullopt if the
/// upload does not exist or has another size. Throws core::Error UNAVAILABLE if the store does not respond or
/// responds with an error.
std::optional<std::string> read_upload(
    WorkerDeps const& deps, blobs::Key const& key, std::int64_t size_bytes, std::stop_token const& stop);

} // namespace notify
