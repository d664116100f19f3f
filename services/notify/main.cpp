#include "app.hpp"

/// jemalloc's settings: one arena, which gives back what is free after half a second. A broadcast's devices
/// are read by one thread, pushed by another and counted by a third; with an arena for each of them it held
/// half as much again (69 MB instead of 43 with a million devices), and cost a fifth more.
/// A thread of its own gives memory back, also when no request comes that would.
extern "C" char const* malloc_conf;
char const* malloc_conf = "narenas:1,dirty_decay_ms:500,muzzy_decay_ms:0,background_thread:true";

int main(int argc, char** argv)
{
    return service::run(argc, argv, notify::definition());
}
