#include "checks.hpp"

testing::HttpResponse check_answer(OpenApi const& contract, testing::HttpClient& client,
    std::string const& name, std::string const& path, std::optional<std::string> const& body,
    testing::HttpClient::Headers const& headers)
{
    auto const& operation = contract.operations().at(name);
    auto const r = client.request(name.substr(0, name.find(' ')), path, headers, body);
    INFO(name << " " << path << ": " << r.status << " " << r.body);
    auto const status = operation.responses.find(std::to_string(r.status));
    auto const& schema =
        status == operation.responses.end() ? operation.responses.at("default") : status->second;
    CHECK((status != operation.responses.end() || r.status >= 400));
    if (!schema.is_null()) CHECK(faults_of(r.json(), schema) == std::vector<std::string>());
    CHECK_FALSE(r.header("x-request-id").empty());
    return r;
}
