#pragma once

#include "domain/notification.hpp"

namespace notify {

/// Which notifications a list shows, newest first.
struct Filter {
    std::optional<Status> status;
    std::optional<Channel> channel;
    std::vector<std::string> to;             ///< one of them; empty: whoever it is
    std::optional<core::Time> created_after; ///< exclusive

    /// What somebody may be kept as who is asked for as `to`: the form that `recipient_of` gives it, and
    /// where the channel is not known, `to` itself too, for a user may be called like an email address.
    static std::vector<std::string> names_of(std::optional<Channel> channel, std::string const& to);

    /// All of them: the page most clients ask for.
    bool plain() const noexcept { return !status && !channel && to.empty() && !created_after; }

    /// A cursor goes with the filter it was made for.
    std::uint64_t hash() const;
};

} // namespace notify
