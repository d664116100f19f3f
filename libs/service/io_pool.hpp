#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace service {

namespace asio = boost::asio;

/// N io_contexts with one thread each and nothing shared between them: what a coroutine started on a context
/// stays on its thread, so it needs no strand.
class IoPool {
public:
    /// Starts the threads.
    explicit IoPool(unsigned threads);

    /// Joins.
    ~IoPool();
    IoPool(IoPool const&) = delete;
    IoPool& operator=(IoPool const&) = delete;

    std::vector<asio::io_context*> const& contexts() const noexcept { return pointers_; }

    asio::io_context& first() const noexcept { return *pointers_.front(); }

    /// Waits until the contexts have run out of work (servers drained, clients stopped), then ends the
    /// threads. They are never stopped with work left, so whoever still has a connection open must be told
    /// first. Once; not from a pool thread.
    void join();

private:
    using Guard = asio::executor_work_guard<asio::io_context::executor_type>;

    std::vector<std::unique_ptr<asio::io_context>> contexts_;
    std::vector<asio::io_context*> pointers_;
    std::vector<Guard> guards_;
    std::vector<std::thread> threads_;
};

} // namespace service
