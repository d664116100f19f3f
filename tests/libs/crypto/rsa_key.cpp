#include "crypto/rsa_key.hpp"

#include "crypto/jwt.hpp"

#include <boost/json.hpp>
#include <openssl/err.h>

#include <stdexcept>

using crypto::RsaSigningKey;
namespace json = boost::json;

namespace {

// One key in PKCS #8 and PKCS #1 form, and its modulus.
constexpr std::string_view pkcs8 = R"(-----BEGIN PRIVATE KEY-----
MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCW3Jyfl4PC+l74
T/45HvnxsgUfjD8LV8bgGTsb0tDR/rCeUCfpJ8rCYpW5dfH3KscgJknwJpKwvteY
ImVspZHF0AFkgmCbwCVHkFTf35OId7/v60DpSX3rFVM+QorLFDfNA8916kIHnD+7
T15i0kJuBZ6DwaSxjW0Isc54+6TIDtLQu/6z93f7npbarSd4x+ZayLaiq/s5cRtu
ylPB4eY+0UzEg5vPmXO+RvKS1dtFady5b4yeznO5KEVALrsAWCjmKVSgwgVSdeKX
cfmF01z6rqNul2fLNIEJV1V4rBhms7yjRTY2Jz52BZTZ4+T+nN5kgrX3HXkT4gr8
O+K2KIqJAgMBAAECggEAKCDhln/uf/gqN+HLTTVkpbpFK5maEXHVSDnd465Fdn5J
S6slmprHj8I6cl0hsi3STsZwh20zOslgvqpzkR1Pc687F5moifVn1Svar7wgWb4E
s5Q/rW4rjNMc0+ROV+t2VlXLouFfk/enajMX97BXFD3xZrmlDceBN71YHw1MzRvf
wZGGnBQ1+KpSsPlJJhKZJP6dbKLu88HaCPJwuHJrzel5zXySGo0zNtogQ4vp0M2f
dcsc5+zjo7/fQ4orx/aBXdkXV6AtUPVT1bM7dUDoTnew0P8MEkXrRaLjlDbhTdjs
gDKW5jlS1BE3bx7LSeLAJGE3RGLjiVmjx8+tXcv0KwKBgQDF6oK/WNB0T0fO+6mS
1RcpV/lczaacNbNS9Y+zgzOrCiBqjrFr3uEQLDHah3gEhlt7sTgbxHm5eolQ3yy7
yE4hVJqAjyJxTjoFW6FWVuv+z/JN9Wts22q3Vgi0ehUfdaqHoZs+NwXfJPvEu+ec
rIdCZolVfcODhMj6WslSqtbwJwKBgQDDIuYW/+Ls9P1hF6IXTZ3hGxpT1FraPEZj
VQQAeKug2DqN6uvEgGGaTxsAxezHh3z79HqDOxhIP6Qwj2vfZOI0rSbtfjwjW1+x
Gqti1TN83kMw/hUT3/NLhFOnyO45b4fzNSYjXWJWxXgqPD+ULoutlUNnIdyopEOZ
SN3uVp6tzwKBgDQMVzQhFDjyPI03a8H8nim2RBLe1mkQSkeP4qmv4F+juyCqxAf9
RiztonK425w9BUQDOCE9S1G24vPMrUP5CmsDh9o1SjaH/wQ3s7c0Br4tS6iq2QR4
s5jhXEqyLGnolN80ZdI3wCiN3lQ/okp2qN+SfZ1pBIjK29vTEkzWNs5TAoGAO+tP
c+iHKfPgihvTrgwrWqAT6YHfk/vGMWI9pFdpfC5pbIKieuhhEB0SUZ51Ip+8BTIB
HKLcxfKk3DRuD17PBxXUSkDk/oZkT+G8ltCYytMFFtouZrfx4VJ0zaSpYgGZYVkE
qP9X3wUr7OwrKblRMrAOznBbbX1jNIJng3QdrYkCgYAiEjTticD0hPRg4csrpb/7
2XER5ItFmWVftYq2KjnWQoX/GoKHjxS4hl5MiP4Ccx+Zho0bq8d9G5EQH+r5c3Bk
JnSiiEYw4VWJNPeBb2rNY7vzw7HkkLNBAd+QpRgY8PTl0ajRC0dAfT8VT/KXmRMg
GkVUoQYdJ01UZe6dVdQIkQ==
-----END PRIVATE KEY-----
)";
constexpr std::string_view pkcs1 = R"(-----BEGIN RSA PRIVATE KEY-----
MIIEogIBAAKCAQEAltycn5eDwvpe+E/+OR758bIFH4w/C1fG4Bk7G9LQ0f6wnlAn
6SfKwmKVuXXx9yrHICZJ8CaSsL7XmCJlbKWRxdABZIJgm8AlR5BU39+TiHe/7+tA
6Ul96xVTPkKKyxQ3zQPPdepCB5w/u09eYtJCbgWeg8GksY1tCLHOePukyA7S0Lv+
s/d3+56W2q0neMfmWsi2oqv7OXEbbspTweHmPtFMxIObz5lzvkbyktXbRWncuW+M
ns5zuShFQC67AFgo5ilUoMIFUnXil3H5hdNc+q6jbpdnyzSBCVdVeKwYZrO8o0U2
Nic+dgWU2ePk/pzeZIK19x15E+IK/DvitiiKiQIDAQABAoIBACgg4ZZ/7n/4Kjfh
y001ZKW6RSuZmhFx1Ug53eOuRXZ+SUurJZqax4/COnJdIbIt0k7GcIdtMzrJYL6q
c5EdT3OvOxeZqIn1Z9Ur2q+8IFm+BLOUP61uK4zTHNPkTlfrdlZVy6LhX5P3p2oz
F/ewVxQ98Wa5pQ3HgTe9WB8NTM0b38GRhpwUNfiqUrD5SSYSmST+nWyi7vPB2gjy
cLhya83pec18khqNMzbaIEOL6dDNn3XLHOfs46O/30OKK8f2gV3ZF1egLVD1U9Wz
O3VA6E53sND/DBJF60Wi45Q24U3Y7IAyluY5UtQRN28ey0niwCRhN0Ri44lZo8fP
rV3L9CsCgYEAxeqCv1jQdE9HzvupktUXKVf5XM2mnDWzUvWPs4Mzqwogao6xa97h
ECwx2od4BIZbe7E4G8R5uXqJUN8su8hOIVSagI8icU46BVuhVlbr/s/yTfVrbNtq
t1YItHoVH3Wqh6GbPjcF3yT7xLvnnKyHQmaJVX3Dg4TI+lrJUqrW8CcCgYEAwyLm
Fv/i7PT9YReiF02d4RsaU9Ra2jxGY1UEAHiroNg6jerrxIBhmk8bAMXsx4d8+/R6
gzsYSD+kMI9r32TiNK0m7X48I1tfsRqrYtUzfN5DMP4VE9/zS4RTp8juOW+H8zUm
I11iVsV4Kjw/lC6LrZVDZyHcqKRDmUjd7laerc8CgYA0DFc0IRQ48jyNN2vB/J4p
tkQS3tZpEEpHj+Kpr+Bfo7sgqsQH/UYs7aJyuNucPQVEAzghPUtRtuLzzK1D+Qpr
A4faNUo2h/8EN7O3NAa+LUuoqtkEeLOY4VxKsixp6JTfNGXSN8Aojd5UP6JKdqjf
kn2daQSIytvb0xJM1jbOUwKBgDvrT3Pohynz4Iob064MK1qgE+mB35P7xjFiPaRX
aXwuaWyConroYRAdElGedSKfvAUyARyi3MXypNw0bg9ezwcV1EpA5P6GZE/hvJbQ
mMrTBRbaLma38eFSdM2kqWIBmWFZBKj/V98FK+zsKym5UTKwDs5wW219YzSCZ4N0
Ha2JAoGAIhI07YnA9IT0YOHLK6W/+9lxEeSLRZllX7WKtio51kKF/xqCh48UuIZe
TIj+AnMfmYaNG6vHfRuREB/q+XNwZCZ0oohGMOFViTT3gW9qzWO788Ox5JCzQQHf
kKUYGPD05dGo0QtHQH0/FU/yl5kTIBpFVKEGHSdNVGXunVXUCJE=
-----END RSA PRIVATE KEY-----
)";
constexpr std::string_view modulus =
    "ltycn5eDwvpe-E_-OR758bIFH4w_C1fG4Bk7G9LQ0f6wnlAn6SfKwmKVuXXx9yrHICZJ8CaSsL7XmCJlbKWRxdAB"
    "ZIJgm8AlR5BU39-TiHe_7-tA6Ul96xVTPkKKyxQ3zQPPdepCB5w_u09eYtJCbgWeg8GksY1tCLHOePukyA7S0Lv-"
    "s_d3-56W2q0neMfmWsi2oqv7OXEbbspTweHmPtFMxIObz5lzvkbyktXbRWncuW-Mns5zuShFQC67AFgo5ilUoMIF"
    "UnXil3H5hdNc-q6jbpdnyzSBCVdVeKwYZrO8o0U2Nic-dgWU2ePk_pzeZIK19x15E-IK_DvitiiKiQ";

constexpr std::string_view of_1024_bits = R"(-----BEGIN PRIVATE KEY-----
MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAM3QnwDKKlMFAQIT
Qe29kErGgjnk0/njqJVL4wIsZqcuTSVtld7anavaE3Y94BfEXdkdlUnH4K9T8meS
SEJGLA6zt3o3oj7faDYJ6Ave+S8FQNZIQifOBM/Zpt/fmeMtAXCHF3IV1D78Pyqe
7i1F3Pol4QmlEclIWkB5s/HBabwBAgMBAAECgYEApFRpUDEa4BSDvItxvYf4uKuM
+PqrAb/zL9lalLas89k1Qagg3MIC2F8T4PoAfhmMsTk8pJ9R18uYJXgX98qdi2Nl
lTGDDJz4YUr/fyDNhYv3b0Pl32URq2liymZg9cvYVyZMbeacrpWNKfwH+CRPczTP
ZwVvdxX4V7Immc9sr9ECQQD8RFLDL7DC8aO1GJMWfYc/afIxbPShzzoXQ2e4cLSL
yEpP8w9BO3jVQ+GSdlPqpVAjT9111gdpmrEhrwWHqnp1AkEA0NxSPhj8bsa+2rgL
+0bXVV7CVeOe+Z4bXPrPJbEAbD+lc5a1aFd8NC6paqA1s8Uw9pKzJ4aRZ50OXEns
kqNR3QJAURKMHpqHDj+mQx8gtkulWaXs5iGEBTSaELvi642dGIdICqWss2Qvkyp7
phxNH839ETwriiE8xJ2oa5DaEB2juQJBAM95bUE+dNReHY0LsutD7fhiD05etLdm
NexhQZFBiRf/CY4PMdmavkjf6W+AApi30/G8vLcQ2DRDMda/oH/yOQkCQAMP6ryg
uURTwJTHCN9Gzprk1jl3GPBIxjt3CB/CXROX2H6NVNt1W6jCyGNg50NpaHKcllTY
/QMN8u8VejWSquw=
-----END PRIVATE KEY-----
)";

crypto::PublicKey public_half()
{
    return crypto::PublicKey::from_rsa_jwk({{"kty", "RSA"}, {"kid", "k"}, {"n", modulus}, {"e", "AQAB"}})
        .value();
}

} // namespace

TEST_CASE("a token signed with an RSA key verifies with its public key")
{
    for (auto const pem : {pkcs8, pkcs1}) {
        auto const token =
            RsaSigningKey::from_pem(pem).sign({{"kid", "k"}, {"typ", "JWT"}}, {{"iss", "joe"}});
        auto jws = crypto::parse_jws(token);
        REQUIRE(jws);
        CHECK(jws->header == json::parse(R"({"kid": "k", "typ": "JWT", "alg": "RS256"})"));
        CHECK(jws->payload == json::parse(R"({"iss": "joe"})"));
        CHECK(crypto::verify(public_half(), *jws));
        jws->signing_input += 'x';
        CHECK_FALSE(crypto::verify(public_half(), *jws));
    }
    CHECK(ERR_peek_error() == 0);
}

TEST_CASE("keys other than RSA of 2048 bits or more are refused without quoting them")
{
    std::string const cut(pkcs8.substr(0, pkcs8.size() / 2));
    std::string const other_kind = crypto::SigningKey::generate().to_pem().reveal();
    for (std::string_view const pem : {std::string_view(), std::string_view("not a key"),
             std::string_view(cut), of_1024_bits, std::string_view(other_kind)}) {
        try {
            RsaSigningKey::from_pem(pem);
            FAIL("this key was accepted: " << pem);
        } catch (std::invalid_argument const& error) {
            CHECK(std::string_view(error.what()) == "not an RSA private key of 2048 to 8192 bits in PEM");
        }
    }
    CHECK(ERR_peek_error() == 0);
}

TEST_CASE("the public half of an RSA key is a JWK, whose thumbprint is that of RFC 7638")
{
    auto const key = RsaSigningKey::from_pem(pkcs8);
    auto const jwk = key.public_jwk("k");
    CHECK(json::value(jwk) == json::value{{"kty", "RSA"}, {"n", modulus}, {"e", "AQAB"}, {"kid", "k"},
                                  {"use", "sig"}, {"alg", "RS256"}});
    CHECK(crypto::PublicKey::from_rsa_jwk(jwk));
    // Computed with Python's hashlib.
    CHECK(key.thumbprint() == "rA3f276TNKSLq9ft9B1_Hy9hCMYj__uJdR1bvBGUOYA");
    CHECK(RsaSigningKey::from_pem(pkcs1).thumbprint() == key.thumbprint());
    CHECK(RsaSigningKey::generate().thumbprint() != key.thumbprint());
    CHECK(ERR_peek_error() == 0);
}

TEST_CASE("a new RSA key survives its PEM form, and its tokens verify with its JWK")
{
    auto const key = RsaSigningKey::generate();
    auto const copy = RsaSigningKey::from_pem(key.to_pem().reveal());
    CHECK(copy.thumbprint() == key.thumbprint());
    auto const jws = crypto::parse_jws(copy.sign({{"kid", "k"}}, {{"iss", "joe"}}));
    REQUIRE(jws);
    CHECK(crypto::verify(crypto::PublicKey::from_rsa_jwk(key.public_jwk("k")).value(), *jws));
}
