#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

/// Reads OpenAPI contracts, for build tools and tests. Services embed their contracts as JSON and read no
/// YAML.
namespace docs {

/// Reads a YAML file and converts it to JSON. Members keep their order. An unquoted scalar that is not a
/// number, `true`, `false` or `null` is a string. Throws YAML::Exception if the file cannot be read or is not
/// YAML.
boost::json::value read_yaml(std::string const& file);

/// Reads an OpenAPI document (YAML) and returns it as one document without references to other files.
/// Components of other files are copied into the components of this document, under the same name or, if the
/// name is taken, as `<document>.<name>`. References to path items are replaced by the path items. Throws
/// std::runtime_error if the target of a reference does not exist or is not a component.
boost::json::object bundle(std::string const& file);

} // namespace docs
