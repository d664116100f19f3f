#pragma once

#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace observe {

/// Gathers finished lines and writes them to a file descriptor from a thread of its own: within 200 ms, at
/// once when flushed. Only that thread ever waits for the reader of the log; while it does, lines beyond 4
/// MiB are dropped and counted.
class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    /// `describe_loss` makes the line, without its end, that tells how many lines were dropped.
    LineSink(int fd, std::function<std::string(std::uint64_t)> describe_loss);

    /// Writes what is left; a reader that takes nothing for a second loses it.
    ~LineSink() override;
    LineSink(LineSink const&) = delete;
    LineSink& operator=(LineSink const&) = delete;

    /// Waits until every line handed over before is written or given up, at most `timeout`.
    void wait_written(std::chrono::milliseconds timeout);

protected:
    void sink_it_(spdlog::details::log_msg const& message) override;
    void flush_() override; ///< asks for it and does not wait

private:
    void run();
    void take_pending();
    void write(std::string_view lines);
    bool wait_writable();

    int const fd_;
    std::function<std::string(std::uint64_t)> const describe_loss_;

    // Guarded by base_sink's mutex_, but for writing_, which is the thread's.
    std::string pending_;
    std::string writing_;
    std::uint64_t dropped_ = 0;
    std::uint64_t taken_ = 0;   ///< lines handed over
    std::uint64_t written_ = 0; ///< of these, written or given up
    bool urgent_ = false;
    bool stopping_ = false;
    std::condition_variable wake_;
    std::condition_variable progress_;

    std::thread thread_; ///< last: it uses all of the above
};

} // namespace observe
