#pragma once

#include "domain/notification.hpp"

namespace notify {

/// Which notifications a list shows, newest first.
struct Filter {
    std::optional<Status> status;
    std::optional<Channel> channel;
    std::optional<std::string> to;
    std::optional<core::Time> created_after; ///< exclusive

    /// All of them: the page most clients ask for.
    bool plain() const noexcept { return !status && !channel && !to && !created_after; }

    /// A cursor goes with the filter it was made for.
    std::uint64_t hash() const;
};

} // namespace notify
