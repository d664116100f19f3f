#pragma once

#include "support/certificates.hpp"
#include "support/http_client.hpp"
#include "support/json.hpp"
#include "support/peer.hpp"
#include "world.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// A push service for Web Push (node/web_push.mjs) in a separate process, with a certificate of a private
/// authority. The name of a subscription selects the response.
class WebPushServer {
public:
    /// A host name for which the server's certificate is valid, too. The tests decide its address.
    static constexpr char const* host_name = "push-service";

    explicit WebPushServer(testing::Authority& authority)
        : WebPushServer(authority.issue(std::string("IP:127.0.0.1,DNS:") + host_name), authority.file())
    {
    }

    /// The variables of a service that may send to this server.
    std::map<std::string, std::string> environment() const { return {{"WEB_PUSH_HOSTS", host()}}; }

    std::string host() const { return "127.0.0.1:" + std::to_string(port()); }

    /// Lets the service trust this server's certificate.
    void adjust(service::Settings& settings) const { settings.outbound_ca_file = authority_; }

    /// A browser's new subscription with this name, under the key of the app.
    boost::json::value subscribe(std::string_view name, std::string_view key)
    {
        return post("/subscribe", {{"name", name}, {"applicationServerKey", key}});
    }

    /// Answers every message with `status` from now on.
    void answer_all(int status) { post("/script", {{"all", status}}); }

    /// Answers every message after `delay` from now on.
    void delay(std::chrono::milliseconds delay) { post("/script", {{"delay", delay.count()}}); }

    /// Closes the port of the service and its connections (`false`), or opens the same port again.
    void listen(bool on) { post("/listen", {{"on", on}}); }

    /// The number of connections so far.
    std::int64_t connections() const
    {
        return testing::HttpClient(control_url_)
            .get("/most")
            .json()
            .at("connections")
            .to_number<std::int64_t>();
    }

    /// The highest number of requests that waited for a response at the same time.
    std::int64_t most_at_once() const
    {
        return testing::HttpClient(control_url_).get("/most").json().at("most").to_number<std::int64_t>();
    }

    std::string const& authority() const noexcept { return authority_; }

    int port() const noexcept { return peer_.port(); }

    /// The received messages, in order: `{name, headers, payload, claims, key, fault}`.
    std::vector<boost::json::object> seen() const
    {
        auto const answer = testing::HttpClient(control_url_).get("/seen");
        REQUIRE(answer.status == 200);
        std::vector<boost::json::object> pushes;
        auto const value = answer.json();
        for (auto const& push : value.as_array())
            pushes.push_back(push.as_object());
        return pushes;
    }

    /// The received messages for a subscription.
    std::vector<boost::json::object> seen(std::string_view name) const
    {
        auto pushes = seen();
        std::erase_if(pushes, [&](auto const& push) { return testing::text(push, "name") != name; });
        return pushes;
    }

private:
    WebPushServer(testing::Certificate const& certificate, std::string authority)
        : authority_(std::move(authority)),
          peer_(NPM_FOLDER "/web_push.mjs", {{"key", certificate.key}, {"cert", certificate.file}}),
          control_url_(peer_.said("control").front().at("control").as_string())
    {
    }

    boost::json::value post(std::string const& path, boost::json::object const& orders)
    {
        auto const answer = testing::HttpClient(control_url_).post(path, boost::json::serialize(orders));
        REQUIRE(answer.status == 200);
        return answer.json();
    }

    std::string const authority_;
    testing::Peer peer_;
    std::string const control_url_;
};

/// Makes the scope's keys for Web Push. Returns the public key.
inline std::string put_web_push(World const& world, std::string const& tenant = "demo-sandbox")
{
    auto const put = require(200,
        world.as_backend(tenant).put("/v1/platforms/webpush", R"({"subject":"mailto:push@example.com"})"));
    return text(put.json(), "publicKey");
}
