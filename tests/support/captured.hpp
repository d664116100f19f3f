#pragma once

#include <boost/json.hpp>

#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace testing {

/// A file in memory to which a Logger can write.
class Captured {
public:
    Captured() : fd_(::memfd_create("log", MFD_CLOEXEC))
    {
        if (fd_ < 0) throw std::runtime_error("memfd_create failed");
    }

    ~Captured() { ::close(fd_); }

    Captured(Captured const&) = delete;
    Captured& operator=(Captured const&) = delete;

    int fd() const noexcept { return fd_; }

    /// Returns the text written so far. A Logger writes in the background, so flush it first.
    std::string text() const
    {
        std::string all;
        char piece[4096];
        for (;;) {
            auto const n = ::pread(fd_, piece, sizeof piece, static_cast<off_t>(all.size()));
            if (n <= 0) return all;
            all.append(piece, static_cast<std::size_t>(n));
        }
    }

    /// Returns all lines, parsed. Throws if a line is not JSON.
    std::vector<boost::json::object> lines() const
    {
        std::vector<boost::json::object> out;
        auto const all = text();
        for (std::size_t at = 0; at < all.size();) {
            auto const end = all.find('\n', at);
            if (end == std::string::npos) throw std::runtime_error("the last line has no end");
            out.push_back(boost::json::parse(all.substr(at, end - at)).as_object());
            at = end + 1;
        }
        return out;
    }

private:
    int fd_;
};

} // namespace testing
