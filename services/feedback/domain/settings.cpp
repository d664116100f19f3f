#include "domain/settings.hpp"

namespace feedback {

namespace {

bool read_switch(boost::json::object const& document, std::string_view name, bool fallback)
{
    auto const* const value = document.if_contains(name);
    return value != nullptr && value->is_bool() ? value->get_bool() : fallback;
}

} // namespace

FeedbackSettings FeedbackSettings::of(boost::json::object const& document)
{
    FeedbackSettings settings;
    if (auto const* const email = document.if_contains("notifyEmail"); email != nullptr && email->is_string())
        settings.notify_email = std::string(email->get_string());
    settings.public_board = read_switch(document, "publicBoard", settings.public_board);
    settings.public_by_default = read_switch(document, "publicByDefault", settings.public_by_default);
    settings.reopen_on_reply = read_switch(document, "reopenOnReply", settings.reopen_on_reply);
    settings.notify_users = read_switch(document, "notifyUsers", settings.notify_users);
    return settings;
}

} // namespace feedback
