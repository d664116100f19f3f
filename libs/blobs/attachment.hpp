#pragma once

#include "blobs/store.hpp"
#include "core/clock.hpp"
#include "core/id.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace blobs {

enum class State : std::uint8_t {
    presigned, ///< has an upload address, but no bytes
    uploaded,  ///< has its bytes and may be claimed
    attached,  ///< belongs to a parent, and is kept
};

/// `presigned`, `uploaded`, `attached`.
std::string_view to_string(State state) noexcept;

/// A row of `attachments`.
struct Attachment {
    std::int64_t scope_id = 0;
    core::Uuid id;
    std::optional<std::string>
        owner; ///< `sub` of the JWT that presigned it; none for API keys and the master key
    std::string filename;
    std::string content_type;
    std::int64_t size_bytes = 0;
    State state = State::presigned;
    std::string version; ///< of the blob in its store; empty while presigned
    std::optional<std::string> parent_type;
    std::optional<core::Uuid> parent_id;
    bool internal = false; ///< belongs to what only staff may see
    core::Time created_at;
    std::optional<core::Time> uploaded_at;
    std::optional<core::Time> attached_at;

    Key key() const { return {scope_id, id, version}; }
};

/// What an attachment is claimed for.
struct Parent {
    std::string type;      ///< the kind of thing whose readers may read the attachment: `feedback`
    core::Uuid id;         ///< a reply's attachments belong to its thread
    bool internal = false; ///< only staff may see it
};

} // namespace blobs
