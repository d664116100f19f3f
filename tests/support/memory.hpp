#pragma once

#include "support/program.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace testing {

inline constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Whether tests can check the resident size of this build's programs. With a sanitizer they cannot, because
/// the size includes the sanitizer's memory.
#if defined(__has_feature) && (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
inline constexpr bool resident_size_tells = false;
#else
inline constexpr bool resident_size_tells = true;
#endif

/// Makes a JSON object of at most `size` bytes: `members` (`"a":1,`), then the member `x`, an array that
/// repeats `item`. When parsed, the item `[0]` takes about sixty times the memory of its text, and `12345`
/// about three times.
std::string dense_document(std::size_t size, std::string const& members = {}, std::string_view item = "[0]");

/// The responses to concurrent requests, and the memory of the program while it handled them.
struct Burst {
    /// Number of responses by status; the key 0 means a 503 without Retry-After.
    std::map<unsigned, std::size_t> counts;
    std::size_t before = 0; ///< resident bytes before the requests
    std::size_t most = 0;   ///< maximum of the resident bytes since the program began
};

/// Sends one request from each of `callers` threads at the same time, each with its own client.
Burst send_at_once(Program const& program, std::size_t callers, std::string const& authorization,
    std::function<HttpResponse(HttpClient&)> const& request);

/// The resident bytes of the program.
std::size_t resident(Program const& program);

} // namespace testing
