#include "mail/plain_text.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"
#include "mail/html_list.hpp"
#include "mail/html_style.hpp"
#include "mail/html_table.hpp"
#include "mail/html_tree.hpp"
#include "mail/text_page.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

namespace mail {

namespace {

using Node = HtmlTree::Node;

constexpr std::array<std::string_view, 26> own_line{"address", "article", "aside", "caption", "center", "dd",
    "details", "div", "dt", "fieldset", "figcaption", "footer", "form", "header", "hgroup", "legend", "li",
    "main", "nav", "search", "section", "summary", "tbody", "tfoot", "thead", "tr"};
constexpr std::array<std::string_view, 16> own_paragraph{"blockquote", "dir", "dl", "figure", "h1", "h2",
    "h3", "h4", "h5", "h6", "menu", "ol", "p", "pre", "table", "ul"};
constexpr std::array<std::string_view, 13> unseen{"datalist", "head", "iframe", "noembed", "noframes",
    "script", "select", "style", "svg", "template", "textarea", "title", "xml"};
static_assert(std::ranges::is_sorted(own_line) && std::ranges::is_sorted(own_paragraph) &&
              std::ranges::is_sorted(unseen));

bool is_one_of(std::string_view name, auto const& names)
{
    return std::ranges::binary_search(names, name);
}

bool is_list(std::string_view tag)
{
    return tag == "ol" || tag == "ul" || tag == "menu" || tag == "dir";
}

/// What the children of an element inherit from it.
struct Context {
    bool no_font = false;
    bool invisible = false;
    bool preformatted = false;
    bool in_item = false;    ///< of a list
    bool data_table = false; ///< the nearest table
    bool data_cell = false;  ///< text stays on the line of the row
    bool short_row = false;
};

/// An element whose children are being converted.
struct Open {
    Node node = HtmlTree::none;
    Context context;
    unsigned lines = 0; ///< line ends before and after the element
    bool indented = false;
    std::optional<HtmlList> list;       ///< of this element
    std::optional<HtmlList> ended_list; ///< the last ordered list among the children
};

/// The target of a link as it is shown; empty if it has no meaning outside of the page.
std::string target_of(std::string_view href)
{
    std::string target;
    target.reserve(href.size());
    for (char const c : core::trim(href)) {
        if (c == ' ')
            target += "%20";
        else if (c > ' ' || c < 0) // URLs have no line ends and tabs (WHATWG URL 4.4)
            target += c;
    }
    auto const begins = [&](std::string_view scheme) {
        return core::equal_ignoring_case(std::string_view(target).substr(0, scheme.size()), scheme);
    };
    if (begins("https:") || begins("http:")) return target;
    if (begins("tel:")) return target.substr(4);
    if (begins("mailto:")) return target.substr(7, target.find('?') - 7);
    return {};
}

class Converter {
public:
    explicit Converter(HtmlTree const& tree) : tree_(tree), open_(1) {}

    std::string convert() &&
    {
        auto node = tree_.first_child(HtmlTree::none);
        while (node != HtmlTree::none)
            node = convert_and_go_on(node);
        return std::move(page_).text();
    }

private:
    /// Returns the next node.
    Node convert_and_go_on(Node node)
    {
        bool const entered = begin(node);
        if (entered && tree_.first_child(node) != HtmlTree::none) return tree_.first_child(node);
        if (entered) end();
        while (node != HtmlTree::none && tree_.next_sibling(node) == HtmlTree::none) {
            node = tree_.parent(node);
            if (node != HtmlTree::none) end();
        }
        return tree_.next_sibling(node);
    }

    /// Returns whether the children of the node are to be converted, and then `end` is to be called.
    bool begin(Node node)
    {
        auto const tag = tree_.tag(node);
        if (tag.empty()) return say(tree_.text(node)), false;
        if (is_one_of(tag, unseen) || tree_.attribute(node, "hidden")) return false;
        auto const style = read_style(tree_.attribute(node, "style").value_or(""));
        if (style.hidden || (style.hidden_in_word && !is_button(node))) return false;
        if (tag == "br" || tag == "hr" || tag == "img") return begin_void(node, tag, style), false;
        Open open{.node = node, .context = open_.back().context, .list = {}, .ended_list = {}};
        auto& context = open.context;
        context.no_font = style.no_font.value_or(context.no_font);
        context.invisible = style.invisible.value_or(context.invisible);
        context.preformatted = style.preformatted.value_or(context.preformatted || tag == "pre");
        open.lines = lines_around(tag, style);
        begin_lines(open.lines);
        begin_element(open, tag);
        open_.push_back(open);
        return true;
    }

    void say(std::string_view text)
    {
        auto const& context = open_.back().context;
        if (context.invisible) return;
        if (context.no_font) {
            if (text.find_first_of(" \n") != std::string_view::npos) page_.space();
        } else if (context.preformatted && !context.data_cell) {
            page_.say_verbatim(text);
        } else {
            page_.say(text);
        }
    }

    void begin_void(Node node, std::string_view tag, HtmlStyle const& style)
    {
        bool const in_cell = open_.back().context.data_cell;
        if (tag == "br") return in_cell ? page_.space() : page_.break_line();
        if (tag == "hr") {
            begin_lines(2);
            if (!in_cell) page_.say_word("----------");
            return begin_lines(2);
        }
        auto const before = std::exchange(last_image_, node);
        if (before != HtmlTree::none && tree_.next_sibling(before) == node) page_.space();
        if (!style.invisible.value_or(open_.back().context.invisible))
            page_.say(tree_.attribute(node, "alt").value_or(""));
    }

    unsigned lines_around(std::string_view tag, HtmlStyle const& style) const
    {
        if (is_one_of(tag, own_paragraph)) return is_list(tag) && open_.back().context.in_item ? 1 : 2;
        return is_one_of(tag, own_line) || style.block ? 1 : 0;
    }

    void begin_lines(unsigned lines)
    {
        if (lines == 0) return;
        if (open_.back().context.data_cell)
            page_.space();
        else
            page_.begin_line(lines);
    }

    void begin_element(Open& open, std::string_view tag)
    {
        if (is_list(tag))
            open.list.emplace(tree_, open.node);
        else if (tag != "li")
            open_.back().ended_list.reset();
        if (tag == "li") begin_item(open);
        if (tag == "blockquote") indent(open, "> ", "> ");
        if (tag == "a") begin_link(open.node);
        if (tag == "table") open.context.data_table = is_data_table(tree_, open.node);
        if (tag == "tr") begin_row(open);
        if (tag == "td" || tag == "th") begin_cell(open);
    }

    void indent(Open& open, std::string first, std::string rest)
    {
        if (open.context.data_cell) return page_.say(first);
        open.indented = true;
        page_.indent(std::move(first), std::move(rest));
    }

    void begin_item(Open& open)
    {
        constexpr std::size_t max_width = 4;
        auto* const list = list_of_item();
        auto marker = list == nullptr ? std::string("-") : list->next_marker(tree_, open.node);
        marker += ' ';
        auto const width = std::min(marker.size(), max_width);
        open.context.in_item = true;
        indent(open, std::move(marker), std::string(width, ' '));
    }

    /// The list of an item that begins. libxml2 ends a list before a list directly inside of it, so an item
    /// without a list continues the last ordered one. Returns nullptr if there is no list.
    HtmlList* list_of_item()
    {
        for (auto& open : std::views::reverse(open_)) {
            if (open.list) return &*open.list;
            if (open.ended_list) return &*open.ended_list;
            auto const tag = tree_.tag(open.node);
            if (tag == "li" || tag == "td" || tag == "blockquote") break;
        }
        return nullptr;
    }

    void begin_row(Open& open)
    {
        page_.begin_row();
        open.context.short_row = !open.context.data_table && is_short_row(tree_, open.node);
    }

    void begin_cell(Open& open)
    {
        if (open.context.data_table) {
            page_.begin_cell();
            open.context.data_cell = true;
        } else if (open.context.short_row) {
            page_.space();
        } else {
            page_.begin_line(1);
        }
    }

    /// Whether the element is a link, or around or inside of one. Outlook gets such links in another form.
    bool is_button(Node node) const
    {
        if (link_) return true;
        for (auto inner = node; inner != HtmlTree::none; inner = tree_.next_within(node, inner))
            if (tree_.attribute(inner, "href")) return true;
        return false;
    }

    void begin_link(Node node)
    {
        end_link(); // links cannot be nested
        link_ = Link{.node = node, .begin = page_.size(), .href = tree_.attribute(node, "href").value_or("")};
        page_.record();
    }

    void end_link()
    {
        auto const link = std::exchange(link_, {});
        if (!link) return;
        auto const target = target_of(link->href);
        auto const text = core::trim(page_.recorded());
        if (target.empty() || text == target || text == core::trim(link->href) ||
            std::string(text) + '/' == target)
            return;
        if (page_.size() == link->begin)
            page_.say_word(target);
        else
            page_.say_after_last('[' + target + ']');
    }

    /// Ends the innermost open element.
    void end()
    {
        auto const& open = open_.back();
        auto const tag = tree_.tag(open.node);
        auto const lines = open.lines;
        auto list = open.list;
        if (link_ && link_->node == open.node) end_link();
        if (open.indented) page_.outdent();
        if (tag == "tr") page_.begin_row();
        open_.pop_back();
        if (list && list->ordered()) open_.back().ended_list = list;
        if (tag == "li") page_.close_up();
        begin_lines(lines);
    }

    struct Link {
        Node node = HtmlTree::none;
        std::size_t begin = 0; ///< size of the page before the link
        std::string_view href;
    };

    HtmlTree const& tree_;
    TextPage page_;
    std::vector<Open> open_; ///< the first stands for the document
    std::optional<Link> link_;
    Node last_image_ = HtmlTree::none;
};

} // namespace

std::string plain_text(std::string_view html)
{
    HtmlTree const tree(core::whole_characters(html, max_html_bytes));
    return Converter(tree).convert();
}

} // namespace mail
