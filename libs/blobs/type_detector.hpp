#pragma once

#include "blobs/media_type.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

struct magic_set;

namespace blobs {

/// Detects types of files with libmagic. Thread-safe: each call uses its own handle of libmagic, of about 3
/// MB of memory. So limit the number of parallel calls.
class TypeDetector {
public:
    /// The number of first bytes of a file that `detect` uses.
    static constexpr std::size_t head_size = std::size_t{64} * 1024;

    /// Throws std::runtime_error if libmagic's database (`/usr/share/misc/magic.mgc`) cannot be loaded.
    TypeDetector();

    /// `bytes` is a file, or at least its first `head_size` bytes. Later bytes are ignored, so a text that
    /// continues with other bytes is detected as text. Usually takes 1 ms, and at most 0.1 s for 64 KiB of
    /// blanks. So do not call it on a thread that serves requests.
    Content detect(std::string_view bytes) const;

private:
    struct Close {
        void operator()(magic_set* handle) const noexcept;
    };

    using Handle = std::unique_ptr<magic_set, Close>;

    /// Takes less than 0.1 ms. The pages of the database would be 6 MB of resident memory, so a handle is not
    /// kept.
    static Handle open();
};

} // namespace blobs
