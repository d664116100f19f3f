#include "support/dns.hpp"

#include "support/eventually.hpp"
#include "support/process.hpp"
#include "support/raw_connection.hpp"

#include <csignal>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace testing {

struct DnsServer::Server {
    void start(Records const& records, std::string const& others)
    {
        process = Process();
        write(records, others);
        // Debian installs dnsmasq in a directory that is not in the PATH of most accounts.
        process = Process({.argv = {"/usr/sbin/dnsmasq", "--keep-in-foreground",
                               "--pid-file=", "--conf-file=" + directory.path() + "/conf"},
            .output = directory.path() + "/log"});
        bool const up = eventually([this] { return !process.running() || listens(); });
        if (!up || !process.running()) throw std::runtime_error("dnsmasq does not start");
    }

    void write(Records const& records, std::string const& others) const
    {
        std::ofstream conf(directory.path() + "/conf");
        // By default, a dnsmasq that root starts changes its account. It would then no longer be killed with
        // this process.
        conf << "user=root\ngroup=root\n";
        conf << "port=" << port << "\nlisten-address=127.0.0.1\nbind-interfaces\nno-resolv\nno-hosts\n"
             << others;
        for (auto const& [name, texts] : records)
            for (auto const& text : texts)
                conf << "txt-record=" << name << ",\"" << text << "\"\n";
    }

    bool listens() const
    {
        try {
            RawConnection const connection(port);
            return true;
        } catch (std::system_error const&) {
            return false;
        }
    }

    TemporaryDirectory directory{"tdns"};
    unsigned short port = free_port();
    Process process;
};

DnsServer::DnsServer() : server_(std::make_unique<Server>())
{
    serve({});
}

DnsServer::~DnsServer() = default;

std::string DnsServer::address() const
{
    return "127.0.0.1:" + std::to_string(server_->port);
}

void DnsServer::serve(Records const& records)
{
    server_->start(records, "local=/#/\n");
}

void DnsServer::refuse_others(Records const& records)
{
    server_->start(records, "");
}

void DnsServer::stop()
{
    server_->process = Process();
}

void DnsServer::pause()
{
    server_->process.signal(SIGSTOP);
}

void DnsServer::resume()
{
    server_->process.signal(SIGCONT);
}

} // namespace testing
