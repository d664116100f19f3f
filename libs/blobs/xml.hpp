#pragma once

#include <boost/property_tree/ptree.hpp>

#include <string>

/// Reads the XML documents of AWS's services.
namespace blobs::xml {

using Tree = boost::property_tree::ptree;

/// Throws boost::property_tree::xml_parser_error.
Tree parse(std::string const& text);

/// The text at `path` (`Error.Code`) of a document; "" if there is none or the document is not XML.
std::string text_at(std::string const& document, std::string const& path);

} // namespace blobs::xml
