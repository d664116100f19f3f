#include "blobs/store.hpp"

namespace blobs {

std::string Key::name() const
{
    std::string name = std::to_string(scope_id) + '/' + attachment_id.to_string();
    if (!version.empty()) name.append(1, '.').append(version);
    return name;
}

} // namespace blobs
