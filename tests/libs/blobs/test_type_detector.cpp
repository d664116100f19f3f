#include "blobs/type_detector.hpp"
#include "samples.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

using namespace blobs_test;
using namespace std::string_literals;

namespace {

blobs::Content detected(std::string_view bytes)
{
    static blobs::TypeDetector detector;
    return detector.detect(bytes);
}

bool accepts(std::string_view declared, std::string_view bytes)
{
    return blobs::fits_media_type(detected(bytes), declared);
}

bool is_text_type(std::string_view type)
{
    return type == "text/plain" || type == "text/csv" || type == "application/json";
}

/// The beginning of a video: the box with its brand (ISO 14496-12, 4.3), and the box of the bytes.
std::string video(std::string const& brand)
{
    return "\0\0\0\x18"
           "ftyp"s +
           brand + "\0\0\2\0isommp41\0\0\0\x48mdat"s + std::string(64, '\0');
}

} // namespace

TEST_CASE("a file of each type fits its type, and no type that is not text with it")
{
    CHECK(samples().size() == blobs::media_types.size());
    for (auto const& [type, bytes] : samples()) {
        for (auto const declared : blobs::media_types) {
            CAPTURE(type, declared);
            CHECK(accepts(declared, bytes) ==
                  (declared == type || (is_text_type(declared) && is_text_type(type))));
        }
    }
}

TEST_CASE("programs fit no type")
{
    for (auto const& program : {linux_program(), windows_program(), "\xca\xfe\xba\xbe\0\0\0\x34"s,
             "\xcf\xfa\xed\xfe\7\0\0\1\3\0\0\0\2\0\0\0"s + std::string(40, '\0'), "\0asm\1\0\0\0"s,
             "#!/bin/sh\ntail -c +40 $0 > p\n" + linux_program()}) {
        for (auto const declared : blobs::media_types) {
            CAPTURE(declared, detected(program).type);
            CHECK_FALSE(accepts(declared, program));
        }
    }
}

TEST_CASE("texts of all kinds fit the text types")
{
    auto const text = GENERATE("a"s, "\n"s, "1"s, "null"s, R"("x")"s, "naïve €\n"s,
        "\xef\xbb\xbfwith a mark"s, "#!/bin/sh\necho hello\n"s, "<!doctype html><html><body>x</body></html>"s,
        "From: ada@example.com\nTo: grace@example.com\nSubject: Hello\n\nHello\n"s,
        "1\n00:00:01,000 --> 00:00:02,000\nHello\n"s, "{\"a\":1}\n{\"a\":2}\n"s, "[section]\nname=value\n"s,
        "-----BEGIN PGP MESSAGE-----\n\nabc\n"s, "\x1b[31mred\x1b[0m\n"s, "name;age\r\nAda;36\r\n"s,
        "na\xefve caf\xe9\n"s,              // ISO 8859-1
        "\x93\xfa\x96\x7b\x8c\xea\n"s,      // Shift JIS
        "\xff\xfeh\0e\0l\0l\0o\0\r\0\n\0"s, // UTF-16, little endian
        "\xfe\xff\0h\0e\0l\0l\0o\0\n"s,     // UTF-16, big endian
        std::string(100'000, 'x'), std::string(100'000, '\n'), "[" + std::string(100'000, '1') + "]");
    CAPTURE(text.substr(0, 40), detected(text).type);
    for (auto const declared : {"text/plain", "text/csv", "application/json"})
        CHECK(accepts(declared, text));
    for (auto const declared :
        {"image/png", "video/mp4", "application/pdf", "application/zip", "application/gzip"})
        CHECK_FALSE(accepts(declared, text));
}

TEST_CASE("bytes that are not text do not fit the text types")
{
    auto const bytes = GENERATE("abc\0def"s, "\0"s, "\x80"s, std::string(100, '\0'), "a\1b\n"s);
    for (auto const declared : {"text/plain", "text/csv", "application/json"})
        CHECK_FALSE(accepts(declared, bytes));
}

TEST_CASE("only the first 64 KiB are examined")
{
    std::string const text(blobs::TypeDetector::head_size, 'x');
    CHECK(accepts("text/plain", text + linux_program()));
    CHECK_FALSE(accepts("text/plain", text.substr(1) + '\0'));
}

TEST_CASE("videos of the usual brands are video/mp4, and other files of the same container are not")
{
    for (auto const* brand :
        {"isom", "iso2", "iso5", "iso6", "mp41", "mp42", "avc1", "dash", "M4V ", "XAVC", "hvc1"}) {
        CAPTURE(brand, detected(video(brand)).type);
        CHECK(accepts("video/mp4", video(brand)));
        CHECK_FALSE(accepts("text/plain", video(brand)));
    }
    for (auto const* brand : {"qt  ", "M4A ", "heic", "avif", "3gp4"}) {
        CAPTURE(brand, detected(video(brand)).type);
        CHECK_FALSE(accepts("video/mp4", video(brand)));
    }
}

TEST_CASE("formats that are based on ZIP are application/zip")
{
    auto const docx = decoded(encoded::docx);
    CHECK(detected(docx).type == "application/vnd.openxmlformats-officedocument.wordprocessingml.document");
    CHECK(accepts("application/zip", docx));
    CHECK(accepts("application/zip", "PK\5\6"s + std::string(18, '\0'))); // an empty archive
    CHECK_FALSE(accepts("text/plain", docx));
}

TEST_CASE("several threads may detect types at the same time")
{
    blobs::TypeDetector detector;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    threads.reserve(6);
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 20; ++round)
                for (auto const& [type, bytes] : samples())
                    if (!blobs::fits_media_type(detector.detect(bytes), type)) ++wrong;
        });
    }
    for (auto& thread : threads)
        thread.join();
    CHECK(wrong == 0);
}
