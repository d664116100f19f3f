#pragma once

#include "support/http_client.hpp"
#include "support/json.hpp"
#include "support/peer.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// A push carrier: `fcm.mjs` or `apns.mjs` in a separate process. The token (`UNREGISTERED:1`) or the test
/// selects the response; see push_server.mjs.
class PushServer {
public:
    explicit PushServer(std::string const& script, boost::json::object const& options = {})
        : peer_(NPM_FOLDER "/" + script, options), url_(said("url")), control_url_(said("control"))
    {
    }

    std::string const& url() const noexcept { return url_; }

    std::string token_url() const { return control_url_ + "/token"; } ///< of fcm.mjs

    /// Sets the responses from now on: `{all, times, tokens, delay, streams}`.
    void script(boost::json::object const& orders) { post("/script", orders); }

    /// Sets how fcm.mjs issues access tokens, or apns.mjs accepts them, from now on.
    void tokens(boost::json::object const& orders) { post("/tokens", orders); }

    /// The state of the server's access tokens.
    boost::json::value tokens() const { return get("/tokens"); }

    /// Sends GOAWAY on every connection.
    void say_goodbye() { post("/goaway", {}); }

    /// The received pushes, in order: `{token, connection, answer, headers, body}`.
    std::vector<boost::json::object> seen() const
    {
        std::vector<boost::json::object> pushes;
        auto const value = get("/seen");
        for (auto const& push : value.as_array())
            pushes.push_back(push.as_object());
        return pushes;
    }

    /// The number of pushes for a token.
    std::size_t seen(std::string_view token) const
    {
        auto const pushes = seen();
        return static_cast<std::size_t>(std::count_if(pushes.begin(), pushes.end(),
            [&](auto const& push) { return testing::text(push, "token") == token; }));
    }

    std::int64_t connections() const { return get("/counts").at("connections").to_number<std::int64_t>(); }

    /// The number of pushes for all tokens.
    std::int64_t pushes() const { return get("/counts").at("pushes").to_number<std::int64_t>(); }

    testing::Process& process() { return peer_.process(); }

private:
    std::string said(std::string_view member) const
    {
        return std::string(peer_.said(member).front().at(member).as_string());
    }

    boost::json::value get(std::string const& path) const
    {
        auto const answer = testing::HttpClient(control_url_).get(path);
        REQUIRE(answer.status == 200);
        return answer.json();
    }

    void post(std::string const& path, boost::json::object const& orders)
    {
        REQUIRE(testing::HttpClient(control_url_).post(path, boost::json::serialize(orders)).status == 200);
    }

    testing::Peer peer_;
    std::string const url_, control_url_;
};
