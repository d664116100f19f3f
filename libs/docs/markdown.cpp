#include "docs/markdown.hpp"

#include <cmark.h>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

namespace docs {

namespace {

bool is_relative(std::string_view url)
{
    return !url.starts_with("https://") && !url.starts_with("http://") && !url.starts_with('#');
}

/// The links or images (`type`) whose target is a file of the repository.
std::vector<cmark_node*> find_relative(cmark_node* document, cmark_node_type type)
{
    std::vector<cmark_node*> found;
    std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> const nodes(
        cmark_iter_new(document), &cmark_iter_free);
    for (auto event = cmark_iter_next(nodes.get()); event != CMARK_EVENT_DONE;
        event = cmark_iter_next(nodes.get())) {
        cmark_node* const node = cmark_iter_get_node(nodes.get());
        if (event == CMARK_EVENT_EXIT && cmark_node_get_type(node) == type &&
            is_relative(cmark_node_get_url(node)))
            found.push_back(node);
    }
    return found;
}

void replace_by_children(cmark_node* node)
{
    while (cmark_node* const child = cmark_node_first_child(node))
        cmark_node_insert_before(node, child);
    cmark_node_free(node);
}

/// Removes an image, and its paragraph if nothing else is in it.
void remove_image(cmark_node* image)
{
    cmark_node* const parent = cmark_node_parent(image);
    cmark_node_free(image);
    cmark_node* rest = cmark_node_first_child(parent);
    while (rest != nullptr && cmark_node_get_type(rest) == CMARK_NODE_SOFTBREAK)
        rest = cmark_node_next(rest);
    if (rest == nullptr && cmark_node_get_type(parent) == CMARK_NODE_PARAGRAPH) cmark_node_free(parent);
}

} // namespace

std::string markdown_to_html(std::string const& markdown)
{
    std::unique_ptr<cmark_node, decltype(&cmark_node_free)> const document(
        cmark_parse_document(markdown.data(), markdown.size(), CMARK_OPT_DEFAULT), &cmark_node_free);
    if (!document) throw std::bad_alloc();
    for (cmark_node* const image : find_relative(document.get(), CMARK_NODE_IMAGE))
        remove_image(image);
    for (cmark_node* const link : find_relative(document.get(), CMARK_NODE_LINK))
        replace_by_children(link);
    std::unique_ptr<char, decltype(&std::free)> const html(
        cmark_render_html(document.get(), CMARK_OPT_DEFAULT), &std::free);
    return html.get();
}

} // namespace docs
