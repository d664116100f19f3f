#include "app.hpp"

/// jemalloc reads its settings from this variable. By default jemalloc returns allocations above 8 MiB to the
/// kernel at once, so each new one causes a page fault per page. With `oversize_threshold:0` it keeps them
/// for ten seconds, like smaller ones. The background thread returns free memory to the system, also while no
/// requests arrive.
extern "C" char const* malloc_conf;
char const* malloc_conf = "oversize_threshold:0,background_thread:true";

int main(int argc, char** argv)
{
    return service::run(argc, argv, auth_mfa::definition());
}
