#pragma once

#include "core/clock.hpp"
#include "core/thread_pool.hpp"
#include "sms/sender.hpp"

#include <string>

namespace sms {

/// Sends nothing: appends one JSON object per line to a file, `{"at","tenant","env","to","body"}`. It opens
/// the file for each message, so the file may be moved or deleted. A new file is readable by its owner only.
class Outbox final : public Sender {
public:
    /// `clock` must outlive this object.
    Outbox(std::string path, core::Clock const& clock) : path_(std::move(path)), clock_(clock) {}

    asio::awaitable<SendResult> send(Message message, std::chrono::milliseconds timeout) override;

private:
    std::string const path_;
    core::Clock const& clock_;
    core::ThreadPool writer_{1}; ///< declared last, because its work uses the other members
};

} // namespace sms
