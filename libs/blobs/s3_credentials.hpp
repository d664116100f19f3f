#pragma once

#include "blobs/credential_sources.hpp"
#include "blobs/credentials.hpp"
#include "core/config.hpp"
#include "http/client.hpp"

#include <memory>
#include <string>
#include <variant>

namespace blobs {

/// Where S3's credentials come from, as S3_CREDENTIALS says: keys, or an endpoint that issues short-lived
/// ones.
using CredentialSource = std::variant<Issued, ContainerSource, WebIdentitySource>;

/// Reads S3_CREDENTIALS and what goes with it: S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or the variables
/// that AWS' own clients read. `auto` takes the first that is set of: those two; AWS_WEB_IDENTITY_TOKEN_FILE
/// with AWS_ROLE_ARN; AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or ..._FULL_URI; AWS_ACCESS_KEY_ID with
/// AWS_SECRET_ACCESS_KEY. `region` is S3's, and STS' unless AWS_REGION is set. Faults are recorded in
/// `config`.
CredentialSource read_credential_source(core::Config& config, std::string const& region);

/// `client` (to addresses the operator configured) and `clock` outlive them.
std::shared_ptr<Credentials const> make_credentials(CredentialSource const& source, http::Client& client,
    core::Clock const& clock, Credentials::OnFailure on_failure);

} // namespace blobs
