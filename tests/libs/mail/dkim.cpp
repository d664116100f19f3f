#include "mail/dkim.hpp"

#include "crypto/encoding.hpp"
#include "crypto/rsa_key.hpp"
#include "mail/mime.hpp"
#include "mailauth.hpp"
#include "mailing.hpp"

using namespace mailing;

TEST_CASE("an independent verifier accepts the signature of a message, and no other content")
{
    auto const key = crypto::RsaSigningKey::generate();
    testing::DnsServer dns;
    dns.serve(
        {{"s1._domainkey.example.com", {"v=DKIM1; k=rsa; p=" + crypto::base64::encode(key.public_der())}}});
    auto message = message_to("ada@example.org", "Grüße");
    message.text = "Text";
    auto const composed = compose(message, {"Ada", "hello@example.com"}, "id@example.com");
    REQUIRE(composed);
    DkimSigner const signer;
    auto const sent = signer.sign(*composed, {"example.com", "s1", key.to_pem()}) + *composed;
    auto const found = testing::signatures(sent, dns);
    REQUIRE(found.size() == 1);
    CHECK(text(found[0], "result") == "pass");
    CHECK(text(found[0], "domain") == "example.com");
    CHECK(text(found[0], "aligned") == "example.com");

    auto forged = sent;
    forged.replace(forged.find("To: ada@"), 8, "To: eve@");
    CHECK(text(testing::signatures(forged, dns).at(0), "result") != "pass");
    CHECK(testing::signatures(*composed, dns).empty());
}

TEST_CASE("a signature covers the headers of one-click unsubscribe")
{
    auto const key = crypto::RsaSigningKey::generate();
    testing::DnsServer dns;
    dns.serve(
        {{"s1._domainkey.example.com", {"v=DKIM1; k=rsa; p=" + crypto::base64::encode(key.public_der())}}});
    auto message = message_to("ada@example.org", "Hello");
    message.text = "Text";
    message.thread = message.id;
    message.auto_generated = true;
    message.unsubscribe = Unsubscribe{"https://demo.example.com/unsubscribe/token"};
    auto const composed = compose(message, {"Ada", "hello@example.com"}, "id@example.com");
    REQUIRE(composed);
    auto const sent = DkimSigner().sign(*composed, {"example.com", "s1", key.to_pem()}) + *composed;
    CHECK(text(testing::signatures(sent, dns).at(0), "result") == "pass");
    for (std::string const part : {"/token>", "=One-Click", "auto-generated"}) {
        auto forged = sent;
        forged.replace(forged.find(part), 2, "xx");
        INFO(part);
        CHECK(text(testing::signatures(forged, dns).at(0), "result") != "pass");
    }
}

TEST_CASE("an invalid key and a message without a body are not signed")
{
    DkimSigner const signer;
    CHECK_THROWS(signer.sign("From: a@example.com\r\n\r\nx", {"example.com", "s", core::Secret("no key")}));
    auto const key = crypto::RsaSigningKey::generate().to_pem();
    CHECK_THROWS(signer.sign("From: a@example.com", {"example.com", "s", key}));
}
