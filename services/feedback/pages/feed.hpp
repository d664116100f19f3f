#pragma once

#include "deps.hpp"
#include "domain/feedback.hpp"
#include "http/message.hpp"
#include "storage/shipped.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace feedback::pages {

/// The Atom feed (RFC 4287) of a board: the newest threads, and the threads that were resolved last. A thread
/// that was resolved has two entries. `origin` is the board's.
std::string atom_feed(std::string_view origin, std::string_view name, std::vector<Feedback> const& newest,
    std::vector<shipped::Shipped> const& resolved);

/// GET /board/feed.atom
asio::awaitable<http::Response> get_feed(http::Request const& req, Deps& deps);

} // namespace feedback::pages
