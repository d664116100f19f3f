#pragma once

#include "page_client.hpp"
#include "world.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Helpers of the tests of OAuth and OpenID Connect.
namespace oauth {

using Fields = PageClient::Fields;
using Headers = testing::HttpClient::Headers;

/// A verifier and its challenge (RFC 7636, method S256).
struct Pkce {
    std::string verifier, challenge;

    static Pkce make();
};

/// A registered client.
struct Client {
    std::string tenant = "demo-sandbox";
    std::string id;
    std::string secret; ///< empty for public clients and for clients with `jwks`
    std::string redirect_uri;
};

inline constexpr char const* redirect_uri = "https://app.example.com/callback";

/// Registers a client with the master key. `fields` replace members of the body, by default those of a public
/// client with `redirect_uri`. Fails the test if the client is refused.
Client new_client(
    World const& world, boost::json::object const& fields = {}, std::string const& tenant = "demo-sandbox");

/// As `new_client`, for a confidential client.
Client new_confidential_client(
    World const& world, boost::json::object const& fields = {}, std::string const& tenant = "demo-sandbox");

/// The issuer of the tenant's tokens: the member of the discovery document.
std::string issuer_of(World const& world, std::string const& tenant = "demo-sandbox");

/// The fields as a query or as a form.
std::string encode(Fields const& fields);

/// The parameters of a URL's query, decoded.
std::map<std::string, std::string> parameters_of(std::string const& url);

/// `fields` with those in `changes` replaced or added. An empty value removes the field.
Fields with(Fields fields, Fields const& changes);

/// The parameters of an authorization request for the scopes `openid email profile offline_access`, with
/// `state` and `nonce`.
Fields request_of(Client const& client, Pkce const& pkce, Fields const& changes = {});

/// The path of an authorization request with these parameters.
std::string authorize_path(Fields const& request);

/// Sends the authorization request with the browser, whose user is signed in, and returns the code. Fails the
/// test if the answer is not a redirect to the client with a code.
std::string authorize(PageClient& browser, Fields const& request);

/// A browser whose user has signed in with the account's password.
PageClient signed_in(World const& world, Account const& account);

/// Posts a form to a path of the client's tenant.
testing::HttpResponse post(World const& world, std::string const& tenant, std::string const& path,
    Fields const& fields, Headers headers = {});

/// The parameters that authenticate the client with `client_secret_post`, or as a public client.
Fields credentials_of(Client const& client);

/// The header of `client_secret_basic` (RFC 6749, 2.3.1).
Headers basic(std::string const& id, std::string const& secret);

/// POST /oauth/token for the code. `changes` replace parameters.
testing::HttpResponse exchange(World const& world, Client const& client, std::string const& code,
    Pkce const& pkce, Fields const& changes = {}, Headers const& headers = {});

/// POST /oauth/token with the refresh token.
testing::HttpResponse refresh(World const& world, Client const& client, std::string const& refresh_token,
    Fields const& changes = {}, Headers const& headers = {});

/// The tokens of a client.
struct Tokens {
    std::string access_token, refresh_token, id_token, scope;

    static Tokens of(testing::HttpResponse const& response);
};

/// Signs the account in with a new browser, authorizes the client and exchanges the code. `changes` replace
/// parameters of the authorization request.
Tokens tokens_of(
    World const& world, Client const& client, Account const& account, Fields const& changes = {});

/// The member `error` of an OAuth error; empty if the response is a success. Checks the form of the error.
std::string error_of(testing::HttpResponse const& response);

/// Whether introspection by this confidential client says that the token is valid. Does not use the token up.
bool is_active(World const& world, Client const& confidential, std::string const& token);

} // namespace oauth
