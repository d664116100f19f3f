#include "batchers.hpp"

namespace feedback {

Batchers::Batchers(pg::Database& db)
    : get(db, feedbacks::get_batch), insert(db, feedbacks::insert_batch), list(db, feedbacks::list_batch)
{
}

} // namespace feedback
