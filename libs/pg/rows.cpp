#include "pg/rows.hpp"

#include <libpq-fe.h>

namespace pg {

Rows::Rows(PGresult* result) : result_(result, &PQclear) {}

std::size_t Rows::size() const noexcept
{
    return result_ ? static_cast<std::size_t>(PQntuples(result_.get())) : 0;
}

} // namespace pg
