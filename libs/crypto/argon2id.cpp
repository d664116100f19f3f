#include "crypto/argon2id.hpp"

#include "crypto/bcrypt.hpp"
#include "crypto/compare.hpp"
#include "crypto/encoding.hpp"
#include "crypto/random.hpp"

#include <argon2.h>

#include <charconv>
#include <stdexcept>
#include <sys/mman.h>

namespace crypto {

namespace {

constexpr std::size_t salt_size = 16;
constexpr std::size_t hash_size = 32;

// Sizes in bytes of imported salts and hashes. Argon2 itself requires at least 8 bytes of salt.
constexpr std::size_t min_imported_hash_size = 16;
constexpr std::size_t max_imported_size = 64;

std::uint8_t* bytes_of(std::string const& text)
{
    // The fields of argon2_context are not const, but Argon2 only reads the inputs unless one of its flags
    // asks to clear them.
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
}

/// The memory for the current hash of this thread. It is a global because Argon2 passes no user data to its
/// allocator.
thread_local HashMemory* current = nullptr;

int allocate(std::uint8_t** memory, std::size_t size)
{
    *memory = current->reserve(size);
    return *memory == nullptr ? ARGON2_MEMORY_ALLOCATION_ERROR : ARGON2_OK;
}

/// Called by Argon2 instead of `free`. The memory is kept for the next hash.
void keep(std::uint8_t*, std::size_t) {}

std::string argon2id(std::string const& secret, PhcString const& wanted, HashMemory& memory)
{
    std::string hash(wanted.hash.size(), '\0');
    argon2_context context{};
    context.out = bytes_of(hash);
    context.outlen = static_cast<std::uint32_t>(hash.size());
    context.pwd = bytes_of(secret);
    context.pwdlen = static_cast<std::uint32_t>(secret.size());
    context.salt = bytes_of(wanted.salt);
    context.saltlen = static_cast<std::uint32_t>(wanted.salt.size());
    context.t_cost = wanted.cost.passes;
    context.m_cost = wanted.cost.memory_kib;
    context.lanes = wanted.cost.lanes;
    context.threads = 1; // computes the lanes one after another: the result is the same
    context.version = ARGON2_VERSION_13;
    context.allocate_cbk = allocate;
    context.free_cbk = keep;
    current = &memory;
    int const result = argon2id_ctx(&context);
    if (result != ARGON2_OK) throw std::runtime_error(std::string("Argon2: ") + argon2_error_message(result));
    return hash;
}

/// PHC strings use Base64 with the standard alphabet, without padding.
std::string without_padding(std::string text)
{
    text.resize(text.find_last_not_of('=') + 1);
    return text;
}

std::optional<std::string> decode(std::string_view text)
{
    std::string padded(text);
    padded.resize((text.size() + 3) / 4 * 4, '=');
    return text.ends_with('=') ? std::nullopt : base64::decode(padded);
}

/// Removes `name` and a number from the front of `text`. Returns false if `text` does not begin with them.
bool read_number(std::string_view& text, std::string_view name, std::uint32_t& number)
{
    if (!text.starts_with(name)) return false;
    text.remove_prefix(name.size());
    if (text.size() > 1 && text.starts_with('0') && text[1] != ',' && text[1] != '$') return false;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc();
}

bool is_allowed(PhcString const& phc)
{
    constexpr std::uint32_t max_lanes = 255;
    auto const& cost = phc.cost;
    return cost.lanes >= 1 && cost.lanes <= max_lanes && cost.passes >= 1 &&
           cost.memory_kib >= ARGON2_SYNC_POINTS * 2 * cost.lanes && cost.memory_kib <= ARGON2_MAX_MEMORY &&
           phc.salt.size() >= ARGON2_MIN_SALT_LENGTH && phc.hash.size() >= ARGON2_MIN_OUTLEN;
}

} // namespace

HashMemory::~HashMemory()
{
    if (data_ != nullptr) ::munmap(data_, size_);
}

std::uint8_t* HashMemory::reserve(std::size_t size) noexcept
{
    if (size <= size_) return data_;
    void* const mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    if (data_ != nullptr) ::munmap(data_, size_);
    data_ = static_cast<std::uint8_t*>(mapped);
    size_ = size;
    return data_;
}

void HashMemory::shrink(std::size_t limit) noexcept
{
    if (size_ <= limit) return;
    ::munmap(data_, size_);
    data_ = nullptr;
    size_ = 0;
}

void HashMemory::release() noexcept
{
    if (data_ != nullptr) ::madvise(data_, size_, MADV_DONTNEED);
}

std::optional<PhcString> PhcString::parse(std::string_view text)
{
    PhcString phc;
    std::uint32_t version = 0;
    auto const number = [&](std::string_view name, std::uint32_t& value) {
        return read_number(text, name, value);
    };
    if (!number("$argon2id$v=", version) || version != ARGON2_VERSION_13) return std::nullopt;
    if (!number("$m=", phc.cost.memory_kib) || !number(",t=", phc.cost.passes) ||
        !number(",p=", phc.cost.lanes) || !text.starts_with('$'))
        return std::nullopt;
    text.remove_prefix(1);
    auto const end = text.find('$');
    if (end == std::string_view::npos) return std::nullopt;
    auto salt = decode(text.substr(0, end)), hash = decode(text.substr(end + 1));
    if (!salt || !hash) return std::nullopt;
    phc.salt = *std::move(salt);
    phc.hash = *std::move(hash);
    return is_allowed(phc) ? std::optional(std::move(phc)) : std::nullopt;
}

std::string PhcString::str() const
{
    return "$argon2id$v=19$m=" + std::to_string(cost.memory_kib) + ",t=" + std::to_string(cost.passes) +
           ",p=" + std::to_string(cost.lanes) + "$" + without_padding(base64::encode(salt)) + "$" +
           without_padding(base64::encode(hash));
}

std::string hash_password(std::string const& secret, Argon2Cost const& cost, HashMemory& memory)
{
    PhcString phc{.cost = cost, .salt = random_bytes(salt_size), .hash = std::string(hash_size, '\0')};
    phc.hash = argon2id(secret, phc, memory);
    return phc.str();
}

bool verify_password(std::string const& secret, std::string const& hash, HashMemory& memory)
{
    if (!hash.starts_with("$argon2id$")) return verify_bcrypt(secret, hash);
    auto const known = PhcString::parse(hash);
    return known && equal_constant_time(argon2id(secret, *known, memory), known->hash);
}

bool is_importable_hash(std::string_view text)
{
    if (auto const bcrypt = BcryptString::parse(text)) return bcrypt->cost <= max_imported_bcrypt_cost;
    auto const phc = PhcString::parse(text);
    if (!phc) return false;
    auto const& [cost, salt, hash] = *phc;
    return cost.memory_kib <= max_imported_cost.memory_kib && cost.passes <= max_imported_cost.passes &&
           cost.lanes <= max_imported_cost.lanes && salt.size() <= max_imported_size &&
           hash.size() >= min_imported_hash_size && hash.size() <= max_imported_size;
}

bool is_slower(std::string_view hash, Argon2Cost const& cost)
{
    auto const work = [](Argon2Cost const& c) { return std::uint64_t{c.memory_kib} * c.passes; };
    auto const phc = PhcString::parse(hash);
    return !phc || phc->cost.memory_kib > cost.memory_kib || work(phc->cost) > work(cost);
}

bool needs_rehash(std::string_view hash, Argon2Cost const& cost)
{
    auto const phc = PhcString::parse(hash);
    return !phc || phc->cost != cost || phc->salt.size() != salt_size || phc->hash.size() != hash_size;
}

std::string hash_password(std::string const& secret, Argon2Cost const& cost)
{
    HashMemory memory;
    return hash_password(secret, cost, memory);
}

bool verify_password(std::string const& secret, std::string const& hash)
{
    HashMemory memory;
    return verify_password(secret, hash, memory);
}

} // namespace crypto
