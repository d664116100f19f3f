#include "app.hpp"

/// jemalloc's settings. By itself it gives what is larger than 8 MiB back to the kernel at once, and the 19
/// MiB of a password's hash would be faulted in page by page each time; so they stay for the ten seconds that
/// all else does. A thread of its own gives memory back, also when no request comes that would.
extern "C" char const* malloc_conf;
char const* malloc_conf = "oversize_threshold:0,background_thread:true";

int main(int argc, char** argv)
{
    return service::run(argc, argv, auth_mfa::definition());
}
