#pragma once

#include "api/list_filter.hpp"
#include "http/router.hpp"
#include "pages/assets.hpp"
#include "pages/feed.hpp"
#include "pages/frame.hpp"
#include "pages/list.hpp"
#include "pages/post.hpp"

#include <array>
#include <string_view>

namespace feedback::pages {

/// The pages of the board, for everyone. Errors are pages, too. While the board is off, all are 404.
inline constexpr auto routes = [] {
    using core::Access;
    using enum http::Method;
    constexpr http::RouteOptions page{.limits_networks = true, .error_page = error_page};
    constexpr http::RouteOptions list{
        .is_expensive = searches, .limits_networks = true, .error_page = error_page};
    constexpr http::RouteOptions file{.error_page = error_page};
    return std::to_array<http::Route<Deps>>({
        {get, "/board", Access::anonymous, get_list, list},
        {get, "/board/roadmap", Access::anonymous, get_roadmap, page},
        {get, "/board/posts/{feedbackId}", Access::anonymous, get_post, page},
        {get, "/board/new", Access::anonymous, get_new, page},
        {get, "/board/callback", Access::anonymous, get_callback, page},
        {get, "/board/feed.atom", Access::anonymous, get_feed, page},
        {get, "/board/logo", Access::anonymous, get_logo_image, page},
        {get, "/board/assets/{file}", Access::anonymous, get_asset, file},
    });
}();

} // namespace feedback::pages
