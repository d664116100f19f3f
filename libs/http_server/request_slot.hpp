#pragma once

#include "http/message.hpp"
#include "http_server/read_buffer.hpp"
#include "http_server/request_parser.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace http_server {

/// The state of a connection while it serves a request. The connection returns this object to its shard
/// before it waits for the next request. So a few slots serve all connections of a thread and stay in the
/// CPU cache. Internal to the server.
struct RequestSlot {
    explicit RequestSlot(std::size_t header_limit) : request(std::in_place) { parser.reset(header_limit); }

    RequestParser parser;
    std::optional<http::Request> request; ///< always set; an optional, so that `emplace` can replace it
    ReadBuffer body;                      ///< bytes read after the head
    std::string out;

    /// Clears the request and frees memory beyond the usual size.
    void reset(std::size_t header_limit);
};

} // namespace http_server
