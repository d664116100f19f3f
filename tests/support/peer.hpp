#pragma once

#include "support/eventually.hpp"
#include "support/process.hpp"

#include <boost/json.hpp>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace testing {

/// A Node script that runs in a separate process and prints events as JSON lines.
class Peer {
public:
    /// Returns once the script has printed its `port`. `script` is a path, and `options` is the script's
    /// argument.
    explicit Peer(std::string const& script, boost::json::object const& options = {})
        : process_({.argv = {"node", script, boost::json::serialize(options)}, .output = output()})
    {
        if (!eventually([this] { return !said("port").empty(); }, std::chrono::minutes(1)))
            throw std::runtime_error(script + " does not start");
        port_ = said("port").front().at("port").to_number<int>();
    }

    int port() const noexcept { return port_; }

    /// The events so far that have this member, in order.
    std::vector<boost::json::object> said(std::string_view member) const
    {
        std::vector<boost::json::object> found;
        std::ifstream lines(output());
        for (std::string line; std::getline(lines, line);) {
            boost::system::error_code unfinished;
            auto value = boost::json::parse(line, unfinished);
            if (!unfinished && value.is_object() && value.as_object().contains(member))
                found.push_back(std::move(value.as_object()));
        }
        return found;
    }

    Process& process() { return process_; }

private:
    std::string output() const { return folder_.path() + "/output"; }

    TemporaryDirectory folder_{"peer"};
    Process process_;
    int port_ = 0;
};

} // namespace testing
