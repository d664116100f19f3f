#pragma once

#include "core/clock.hpp"
#include "sms/sender.hpp"

#include <mutex>
#include <string>

namespace sms {

/// Sends nothing: appends one JSON object a line to a file, `{"at","tenant","env","to","body"}`. The file is
/// opened for each message, so it may be taken away; it is made readable by its owner only.
class Outbox final : public Sender {
public:
    /// `clock` outlives this object.
    Outbox(std::string path, core::Clock const& clock) : path_(std::move(path)), clock_(clock) {}

    Sent send(Message const& message, std::chrono::milliseconds patience) override;

private:
    std::string const path_;
    core::Clock const& clock_;
    std::mutex mutex_;
};

} // namespace sms
