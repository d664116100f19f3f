#include "blobs/store.hpp"

#include "crypto/random.hpp"

namespace blobs {

std::string Key::name() const
{
    std::string name = core::to_string(scope_id) + '/' + attachment_id.to_string();
    if (!version.empty()) name.append(1, '.').append(version);
    return name;
}

std::string new_version()
{
    return crypto::random_base62(16);
}

} // namespace blobs
