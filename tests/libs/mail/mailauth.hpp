#pragma once

#include "support/dns.hpp"
#include "support/process.hpp"

#include <boost/json.hpp>

#include <chrono>
#include <fstream>
#include <string>

namespace testing {

/// The results for the DKIM signatures of a message (ASCII), with the keys in `dns`. mailauth, which is
/// independent software, verifies them (node/mailauth.mjs).
inline boost::json::array signatures(std::string const& message, DnsServer const& dns)
{
    TemporaryDirectory const folder("mailauth");
    std::string const file = folder.path() + "/input.json";
    std::ofstream(file) << boost::json::object{{"message", message}, {"dns", dns.address()}};
    auto const output = output_of({"node", MAIL_NPM_FOLDER "/mailauth.mjs", file}, std::chrono::minutes(1));
    return boost::json::parse(output).as_array();
}

} // namespace testing
