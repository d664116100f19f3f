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

/// Buffers finished lines and writes them to a file descriptor from its own thread: within 200 ms, or at once
/// when flushed. Only that thread waits for the reader of the log. While the reader hangs, at most 4 MiB are
/// buffered. Further lines are dropped and counted.
class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    /// `describe_loss` returns the line, without its line break, that reports how many lines were dropped.
    LineSink(int fd, std::function<std::string(std::uint64_t)> describe_loss);

    /// Writes the remaining lines. These lines are lost if the reader of the log reads nothing for a second.
    ~LineSink() override;
    LineSink(LineSink const&) = delete;
    LineSink& operator=(LineSink const&) = delete;

    /// Waits until every line passed so far is written or dropped, but at most `timeout`.
    void wait_written(std::chrono::milliseconds timeout);

protected:
    void sink_it_(spdlog::details::log_msg const& message) override;
    void flush_() override; ///< requests a flush and does not wait

private:
    void run();
    void take_pending();
    void write(std::string_view lines);
    bool wait_writable();

    int const fd_;
    std::function<std::string(std::uint64_t)> const describe_loss_;

    // Guarded by base_sink's mutex_, except writing_, which only the thread uses.
    std::string pending_;
    std::string writing_;
    std::uint64_t dropped_ = 0;
    std::uint64_t taken_ = 0;   ///< number of lines that the sink has accepted
    std::uint64_t written_ = 0; ///< number of these lines that were written or dropped
    bool urgent_ = false;
    bool stopping_ = false;
    std::condition_variable wake_;
    std::condition_variable progress_;

    std::thread thread_; ///< last member, because the thread uses all other members
};

} // namespace observe
