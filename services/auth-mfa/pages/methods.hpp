#pragma once

#include "pages/page.hpp"

#include <string>
#include <vector>

/// The choice between the methods with which a user can prove who they are.
namespace auth_mfa::pages {

/// The method that a page asks for: `chosen` if it is one of the user's `methods`, else the most convenient
/// of them. Empty if there is none.
std::string choose_method(std::vector<std::string> const& methods, std::string const& chosen);

/// Whether the page follows the sending of a code by SMS.
bool was_code_sent(Page const& page);

/// Adds the values of a page that asks for `method`: `method`, a value with its name, `digits` unless it is a
/// recovery code, and `others`, the links to the other methods. For a code by SMS that was not `sent` yet:
/// `sendable`, else `sent`. If the page has a field for the code: `enters_code`.
void add_methods(Data& data, Language const& language, std::vector<std::string> const& methods,
    std::string const& method, bool sent);

/// The form field `code`, with its digits in ASCII and without spaces and dashes.
std::string code_field(Page const& page);

} // namespace auth_mfa::pages
