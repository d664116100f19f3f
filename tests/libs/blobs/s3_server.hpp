#pragma once

#include "blobs/credentials_provider.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/http_client.hpp"
#include "support/process.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <fstream>
#include <memory>
#include <string>

namespace blobs_test {

/// Keys without an expiry.
inline std::shared_ptr<blobs::CredentialsProvider const> fixed_keys(
    std::string id, std::string secret, std::string session_token = "")
{
    static core::SystemClock const clock;
    blobs::AwsCredentials issued;
    issued.keys.access_key_id = std::move(id);
    issued.keys.secret_access_key = core::Secret(std::move(secret));
    issued.keys.session_token = core::Secret(std::move(session_token));
    return std::make_shared<blobs::CredentialsProvider const>(std::move(issued), clock);
}

/// An S3 server that checks signatures, and the endpoints that issue credentials for it. See s3_server.mjs.
struct S3Server {
    testing::TemporaryDirectory folder{"blobs-s3"};
    testing::Process process{
        {.argv = {"node", NPM_FOLDER "/s3_server.mjs", folder.path()}, .output = folder.path() + "/log"}};
    std::string endpoint = "http://127.0.0.1:" + port("port");
    std::string issuer = "http://127.0.0.1:" + port("issuer-port");

    /// Sets the issuer's behaviour: `{"lifetime": seconds, "status": n, "token": "…"}`.
    void set(boost::json::object const& behaviour) const
    {
        auto const answer = testing::HttpClient(issuer).put("/behaviour", boost::json::serialize(behaviour));
        REQUIRE(answer.status == 204);
    }

    /// Returns `{"issued": n, "asked": n}`: the numbers of issued credentials and of requests.
    boost::json::value seen() const { return testing::HttpClient(issuer).get("/seen").json(); }

private:
    std::string port(std::string const& name) const
    {
        std::string number;
        bool const listening = testing::eventually(
            [&] { return static_cast<bool>(std::ifstream(folder.path() + '/' + name) >> number); });
        if (!listening) FAIL("the S3 server does not start: " << testing::read_file(folder.path() + "/log"));
        return number;
    }
};

} // namespace blobs_test
