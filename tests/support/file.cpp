#include "support/file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace testing {

std::string read_file(std::string const& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return std::move(text).str();
}

void write_file(std::string const& path, std::string const& text)
{
    std::ofstream(path + ".new", std::ios::binary) << text;
    std::filesystem::rename(path + ".new", path);
}

} // namespace testing
