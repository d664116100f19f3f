#pragma once

#include "core/identity.hpp"

#include <boost/json.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// A contract of proto/: the parts that tests compare with the code.
class OpenApi {
public:
    /// Throws std::exception if the file or a file it refers to is missing or is not OpenAPI 3.1.
    explicit OpenApi(std::string const& file);
    /// A document without references to other files.
    explicit OpenApi(boost::json::object const& whole);

    struct Operation {
        core::Access access = core::Access::anonymous; ///< from `security`
        bool idempotency_key = false;
        bool if_match = false;
        std::set<std::string> path_parameters, query_parameters;
        std::optional<boost::json::value> request_example;
        boost::json::value request_schema; ///< null without a body
        std::map<std::string, boost::json::value>
            responses; ///< status -> JSON schema; null when it has no JSON
        std::string id, summary;

        bool operator==(Operation const&) const = default;
    };

    /// By `METHOD /path`.
    std::map<std::string, Operation> const& operations() const noexcept { return operations_; }

private:
    void read(boost::json::value const& document);

    std::map<std::string, Operation> operations_;
};

/// Faults of `document` under a JSON schema (2020-12: type, enum, const, required, properties, items,
/// oneOf, allOf, pattern, bounds; the formats uuid and date-time). Empty: it is valid. A member that the
/// schema does not name is a fault, so that a field cannot be added without the contract.
std::vector<std::string> faults_of(boost::json::value const& document, boost::json::value const& schema);
