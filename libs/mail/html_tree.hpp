#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mail {

/// The elements and texts of an HTML document, in the order of the document. Nodes are numbers; node 0 is the
/// root, which is no element.
class HtmlTree {
public:
    using Node = std::uint32_t;
    static constexpr Node none = 0; ///< the root, where no node is

    /// Elements that are deeper become children of an element at this depth.
    static constexpr std::size_t max_depth = 256;

    /// Parses any bytes as UTF-8; bytes that are not UTF-8 are left out. libxml2 reads the HTML and closes
    /// open elements. Time and memory are proportional to the length of `html`. Throws std::bad_alloc.
    explicit HtmlTree(std::string_view html);

    Node parent(Node node) const { return nodes_[node].parent; }

    Node first_child(Node node) const { return nodes_[node].first; }

    Node next_sibling(Node node) const { return nodes_[node].next; }

    /// The node after `node` in the order of the document, without its children if `inside` is false; `none`
    /// at the end of the tree of `top`.
    Node next_within(Node top, Node node, bool inside = true) const;

    /// The name of an element in lower case, such as `p`; empty for text.
    std::string_view tag(Node node) const { return nodes_[node].tag; }

    /// The text, with character references decoded.
    std::string_view text(Node node) const
    {
        return std::string_view(text_).substr(nodes_[node].text_begin, nodes_[node].text_size);
    }

    /// The value of an attribute (`name` in lower case); nullopt if the element does not have it.
    std::optional<std::string_view> attribute(Node node, std::string_view name) const;

private:
    friend class HtmlBuilder;

    struct Element {
        std::string tag;
        std::vector<std::pair<std::string, std::string>> attributes;
        std::size_t text_begin = 0, text_size = 0;
        Node parent = none, first = none, last = none, next = none;
    };

    std::vector<Element> nodes_{1};
    std::string text_; ///< of all nodes
};

} // namespace mail
