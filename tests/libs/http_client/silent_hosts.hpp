#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace testing {

/// HTTP/1.1 servers, each with its own loopback address and port. They read requests, but respond only after
/// `release`, with 204. One thread serves all of them.
class SilentHosts {
public:
    explicit SilentHosts(std::size_t count);
    ~SilentHosts();
    SilentHosts(SilentHosts const&) = delete;
    SilentHosts& operator=(SilentHosts const&) = delete;

    std::string url(std::size_t host, std::string const& path = "/") const;

    /// The number of requests that arrived and have no response yet. Their connections are open.
    std::size_t in_flight() const;
    std::size_t in_flight(std::size_t host) const;

    /// The maximum number of requests that `host` had in flight at once.
    std::size_t peak(std::size_t host) const;

    /// The number of requests that arrived in total.
    std::size_t arrived() const;

    /// Responds to all waiting and future requests.
    void release();

private:
    struct Connection {
        std::size_t host = 0;
        std::string received;
        bool in_flight = false;
    };

    void run();
    void accept_from(std::size_t host);
    void read_from(int socket);
    void answer(int socket, Connection& connection);
    void drop(int socket);

    std::vector<int> listeners_;
    std::vector<std::string> origins_;
    int epoll_ = -1;
    int wake_ = -1;
    mutable std::mutex mutex_;
    std::map<int, Connection> connections_;
    std::vector<std::size_t> now_, peak_;
    std::size_t arrived_ = 0;
    bool released_ = false;
    bool stopping_ = false;
    std::thread thread_;
};

/// Raises the limit of open files of this process to its maximum.
void raise_file_limit();

} // namespace testing
