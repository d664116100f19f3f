#pragma once

#include "support/process.hpp"

#include <string>

namespace testing {

/// A certificate and its key, each in a PEM file.
struct Certificate {
    std::string file, key;
};

/// A private certificate authority, made by openssl. The destructor removes the files of the authority and of
/// all certificates that it has issued.
class Authority {
public:
    Authority();

    /// The file of its own certificate, which clients trust.
    std::string const& file() const noexcept { return self_.file; }

    /// Issues a certificate for `names`, in the notation of openssl: `DNS:localhost,IP:127.0.0.1`.
    Certificate issue(std::string const& names);

private:
    TemporaryDirectory folder_{"authority"};
    Certificate self_;
    int issued_ = 0;
};

} // namespace testing
