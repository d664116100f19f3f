#include "blobs/s3_credentials.hpp"

namespace blobs {

namespace {

enum class Kind : std::uint8_t { automatic, fixed, web_identity, container, environment };

constexpr auto enum_names(Kind)
{
    return std::to_array<std::string_view>({"auto", "static", "web-identity", "container", "environment"});
}

/// All variables that may define the source of credentials.
struct Variables {
    std::string key_id;
    core::Secret secret;
    WebIdentitySource web_identity;
    std::string sts_url, sts_region;
    std::string container_relative, container_full;
    ContainerSource container;
    AwsCredentials environment;
};

Variables read_variables(core::Config& config, std::string const& region)
{
    Variables v;
    v.key_id = config.text("S3_ACCESS_KEY_ID", "", "key id for S3");
    v.secret = config.secret("S3_SECRET_ACCESS_KEY", "secret for S3");

    v.web_identity.token_file = config.text(
        "AWS_WEB_IDENTITY_TOKEN_FILE", "", "token of the service account, for the role to assume");
    v.web_identity.role_arn = config.text("AWS_ROLE_ARN", "", "role to assume with that token");
    v.web_identity.session_name =
        config.text("AWS_ROLE_SESSION_NAME", "tetrad", "name of the sessions in which the role is assumed");
    v.sts_url = config.text("AWS_ENDPOINT_URL_STS", "", "base URL of STS; if empty, that of the region");
    v.sts_region = config.text("AWS_REGION", region, "region of STS; the default is S3_REGION");

    v.container_relative = config.text(
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "", "path of the credentials at the agent of Amazon ECS");
    v.container_full = config.text("AWS_CONTAINER_CREDENTIALS_FULL_URI", "",
        "URL of the credentials, as set by EKS Pod Identity: https, or http to loopback or the agent");
    v.container.token_file =
        config.text("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "", "file with the token for the agent");
    // The file is not read here, because its content changes.
    if (v.container.token_file.empty())
        v.container.token = config.secret("AWS_CONTAINER_AUTHORIZATION_TOKEN", "token for the agent");

    auto& keys = v.environment.keys;
    keys.access_key_id = config.text("AWS_ACCESS_KEY_ID", "", "key id; replaces S3_ACCESS_KEY_ID");
    keys.secret_access_key = config.secret("AWS_SECRET_ACCESS_KEY", "secret; replaces S3_SECRET_ACCESS_KEY");
    keys.session_token = config.secret("AWS_SESSION_TOKEN", "session token of short-lived keys");
    return v;
}

Kind first_that_is_set(Variables const& v)
{
    if (!v.key_id.empty() || !v.secret.empty()) return Kind::fixed;
    if (!v.web_identity.token_file.empty() && !v.web_identity.role_arn.empty()) return Kind::web_identity;
    if (!v.container_relative.empty() || !v.container_full.empty()) return Kind::container;
    if (!v.environment.keys.access_key_id.empty()) return Kind::environment;
    return Kind::fixed; // the variables of this source are reported as missing
}

void require(
    core::Config& config, bool is_set, std::string_view name, std::string_view detail = "is required")
{
    if (!is_set) config.fault(name, detail);
}

AwsCredentials fixed(core::Config& config, Variables const& v)
{
    constexpr auto missing = "is required, unless the variables of another source of S3_CREDENTIALS are set";
    require(config, !v.key_id.empty(), "S3_ACCESS_KEY_ID", missing);
    require(config, !v.secret.empty(), "S3_SECRET_ACCESS_KEY", missing);
    AwsCredentials keys;
    keys.keys.access_key_id = v.key_id;
    keys.keys.secret_access_key = v.secret;
    return keys;
}

AwsCredentials environment(core::Config& config, Variables const& v)
{
    require(config, !v.environment.keys.access_key_id.empty(), "AWS_ACCESS_KEY_ID");
    require(config, !v.environment.keys.secret_access_key.empty(), "AWS_SECRET_ACCESS_KEY");
    return v.environment;
}

WebIdentitySource web_identity(core::Config& config, Variables v)
{
    require(config, !v.web_identity.token_file.empty(), "AWS_WEB_IDENTITY_TOKEN_FILE");
    require(config, !v.web_identity.role_arn.empty(), "AWS_ROLE_ARN");
    auto const endpoint = sts_endpoint(v.sts_region, v.sts_url);
    require(config, endpoint.has_value(), "AWS_ENDPOINT_URL_STS",
        "must be https://host[:port], or http to loopback");
    v.web_identity.endpoint = endpoint.value_or("");
    return std::move(v.web_identity);
}

ContainerSource container(core::Config& config, Variables v)
{
    auto const url = container_url(v.container_relative, v.container_full);
    auto const* const name = v.container_relative.empty() ? "AWS_CONTAINER_CREDENTIALS_FULL_URI"
                                                          : "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
    require(config, url.has_value(), name,
        "must be a path, an https URL, or an http URL with loopback, 169.254.170.2, 169.254.170.23 or "
        "fd00:ec2::23");
    v.container.url = url.value_or("");
    return std::move(v.container);
}

} // namespace

CredentialSource read_credential_source(core::Config& config, std::string const& region, bool used)
{
    auto kind = config.one_of<Kind>(
        "S3_CREDENTIALS", "source of the keys for S3: auto, static, web-identity, container or environment");
    auto const variables = read_variables(config, region);
    if (!used) return AwsCredentials{};
    if (kind == Kind::automatic) kind = first_that_is_set(variables);
    switch (kind) {
    case Kind::web_identity:
        return web_identity(config, variables);
    case Kind::container:
        return container(config, variables);
    case Kind::environment:
        return environment(config, variables);
    default:
        return fixed(config, variables);
    }
}

std::shared_ptr<CredentialsProvider const> make_credentials_provider(CredentialSource const& source,
    http_client::Client& client, core::Clock const& clock, CredentialsProvider::OnFailure on_failure)
{
    if (auto const* const keys = std::get_if<AwsCredentials>(&source))
        return std::make_shared<CredentialsProvider const>(*keys, clock);
    auto const* const endpoint = std::get_if<ContainerSource>(&source);
    auto fetch = endpoint != nullptr ? from_container(client, *endpoint)
                                     : from_web_identity(client, std::get<WebIdentitySource>(source));
    return std::make_shared<CredentialsProvider const>(std::move(fetch), clock, std::move(on_failure));
}

} // namespace blobs
