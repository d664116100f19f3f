#pragma once

#include <cstdint>

namespace testing {

/// A socket that listens on a free port of 127.0.0.1. The caller closes it.
struct Listener {
    int socket = -1;
    std::uint16_t port = 0;
};

/// Throws std::system_error.
Listener listen_nearby();

} // namespace testing
