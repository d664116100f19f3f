#include "docs/markdown.hpp"

#include <cmark.h>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

namespace docs {

namespace {

bool is_relative_link(cmark_node* node)
{
    if (cmark_node_get_type(node) != CMARK_NODE_LINK) return false;
    std::string_view const url = cmark_node_get_url(node);
    return !url.starts_with("https://") && !url.starts_with("http://") && !url.starts_with('#');
}

std::vector<cmark_node*> relative_links(cmark_node* document)
{
    std::vector<cmark_node*> links;
    std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> const nodes(
        cmark_iter_new(document), &cmark_iter_free);
    for (auto event = cmark_iter_next(nodes.get()); event != CMARK_EVENT_DONE;
        event = cmark_iter_next(nodes.get())) {
        cmark_node* const node = cmark_iter_get_node(nodes.get());
        if (event == CMARK_EVENT_EXIT && is_relative_link(node)) links.push_back(node);
    }
    return links;
}

void replace_by_children(cmark_node* node)
{
    while (cmark_node* const child = cmark_node_first_child(node))
        cmark_node_insert_before(node, child);
    cmark_node_free(node);
}

} // namespace

std::string markdown_to_html(std::string const& markdown)
{
    std::unique_ptr<cmark_node, decltype(&cmark_node_free)> const document(
        cmark_parse_document(markdown.data(), markdown.size(), CMARK_OPT_DEFAULT), &cmark_node_free);
    if (!document) throw std::bad_alloc();
    for (cmark_node* const link : relative_links(document.get()))
        replace_by_children(link);
    std::unique_ptr<char, decltype(&std::free)> const html(
        cmark_render_html(document.get(), CMARK_OPT_DEFAULT), &std::free);
    return html.get();
}

} // namespace docs
