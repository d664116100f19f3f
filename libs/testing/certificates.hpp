#pragma once

#include "testing/process.hpp"

#include <string>

namespace testing {

/// A certificate in a file and its key in another, both PEM.
struct Certificate {
    std::string file, key;
};

/// A certificate authority of a test's own, made by openssl. Its files, and those of what it issues, go with
/// it.
class Authority {
public:
    Authority();

    /// Its own certificate: what clients trust.
    std::string const& file() const noexcept { return self_.file; }

    /// A certificate for `names`, as openssl writes them: `DNS:localhost,IP:127.0.0.1`.
    Certificate issue(std::string const& names);

private:
    TemporaryDirectory folder_{"authority"};
    Certificate self_;
    int issued_ = 0;
};

} // namespace testing
