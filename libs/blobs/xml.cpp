#include "blobs/xml.hpp"

#include <boost/property_tree/xml_parser.hpp>

#include <sstream>

namespace blobs::xml {

Tree parse(std::string const& text)
{
    std::istringstream stream(text);
    Tree tree;
    boost::property_tree::read_xml(stream, tree);
    return tree;
}

std::string text_at(std::string const& document, std::string const& path)
{
    try {
        return parse(document).get(path, std::string{});
    } catch (boost::property_tree::xml_parser_error const&) {
        return {};
    }
}

} // namespace blobs::xml
