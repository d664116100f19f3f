#include "domain/webauthn_cbor.hpp"

#include <algorithm>
#include <array>
#include <cbor.h>
#include <cstdlib>
#include <memory>
#include <span>

namespace auth_mfa::webauthn {

namespace {

constexpr std::size_t max_depth = 4; // CTAP 2.1, 8: "Message Encoding"

struct Release {
    void operator()(cbor_item_t* item) const noexcept { cbor_decref(&item); }
};

using Item = std::unique_ptr<cbor_item_t, Release>;

unsigned char const* in(std::string_view bytes) noexcept
{
    return reinterpret_cast<unsigned char const*>(bytes.data());
}

/// What the decoder found besides scalars.
struct Opened {
    std::size_t children = 0; ///< items that belong to the array or map
    bool refused = false;     ///< an indefinite length, a tag or a floating-point number
};

Opened& opened(void* context) noexcept
{
    return *static_cast<Opened*>(context);
}

void refuse(void* context) noexcept
{
    opened(context).refused = true;
}

cbor_callbacks counting_callbacks() noexcept
{
    cbor_callbacks callbacks = cbor_empty_callbacks;
    callbacks.array_start = [](void* context, std::size_t count) { opened(context).children = count; };
    callbacks.map_start = [](void* context, std::size_t count) {
        constexpr std::size_t limit = max_attestation_object;
        opened(context).children = 2 * std::min(count, limit);
    };
    callbacks.tag = [](void* context, std::uint64_t) { refuse(context); };
    callbacks.float2 = [](void* context, float) { refuse(context); };
    callbacks.float4 = [](void* context, float) { refuse(context); };
    callbacks.float8 = [](void* context, double) { refuse(context); };
    callbacks.byte_string_start = refuse;
    callbacks.string_start = refuse;
    callbacks.indef_array_start = refuse;
    callbacks.indef_map_start = refuse;
    callbacks.indef_break = refuse;
    return callbacks;
}

/// Decodes the item that is all of `bytes`; null if there is none.
Item load(std::string_view bytes)
{
    if (cbor_item_size(bytes) != bytes.size()) return nullptr;
    cbor_load_result result{};
    return Item(cbor_load(in(bytes), bytes.size(), &result));
}

Item load_map(std::string_view bytes)
{
    auto item = load(bytes);
    return item && cbor_isa_map(item.get()) ? std::move(item) : nullptr;
}

std::span<cbor_pair const> members_of(Item const& map)
{
    return {cbor_map_handle(map.get()), cbor_map_size(map.get())};
}

std::string_view text_of(cbor_item_t const* item)
{
    if (!cbor_isa_string(item)) return {};
    return {reinterpret_cast<char const*>(cbor_string_handle(item)), cbor_string_length(item)};
}

std::string_view bytes_of(cbor_item_t const* item)
{
    if (!cbor_isa_bytestring(item)) return {};
    return {reinterpret_cast<char const*>(cbor_bytestring_handle(item)), cbor_bytestring_length(item)};
}

std::string serialize(cbor_item_t const* item)
{
    unsigned char* buffer = nullptr;
    std::size_t capacity = 0;
    auto const size = cbor_serialize_alloc(item, &buffer, &capacity);
    std::unique_ptr<unsigned char, decltype([](unsigned char* p) { std::free(p); })> const owner(buffer);
    return size == 0 ? std::string() : std::string(reinterpret_cast<char const*>(buffer), size);
}

/// The value of an integer; nullopt for other types, and for integers that do not fit.
std::optional<std::int64_t> integer_of(cbor_item_t const* item)
{
    if (!cbor_is_int(item) || cbor_get_int(item) > INT64_MAX) return std::nullopt;
    auto const value = static_cast<std::int64_t>(cbor_get_int(item));
    return cbor_isa_negint(item) ? -1 - value : value;
}

std::uint64_t number_of(cbor_item_t const* item)
{
    if (cbor_isa_uint(item)) return cbor_get_int(item);
    if (cbor_isa_bytestring(item)) return 1;
    return cbor_is_bool(item) && cbor_ctrl_value(item) == CBOR_CTRL_TRUE ? 1 : 0;
}

/// Removes and returns the first `size` bytes; nullopt if there are fewer.
std::optional<std::string_view> take(std::string_view& rest, std::size_t size)
{
    if (rest.size() < size) return std::nullopt;
    auto const taken = rest.substr(0, size);
    rest.remove_prefix(size);
    return taken;
}

std::optional<std::string_view> take_item(std::string_view& rest)
{
    auto const size = cbor_item_size(rest);
    return size ? take(rest, *size) : std::nullopt;
}

/// The unsigned number in big-endian bytes.
std::uint32_t big_endian(std::string_view bytes) noexcept
{
    std::uint32_t value = 0;
    for (char const byte : bytes)
        value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

/// Reads the attested credential data at the start of `rest` (WebAuthn Level 3, 6.5.2), and removes it.
bool take_credential(std::string_view& rest, AuthenticatorData& data)
{
    auto const aaguid = take(rest, data.aaguid.size());
    auto const size = take(rest, 2);
    if (!aaguid || !size) return false;
    std::ranges::copy(*aaguid, data.aaguid.begin());
    auto const id = take(rest, big_endian(*size));
    if (!id) return false;
    auto const key = take_item(rest);
    if (!key) return false;
    data.credential_id = *id;
    data.public_key = *key;
    return true;
}

} // namespace

std::optional<std::size_t> cbor_item_size(std::string_view bytes) noexcept
{
    static cbor_callbacks const callbacks = counting_callbacks();
    std::array<std::size_t, max_depth> missing{}; // items that are still to come, per level
    std::size_t depth = 0;
    std::size_t position = 0;
    do {
        Opened found;
        auto const result =
            cbor_stream_decode(in(bytes) + position, bytes.size() - position, &callbacks, &found);
        if (result.status != CBOR_DECODER_FINISHED || found.refused) return std::nullopt;
        position += result.read;
        if (depth > 0) --missing[depth - 1];
        if (found.children > 0) {
            // Each item has at least one byte.
            if (found.children > bytes.size() - position || depth == max_depth) return std::nullopt;
            missing[depth++] = found.children;
        }
        while (depth > 0 && missing[depth - 1] == 0)
            --depth;
    } while (depth > 0);
    return position;
}

std::optional<AttestationObject> parse_attestation_object(std::string_view bytes)
{
    auto const map = load_map(bytes);
    if (!map) return std::nullopt;
    AttestationObject object;
    std::array<int, 3> found{};
    for (auto const& [key, value] : members_of(map)) {
        auto const name = text_of(key);
        if (name == "fmt" && cbor_isa_string(value)) {
            object.format = text_of(value);
            ++found[0];
        } else if (name == "attStmt" && cbor_isa_map(value)) {
            object.statement = serialize(value);
            ++found[1];
        } else if (name == "authData" && cbor_isa_bytestring(value)) {
            object.authenticator_data = bytes_of(value);
            ++found[2];
        } else if (name == "fmt" || name == "attStmt" || name == "authData") {
            return std::nullopt;
        }
    }
    if (!std::ranges::all_of(found, [](int count) { return count == 1; })) return std::nullopt;
    return object;
}

std::optional<PackedStatement> parse_packed_statement(std::string_view statement)
{
    auto const map = load_map(statement);
    if (!map) return std::nullopt;
    PackedStatement packed;
    for (auto const& [key, value] : members_of(map)) {
        auto const name = text_of(key);
        if (name == "alg" && !packed.algorithm)
            packed.algorithm = integer_of(value);
        else if (name == "sig" && !packed.signature)
            packed.signature = !bytes_of(value).empty();
        else
            packed.others = true;
    }
    return packed;
}

bool is_empty_map(std::string_view statement)
{
    auto const map = load_map(statement);
    return map && members_of(map).empty();
}

std::optional<AuthenticatorData> parse_authenticator_data(std::string_view bytes)
{
    auto rest = bytes;
    auto const hash = take(rest, 32);
    auto const flags = take(rest, 1);
    auto const count = take(rest, 4);
    if (!hash || !flags || !count) return std::nullopt;
    AuthenticatorData data;
    data.rp_id_hash = *hash;
    data.flags = static_cast<std::uint8_t>(big_endian(*flags));
    data.sign_count = big_endian(*count);
    if (data.has(AuthenticatorData::has_credential) && !take_credential(rest, data)) return std::nullopt;
    if (data.has(AuthenticatorData::has_extensions)) {
        auto const extensions = take_item(rest);
        if (!extensions) return std::nullopt;
        data.extensions = *extensions;
    }
    return rest.empty() ? std::optional(data) : std::nullopt;
}

std::optional<std::int64_t> cose_algorithm(std::string_view public_key)
{
    constexpr std::int64_t label = 3;
    auto const map = load_map(public_key);
    if (!map) return std::nullopt;
    for (auto const& [key, value] : members_of(map))
        if (integer_of(key) == label) return integer_of(value);
    return std::nullopt;
}

std::optional<std::vector<std::pair<std::string, std::uint64_t>>> parse_extensions(
    std::string_view extensions)
{
    auto const map = load_map(extensions);
    if (!map) return std::nullopt;
    std::vector<std::pair<std::string, std::uint64_t>> numbers;
    for (auto const& [key, value] : members_of(map)) {
        if (!cbor_isa_string(key)) return std::nullopt;
        numbers.emplace_back(text_of(key), number_of(value));
    }
    return numbers;
}

} // namespace auth_mfa::webauthn
