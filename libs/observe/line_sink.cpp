#include "observe/line_sink.hpp"

#include <cerrno>
#include <climits>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace observe {

namespace {

constexpr std::chrono::milliseconds flush_interval{200};
constexpr std::chrono::milliseconds exit_timeout{1000};
constexpr std::size_t write_early = std::size_t{64} * 1024;
constexpr std::size_t keep_at_most = std::size_t{4} * 1024 * 1024;

/// The size of the next write from `lines`: whole lines that fit PIPE_BUF. A pipe takes up to PIPE_BUF bytes
/// in one piece even if other processes write to the pipe. Such a write does not block after poll() has
/// reported room.
std::size_t piece(std::string_view lines) noexcept
{
    if (lines.size() <= PIPE_BUF) return lines.size();
    auto const end = lines.substr(0, PIPE_BUF).rfind('\n');
    return end == std::string_view::npos ? PIPE_BUF : end + 1;
}

} // namespace

LineSink::LineSink(int fd, std::function<std::string(std::uint64_t)> describe_loss)
    : fd_(fd), describe_loss_(std::move(describe_loss)), thread_([this] { run(); })
{
}

LineSink::~LineSink()
{
    {
        std::lock_guard const lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void LineSink::sink_it_(spdlog::details::log_msg const& message)
{
    if (pending_.size() + message.payload.size() + 1 > keep_at_most) {
        ++dropped_;
        return;
    }
    bool const first = pending_.empty();
    pending_.append(message.payload.data(), message.payload.size());
    pending_ += '\n';
    ++taken_;
    if (pending_.size() > write_early) urgent_ = true;
    if (first || urgent_) wake_.notify_one();
}

void LineSink::flush_()
{
    if (pending_.empty()) return;
    urgent_ = true;
    wake_.notify_one();
}

void LineSink::wait_written(std::chrono::milliseconds timeout)
{
    std::unique_lock lock(mutex_);
    flush_();
    progress_.wait_for(lock, timeout, [this, target = taken_] { return written_ >= target; });
}

void LineSink::run()
{
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
        if (pending_.empty()) return;
        wake_.wait_for(lock, flush_interval, [this] { return stopping_ || urgent_; });
        take_pending();
        std::uint64_t const target = taken_;
        lock.unlock();
        write(writing_);
        lock.lock();
        written_ = target;
        progress_.notify_all();
    }
}

void LineSink::take_pending()
{
    urgent_ = false;
    writing_.clear();
    // Releases the memory that a burst of lines has allocated.
    if (writing_.capacity() > 16 * write_early) writing_ = {};
    writing_.swap(pending_);
    if (dropped_ != 0) writing_.append(describe_loss_(std::exchange(dropped_, 0))) += '\n';
}

void LineSink::write(std::string_view lines)
{
    while (!lines.empty()) {
        if (!wait_writable()) return;
        ssize_t const n = ::write(fd_, lines.data(), piece(lines));
        if (n >= 0)
            lines.remove_prefix(static_cast<std::size_t>(n));
        else if (errno != EINTR && errno != EAGAIN)
            return; // The log cannot be written, so this failure cannot be logged either.
    }
}

bool LineSink::wait_writable()
{
    auto waited = std::chrono::milliseconds::zero();
    for (;;) {
        pollfd entry{.fd = fd_, .events = POLLOUT, .revents = 0};
        if (::poll(&entry, 1, static_cast<int>(flush_interval.count())) > 0) return true;
        std::lock_guard const lock(mutex_);
        if (!stopping_) continue;
        waited += flush_interval;
        if (waited >= exit_timeout) return false;
    }
}

} // namespace observe
