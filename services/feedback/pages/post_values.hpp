#pragma once

#include "domain/feedback.hpp"
#include "hosted_pages/template.hpp"

namespace feedback::pages {

/// Adds the values of a thread that the templates show: id, title, body, status, category, tags, votes, time
/// of creation and number of public replies. No other member of a thread may reach a page.
void add_post(hosted_pages::Data& data, Feedback const& thread);

/// The values of a public reply: body, whether staff wrote it, and the times.
hosted_pages::Data reply_data(Reply const& reply);

} // namespace feedback::pages
