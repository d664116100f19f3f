#pragma once
// Only PushSender uses this header.

#include "core/clock.hpp"
#include "providers/push_batch.hpp"

#include <string>

namespace observe {
class Logger;
}

namespace notify {

/// Sends nothing: appends one JSON object per device to a file, `{"at","tenant","env","platform","token",
/// "message"}`. `message` is the body that the carrier would get. The file is opened for each write, so it
/// may be moved or deleted at any time. A new file is readable by its owner only. Not thread-safe.
class PushOutbox {
public:
    /// `clock` and `logger` must outlive this object.
    PushOutbox(std::string path, core::Clock const& clock, observe::Logger& logger)
        : path_(std::move(path)), clock_(clock), logger_(logger)
    {
    }

    /// Answers every target. The verdict is `accepted` if the target's line was written, `refused` if the
    /// push is too large for the carrier, and `transient` if the line cannot be written.
    void deliver(PushBatch& batch) const;

private:
    void append_line(std::string& lines, PushTarget const& target, RenderedPush const& push) const;
    PushResult write(std::string const& lines) const;

    std::string const path_;
    core::Clock const& clock_;
    observe::Logger& logger_;
};

} // namespace notify
