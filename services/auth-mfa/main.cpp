#include "definition.hpp"

/// jemalloc reads its settings from this variable. By default, jemalloc returns freed allocations above 8 MiB
/// to the kernel at once, so each new allocation of this size causes a page fault per page. With
/// `oversize_threshold:0`, jemalloc keeps them for ten seconds, like smaller allocations. The background
/// thread returns free memory to the system even while no requests arrive.
extern "C" char const* malloc_conf;
char const* malloc_conf = "oversize_threshold:0,background_thread:true";

int main(int argc, char** argv)
{
    return service::run(argc, argv, auth_mfa::definition());
}
