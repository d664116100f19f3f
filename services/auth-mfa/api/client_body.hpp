#pragma once

#include "domain/client.hpp"
#include "http_client/address.hpp"

#include <boost/json/value.hpp>

/// The bodies of the routes of clients. Both functions throw a VALIDATION_ERROR that lists all errors.
namespace auth_mfa {

/// Reads the body of POST /v1/clients. If the body has no `clientId`, the id is a new UUID. The client has no
/// secret and no times yet. `addresses`: the addresses that `backchannelLogoutUri` may have.
Client read_new_client(boost::json::value const& body, http_client::AddressPolicy const& addresses);

/// Changes `client` as the body of PATCH /v1/clients/{clientId} says. A client that gets `jwks` loses its
/// secrets.
void change_client(
    boost::json::value const& body, http_client::AddressPolicy const& addresses, Client& client);

} // namespace auth_mfa
