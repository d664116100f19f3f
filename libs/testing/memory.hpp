#pragma once

#include "testing/program.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace testing {

inline constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Whether the resident size of a program of this build is its own: a sanitizer's memory is counted in it.
#if defined(__has_feature) && (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
inline constexpr bool resident_size_tells = false;
#else
inline constexpr bool resident_size_tells = true;
#endif

/// A JSON object of at most `size` bytes: `members` (`"a":1,`), then the field `x`, an array of `item`s.
/// Parsed, `[0]` takes some sixty times its text, and `12345` three times.
std::string dense_document(std::size_t size, std::string const& members = {}, std::string_view item = "[0]");

/// The responses to concurrent requests, and the memory of the program while it handled them.
struct Burst {
    std::map<unsigned, std::size_t> counts; ///< responses by status; 0: a 503 without Retry-After
    std::size_t before = 0;                 ///< resident bytes before the requests
    std::size_t most = 0;                   ///< the most resident bytes since the program began
};

/// Has that many threads send a request at the same time, each with a client of its own.
Burst send_at_once(Program const& program, std::size_t callers, std::string const& authorization,
    std::function<HttpResponse(HttpClient&)> const& request);

/// The program's resident bytes.
std::size_t resident(Program const& program);

} // namespace testing
