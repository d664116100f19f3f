#include "api/rendering.hpp"

#include "batchers.hpp"
#include "domain/errors.hpp"

namespace notify {

asio::awaitable<templates::Found> find_template(http::Request const& req, Deps& deps, std::string name)
{
    auto found = co_await deps.batchers.find_template.run({req.scope().id, std::move(name)});
    if (!found)
        throw core::Error(codes::template_not_found,
            "No template has this name. Create the template, or correct `templateName`.");
    co_return *std::move(found);
}

Content render_content(Template const& t, Variables const& variables)
{
    Rendering rendering = render(t, variables);
    for (auto& fault : rendering.faults) {
        if (fault.pointer != "/body") continue;
        fault.pointer = "/templateName";
        fault.detail = "names a template whose body " + fault.detail + ". Correct the template.";
    }
    if (!rendering.faults.empty()) throw core::Error::validation(std::move(rendering.faults));
    return std::move(rendering.content);
}

} // namespace notify
