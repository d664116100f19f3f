#include "http/router.hpp"

#include "core/fields.hpp"
#include "core/id.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace http {

namespace {

struct Hash {
    using is_transparent = void;

    std::size_t operator()(std::string_view text) const noexcept
    {
        return std::hash<std::string_view>()(text);
    }
};

/// Removes the segment after the leading slash from `path` and returns it.
std::string_view take_segment(std::string_view& path)
{
    path.remove_prefix(1);
    std::string_view const segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

bool is_parameter(std::string_view segment)
{
    return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

} // namespace

/// The possible continuations of a path.
struct Router::Node {
    std::unordered_map<std::string, std::unique_ptr<Node>, Hash, std::equal_to<>> segments;
    std::unique_ptr<Node> parameter;
    std::vector<std::size_t> endpoints; ///< endpoints of the path that ends here, one per method

    /// One search through the tree. Static segments are tried before the parameter; if the rest of the path
    /// does not match, the search tries the parameter.
    struct Walk {
        std::vector<Endpoint> const& endpoints;
        Method method;
        std::vector<std::string> values;
        Endpoint const* found = nullptr;
        /// The methods of the routes that match the path, but not the request's method.
        std::vector<std::string_view> methods;
        std::string_view pattern; ///< the path of the first of these routes

        bool go(Node const& node, std::string_view rest);
        bool finish(Node const& node);
    };
};

bool Router::Node::Walk::finish(Node const& node)
{
    auto const offer = [this](std::string_view name) {
        if (std::ranges::find(methods, name) == methods.end()) methods.push_back(name);
    };
    for (std::size_t const index : node.endpoints) {
        Endpoint const& endpoint = endpoints[index];
        if (endpoint.method == method) {
            found = &endpoint;
            return true;
        }
        if (pattern.empty()) pattern = endpoint.path;
        offer(to_string(endpoint.method));
        if (endpoint.method == Method::get) offer("HEAD");
    }
    return false;
}

bool Router::Node::Walk::go(Node const& node, std::string_view rest)
{
    if (rest.empty()) return finish(node);
    std::string_view segment = take_segment(rest);
    std::string decoded;
    bool const encoded = segment.find('%') != std::string_view::npos;
    if (encoded) {
        auto text = core::percent_decode(segment, false);
        if (!text || !core::is_utf8(*text) || text->find('\0') != std::string::npos) return false;
        decoded = std::move(*text);
        segment = decoded;
    }
    if (auto const next = node.segments.find(segment); next != node.segments.end()) {
        if (go(*next->second, rest)) return true;
    }
    if (!node.parameter || segment.empty()) return false;
    values.emplace_back(segment);
    if (go(*node.parameter, rest)) return true;
    values.pop_back();
    return false;
}

Router::Router(std::vector<Endpoint> endpoints)
    : endpoints_(std::move(endpoints)), root_(std::make_unique<Node>())
{
    for (std::size_t i = 0; i < endpoints_.size(); ++i) {
        std::string_view rest = endpoints_[i].path;
        auto& limit = endpoints_[i].options.body_limit;
        bool const is_anonymous = core::allows(endpoints_[i].access, core::Access::anonymous);
        if (limit == 0) limit = is_anonymous ? anonymous_body_limit : default_body_limit;
        if (!rest.starts_with('/')) throw std::logic_error("a route's path must begin with a slash");
        Node* node = root_.get();
        while (!rest.empty()) {
            std::string_view const segment = take_segment(rest);
            auto& next = is_parameter(segment) ? node->parameter : node->segments[std::string(segment)];
            if (!next) next = std::make_unique<Node>();
            node = next.get();
        }
        for (std::size_t const other : node->endpoints) {
            if (endpoints_[other].method == endpoints_[i].method)
                throw std::logic_error("two routes are the same: " + std::string(endpoints_[i].path));
        }
        node->endpoints.push_back(i);
    }
}

Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

Router::Match Router::match(Request& request) const
{
    request.params.clear();
    if (!request.path.starts_with('/')) return {};
    Node::Walk walk{endpoints_, request.method, {}, nullptr, {}, {}};
    if (!walk.go(*root_, request.path)) {
        Match match{.pattern = walk.pattern};
        for (auto const method : walk.methods) {
            if (!match.allow.empty()) match.allow += ", ";
            match.allow += method;
        }
        return match;
    }
    std::string_view rest = walk.found->path;
    std::size_t value = 0;
    while (!rest.empty()) {
        std::string_view const segment = take_segment(rest);
        if (is_parameter(segment))
            request.params.emplace_back(
                segment.substr(1, segment.size() - 2), std::move(walk.values[value++]));
    }
    return {walk.found, {}, walk.found->path};
}

std::string shown_path(
    std::string_view pattern, std::span<std::pair<std::string_view, std::string> const> params)
{
    auto const may_show = [](std::string_view name, std::string_view value) {
        return name.ends_with("Id") && name != "userId" && core::Uuid::parse(value).has_value();
    };
    std::string shown(pattern);
    for (auto const& [name, value] : params) {
        if (!may_show(name, value)) continue;
        std::string const segment = '{' + std::string(name) + '}';
        if (auto const at = shown.find(segment); at != std::string::npos)
            shown.replace(at, segment.size(), value);
    }
    return shown;
}

} // namespace http
