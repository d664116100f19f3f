#pragma once
// Only the delivery workers use this header.

#include "blobs/store.hpp"
#include "workers/delivery.hpp"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace notify {

/// Reads the bytes of an upload. The call blocks, so make it on a worker thread. Returns nullopt if the
/// upload does not exist or has another size. Throws core::Error UNAVAILABLE if the store does not answer or
/// answers with an error.
std::optional<std::string> read_upload(
    DeliveryDeps const& deps, blobs::Key const& key, std::int64_t size_bytes, std::stop_token const& stop);

} // namespace notify
