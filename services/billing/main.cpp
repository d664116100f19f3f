#include "definition.hpp"

/// Settings of the allocator jemalloc. Its background thread returns free memory to the system even while no
/// requests arrive.
extern "C" char const* malloc_conf;
char const* malloc_conf = "background_thread:true";

int main(int argc, char** argv)
{
    return service::run(argc, argv, billing::definition());
}
