#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

/// For what is made while building, and tests: services hold their contracts as JSON and read no YAML.
namespace docs {

/// A YAML file as JSON, members in their order; what is neither quoted nor a number, `true`, `false` or
/// `null` is text. Throws YAML::Exception when there is none, or it is not YAML.
boost::json::value read_yaml(std::string const& file);

/// An OpenAPI document (YAML) in one piece: what it refers to of documents beside it is among its own
/// components, under its own name or, where that is another thing's, as `<document>.<name>`; path items are
/// in their places. Throws std::runtime_error when a reference leads nowhere, or to what is no component.
boost::json::object bundled(std::string const& file);

} // namespace docs
