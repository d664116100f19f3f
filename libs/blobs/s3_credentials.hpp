#pragma once

#include "blobs/credential_sources.hpp"
#include "blobs/credentials_provider.hpp"
#include "core/config.hpp"
#include "http_client/client.hpp"

#include <memory>
#include <string>
#include <variant>

namespace blobs {

/// The source of S3's credentials according to S3_CREDENTIALS: fixed keys, or an endpoint that issues
/// short-lived keys.
using CredentialSource = std::variant<AwsCredentials, ContainerSource, WebIdentitySource>;

/// Reads S3_CREDENTIALS and the variables of the source that it selects. `auto` selects the first source
/// whose variables are set:
/// - S3_ACCESS_KEY_ID or S3_SECRET_ACCESS_KEY (if one is set, both are required),
/// - AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN,
/// - AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or AWS_CONTAINER_CREDENTIALS_FULL_URI,
/// - AWS_ACCESS_KEY_ID (AWS_SECRET_ACCESS_KEY is then required, too).
///
/// `region` is the region of S3. It is also the region of STS unless AWS_REGION is set. Missing variables are
/// recorded as errors in `config`, but only if `used` is true.
CredentialSource read_credential_source(core::Config& config, std::string const& region, bool used);

/// The address policy of `client` must allow addresses that the operator configured. `client` and `clock`
/// must outlive the credentials.
std::shared_ptr<CredentialsProvider const> make_credentials_provider(CredentialSource const& source,
    http_client::Client& client, core::Clock const& clock, CredentialsProvider::OnFailure on_failure);

} // namespace blobs
