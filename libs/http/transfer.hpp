#pragma once
// Private to the outbound client: one request on one libcurl handle.

#include "http/client.hpp"

#include <curl/curl.h>

namespace http {

/// Sends `request` on `handle`, whose options are the default ones, and waits for the response; throws as
/// Client::send. Afterwards the handle is good for another once it is reset.
OutboundResponse perform(CURL* handle, OutboundRequest const& request, ClientOptions const& options);

} // namespace http
