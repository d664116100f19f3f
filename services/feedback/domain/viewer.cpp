#include "domain/viewer.hpp"

namespace feedback {

std::string Viewer::etag(Feedback const& f) const
{
    return '"' + std::to_string(f.version) + '.' + std::to_string(replies(f).count) + '"';
}

} // namespace feedback
