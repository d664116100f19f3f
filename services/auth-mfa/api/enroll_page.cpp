#include "api/enroll_page.hpp"

#include "api/hosted_page.hpp"
#include "config.hpp"
#include "domain/settings.hpp"
#include "tenancy/directory.hpp"

#include <array>

namespace auth_mfa {

extern std::string_view const enroll_html, enroll_css, enroll_js; // the files of pages/

asio::awaitable<http::Response> get_enroll_page(http::Request const& req, Deps& deps)
{
    static TextTemplate const page(enroll_html, std::to_array<std::string_view>({"brand", "provider"}));
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    co_return hosted_page(page, {{"brand", brand_of(*tenant, req.scope().environment())},
                                    {"provider", deps.config.sms_brand_provider}});
}

asio::awaitable<http::Response> get_enroll_style(http::Request const& /*req*/, Deps& /*deps*/)
{
    co_return hosted_file(enroll_css, "text/css; charset=utf-8");
}

asio::awaitable<http::Response> get_enroll_script(http::Request const& /*req*/, Deps& /*deps*/)
{
    co_return hosted_file(enroll_js, "text/javascript; charset=utf-8");
}

} // namespace auth_mfa
