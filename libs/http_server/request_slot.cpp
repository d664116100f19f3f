#include "http_server/request_slot.hpp"

#include <utility>

namespace http_server {

namespace {

constexpr std::size_t kept_memory = std::size_t{16} * 1024; ///< of each buffer of a spare slot

} // namespace

void RequestSlot::reset(std::size_t header_limit)
{
    parser.reset(header_limit);
    auto headers = std::move(request->headers);
    headers.clear();
    request.emplace().headers = std::move(headers);
    body.clear();
    if (body.capacity() > kept_memory) body = ReadBuffer();
    out.clear();
    if (out.capacity() > 2 * kept_memory) out = std::string();
}

} // namespace http_server
