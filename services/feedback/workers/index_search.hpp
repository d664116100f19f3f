#pragma once

#include "service/run.hpp"

namespace feedback {

/// The command `index-search`: stores the searchable words of all threads and replies that have none, scope
/// by scope, in transactions of at most 500 threads or replies. Run it once after an upgrade from a version
/// that did not store them, when the last replica has been updated. It may run while the service runs, and
/// may be repeated.
service::Command index_search_command();

} // namespace feedback
