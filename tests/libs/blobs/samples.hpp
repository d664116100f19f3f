#pragma once

#include "crypto/encoding.hpp"

#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

/// Small files that programs for their types can open.
namespace blobs_test {

namespace encoded {

// A picture of 4 x 4 pixels. The video shows the JPEG for a second.
inline constexpr std::string_view png =
    "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAEAQMAAACTPww9AAAAA1BMVEUAgIBxQSaxAAAAC0lEQVQI12NggAAAAAgAAS8g3TEAAAAA"
    "SUVORK5CYII=";
inline constexpr std::string_view jpeg =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19i"
    "Z2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2Nj"
    "Y2NjY2NjY2P/wAARCAAEAAQDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QA"
    "FQEBAQAAAAAAAAAAAAAAAAAABAX/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCYAUgv/9k=";
inline constexpr std::string_view gif = "R0lGODlhBAAEAPAAAACAgAAAACH5BAAAAAAALAAAAAAEAAQAAAIEhI8JBQA7";
inline constexpr std::string_view webp =
    "UklGRjgAAABXRUJQVlA4ICwAAACQAQCdASoEAAQAAgA0JaACdLoAA5gA/u8pR8TxdvIb/6MP/xpH/GkfDmAAAA==";
inline constexpr std::string_view mp4 =
    "AAAAGGZ0eXBpc29tAAACAGlzb21tcDQxAAACU21vb3YAAABsbXZoZAAAAAAAAAAAAAAAAAAAA+gAAAPoAAEAAAEAAAAAAAAAAAAA"
    "AAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIAAAHfdHJhawAA"
    "AFx0a2hkAAAAAwAAAAAAAAAAAAAAAQAAAAAAAAPoAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAA"
    "AAAAQAAAAAAEAAAABAAAAAABe21kaWEAAAAgbWRoZAAAAAAAAAAAAAAAAAAAA+gAAAPoVcQAAAAAACJoZGxyAAAAAAAAAAB2aWRl"
    "AAAAAAAAAAAAAAAAdgAAAAExbWluZgAAABR2bWhkAAAAAQAAAAAAAAAAAAAAJGRpbmYAAAAcZHJlZgAAAAAAAAABAAAADHVybCAA"
    "AAABAAAA8XN0YmwAAACJc3RzZAAAAAAAAAABAAAAeW1wNHYAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAABAAEAEgAAABIAAAAAAAA"
    "AAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY//8AAAAjZXNkcwAAAAADFQABAAQNbBEAAAAAAAAAAAAAAAYBAgAA"
    "ABhzdHRzAAAAAAAAAAEAAAABAAAD6AAAABxzdHNjAAAAAAAAAAEAAAABAAAAAQAAAAEAAAAYc3RzegAAAAAAAAAAAAAAAQAAAR8A"
    "AAAUc3RjbwAAAAAAAAABAAACcwAAASdtZGF0/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEj"
    "JR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2Nj"
    "Y2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAAEAAQDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAA"
    "AAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABAX/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMB"
    "AAIRAxEAPwCYAUgv/9k=";

// A page without text, and archives of a text.
inline constexpr std::string_view pdf =
    "JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+IGVuZG9iagoyIDAgb2JqPDwvVHlwZS9QYWdlcy9L"
    "aWRzWzMgMCBSXS9Db3VudCAxPj4gZW5kb2JqCjMgMCBvYmo8PC9UeXBlL1BhZ2UvUGFyZW50IDIgMCBSL01lZGlhQm94WzAgMCA5"
    "IDldPj4gZW5kb2JqCnhyZWYKMCA0CjAwMDAwMDAwMDAgNjU1MzUgZiAKMDAwMDAwMDAwOSAwMDAwMCBuIAowMDAwMDAwMDUzIDAw"
    "MDAwIG4gCjAwMDAwMDAxMDMgMDAwMDAgbiAKdHJhaWxlcjw8L1NpemUgNC9Sb290IDEgMCBSPj4Kc3RhcnR4cmVmCjE2MwolJUVP"
    "Rgo=";
inline constexpr std::string_view zip =
    "UEsDBBQAAAAIAAAAIVwgMDo2CAAAAAYAAAAFAAAAYS50eHTLSM3JyecCAFBLAQIUAxQAAAAIAAAAIVwgMDo2CAAAAAYAAAAFAAAA"
    "AAAAAAAAAACAAQAAAABhLnR4dFBLBQYAAAAAAQABADMAAAArAAAAAAA=";
inline constexpr std::string_view gzip = "H4sIAAAAAAACA8tIzcnJ5wIAIDA6NgYAAAA=";

// A document of a word processor, which is a ZIP archive.
inline constexpr std::string_view docx =
    "UEsDBBQAAAAIAAAAIVz3VP4j2QAAAGQBAAATAAAAW0NvbnRlbnRfVHlwZXNdLnhtbJWQu1LDMBBFf0WjlrHWUDAMYzsFjxIowgfs"
    "yGtbg16jVUL4e9YJSZGOUrpn75G22xyCV3sq7FLs9a1ptaJo0+ji3OvP7WvzoDdDt/3JxErQyL1eas2PAGwXCsgmZYqSTKkErHIs"
    "M2S0XzgT3LXtPdgUK8Xa1LVDD90zTbjzVb0c5PqkLeRZq6cTuLp6jTl7Z7FKDvs4XlmaP4ORySPDi8t8I4CGoXuX/xQ3kvrAUt8w"
    "SB18pzLCmOwuiMKs4L98aZqcpcv82pZLssQsiwreXJKALp7fAce1Db9QSwMEFAAAAAgAAAAhXO2oiCGgAAAAFQEAAAsAAABfcmVs"
    "cy8ucmVsc43Puw7CMAwF0F+JvFMXBoRQ0y4VEisqHxAlbhrRPJSE19+TgYEiBkbb9x7JTfewM7tRTMY7DuuqBkZOemWc5nAeDqsd"
    "dG1zolnkkkiTCYmVikscppzDHjHJiaxIlQ/kymX00YpcxqgxCHkRmnBT11uMnwYsTXZUHASw4RnoH9iPo5HUe3m15PIP/ytRZBE1"
    "ZQ53HxWq97oqLGDb4OK/9gVQSwMEFAAAAAgAAAAhXH9QInKMAAAAuQAAABEAAAB3b3JkL2RvY3VtZW50LnhtbEWOQQ7CIBREr9Kw"
    "t7+6MKZp6a4n0AMgYEtS/icfFL29UBdu3mQyk8kM09tvzctydISjOLadaCxqMg6XUdyu8+EiJjnk3pB+eoupKX2MfR7FmlLoAaJe"
    "rVexpWCxZA9ir1KxvEAmNoFJ2xjLnN/g1HVn8MqhqJN3Mp+qoYIrklQDVKnknWHnrwr/G/ILUEsBAhQDFAAAAAgAAAAhXPdU/iPZ"
    "AAAAZAEAABMAAAAAAAAAAAAAAIABAAAAAFtDb250ZW50X1R5cGVzXS54bWxQSwECFAMUAAAACAAAACFc7aiIIaAAAAAVAQAACwAA"
    "AAAAAAAAAAAAgAEKAQAAX3JlbHMvLnJlbHNQSwECFAMUAAAACAAAACFcf1AicowAAAC5AAAAEQAAAAAAAAAAAAAAgAHTAQAAd29y"
    "ZC9kb2N1bWVudC54bWxQSwUGAAAAAAMAAwC5AAAAjgIAAAAA";

} // namespace encoded

inline std::string decoded(std::string_view text)
{
    auto bytes = crypto::base64::decode(text);
    if (!bytes) throw std::logic_error("a sample is not base64");
    return *std::move(bytes);
}

/// A file of each allowed type.
inline std::map<std::string, std::string> const& samples()
{
    static std::map<std::string, std::string> const files{
        {"image/png", decoded(encoded::png)},
        {"image/jpeg", decoded(encoded::jpeg)},
        {"image/gif", decoded(encoded::gif)},
        {"image/webp", decoded(encoded::webp)},
        {"video/mp4", decoded(encoded::mp4)},
        {"application/pdf", decoded(encoded::pdf)},
        {"application/zip", decoded(encoded::zip)},
        {"application/gzip", decoded(encoded::gzip)},
        {"application/json", R"({"name": "Grace", "tags": ["a", "b"], "age": 85})"},
        {"text/plain", "Hello,\nthe naïve café is closed.\n"},
        {"text/csv", "name,age\nAda,36\nGrace,85\n"},
    };
    return files;
}

/// A program for Windows: the stub for MS-DOS, and the beginning of the header that follows the stub.
inline std::string windows_program()
{
    using namespace std::string_literals;
    std::string bytes = "MZ\x90\0\3\0\0\0\4\0\0\0\xff\xff\0\0\xb8"s;
    bytes.resize(0x3c, '\0');
    bytes += "\x80\0\0\0\x0e\x1f\xba\x0e\0\xb4\x09\xcd!\xb8\1L\xcd!"s;
    bytes += "This program cannot be run in DOS mode.\r\r\n$";
    bytes.resize(0x80, '\0');
    bytes += "PE\0\0\x64\x86\2\0"s;
    bytes.resize(1024, '\0');
    return bytes;
}

/// A program for Linux: the beginning of this test.
inline std::string linux_program()
{
    std::string bytes(100'000, '\0');
    std::ifstream("/proc/self/exe", std::ios::binary).read(bytes.data(), 100'000);
    return bytes;
}

} // namespace blobs_test
