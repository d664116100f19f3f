#pragma once
// Private to the delivery workers.

#include "blobs/store.hpp"
#include "workers/delivery.hpp"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace notify {

/// The bytes of an upload, blocking: for worker threads. nullopt when it is not there, or is not of that
/// size. Throws core::Error UNAVAILABLE when the store cannot be asked.
std::optional<std::string> read_upload(
    DeliveryDeps const& deps, blobs::Key const& key, std::int64_t size_bytes, std::stop_token const& stop);

} // namespace notify
