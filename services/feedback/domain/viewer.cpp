#include "domain/viewer.hpp"

namespace feedback {

std::string Viewer::etag(Feedback const& f) const
{
    auto tag = '"' + std::to_string(f.version) + '.' + std::to_string(replies(f).count);
    if (is_staff() && f.internal_changes > 0) tag += '.' + std::to_string(f.internal_changes);
    return tag + '~' + std::to_string(f.vote_count) + '"'; // `~`: http::counters_mark
}

} // namespace feedback
