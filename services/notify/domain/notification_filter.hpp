#pragma once

#include "domain/notification.hpp"

namespace notify {

/// The filter of a list of notifications.
struct NotificationFilter {
    std::optional<Status> status;
    std::optional<Channel> channel;
    std::vector<std::string> to;             ///< list only these recipients; if empty, all recipients
    std::optional<core::Time> created_after; ///< exclusive

    /// The forms in which the recipient `to` may be stored. With a channel: the canonical form on this
    /// channel (`recipient_of`). Without a channel: `to` itself, and its canonical form as an email address,
    /// because a user id may look like an email address.
    static std::vector<std::string> names_of(std::optional<Channel> channel, std::string const& to);

    /// Whether the filter has no conditions. Most requests for a list have no conditions.
    bool plain() const noexcept { return !status && !channel && to.empty() && !created_after; }

    /// Identifies the filter in cursors, because a cursor is valid only with the filter it was made for.
    std::uint64_t hash() const;
};

} // namespace notify
