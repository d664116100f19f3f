#include "batchers.hpp"

namespace billing {

Batchers::Batchers(pg::Database& db)
    : of_user(db, entitlements::of_user_batch), feature(db, entitlements::features_batch)
{
}

} // namespace billing
