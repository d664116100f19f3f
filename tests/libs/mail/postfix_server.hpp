#pragma once

#include "support/certificates.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/process.hpp"
#include "support/raw_connection.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace testing {

/// Postfix, with all files in a temporary directory. It needs root, and Debian's packages postfix and
/// sasl2-bin. Port `submission()` requires STARTTLS and the login user:right; port `plain()` offers neither.
/// Accepted messages are passed to smtp-sink, which stores them.
///
/// Recipients with these local parts are refused: `gone` (550 5.1.1), `full` (452 4.2.2) and `slow` (421
/// 4.7.0, which ends the session).
class PostfixServer {
public:
    PostfixServer()
    {
        namespace fs = std::filesystem;
        for (auto const* folder : {"/config/sasl", "/queue", "/data", "/sink"})
            fs::create_directories(path(folder));
        fs::permissions(path(), fs::perms(0755));
        write("/config/main.cf", settings());
        write("/config/master.cf", services());
        write("/config/recipients", "gone@example.org 550 5.1.1 No such user\n"
                                    "full@example.org 452 4.2.2 Mailbox full\n"
                                    "slow@example.org 421 4.7.0 Try later\n");
        write("/config/sasl/smtpd.conf",
            "pwcheck_method: auxprop\nauxprop_plugin: sasldb\nmech_list: PLAIN LOGIN\n"
            "sasldb_path: " +
                path("/sasldb") + "\n");
        run({"sh", "-c", "echo right | saslpasswd2 -p -c -f " + path("/sasldb") + " -u mail.test user"});
        run({"chown", "postfix", path("/data"), path("/sink"), path("/sasldb")});
        run({"postfix", "-c", path("/config"), "check"});
        sink_ = Process({.argv = {"/usr/sbin/smtp-sink", "-u", "postfix", "-d", path("/sink/%M."),
                             "127.0.0.1:" + std::to_string(sink_port_), "100"}});
        // Without `-d`, it would leave the test's process group and outlive the test.
        master_ = Process(
            {.argv = {"/usr/lib/postfix/sbin/master", "-c", path("/config"), "-d"}, .output = path("/log")});
        for (auto const port : {submission_, plain_, sink_port_})
            if (!eventually([&] { return answers(port); }))
                throw std::runtime_error("Postfix does not start: " + log());
    }

    ~PostfixServer()
    {
        master_.signal(SIGTERM); // also ends its children
        master_.wait();
    }

    PostfixServer(PostfixServer const&) = delete;
    PostfixServer& operator=(PostfixServer const&) = delete;

    unsigned short submission() const noexcept { return submission_; }

    unsigned short plain() const noexcept { return plain_; }

    std::string const& ca_file() const noexcept { return authority_.file(); }

    std::string log() const { return read_file(path("/log")); }

    /// The number of sessions that the log has so far, without the constructor's. The log may be a little
    /// late.
    std::size_t sessions() const { return count("]: connect from") - greeted; }

    /// The messages that have arrived at the sink.
    std::vector<std::string> delivered() const
    {
        std::vector<std::string> messages;
        for (auto const& entry : std::filesystem::directory_iterator(path("/sink")))
            messages.push_back(read_file(entry.path()));
        return messages;
    }

private:
    static constexpr std::size_t greeted = 2; ///< sessions of the constructor, one with each port

    std::string path(std::string const& file = "") const { return folder_.path() + file; }

    void write(std::string const& file, std::string const& text) const { std::ofstream(path(file)) << text; }

    static void run(std::vector<std::string> const& argv) { output_of(argv, std::chrono::minutes(1)); }

    static bool answers(unsigned short port)
    {
        try {
            RawConnection connection(port);
            return connection.read_until("\n").starts_with("220");
        } catch (std::system_error const&) {
            return false;
        }
    }

    std::size_t count(std::string const& text) const
    {
        std::string const all = log();
        std::size_t found = 0;
        for (auto at = all.find(text); at != std::string::npos; at = all.find(text, at + 1))
            ++found;
        return found;
    }

    std::string settings() const
    {
        return "compatibility_level = 3.6\nmail_owner = postfix\nsetgid_group = postdrop\n"
               "command_directory = /usr/sbin\ndaemon_directory = /usr/lib/postfix/sbin\n"
               "queue_directory = " +
               path("/queue") + "\ndata_directory = " + path("/data") +
               "\n"
               "maillog_file = /dev/stdout\ninet_interfaces = 127.0.0.1\ninet_protocols = ipv4\n"
               "myhostname = mail.test\nmydestination =\nmynetworks = 127.0.0.0/8\nlocal_recipient_maps =\n"
               "alias_maps =\nalias_database =\nsmtpd_error_sleep_time = 0\n"
               "default_transport = smtp:[127.0.0.1]:" +
               std::to_string(sink_port_) +
               "\n"
               "smtpd_recipient_restrictions = check_recipient_access texthash:" +
               path("/config/recipients") +
               ", permit\n"
               "smtpd_tls_cert_file = " +
               certificate_.file + "\nsmtpd_tls_key_file = " + certificate_.key + "\n";
    }

    std::string services() const
    {
        std::string out =
            "127.0.0.1:" + std::to_string(submission_) +
            " inet n - n - - smtpd -o smtpd_tls_security_level=encrypt -o smtpd_sasl_auth_enable=yes"
            " -o smtpd_sasl_local_domain=mail.test -o "
            "smtpd_relay_restrictions=permit_sasl_authenticated,reject\n" +
            "127.0.0.1:" + std::to_string(plain_) +
            " inet n - n - - smtpd -o smtpd_relay_restrictions=permit_mynetworks,reject\n";
        return out +
               "cleanup unix n - n - 0 cleanup\nqmgr unix n - n 300 1 qmgr\ntlsmgr unix - - n 1000? 1 "
               "tlsmgr\n"
               "rewrite unix - - n - - trivial-rewrite\nbounce unix - - n - 0 bounce\ndefer unix - - n - 0 "
               "bounce\n"
               "trace unix - - n - 0 bounce\nproxymap unix - - n - - proxymap\nanvil unix - - n - 1 anvil\n"
               "scache unix - - n - 1 scache\nsmtp unix - - n - - smtp\nerror unix - - n - - error\n"
               "retry unix - - n - - error\npostlog unix-dgram n - n - 1 postlogd\n";
    }

    TemporaryDirectory folder_{"postfix"};
    Authority authority_;
    Certificate const certificate_ = authority_.issue("DNS:localhost");
    unsigned short const submission_ = free_port(), plain_ = free_port(), sink_port_ = free_port();
    Process sink_, master_;
};

} // namespace testing
