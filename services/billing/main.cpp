#include "app.hpp"

/// jemalloc's settings: a thread of its own gives memory back, also when no request comes that would.
extern "C" char const* malloc_conf;
char const* malloc_conf = "background_thread:true";

int main(int argc, char** argv)
{
    return service::run(argc, argv, billing::definition());
}
