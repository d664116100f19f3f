#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace testing {

/// A DNS server (dnsmasq) on a free port of 127.0.0.1, UDP and TCP, that knows the TXT records it is told.
/// Create it, and call what restarts it, from a thread that outlives the server (Linux kills the server with
/// that thread).
class DnsServer {
public:
    /// Records by name; a text of more than 255 bytes is served as several strings (RFC 1035, 3.3.14).
    /// Visible ASCII without quotes and backslashes.
    using Records = std::map<std::string, std::vector<std::string>>;

    DnsServer();
    ~DnsServer();
    DnsServer(DnsServer const&) = delete;
    DnsServer& operator=(DnsServer const&) = delete;

    std::string address() const; ///< `127.0.0.1:PORT`

    /// From now on these are all that there are; other names do not exist.
    void serve(Records const& records);

    /// From now on every question about a name that has no records is refused instead.
    void refuse_others(Records const& records);

    void stop();  ///< nobody listens; `serve` starts it again
    void pause(); ///< SIGSTOP: questions are taken and not answered
    void resume();

private:
    struct Server;
    std::unique_ptr<Server> server_;
};

} // namespace testing
