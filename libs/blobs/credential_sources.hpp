#pragma once

#include "blobs/credentials_provider.hpp"
#include "core/secret.hpp"
#include "http_client/client.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace blobs {

/// The endpoint that issues credentials to a container: the agent of Amazon ECS, or of EKS Pod Identity.
/// https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
struct ContainerSource {
    std::string url;
    std::string token_file; ///< read at each fetch, because its content changes; if empty, `token` is used
    core::Secret token;     ///< the value of `Authorization`; if empty, the header is not sent
};

/// Returns the URL of the credentials. `relative` is the value of AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, a
/// path at the agent of ECS (169.254.170.2). If `relative` is empty, the result is `full`, the value of
/// AWS_CONTAINER_CREDENTIALS_FULL_URI. Returns nullopt if AWS's own clients would refuse the URL. These
/// clients allow https, and http to loopback, to the agent of ECS, and to the agent of EKS (169.254.170.23,
/// fd00:ec2::23).
std::optional<std::string> container_url(std::string const& relative, std::string const& full);

/// Fetches credentials from the container's endpoint. `client` must outlive the result. The address policy of
/// `client` must allow the endpoint.
CredentialsProvider::Fetch from_container(http_client::Client& client, ContainerSource source);

/// An IAM role for a Kubernetes service account. Kubernetes stores a token in a file, and AWS STS issues
/// credentials of the role for this token.
/// https://docs.aws.amazon.com/sdkref/latest/guide/feature-assume-role-credentials.html
struct WebIdentitySource {
    std::string endpoint; ///< scheme and authority of STS
    std::string role_arn;
    std::string session_name;
    std::string token_file; ///< read at each fetch, since its content changes
};

/// Returns the STS endpoint: `override` (the value of AWS_ENDPOINT_URL_STS) or, if `override` is empty, the
/// endpoint of the region, such as `https://sts.eu-central-1.amazonaws.com`. Returns nullopt if `override` is
/// neither an https URL nor an http URL to loopback, because the token sent to it is as sensitive as a
/// password.
std::optional<std::string> sts_endpoint(std::string const& region, std::string const& override);

/// Fetches credentials from STS. `client` must outlive the result. The address policy of `client` must allow
/// the endpoint.
CredentialsProvider::Fetch from_web_identity(http_client::Client& client, WebIdentitySource source);

/// Parse the responses of these endpoints. Throw std::runtime_error if the response is malformed or
/// incomplete. The message does not quote the response, because it contains secrets.
AwsCredentials parse_container_credentials(std::string const& json);
AwsCredentials parse_sts_credentials(std::string const& xml);

} // namespace blobs
