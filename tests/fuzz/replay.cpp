// Runs a target without a fuzzing engine, on every file of the given folders. So every build, with or without
// a sanitizer, checks earlier findings again.
#include "fuzz.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

std::string read(std::filesystem::path const& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

int main(int argc, char** argv)
{
    std::size_t count = 0;
    for (int i = 1; i < argc; ++i) {
        for (auto const& entry : std::filesystem::directory_iterator(argv[i])) {
            std::string const input = read(entry.path());
            std::fprintf(stderr, "%s (%zu bytes)\n", entry.path().c_str(), input.size());
            LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(input.data()), input.size());
            ++count;
        }
    }
    if (count == 0) std::fprintf(stderr, "no inputs: name at least one folder with files\n");
    return count == 0 ? 1 : 0;
}
