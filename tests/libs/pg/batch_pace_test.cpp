#include "pg/batch_pace.hpp"

using namespace std::chrono_literals;

TEST_CASE("the wait of a caller is estimated from the batches ahead and the recent duration of batches")
{
    pg::BatchPace pace(128);
    CHECK(pace.wait(2000) == 0s); // no batch was measured yet
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
