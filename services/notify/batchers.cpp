#include "batchers.hpp"

namespace notify {

Batchers::Batchers(pg::Database& db)
    : find_template(db, templates::find_batch), insert(db, notifications::insert_batch),
      get(db, notifications::get_batch), list(db, notifications::list_batch),
      register_device(db, devices::register_batch), remove_device(db, devices::remove_batch)
{
}

} // namespace notify
