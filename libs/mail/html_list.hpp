#pragma once

#include "mail/html_tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace mail {

/// The markers of a list's items, one after the other (HTML 4.4.5 to 4.4.8).
class HtmlList {
public:
    /// The list that begins with the element `list`: ordered if it is `ol`.
    HtmlList(HtmlTree const& tree, HtmlTree::Node list);

    bool ordered() const noexcept { return ordered_; }

    /// The marker of the next item, such as `-`, `12.` or `iv.`.
    std::string next_marker(HtmlTree const& tree, HtmlTree::Node item);

private:
    bool ordered_;
    char type_ = '1';
    std::int64_t next_ = 1;
    int step_ = 1;
};

} // namespace mail
