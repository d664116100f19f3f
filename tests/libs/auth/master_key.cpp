#include "auth/master_key.hpp"

TEST_CASE("both master keys are valid while one replaces the other")
{
    auth::MasterKey const both(core::Secret("new-master-key"), core::Secret("old-master-key"));
    CHECK(both.matches("new-master-key"));
    CHECK(both.matches("old-master-key"));
    CHECK_FALSE(both.matches("other-master-key"));
    CHECK_FALSE(both.matches("new-master-ke"));
    CHECK_FALSE(both.matches("new-master-key "));
    CHECK_FALSE(both.matches(""));
}

TEST_CASE("an empty master key matches nothing")
{
    auth::MasterKey const one(core::Secret("the-key"));
    CHECK(one.matches("the-key"));
    CHECK_FALSE(one.matches(""));
    auth::MasterKey const none{core::Secret()};
    CHECK_FALSE(none.matches(""));
    CHECK_FALSE(none.matches("x"));
}
