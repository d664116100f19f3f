#include "ceremonies.hpp"

#include "crypto/random.hpp"

namespace ceremonies {

namespace {

class Attempts {
public:
    void registration(std::string name, std::string verdict, Ceremony const& ceremony = {},
        std::string difference = {}, Key key = Key::es256)
    {
        auto authenticator = new_authenticator(key);
        registration(authenticator, std::move(name), std::move(verdict), ceremony, std::move(difference));
    }

    void registration(Authenticator& authenticator, std::string name, std::string verdict,
        Ceremony const& ceremony = {}, std::string difference = {})
    {
        add({.name = std::move(name),
            .credential = authenticator.create(creation(), ceremony),
            .verdict = std::move(verdict),
            .difference = std::move(difference)});
    }

    void assertion(std::string name, std::string verdict, Ceremony const& ceremony = {},
        std::string difference = {}, Key key = Key::es256)
    {
        auto authenticator = new_authenticator(key);
        auto const stored = registered(authenticator);
        assertion(
            authenticator, stored, std::move(name), std::move(verdict), ceremony, std::move(difference));
    }

    void assertion(Authenticator& authenticator, webauthn::Credential const& stored, std::string name,
        std::string verdict, Ceremony const& ceremony = {}, std::string difference = {},
        bool user_verification = true)
    {
        add({.name = std::move(name),
            .credential = authenticator.get(request(), ceremony),
            .verdict = std::move(verdict),
            .stored = stored,
            .cose_key = authenticator.cose_key(),
            .user_verification = user_verification,
            .difference = std::move(difference)});
    }

    /// A registration or assertion whose JSON `change` changes.
    void changed(std::string name, std::string verdict, bool assertion,
        std::function<void(json::object&)> const& change, std::string difference = {})
    {
        auto authenticator = new_authenticator();
        auto const stored = registered(authenticator);
        auto credential = assertion ? authenticator.get(request()) : authenticator.create(creation());
        change(credential);
        Attempt attempt{.name = std::move(name),
            .credential = std::move(credential),
            .verdict = std::move(verdict),
            .difference = std::move(difference)};
        if (assertion) {
            attempt.stored = stored;
            attempt.cose_key = authenticator.cose_key();
        }
        add(std::move(attempt));
    }

    std::vector<Attempt> all;

private:
    void add(Attempt attempt) { all.push_back(std::move(attempt)); }
};

std::string client_data(std::string const& type, std::string const& more)
{
    return R"({"type":")" + type + R"(","challenge":")" + base64url::encode(challenge) + R"(","origin":")" +
           origin + '"' + more + '}';
}

void add_client_data(Attempts& attempts, bool assertion)
{
    auto const add = [&](char const* name, char const* verdict, Ceremony const& ceremony,
                         char const* difference = "") {
        if (assertion)
            attempts.assertion(std::string("assertion: ") + name, verdict, ceremony, difference);
        else
            attempts.registration(std::string("registration: ") + name, verdict, ceremony, difference);
    };
    std::string const type = assertion ? "webauthn.get" : "webauthn.create";
    add("client data of the other ceremony", "type",
        {.type = assertion ? "webauthn.create" : "webauthn.get"});
    add("another challenge", "challenge", {.challenge = base64url::encode(std::string(32, 'd'))});
    add("a longer challenge", "challenge", {.challenge = base64url::encode(challenge + "c")});
    add("another origin", "origin", {.origin = "https://auth.example.com.evil.example"});
    add("another scheme", "origin", {.origin = "http://auth.example.com"});
    add("another port", "origin", {.origin = "https://auth.example.com:8443"});
    add("a frame of another origin", "origin", {.client_data = {{"crossOrigin", true}}},
        "simplewebauthn leaves crossOrigin to its caller");
    add("the origin of the top frame and unknown members", "accepted",
        {.client_data = {{"topOrigin", "https://evil.example"}, {"other_keys_can_be_added_here", "x"},
             {"tokenBinding", {{"status", "supported"}}}}});
    add("client data without crossOrigin", "accepted", {.client_data_json = client_data(type, "")});
    char const* const unreadable = "/credential/response/clientDataJSON format";
    add("crossOrigin as text", unreadable, {.client_data = {{"crossOrigin", "false"}}},
        "simplewebauthn leaves crossOrigin to its caller");
    add("client data that is no JSON", unreadable, {.client_data_json = client_data(type, ",")});
    add("two documents in the client data", unreadable, {.client_data_json = client_data(type, "") + "{}"});
    add("client data that is no object", unreadable, {.client_data_json = "[]"});
    add("client data without a type", unreadable,
        {.client_data_json = R"({"challenge":"Y2Nj","origin":"x"})"});
    add("client data that is not UTF-8", unreadable,
        {.client_data_json = client_data(type, ",\"x\":\"\xff\"")}, "simplewebauthn replaces wrong UTF-8");
    add("a challenge with padding", unreadable, {.challenge = base64url::encode(challenge) + "="});
    add("deeply nested client data", unreadable,
        {.client_data_json = client_data(type, ",\"x\":" + std::string(40, '[') + std::string(40, ']'))},
        "the depth of JSON is limited here");
    add("client data with a byte order mark", unreadable,
        {.client_data_json = "\xef\xbb\xbf" + client_data(type, "")}, "browsers send none");

    add("another RP id", "rp_id", {.rp_id = "example.com"});
    add("an absent user", "user_presence", {.clear_flags = up});
    add("an unverified user", "user_verification", {.clear_flags = uv});
    add("backed up but not eligible for it", "flags", {.set_flags = bs});
    add("reserved flags", "accepted", {.set_flags = 0x22}, "");
    char const* const malformed = "malformed";
    add("bytes after the authenticator data", malformed, {.after = "x"});
    add("missing extensions", malformed, {.set_flags = ed});
    add("extensions without their flag", malformed,
        {.clear_flags = ed, .extensions = cbor::map({{cbor::text("credProps"), cbor::boolean(true)}})});
    add("truncated extensions", malformed, {.extensions = "\xa1\x63"});
    for (auto const* name : {"credBlob", "hmac-secret"})
        add((std::string("a floating-point number as ") + name).c_str(), malformed,
            {.extensions = cbor::map({{cbor::text(name), std::string("\xfa\0\0\0\0", 5)}})});
    add("a tag", malformed,
        {.extensions = cbor::map({{cbor::text("x"), cbor::head(6, 1) + cbor::number(0)}})},
        "CTAP's canonical CBOR has no tags");
    add("unknown extensions", "accepted",
        {.extensions = cbor::map({{cbor::text("uvm"), cbor::array({cbor::array({cbor::number(2)})})}})});
}

/// COSE keys that are wrong.
void add_public_keys(Attempts& attempts)
{
    using namespace cbor;
    auto const key = [](std::int64_t kty, std::int64_t alg, Members more) {
        more.insert(more.begin(), {{number(1), number(kty)}, {number(3), number(alg)}});
        return map(more);
    };
    auto const point = [&](std::string const& x, std::string const& y, int curve = 1) {
        return key(2, -7, {{number(-1), number(curve)}, {number(-2), bytes(x)}, {number(-3), bytes(y)}});
    };
    std::string const one = std::string(31, '\0') + '\1';
    std::string const unused = "simplewebauthn reads the key of an attestation \"none\" only when it is used";
    attempts.registration(
        "a point that is not on the curve", "public_key", {.public_key = point(one, one)}, unused);
    attempts.registration("the point 0", "public_key",
        {.public_key = point(std::string(32, '\0'), std::string(32, '\0'))}, unused);
    attempts.registration(
        "a coordinate of 31 bytes", "public_key", {.public_key = point(one.substr(1), one)}, unused);
    attempts.registration(
        "a point of another curve", "public_key", {.public_key = point(one, one, 2)}, unused);
    attempts.registration("a key without its point", "public_key",
        {.public_key = key(2, -7, {{number(-1), number(1)}})}, unused);
    attempts.registration("a key of another type", "public_key",
        {.public_key = key(1, -7, {{number(-1), number(6)}, {number(-2), bytes(one)}})}, unused);
    attempts.registration("a short Ed25519 key", "public_key",
        {.public_key = key(1, -8, {{number(-1), number(6)}, {number(-2), bytes(one.substr(1))}})}, unused);
    attempts.registration("ECDSA with SHA-384", "algorithm",
        {.public_key = key(2, -35,
             {{number(-1), number(2)}, {number(-2), bytes(std::string(48, 'x'))},
                 {number(-3), bytes(std::string(48, 'y'))}})});
    attempts.registration("RSA with SHA-1", "algorithm",
        {.public_key =
                key(3, -65535, {{number(-1), bytes(std::string(256, 'n'))}, {number(-2), bytes("\1\0\1")}})});
    attempts.registration("a key without an algorithm", "algorithm",
        {.public_key = map({{number(1), number(2)}, {number(-1), number(1)}, {number(-2), bytes(one)},
             {number(-3), bytes(one)}})});
    attempts.registration("an algorithm as text", "algorithm",
        {.public_key = map({{number(1), number(2)}, {number(3), text("ES256")}})});
    attempts.registration("a key that is no map", "algorithm", {.public_key = text("key")});
    auto const rsa = [&](std::string const& modulus, std::string const& exponent) {
        return key(3, -257, {{number(-1), bytes(modulus)}, {number(-2), bytes(exponent)}});
    };
    std::string const exponent("\1\0\1", 3);
    attempts.registration(
        "an even RSA modulus", "public_key", {.public_key = rsa(std::string(256, '\xfe'), exponent)}, unused);
    attempts.registration("an RSA modulus of 2040 bits", "public_key",
        {.public_key = rsa('\0' + std::string(255, '\xff'), exponent)}, unused);
    attempts.registration("the RSA exponent 1", "public_key",
        {.public_key = rsa(std::string(256, '\xff'), std::string("\0\0\1", 3))}, unused);
    for (std::size_t const bits : {1'024U, 3'072U, 4'096U}) {
        auto authenticator = new_authenticator(Key::rs256);
        authenticator.rsa_bits = bits;
        attempts.registration(authenticator, "an RSA key of " + std::to_string(bits) + " bits", "public_key",
            {}, "libfido2 has only RSA keys of 2048 bits; authenticators make no others");
    }
    attempts.registration("a huge count in a key", "malformed", {.public_key = head(5, 1ULL << 60)});
    attempts.registration("indefinite lengths", "malformed", {.public_key = "\xbf\xff"});
}

void add_attestations(Attempts& attempts)
{
    using namespace cbor;
    auto const certificates = map({{text("alg"), number(-7)}, {text("sig"), bytes("sig")},
        {text("x5c"), array({bytes("certificate")})}});
    for (auto const key : {Key::es256, Key::eddsa, Key::rs256}) {
        auto const name = " of algorithm " + std::to_string(static_cast<int>(key));
        attempts.registration("a self attestation" + name, "accepted", {.format = "packed"}, "", key);
        attempts.registration("a self attestation with a wrong signature" + name, "signature",
            {.format = "packed", .wrong_signature = true}, "", key);
        attempts.registration("a self attestation with extensions" + name, "accepted",
            {.extensions = map({{text("credProtect"), number(2)}, {text("hmac-secret"), boolean(true)}}),
                .format = "packed"},
            "", key);
    }
    attempts.registration("a self attestation with all extensions", "accepted",
        {.extensions = map({{text("other"), number(7)}, {text("credBlob"), boolean(true)},
             {text("credProtect"), number(3)}, {text("minPinLength"), number(4)}}),
            .format = "packed"});
    attempts.registration("a self attestation of another algorithm", "algorithm",
        {.format = "packed", .statement_algorithm = -257}, "simplewebauthn does not compare the algorithms");
    attempts.registration(
        "an attestation with certificates", "format", {.format = "packed", .statement = certificates});
    attempts.registration("an attestation with an empty list of certificates", "format",
        {.format = "packed",
            .statement =
                map({{text("alg"), number(-7)}, {text("sig"), bytes("sig")}, {text("x5c"), array({})}})});
    attempts.registration("an attestation without a signature", "malformed",
        {.format = "packed", .statement = map({{text("alg"), number(-7)}})});
    attempts.registration("an attestation without an algorithm", "malformed",
        {.format = "packed", .statement = map({{text("sig"), bytes("sig")}})});
    attempts.registration(
        "an empty self attestation", "malformed", {.format = "packed", .statement = map({})});
    attempts.registration("no attestation, but a statement", "format", {.statement = certificates});
    for (auto const* format : {"fido-u2f", "tpm", "android-key", "apple", "compound", "", "NONE"})
        attempts.registration(std::string("the attestation \"") + format + '"', "format",
            {.format = format, .statement = certificates});

    auto const object = [&](char const* name, char const* verdict, std::function<void(std::string&)> change,
                            char const* difference = "") {
        attempts.registration(name, verdict, {.attestation = std::move(change)}, difference);
    };
    object(
        "bytes after the attestation object", "malformed", [](std::string& o) { o += 'x'; },
        "simplewebauthn ignores such bytes");
    object(
        "a truncated attestation object", "malformed", [](std::string& o) { o.pop_back(); },
        "simplewebauthn reads byte strings that are too short");
    object("an empty map as the attestation object", "malformed", [](std::string& o) { o = map({}); });
    object("an array as the attestation object", "malformed",
        [](std::string& o) { o = array({text("fmt"), text("none")}); });
    object("a huge count in the attestation object", "malformed",
        [](std::string& o) { o = head(5, 1ULL << 61); });
    object("authenticator data as text", "malformed", [](std::string& o) {
        o = map({{text("fmt"), text("none")}, {text("attStmt"), map({})}, {text("authData"), text("data")}});
    });
    object("short authenticator data", "malformed", [](std::string& o) {
        o = map({{text("fmt"), text("none")}, {text("attStmt"), map({})}, {text("authData"), bytes("data")}});
    });
    object("a member twice", "malformed", [](std::string& o) {
        o[0] = static_cast<char>(o[0] + 1);
        o += text("fmt") + text("none");
    });
    object("an unknown member of the attestation object", "accepted", [](std::string& o) {
        o[0] = static_cast<char>(o[0] + 1);
        o += text("ep") + boolean(false);
    });
    object(
        "deeply nested members", "malformed",
        [](std::string& o) {
            o[0] = static_cast<char>(o[0] + 1);
            o += text("x") + std::string(40, '\x81') + number(0);
        },
        "CTAP's canonical CBOR has at most four levels");
}

void add_credential_ids(Attempts& attempts)
{
    auto longest = new_authenticator();
    longest.credential_id(std::string(1'023, 'i'));
    attempts.registration(longest, "an id of 1023 bytes", "accepted");
    auto longer = new_authenticator();
    longer.credential_id(std::string(1'024, 'i'));
    attempts.registration(longer, "an id of 1024 bytes",
        "/credential/id too_long, /credential/rawId too_long", {},
        "WebAuthn limits ids to 1023 bytes; simplewebauthn does not check it");
    attempts.registration("another id in the attested data", "credential_id", {.signed_id = "other"},
        "simplewebauthn takes the id from the attested data");
    attempts.registration("an empty id in the attested data", "credential_id", {.signed_id = ""},
        "simplewebauthn does not check the length");
    attempts.registration("an id in the attested data of 2000 bytes", "credential_id",
        {.signed_id = std::string(2'000, 'i')}, "simplewebauthn does not check the length");
    attempts.registration("no credential in the authenticator data", "malformed", {.clear_flags = at});
}

/// Bodies that are no credential at all.
void add_json(Attempts& attempts)
{
    for (bool const assertion : {false, true}) {
        std::string const kind = assertion ? "assertion: " : "registration: ";
        auto const add = [&](char const* name, char const* verdict,
                             std::function<void(json::object&)> const& change, char const* difference = "") {
            attempts.changed(kind + name, verdict, assertion, change, difference);
        };
        add("another rawId", "/credential/rawId not_allowed", [](auto& c) { c["rawId"] = "b3RoZXI"; });
        add("no id", "/credential/id required", [](auto& c) { c.erase("id"); });
        add("another type", "/credential/type not_allowed", [](auto& c) { c["type"] = "password"; });
        add("no type", "/credential/type required", [](auto& c) { c.erase("type"); });
        add("no response", "/credential/response required", [](auto& c) { c.erase("response"); });
        add("no client data", "/credential/response/clientDataJSON required",
            [](auto& c) { response_of(c).erase("clientDataJSON"); });
        add(
            "client data that is too long", "/credential/response/clientDataJSON too_long",
            [](auto& c) { change_bytes(c, "clientDataJSON", [](auto& bytes) { bytes.append(5'000, ' '); }); },
            assertion ? "" : "the size is limited here");
        add("unknown members", "accepted", [](auto& c) {
            c["unknown"] = 1;
            response_of(c)["unknown"] = json::array{1};
        });
        add("padding", "/credential/response/clientDataJSON format", [](auto& c) {
            auto& text = response_of(c).at("clientDataJSON").as_string();
            text += "==";
        });
    }
    attempts.changed("an unreadable attestation object", "/credential/response/attestationObject format",
        false, [](auto& c) { response_of(c)["attestationObject"] = "a b"; });
    attempts.changed("odd transports", "accepted", false, [](auto& c) {
        response_of(c)["transports"] = json::array{"usb", 7, "usb", "Not A Name", "smart-card"};
    });
    attempts.changed(
        "another id", "credential_id", true, [](auto& c) { c["id"] = c["rawId"] = "b3RoZXI"; },
        "simplewebauthn leaves the choice of the credential to its caller");
    attempts.changed(
        "an empty user handle", "/credential/response/userHandle too_short", true,
        [](auto& c) { response_of(c)["userHandle"] = ""; },
        "simplewebauthn leaves the user handle to its caller");
    attempts.changed(
        "a null user handle", "accepted", true, [](auto& c) { response_of(c)["userHandle"] = nullptr; });
    attempts.changed("a signature of 600 bytes", "/credential/response/signature too_long", true,
        [](auto& c) { response_of(c)["signature"] = base64url::encode(std::string(600, 's')); });
    attempts.changed("an empty signature", "/credential/response/signature too_short", true,
        [](auto& c) { response_of(c)["signature"] = ""; });
    attempts.changed("a changed flag after signing", "signature", true, [](auto& c) {
        change_bytes(
            c, "authenticatorData", [](auto& bytes) { bytes[32] = static_cast<char>(bytes[32] ^ 0x02); });
    });
    attempts.changed("changed client data after signing", "signature", true,
        [](auto& c) { change_bytes(c, "clientDataJSON", [](auto& bytes) { bytes += ' '; }); });
    attempts.changed("truncated authenticator data", "malformed", true,
        [](auto& c) { change_bytes(c, "authenticatorData", [](auto& bytes) { bytes.pop_back(); }); });
}

void add_assertions(Attempts& attempts)
{
    for (auto const key : {Key::es256, Key::eddsa, Key::rs256}) {
        auto const name = " of algorithm " + std::to_string(static_cast<int>(key));
        attempts.registration("a registration" + name, "accepted", {}, "", key);
        attempts.assertion("an assertion" + name, "accepted", {}, "", key);
        attempts.assertion("a wrong signature" + name, "signature", {.wrong_signature = true}, "", key);
        attempts.assertion("an assertion with extensions" + name, "accepted",
            {.extensions = cbor::map({{cbor::text("credBlob"), cbor::bytes("blob")},
                 {cbor::text("hmac-secret"), cbor::bytes(std::string(48, 'x'))}})},
            "", key);
    }
    auto one = new_authenticator();
    auto other = new_authenticator();
    auto stored = registered(one);
    auto const mixed = registered(other);
    auto wrong = stored;
    wrong.public_key = mixed.public_key;
    Attempt of_another{.name = "the key of another passkey",
        .credential = one.get(request()),
        .verdict = "signature",
        .stored = wrong,
        .cose_key = other.cose_key()};
    attempts.all.push_back(std::move(of_another));

    attempts.assertion("without a user handle", "accepted", {.user_handle = false});
    attempts.assertion("a credential in an assertion", "malformed", {.set_flags = at});
    attempts.assertion("a credential in an assertion, complete", "flags",
        {.set_flags = at, .after = std::string(16, '\0') + std::string("\0\2id", 4) + other.cose_key()},
        "WebAuthn Level 3, 6.1 forbids it, but the verification steps do not check it");

    attempts.assertion("a counter that stays", "counter", {.sign_count = 1});
    attempts.assertion("a counter that goes back to 0", "counter", {.sign_count = 0});
    attempts.assertion("a counter that grows by 1000", "accepted", {.sign_count = 1'001});
    attempts.assertion("the largest counter", "accepted", {.sign_count = 0xffffffff});
    auto silent = new_authenticator();
    silent.counts = false;
    auto const uncounted = registered(silent);
    attempts.assertion(silent, uncounted, "no counter", "accepted");
    attempts.assertion(silent, uncounted, "a counter that begins", "accepted", {.sign_count = 1});

    auto phone = new_authenticator();
    phone.synchronised = true;
    auto const synchronised = registered(phone);
    attempts.assertion(phone, synchronised, "a synchronised passkey", "accepted");
    attempts.assertion(
        phone, synchronised, "a passkey that is no longer backed up", "accepted", {.clear_flags = bs});
    std::string const unknown = "simplewebauthn does not know the eligibility at the registration";
    attempts.assertion(phone, synchronised, "a passkey that is no longer eligible", "flags",
        {.clear_flags = be | bs}, unknown);
    attempts.assertion("a passkey that became eligible", "flags", {.set_flags = be}, unknown);

    auto key = new_authenticator();
    stored = registered(key);
    key.verifies_user = false;
    attempts.assertion(key, stored, "an unverified user where none is required", "accepted", {}, "", false);
    attempts.assertion(key, stored, "an absent user where no verified one is required", "user_presence",
        {.clear_flags = up}, "", false);
}

} // namespace

std::vector<Attempt> const& all()
{
    static std::vector<Attempt> const made = [] {
        Attempts attempts;
        add_assertions(attempts);
        for (bool const assertion : {false, true})
            add_client_data(attempts, assertion);
        add_public_keys(attempts);
        add_attestations(attempts);
        add_credential_ids(attempts);
        add_json(attempts);
        return std::move(attempts.all);
    }();
    return made;
}

} // namespace ceremonies
