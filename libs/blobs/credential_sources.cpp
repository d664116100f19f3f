#include "blobs/credential_sources.hpp"

#include "blobs/region.hpp"
#include "blobs/xml.hpp"
#include "core/text.hpp"
#include "http_client/url.hpp"

#include <boost/json.hpp>

#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace blobs {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_token = std::size_t{64} * 1024;

bool is_loopback(std::string_view host)
{
    return host == "localhost" || http_client::classify(host) == http_client::AddressRange::loopback;
}

/// Whether `host` is the agent of ECS (169.254.170.2) or of EKS Pod Identity (169.254.170.23, fd00:ec2::23).
bool is_agent(std::string_view host)
{
    constexpr std::array<std::string_view, 3> agents{"169.254.170.2", "169.254.170.23", "fd00:ec2::23"};
    return std::ranges::find(agents, host) != agents.end();
}

/// The token in the file `path`, without the line end.
std::string read_token(std::string const& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string token(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>{});
    while (token.ends_with('\n') || token.ends_with('\r'))
        token.pop_back();
    if (!file || token.empty())
        throw std::runtime_error("the token file cannot be read or is empty: " + path);
    if (token.size() > longest_token || token.find_first_of("\r\n") != std::string::npos)
        throw std::runtime_error("the token file must contain one line of at most 64 KiB: " + path);
    return token;
}

/// The text of a member; empty if the member is absent or not a string.
std::string member(boost::json::object const& object, std::string_view name)
{
    auto const* const value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

AwsCredentials issued(
    std::string key_id, std::string secret, std::string token, std::string const& expiration)
{
    auto const expires = core::parse_rfc3339(expiration);
    if (key_id.empty() || secret.empty() || token.empty() || !expires)
        throw std::runtime_error("the response contains no credentials");
    AwsCredentials made;
    made.keys.access_key_id = std::move(key_id);
    made.keys.secret_access_key = core::Secret(std::move(secret));
    made.keys.session_token = core::Secret(std::move(token));
    made.expires = expires;
    return made;
}

/// Throws an error with the status and the error code of a response. The text of the response is left out,
/// because it may contain secrets.
[[noreturn]] void refused(std::string const& who, unsigned status, std::string const& code)
{
    throw std::runtime_error(who + " answered " + std::to_string(status) + (code.empty() ? "" : ' ' + code));
}

std::string form(sigv4::Pairs const& fields)
{
    std::string text;
    for (auto const& [name, value] : fields)
        text.append(text.empty() ? "" : "&").append(name).append(1, '=').append(core::percent_encode(value));
    return text;
}

} // namespace

std::optional<std::string> container_url(std::string const& relative, std::string const& full)
{
    if (!relative.empty())
        return relative.starts_with('/') ? std::optional("http://169.254.170.2" + relative) : std::nullopt;
    auto const url = http_client::parse_url(full);
    if (!url || url->has_credentials) return std::nullopt;
    bool const allowed = url->scheme == "https" || is_loopback(url->host) || is_agent(url->host);
    return allowed ? std::optional(full) : std::nullopt;
}

std::optional<std::string> sts_endpoint(std::string const& region, std::string const& override)
{
    if (override.empty()) return "https://sts." + region + '.' + aws_domain(region);
    auto const url = http_client::parse_url(override);
    if (!url || url->has_credentials) return std::nullopt;
    bool const allowed = url->scheme == "https" || is_loopback(url->host);
    return allowed ? std::optional(override) : std::nullopt;
}

AwsCredentials parse_container_credentials(std::string const& json)
{
    boost::system::error_code failed;
    auto const parsed = boost::json::parse(json, failed);
    if (failed || !parsed.is_object()) throw std::runtime_error("the response is not a JSON object");
    auto const& o = parsed.get_object();
    return issued(
        member(o, "AccessKeyId"), member(o, "SecretAccessKey"), member(o, "Token"), member(o, "Expiration"));
}

AwsCredentials parse_sts_credentials(std::string const& text)
{
    xml::Tree credentials;
    try {
        auto const* const path =
            "AssumeRoleWithWebIdentityResponse.AssumeRoleWithWebIdentityResult.Credentials";
        credentials = xml::parse(text).get_child(path, {});
    } catch (boost::property_tree::ptree_error const&) {
        throw std::runtime_error("the response is not an XML document");
    }
    auto const field = [&](char const* name) { return credentials.get(name, std::string()); };
    return issued(field("AccessKeyId"), field("SecretAccessKey"), field("SessionToken"), field("Expiration"));
}

CredentialsProvider::Fetch from_container(http_client::Client& client, ContainerSource source)
{
    return [&client, source = std::move(source)](std::stop_token const& stop) {
        http_client::Request request{.url = source.url, .timeout = 5s, .connect_timeout = 2s, .stop = stop};
        request.headers.emplace_back("accept", "application/json");
        if (!source.token_file.empty())
            request.headers.emplace_back("authorization", read_token(source.token_file));
        else if (!source.token.empty())
            request.headers.emplace_back("authorization", source.token.reveal());
        auto const response = client.send(request);
        if (response.status != 200) refused("the container's credential endpoint", response.status, "");
        return parse_container_credentials(response.body);
    };
}

CredentialsProvider::Fetch from_web_identity(http_client::Client& client, WebIdentitySource source)
{
    return [&client, source = std::move(source)](std::stop_token const& stop) {
        http_client::Request request{.method = "POST",
            .url = source.endpoint + '/',
            .timeout = 10s,
            .connect_timeout = 3s,
            .stop = stop};
        request.headers = {
            {"accept", "text/xml"}, {"content-type", "application/x-www-form-urlencoded; charset=utf-8"}};
        request.body = form({{"Action", "AssumeRoleWithWebIdentity"}, {"Version", "2011-06-15"},
            {"RoleArn", source.role_arn}, {"RoleSessionName", source.session_name},
            {"WebIdentityToken", read_token(source.token_file)}});
        auto const response = client.send(request);
        if (response.status != 200)
            refused("STS", response.status, xml::text_at(response.body, "ErrorResponse.Error.Code"));
        return parse_sts_credentials(response.body);
    };
}

} // namespace blobs
