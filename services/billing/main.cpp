#include "app.hpp"

int main(int argc, char** argv)
{
    return service::run(argc, argv, billing::definition());
}
