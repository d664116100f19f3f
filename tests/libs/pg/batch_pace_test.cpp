#include "pg/batch_pace.hpp"

using namespace std::chrono_literals;

TEST_CASE("a caller's wait is that of the batches before its own, at the time they take of late")
{
    pg::BatchPace pace(128);
    CHECK(pace.wait(2000) == 0s); // nothing is known yet
    pace.ran(100ms);
    CHECK(pace.wait(0) == 0s);
    CHECK(pace.wait(127) == 0s);
    CHECK(pace.wait(128) == 100ms);
    CHECK(pace.wait(1999) == 1500ms);
    for (int i = 0; i < 100; ++i)
        pace.ran(10ms);
    CHECK(pace.wait(1999) > 150ms);
    CHECK(pace.wait(1999) < 160ms);
}
