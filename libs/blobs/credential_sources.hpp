#pragma once

#include "blobs/credentials.hpp"
#include "core/secret.hpp"
#include "http/client.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace blobs {

/// The endpoint of a container's credentials: the agent of Amazon ECS, or of EKS Pod Identity.
/// https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
struct ContainerSource {
    std::string url;
    std::string token_file; ///< read at each fetch, since its content changes; empty: `token`
    core::Secret token;     ///< sent as `Authorization`; empty: nothing is
};

/// The address of `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or, when that is empty, the one of `..._FULL_URI`.
/// nullopt unless it is one that AWS' own clients would ask: https; or http to loopback, to the agent of ECS
/// (169.254.170.2) or to that of EKS (169.254.170.23, fd00:ec2::23).
std::optional<std::string> container_url(std::string const& relative, std::string const& full);

/// `client` outlives the source, and its address policy admits the endpoint.
Credentials::Fetch from_container(http::Client& client, ContainerSource source);

/// A role that is assumed with a token that Kubernetes keeps in a file (IAM roles for service accounts).
/// https://docs.aws.amazon.com/sdkref/latest/guide/feature-assume-role-credentials.html
struct WebIdentitySource {
    std::string endpoint; ///< of STS: scheme and authority
    std::string role_arn;
    std::string session_name;
    std::string token_file; ///< read at each fetch, since its content changes
};

/// STS of a region, `https://sts.eu-central-1.amazonaws.com`, unless `override` says otherwise
/// (`AWS_ENDPOINT_URL_STS`). nullopt when that is neither https nor http to loopback: the token is as good as
/// a password.
std::optional<std::string> sts_endpoint(std::string const& region, std::string const& override);

/// `client` outlives the source, and its address policy admits the endpoint.
Credentials::Fetch from_web_identity(http::Client& client, WebIdentitySource source);

/// The documents of these endpoints. Throw std::runtime_error, quoting nothing of them, when they are not
/// whole.
Issued parse_container_credentials(std::string const& json);
Issued parse_sts_credentials(std::string const& xml);

} // namespace blobs
