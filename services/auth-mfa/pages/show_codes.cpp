#include "pages/show_codes.hpp"

namespace auth_mfa::pages {

extern std::string_view const show_codes_html; // a file of pages/templates/

http::Response show_codes(Page& page, std::vector<std::string> const& codes, std::string_view account,
    std::string_view next, std::string notice)
{
    Data list(Data::type::list);
    for (auto const& code : codes)
        list << Data("code", code);
    Data data;
    data.set("codes", list);
    data.set("account", std::string(account));
    data.set("target", std::string(next));
    data.set("notice", std::move(notice));
    return page.show(view_of<show_codes_html>(), "show_codes.title", std::move(data));
}

} // namespace auth_mfa::pages
