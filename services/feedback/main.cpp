#include "definition.hpp"

/// jemalloc reads its settings from this variable. The background thread returns free memory to the system
/// even while no requests arrive.
extern "C" char const* malloc_conf;
char const* malloc_conf = "background_thread:true";

int main(int argc, char** argv)
{
    return service::run(argc, argv, feedback::definition());
}
