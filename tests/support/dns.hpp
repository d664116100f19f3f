#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace testing {

/// A DNS server (dnsmasq) on a free port of 127.0.0.1, UDP and TCP, that serves the given TXT records.
/// Construct it, and call functions that restart it, on a thread that outlives the server, because Linux
/// kills the server when that thread ends.
class DnsServer {
public:
    /// Records by name; a text of more than 255 bytes is served as several strings (RFC 1035, 3.3.14). Names
    /// and texts must be printable ASCII without quotes and backslashes.
    using Records = std::map<std::string, std::vector<std::string>>;

    DnsServer();
    ~DnsServer();
    DnsServer(DnsServer const&) = delete;
    DnsServer& operator=(DnsServer const&) = delete;

    std::string address() const; ///< `127.0.0.1:PORT`

    /// Replaces all records; other names do not exist.
    void serve(Records const& records);

    /// Replaces all records; queries for other names are refused.
    void refuse_others(Records const& records);

    void stop();  ///< the port is closed; `serve` starts the server again
    void pause(); ///< SIGSTOP: queries are received but not answered
    void resume();

private:
    struct Server;
    std::unique_ptr<Server> server_;
};

} // namespace testing
