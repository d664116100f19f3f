#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>

namespace feedback {

/// The members of the settings document that control the service. Absent members have the defaults.
struct FeedbackSettings {
    std::optional<std::string> notify_email; ///< gets an email for each new thread and each reply of a user
    bool public_board = false;               ///< whether the board is on
    bool public_by_default = false;          ///< whether new threads of the category `feature` are public
    bool reopen_on_reply = true; ///< whether a user's reply opens a resolved or closed thread again
    bool notify_users = true;    ///< whether reporters and followers get emails

    static FeedbackSettings of(boost::json::object const& document);
};

} // namespace feedback
