#pragma once

#include "core/scope.hpp"
#include "hosted_pages/image.hpp"
#include "pg/migrate.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace hosted_pages {

/// The table `logos`. auth-mfa does not run this component, because a migration of its own created the table.
pg::Component const& migrations();

} // namespace hosted_pages

/// The table `logos` of a service with hosted pages: at most one image per scope. The functions run in the
/// caller's transaction, which must be open for the scope: row-level security hides the rows of other scopes.
/// A caller that writes must have locked the settings of the scope, whose member `logo` describes the image.
namespace hosted_pages::logos {

/// An image to be stored.
struct Image {
    ImageType type = ImageType::png;
    std::string sha256; ///< of the content: 64 hexadecimal digits
    std::string_view content;
};

/// A stored image, without its content.
struct Stored {
    ImageType type = ImageType::png;
    std::string sha256;
};

/// Stores the image, in place of an earlier one.
void put(pg::Tx& tx, core::Scope const& scope, Image const& image);

/// Deletes the image. False if there is none.
bool remove(pg::Tx& tx, core::Scope const& scope);

std::optional<Stored> find(pg::Tx& tx, core::Scope const& scope);

/// The content of the image. There must be one.
std::string content(pg::Tx& tx, core::Scope const& scope);

} // namespace hosted_pages::logos
