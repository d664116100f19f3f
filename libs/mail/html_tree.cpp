#include "mail/html_tree.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"

#include <boost/locale/utf.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <libxml/HTMLparser.h>
#include <libxml/dict.h>
#include <libxml/parserInternals.h>
#include <memory>
#include <new>
#include <type_traits>

namespace mail {

namespace {

constexpr std::array<std::string_view, 10> kept_attributes{
    "alt", "colspan", "hidden", "href", "reversed", "role", "start", "style", "type", "value"};
static_assert(std::ranges::is_sorted(kept_attributes));

// libxml2 compares each attribute with all others of its element. These limits keep the time proportional to
// the length of the HTML. No honest document comes near them.

/// libxml2 ignores further names of attributes when the distinct names of a document take some times this
/// many bytes.
constexpr std::size_t max_bytes_of_names = 1'000;
/// Repeated attributes in a document.
constexpr int max_repeated = 10'000;
/// Errors in succession at the same `<`. libxml2 2.9 repeats one for ever if it cannot store an element's
/// name.
constexpr int max_errors_in_place = 3;

constexpr int options = HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                        HTML_PARSE_NODEFDTD | HTML_PARSE_IGNORE_ENC | HTML_PARSE_COMPACT;

struct FreeParser {
    void operator()(htmlParserCtxt* parser) const noexcept { htmlFreeParserCtxt(parser); }
};

using Parser = std::unique_ptr<htmlParserCtxt, FreeParser>;

std::string_view view(xmlChar const* text)
{
    return text == nullptr ? std::string_view() : reinterpret_cast<char const*>(text);
}

/// The HTML without constructs that libxml2 shows as text or takes for the beginning of a long comment:
/// `<![if !mso]>`,
/// `<![CDATA[...]]>`, `<!-->` and `<!--->` (HTML 13.2.5.41 to 13.2.5.44).
std::string without_marked_sections(std::string_view html)
{
    std::string out;
    out.reserve(html.size());
    auto const keep = [&](std::size_t size) {
        out += html.substr(0, size);
        html.remove_prefix(std::min(size, html.size()));
    };
    while (!html.empty()) {
        keep(std::min(html.find("<!"), html.size()));
        if (html.starts_with("<!-->") || html.starts_with("<!--->")) {
            html.remove_prefix(html.find('>') + 1);
        } else if (html.starts_with("<!--")) {
            auto const end = html.find("-->", 4);
            keep(end == std::string_view::npos ? html.size() : end + 3);
        } else if (html.starts_with("<![")) {
            auto const end = html.find('>');
            html.remove_prefix(end == std::string_view::npos ? html.size() : end + 1);
        } else {
            keep(2);
        }
    }
    return out;
}

/// The text without bytes that are not UTF-8.
std::string only_utf8(std::string_view text)
{
    using Utf8 = boost::locale::utf::utf_traits<char>;
    std::string out;
    out.reserve(text.size());
    char const* const end = text.data() + text.size();
    for (char const* p = text.data(); p != end;) {
        char const* const begin = p;
        if (boost::locale::utf::is_valid_codepoint(Utf8::decode(p, end)))
            out.append(begin, p);
        else
            p = begin + 1;
    }
    return out;
}

/// UTF-8 without U+0000, inside a body: libxml2 encloses text outside of a body in a paragraph.
std::string prepared(std::string_view html)
{
    std::string text;
    if (!core::is_utf8(html)) html = text = only_utf8(html);
    std::string out = "<body>" + without_marked_sections(html);
    std::erase(out, '\0');
    return out;
}

void append_utf8(std::string& out, unsigned code_point)
{
    boost::locale::utf::utf_traits<char>::encode(code_point, std::back_inserter(out));
}

void ignore(void* /*builder*/, xmlChar const* /*text*/, int /*size*/) {}

} // namespace

/// Receives the events of libxml2's parser.
class HtmlBuilder {
public:
    explicit HtmlBuilder(HtmlTree& tree) : tree_(tree) {}

    void parse(std::string const& html)
    {
        static bool const ready = (xmlInitParser(), true); // before other threads use libxml2
        static_cast<void>(ready);
        Parser const parser(htmlNewParserCtxt());
        if (parser == nullptr) throw std::bad_alloc();
        parser_ = parser.get();
        xmlDictSetLimit(parser->dict, max_bytes_of_names);
        *parser->sax = {};
        parser->sax->startElement = start;
        parser->sax->characters = parser->sax->ignorableWhitespace = characters;
        parser->sax->cdataBlock = ignore; // the content of `script` and `style`
        parser->sax->serror = error;
        parser->sax->initialized = XML_SAX2_MAGIC; // otherwise libxml2 does not call `serror`
        parser->userData = this;
        htmlCtxtReadMemory(
            parser.get(), html.data(), static_cast<int>(html.size()), nullptr, "UTF-8", options);
        if (failed_) throw std::bad_alloc();
    }

private:
    /// libxml2 is written in C, so an exception must not leave a callback.
    template <typename Do> void guard(Do const& what) noexcept
    {
        try {
            if (!failed_) what();
        } catch (std::bad_alloc const&) {
            failed_ = true;
        }
    }

    static void start(void* builder, xmlChar const* name, xmlChar const** attributes)
    {
        auto& self = *static_cast<HtmlBuilder*>(builder);
        self.guard([&] { self.begin_element(view(name), attributes); });
    }

    static void characters(void* builder, xmlChar const* text, int size)
    {
        auto& self = *static_cast<HtmlBuilder*>(builder);
        self.guard(
            [&] { self.read_text({reinterpret_cast<char const*>(text), static_cast<std::size_t>(size)}); });
    }

    static void error(void* builder, xmlErrorPtr error)
    {
        static_cast<HtmlBuilder*>(builder)->watch(error->code);
    }

    /// Takes `<` for text if libxml2 cannot store the element's name. Stops libxml2 if the document has too
    /// many repeated attributes; the text before this position is kept.
    void watch(int error)
    {
        auto& position = parser_->input->cur;
        if (error == XML_ERR_ATTRIBUTE_REDEFINED && ++repeated_ > max_repeated) xmlStopParser(parser_);
        if (error != XML_ERR_NAME_REQUIRED) return;
        errors_in_place_ = std::exchange(last_error_, position) == position ? errors_in_place_ + 1 : 1;
        if (errors_in_place_ >= max_errors_in_place && *position == '<') ++position;
    }

    /// Closes the elements that libxml2 has closed, so that `count` are open.
    void keep_open(int count)
    {
        open_.resize(std::min(open_.size(), static_cast<std::size_t>(std::max(count, 0))));
    }

    void begin_element(std::string_view name, xmlChar const** attributes)
    {
        keep_open(parser_->nameNr - 1); // the last name is this element's
        auto const node = append();
        auto& element = tree_.nodes_[node];
        element.tag = core::lower(name);
        for (; attributes != nullptr && attributes[0] != nullptr; attributes += 2) {
            auto const attribute = view(attributes[0]);
            if (std::ranges::binary_search(kept_attributes, attribute))
                element.attributes.emplace_back(attribute, view(attributes[1]));
        }
        open_.push_back(node);
        if (open_.size() > HtmlTree::max_depth) leave_unnested(element.tag);
    }

    /// Makes libxml2 forget that the element is open: at every end tag it searches all open elements. It
    /// needs the names of elements without content and of elements whose content is not HTML.
    void leave_unnested(std::string const& tag)
    {
        auto const* const known = htmlTagLookup(BAD_CAST tag.c_str());
        if ((known != nullptr && known->empty != 0) || tag == "script" || tag == "style") return;
        namePop(parser_);
        open_.pop_back();
    }

    void read_text(std::string_view text)
    {
        keep_open(parser_->nameNr);
        // A reference that libxml2 does not decode comes as `&` and, separately, as its name.
        bool const name = after_ampersand_ && !text.empty();
        after_ampersand_ =
            text == "&" && parser_->input->cur > parser_->input->base && parser_->input->cur[-1] != ';';
        if (!name || !add_reference(std::string(text))) add_text(text);
    }

    /// Decodes references without a semicolon, for the names that allow it: `&copy` (HTML 13.5).
    bool add_reference(std::string const& name)
    {
        constexpr unsigned latin_1 = 256;
        auto const* const entity = htmlEntityLookup(BAD_CAST name.c_str());
        if (entity == nullptr || (entity->value >= latin_1 && name != "lt")) return false;
        auto& text = tree_.text_;
        text.pop_back(); // the ampersand
        --tree_.nodes_.back().text_size;
        std::string character;
        append_utf8(character, entity->value);
        add_text(character);
        return true;
    }

    void add_text(std::string_view text)
    {
        auto const parent = open_.empty() ? HtmlTree::none : open_.back();
        auto const last = tree_.nodes_[parent].last;
        bool const follows =
            last != HtmlTree::none && last + 1 == tree_.nodes_.size() && tree_.tag(last).empty();
        auto const node = follows ? last : append();
        auto& own = tree_.nodes_[node];
        if (!follows) own.text_begin = tree_.text_.size();
        own.text_size += text.size();
        tree_.text_ += text;
    }

    HtmlTree::Node append()
    {
        auto const parent = open_.empty() ? HtmlTree::none : open_.back();
        auto const node = static_cast<HtmlTree::Node>(tree_.nodes_.size());
        tree_.nodes_.emplace_back().parent = parent;
        auto const before = std::exchange(tree_.nodes_[parent].last, node);
        (before == HtmlTree::none ? tree_.nodes_[parent].first : tree_.nodes_[before].next) = node;
        return node;
    }

    HtmlTree& tree_;
    htmlParserCtxt* parser_ = nullptr;
    std::vector<HtmlTree::Node> open_;
    xmlChar const* last_error_ = nullptr;
    int errors_in_place_ = 0, repeated_ = 0;
    bool after_ampersand_ = false;
    bool failed_ = false;
};

HtmlTree::HtmlTree(std::string_view html)
{
    HtmlBuilder(*this).parse(prepared(html));
}

HtmlTree::Node HtmlTree::next_within(Node top, Node node, bool inside) const
{
    if (inside && first_child(node) != none) return first_child(node);
    while (node != top && next_sibling(node) == none)
        node = parent(node);
    return node == top ? none : next_sibling(node);
}

std::optional<std::string_view> HtmlTree::attribute(Node node, std::string_view name) const
{
    auto const& all = nodes_[node].attributes;
    auto const found = std::ranges::find(all, name, &std::pair<std::string, std::string>::first);
    if (found == all.end()) return std::nullopt;
    return found->second;
}

} // namespace mail
