#pragma once

#include "support/eventually.hpp"
#include "support/peer.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

namespace testing {

/// A mail server that reports its actions: smtp-server receives the messages, and mailparser reads them
/// (node/smtp.mjs). Both are independent software.
class SmtpServer {
public:
    explicit SmtpServer(boost::json::object const& options = {}) : peer_(MAIL_NPM_FOLDER "/smtp.mjs", options)
    {
    }

    /// `login` is empty or ends with `@`.
    std::string url(std::string const& scheme = "smtp", std::string const& login = "") const
    {
        return scheme + "://" + login + "localhost:" + std::to_string(port());
    }

    int port() const noexcept { return peer_.port(); }

    /// The messages so far, in order.
    std::vector<boost::json::object> mails() const { return peer_.said("raw"); }

    /// Waits until the server has received `count` messages and returns them. The test fails if the server
    /// has received more.
    std::vector<boost::json::object> mails(std::size_t count) const
    {
        CHECK(eventually([&] { return mails().size() >= count; }));
        auto found = mails();
        CHECK(found.size() == count);
        found.resize(count);
        return found;
    }

    std::size_t connections() const { return peer_.said("connected").size(); }

    /// The number of logins, successful or not.
    std::size_t logins() const { return peer_.said("login").size(); }

    void close_connections()
    {
        peer_.process().signal(SIGUSR2);
        REQUIRE(eventually([this] { return !peer_.said("closed").empty(); }));
    }

private:
    Peer peer_;
};

} // namespace testing
