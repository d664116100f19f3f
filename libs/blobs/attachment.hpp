#pragma once

#include "blobs/store.hpp"
#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace blobs {

using core::to_string;

enum class State : std::uint8_t {
    presigned, ///< has an upload URL, but no bytes
    uploaded,  ///< its bytes are stored; it can be attached
    attached,  ///< belongs to a parent; does not expire
};

constexpr auto enum_names(State)
{
    return std::to_array<std::string_view>({"presigned", "uploaded", "attached"});
}

/// A row of `attachments`.
struct Attachment {
    core::ScopeId scope_id{};
    core::Uuid id;
    /// `sub` of the user that presigned the attachment; nullopt if an API key or the master key presigned it.
    std::optional<core::UserId> owner;
    std::string filename;
    std::string content_type;
    std::int64_t size_bytes = 0;
    State state = State::presigned;
    std::string version; ///< version of the blob; empty in state `presigned`
    std::optional<core::Uuid> parent_id;
    bool internal = false; ///< only `core::Access::staff` may read it
    core::Time created_at;
    std::optional<core::Time> uploaded_at;

    Key key() const { return {scope_id, id, version}; }
};

/// The object to which an attachment is attached.
struct Parent {
    std::string type;      ///< the kind of object whose readers may read the attachment, such as `feedback`
    core::Uuid id;         ///< the id of that object; for an attachment of a reply, the id of the thread
    bool internal = false; ///< only `core::Access::staff` may read the attachment
};

} // namespace blobs
