#pragma once

#include "core/error.hpp"
#include "deps.hpp"
#include "domain/board_brand.hpp"
#include "hosted_pages/template.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// The common parts of the board's pages.
namespace feedback::pages {

using hosted_pages::Data, hosted_pages::set;

/// The board of the request's scope.
struct Frame {
    BoardBrand brand;
    std::string origin;        ///< of the board
    std::string auth;          ///< the origin of the tenant's auth host
    bool listed = false;       ///< whether search engines may list the pages: only production's
    std::int64_t settings = 0; ///< the version of the settings
};

/// Throws NOT_FOUND while the board is off (FeedbackSettings::public_board).
asio::awaitable<Frame> frame_of(http::Request const& req, Deps& deps);

/// A page and its head. `path` is the page's own address, with the query that belongs to it.
struct Head {
    std::string title;
    std::string path;
    std::string description;
    bool listed = true; ///< whether search engines may list this page
};

/// The values of the layout.
Data data_of(Frame const& frame, Head const& head);

/// The key in PageCache of the page with this address.
std::string key_of(Frame const& frame, std::string_view address);

/// The response with this document. Browsers and shared caches may use it for PageCache::lifetime.
http::Response page_response(Frame const& frame, std::string html);

/// The page that shows an error. It does not name the tenant, because there may be no board.
http::Response error_page(http::Request const& req, core::Error const& error);

/// The view of a file of pages/templates/, which is parsed at the first call.
hosted_pages::Template make_view(std::string_view file);

template <std::string_view const& file> hosted_pages::Template const& view_of()
{
    static hosted_pages::Template const view = make_view(file);
    return view;
}

} // namespace feedback::pages
