#include "domain/viewer.hpp"

#include "http/etag.hpp"

namespace feedback {

std::string Viewer::etag(Feedback const& f) const
{
    auto tag = std::to_string(f.version) + '.' + std::to_string(replies(f).count);
    if (is_staff() && f.internal_changes > 0) tag += '.' + std::to_string(f.internal_changes);
    return http::etag(tag + http::counters_mark + std::to_string(f.vote_count));
}

} // namespace feedback
