#include "pg/rows.hpp"

#include <charconv>
#include <libpq-fe.h>
#include <string_view>

namespace pg {

Rows::Rows(PGresult* result) : result_(result, &PQclear) {}

std::size_t Rows::size() const noexcept
{
    return result_ ? static_cast<std::size_t>(PQntuples(result_.get())) : 0;
}

std::size_t Rows::columns() const noexcept
{
    return result_ ? static_cast<std::size_t>(PQnfields(result_.get())) : 0;
}

std::size_t Rows::affected_rows() const noexcept
{
    std::string_view const digits = result_ ? PQcmdTuples(result_.get()) : "";
    std::size_t count = 0; // stays 0 for other kinds of statements
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    return count;
}

} // namespace pg
