#include "account_browser.hpp"
#include "passkeys.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>

// The pages that add a second factor, and the options for passkeys.

namespace {

namespace json = boost::json;

/// The browser of a user who signs in where a second factor is required and has none. It shows the choice.
PageClient browser_told_to_enrol(World const& world, Account const& account, std::string const& next = "")
{
    PageClient client(world);
    auto const page = client.fill_in(next.empty() ? "/login" : "/login?next=" + next,
        {{"email", account.email}, {"password", account.password}}, "/login");
    REQUIRE(page.location == "/enroll");
    return client;
}

/// All matches of the first group.
std::vector<std::string> matches(std::string const& text, std::string const& pattern)
{
    std::vector<std::string> found;
    std::regex const expression(pattern);
    for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it)
        found.push_back((*it)[1]);
    return found;
}

std::vector<std::string> codes_of(HostedPage const& page)
{
    return matches(page.body, "<li><code>([^<]+)</code></li>");
}

/// The secret of the page with the QR code.
std::string secret_of(HostedPage const& page)
{
    auto const found = matches(page.body, "data-text=\"([A-Z2-7]+)\"");
    REQUIRE(found.size() == 1);
    return found.front();
}

/// The drawing of the QR code, and the link to the app below it.
std::string picture_of(HostedPage const& page)
{
    auto const begin = page.body.find("<svg class=\"qr\""), end = page.body.find("<details>", begin);
    REQUIRE(end != std::string::npos);
    return page.body.substr(begin, end - begin);
}

/// The countries of the list, and the selected one.
std::pair<std::vector<std::string>, std::string> countries_of(HostedPage const& page)
{
    auto const selected = matches(page.body, "<option value=\"([A-Z]{2})\" selected>");
    CHECK(selected.size() <= 1);
    return {matches(page.body, "<option value=\"([A-Z]{2})\""), selected.empty() ? "" : selected.front()};
}

HostedPage enter_phone(PageClient& client, std::string const& country, std::string const& phone)
{
    return client.fill_in("/enroll/sms", {{"country", country}, {"phone", phone}});
}

/// The response to POST /passkey/options, which is JSON.
testing::HttpResponse options_for(World const& world, PageClient& client, std::string const& purpose,
    std::optional<std::string> const& csrf = std::nullopt)
{
    auto const token = csrf ? *csrf : PageClient::csrf_of(client.get("/reset"));
    std::string cookies;
    for (auto const& [name, value] : client.cookies)
        cookies += name + '=' + value + "; ";
    auto caller = world.client();
    return caller.request("POST", "/passkey/options",
        {{"Content-Type", "application/x-www-form-urlencoded"}, {"Cookie", cookies}},
        "csrf=" + token + "&for=" + purpose);
}

json::object options_of(testing::HttpResponse const& response)
{
    INFO(response.body);
    REQUIRE(response.status == 200);
    CHECK(response.header("cache-control") == "no-store");
    return response.json().as_object();
}

std::string location_in(testing::HttpResponse const& response)
{
    return text(response.json(), "location");
}

} // namespace

TEST_CASE("without a sign-in, /enroll shows the consent text of messages", "[pages]")
{
    World const world;
    world.set({{"brand", "Demo & <Sons>"}});
    PageClient client(world);
    auto page = client.get("/enroll");
    CHECK(page.status == 200);
    CHECK(page.title == "Protect your account");
    for (auto const* words : {World::provider, "on behalf of Demo & <Sons>.", "Message frequency varies.",
             "Message and data rates may apply.", "Reply STOP to opt out, HELP for help."}) {
        INFO(words);
        CHECK(page.says(words));
    }
    CHECK(page.links_to("/login?next=/enroll"));
    CHECK_FALSE(page.links_to("/enroll/sms"));

    // The other pages lead to the sign-in.
    auto const csrf = PageClient::csrf_of(client.get("/login"));
    for (std::string const path : {"/enroll/sms", "/enroll/totp", "/enroll/passkey"}) {
        INFO(path);
        CHECK(client.get_raw(path).location == "/login?next=" + path);
        CHECK(client.post_raw(path, {{"csrf", csrf}}).location == "/login?next=" + path);
    }
    CHECK(client.get_raw("/enroll/sms/code").location == "/login?next=/enroll/sms");
    for (auto const* path : {"/enroll/sms/code", "/enroll/sms/resend"})
        CHECK(client.post_raw(path, {{"csrf", csrf}}).location == "/login?next=/enroll/sms");
    CHECK(client.post_raw("/enroll/totp/code", {{"csrf", csrf}}).location == "/login?next=/enroll/totp");
}

TEST_CASE("a signed-in user adds a phone", "[pages]")
{
    World const world;
    auto ada = world.new_account();
    auto client = browser_of(world, ada);
    auto page = client.get("/enroll");
    CHECK(page.says("Signed in as " + ada.email));
    for (auto const* path : {"/enroll/sms", "/enroll/totp", "/enroll/passkey"})
        CHECK(page.links_to(path));

    page = client.get("/enroll/sms");
    CHECK(page.says("Signed in as " + ada.email));
    CHECK(page.says("you agree that " + std::string(World::provider) + " sends verification codes by SMS"));
    CHECK(page.says("Reply STOP to opt out, HELP for help."));
    auto const phone = World::new_phone(); // +49151…
    page = client.submit(page, "/enroll/sms",
        {{"country", "DE"}, {"phone", "0" + phone.substr(3, 3) + " / " + phone.substr(6)}});
    CHECK(page.location == "/enroll/sms/code");
    CHECK(page.says(phone));
    auto const first = world.code_sent_to(phone);

    page = client.submit(page, "/enroll/sms/code", {{"code", other_code(first)}});
    CHECK(page.status == 400);
    CHECK(page.error["code"] == "This code is wrong. Check it and try again.");
    CHECK(page.says(phone));
    page = client.submit(page, "/enroll/sms/resend", {});
    CHECK(page.status == 200);
    CHECK(page.notice == "A new code is on its way. The previous code no longer works.");
    CHECK(world.messages_to(phone).size() == 2);

    auto const code = world.code_sent_to(phone);
    page =
        client.submit(page, "/enroll/sms/code", {{"code", ' ' + code.substr(0, 3) + ' ' + code.substr(3)}});
    CHECK(page.status == 200);
    CHECK(page.title == "Save your recovery codes");
    CHECK(page.says("Signed in as " + ada.email));
    CHECK(page.notice == "From now on, we can send codes to your phone when you sign in.");
    CHECK(page.links_to("/account"));
    auto const codes = codes_of(page);
    CHECK(codes.size() == 10);
    CHECK(world.verify(world.challenged(ada), "recovery_code", codes.at(0)).status == 200);
    auto const me = world.as(ada).get("/v1/auth/me").json();
    CHECK(text(me, "phone") == phone);
    CHECK(me.at("phoneVerified").as_bool());

    // The page stays signed in, and no longer offers SMS. A session without the factor must prove it first.
    page = client.get("/enroll");
    CHECK_FALSE(page.links_to("/enroll/sms"));
    CHECK(client.get_raw("/enroll/sms").location == "/enroll");
    CHECK(client.get_raw("/enroll/totp").location == "/account/confirm?next=/enroll/totp");
}

TEST_CASE("errors of a phone number are beside the field, which keeps the entry", "[pages]")
{
    World const world;
    world.set({{"smsCountries", json::array{"AT", "DE"}}});
    auto const ada = world.new_account();
    auto client = browser_of(world, ada);
    CHECK(countries_of(client.get("/enroll/sms", {{"Accept-Language", "en"}})) ==
          std::pair(std::vector<std::string>{"AT", "DE"}, std::string()));
    CHECK(countries_of(client.get("/enroll/sms", {{"Accept-Language", "de-DE"}})).second == "DE");

    auto page = enter_phone(client, "DE", "one two");
    CHECK(page.status == 400);
    CHECK(page.error["phone"] == "This is not a phone number. Check the country and the number.");
    CHECK(countries_of(page).second == "DE");
    CHECK(page.body.find("value=\"one two\"") != std::string::npos);

    page = enter_phone(client, "AT", "+1 415 555 0100"); // not in a country of the list
    CHECK(page.status == 422);
    CHECK(page.error["phone"] == "No message can be sent to this number. Use another number or another way.");
    CHECK(countries_of(page).second == "AT");

    // Without a number that waits for its code, the page of the code asks for the number.
    CHECK(client.get_raw("/enroll/sms/code").location == "/enroll/sms");
    auto const csrf = PageClient::csrf_of(page);
    CHECK(client.post_raw("/enroll/sms/resend", {{"csrf", csrf}}).location == "/enroll/sms");
    page = client.post_raw("/enroll/sms/code", {{"csrf", csrf}, {"code", "123456"}});
    CHECK(page.status == 409);
    CHECK(page.title == "Add your phone number");
    CHECK(page.alert == "This code is too old. Request a new one.");
}

TEST_CASE("the list of countries has all countries unless the tenant allows only some", "[pages]")
{
    World const world;
    auto client = browser_of(world, world.new_account());
    auto const [all, selected] = countries_of(client.get("/enroll/sms", {{"Accept-Language", "de-AT"}}));
    CHECK(all.size() > 230);
    CHECK(selected == "AT");
    CHECK(countries_of(client.get("/enroll/sms")).second == "US");
}

TEST_CASE("a signed-in user adds an authenticator app", "[pages]")
{
    World const world;
    auto ada = world.new_account();
    auto client = browser_of(world, ada);
    auto page = client.get("/enroll/totp");
    CHECK(page.says("Signed in as " + ada.email));
    CHECK(page.body.find("<svg class=\"qr\"") == std::string::npos); // a GET request changes nothing
    page = client.submit(page, "/enroll/totp", {});
    CHECK(page.status == 200);
    ada.totp_secret = secret_of(page);
    CHECK(page.says(ada.totp_secret.substr(0, 4) + ' ' + ada.totp_secret.substr(4, 4)));
    CHECK(page.body.find("href=\"otpauth://totp/") != std::string::npos);

    auto const picture = picture_of(page);
    page = client.submit(page, "/enroll/totp/code", {{"code", other_code(world.totp_code(ada))}});
    CHECK(page.status == 400);
    CHECK(page.error["code"] == "This code is wrong. Check it and try again.");
    CHECK(secret_of(page) == ada.totp_secret);
    CHECK(picture_of(page) == picture);

    page = client.submit(page, "/enroll/totp/code", {{"code", world.totp_code(ada)}});
    CHECK(page.title == "Save your recovery codes");
    CHECK(codes_of(page).size() == 10);
    CHECK(world.login(ada).status == 403);
    CHECK(client.get_raw("/enroll/totp").location == "/enroll");
}

TEST_CASE("the page of an authenticator app shows only secrets, and begins again without one", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    auto client = browser_of(world, ada);
    auto page = client.get("/enroll/totp");
    auto const csrf = PageClient::csrf_of(page);
    page = client.post_raw("/enroll/totp/code", {{"csrf", csrf}, {"code", "123456"}});
    CHECK(page.status == 409);
    CHECK(page.alert == "This code is too old. Request a new one.");
    CHECK(page.links_to("/enroll/totp"));
    client.submit(page, "/enroll/totp", {});
    page = client.post_raw("/enroll/totp/code",
        {{"csrf", csrf}, {"code", "123456"}, {"secret", "\"><script>alert(1)</script>"}});
    CHECK(page.status == 400);
    CHECK(page.body.find("alert(1)") == std::string::npos);
    CHECK(page.links_to("/enroll/totp"));
}

TEST_CASE("a sign-in that requires a factor continues on the pages and opens a session", "[pages]")
{
    World const world;
    auto ada = world.new_account();
    world.set({{"mfaPolicy", "required"}});
    auto client = browser_told_to_enrol(world, ada, "/account/password");
    auto page = client.get("/enroll");
    CHECK(page.says("Signing in as " + ada.email));
    CHECK(session_of(client).empty());

    page = client.fill_in("/enroll/totp", {});
    CHECK(page.says("Signing in as " + ada.email));
    ada.totp_secret = secret_of(page);
    page = client.submit(page, "/enroll/totp/code", {{"code", world.totp_code(ada)}});
    CHECK(page.title == "Save your recovery codes");
    CHECK(page.says("Signed in as " + ada.email));
    CHECK(codes_of(page).size() == 10);
    CHECK(page.links_to("/account/password"));
    CHECK_FALSE(session_of(client).empty());
    CHECK_FALSE(client.cookies.contains("__Host-sign-in"));
    CHECK(client.get_raw("/account/password").status == 200);
    CHECK(client.get_raw("/enroll/sms").status == 200); // the session is strong and fresh
}

TEST_CASE("an enrolment that another browser has completed begins again", "[pages]")
{
    World const world;
    auto ada = world.new_account();
    world.set({{"mfaPolicy", "required"}});
    auto client = browser_told_to_enrol(world, ada), other = browser_told_to_enrol(world, ada);
    auto const form = other.get("/enroll/sms");
    auto const page = client.fill_in("/enroll/totp", {});
    ada.totp_secret = secret_of(page);
    CHECK(client.submit(page, "/enroll/totp/code", {{"code", world.totp_code(ada)}}).status == 200);

    auto const refused = other.post_raw("/enroll/sms",
        {{"csrf", PageClient::csrf_of(form)}, {"country", "DE"}, {"phone", World::new_phone()}});
    CHECK(refused.location == "/login?next=/enroll/sms");
    CHECK_FALSE(other.cookies.contains("__Host-sign-in"));
}

TEST_CASE("a user adds passkeys", "[pages]")
{
    World const world;
    auto ada = world.new_account();
    auto client = browser_of(world, ada);
    auto page = client.get("/enroll/passkey",
        {{"User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0"}});
    CHECK(page.says("Signed in as " + ada.email));
    CHECK(PageClient::fields_of(page, "/enroll/passkey").back() ==
          std::pair<std::string, std::string>("name", "Firefox (Windows)"));

    auto phone = new_phone_with_passkeys();
    auto options = options_of(options_for(world, client, "register"));
    auto credential = json::serialize(phone.create(options));
    page = client.submit(page, "/enroll/passkey", {{"name", ""}, {"credential", credential}});
    CHECK(page.status == 400);
    CHECK(page.error["name"] == "This is too short.");
    page = client.submit(page, "/enroll/passkey", {{"name", "Phone"}, {"credential", "{"}});
    CHECK(page.status == 400);
    CHECK(page.alert == "The passkey was not used. Try again, or choose another way.");
    page = client.submit(page, "/enroll/passkey", {{"name", "Ada's phone"}, {"credential", credential}});
    CHECK(page.title == "Save your recovery codes");
    CHECK(codes_of(page).size() == 10);
    CHECK(sign_in_with(world, phone).status == 200);

    // The second passkey brings no recovery codes. The session must have proved the first one.
    page = client.get("/enroll/passkey");
    CHECK(page.location == "/account/confirm?next=/enroll/passkey");
    options = options_of(options_for(world, client, "confirm"));
    CHECK(options.at("allowCredentials").as_array().size() == 1);
    page = client.submit(page, "/account/confirm",
        {{"method", "passkey"}, {"credential", json::serialize(phone.get(options))}});
    CHECK(page.location == "/enroll/passkey");
    auto key = new_phone_with_passkeys();
    options = options_of(options_for(world, client, "register"));
    CHECK(options.at("excludeCredentials").as_array().size() == 1);
    page = client.submit(
        page, "/enroll/passkey", {{"name", "Key"}, {"credential", json::serialize(key.create(options))}});
    CHECK(page.location == "/account?notice=passkey_added");
    CHECK(page.notice == "From now on, you can sign in with your passkey.");
}

TEST_CASE("adding a factor needs a recent authentication", "[pages]")
{
    World world;
    auto const ada = world.new_account();
    auto client = browser_of(world, ada);
    auto const csrf = PageClient::csrf_of(client.get("/enroll/sms"));
    world.clock.advance(too_long);
    CHECK(client.get_raw("/enroll").status == 200);
    for (std::string const path : {"/enroll/sms", "/enroll/totp", "/enroll/passkey"}) {
        INFO(path);
        CHECK(client.get_raw(path).location == "/account/confirm?next=" + path);
    }
    CHECK(client.post_raw("/enroll/sms", {{"csrf", csrf}, {"phone", World::new_phone()}}).location ==
          "/account/confirm?next=/enroll/sms");
    CHECK(client.post_raw("/enroll/totp", {{"csrf", csrf}}).location == "/account/confirm?next=/enroll/totp");
    CHECK(location_in(options_for(world, client, "register")) == "/account/confirm?next=/enroll/passkey");
}

TEST_CASE("options for passkeys are those of the form's purpose", "[pages]")
{
    World const world;
    auto ada = world.new_account();
    auto phone = new_phone_with_passkeys();
    register_passkey(world, ada, phone);
    PageClient client(world);

    auto options = options_of(options_for(world, client, "sign-in"));
    CHECK(options.at("allowCredentials").as_array().empty());
    CHECK(text(options, "userVerification") == "required");
    auto page = client.get("/login");
    page = client.submit(page, "/login/passkey", {{"credential", json::serialize(phone.get(options))}});
    CHECK(page.location == "/account");
    // Options for a sign-in name no passkeys, also if a user is signed in.
    CHECK(options_of(options_for(world, client, "sign-in")).at("allowCredentials").as_array().empty());
    CHECK(options_of(options_for(world, client, "confirm")).at("allowCredentials").as_array().size() == 1);

    PageClient second(world);
    page = second.fill_in("/login", {{"email", ada.email}, {"password", ada.password}});
    CHECK(page.location == "/login/verify");
    options = options_of(options_for(world, second, "verify"));
    CHECK(options.at("allowCredentials").as_array().size() == 1);
    page = second.submit(page, "/login/verify", {{"credential", json::serialize(phone.get(options))}});
    CHECK(page.location == "/account");
}

TEST_CASE("options for passkeys are refused without a user or a form", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    auto signed_in = browser_of(world, world.new_account());
    PageClient client(world);
    auto refused = options_for(world, client, "verify");
    CHECK(refused.status == 401);
    CHECK(location_in(refused) == "/login?notice=expired");
    CHECK(location_in(options_for(world, client, "confirm")) == "/login?notice=expired");
    CHECK(location_in(options_for(world, client, "register")) == "/login?next=/enroll/passkey");
    CHECK(options_for(world, client, "sign-in", "forged").status == 403);

    // An enrolment may register a passkey, but has nothing to confirm.
    world.set({{"mfaPolicy", "required"}});
    auto enrolling = browser_told_to_enrol(world, ada);
    CHECK(options_for(world, enrolling, "confirm").status == 401);
    auto phone = new_phone_with_passkeys();
    auto const options = options_of(options_for(world, enrolling, "register"));
    auto const page = enrolling.fill_in(
        "/enroll/passkey", {{"name", "Phone"}, {"credential", json::serialize(phone.create(options))}});
    CHECK(page.title == "Save your recovery codes");
    CHECK_FALSE(session_of(enrolling).empty());

    refused = options_for(world, signed_in, "nothing");
    CHECK(refused.status == 400);
    CHECK_FALSE(text(refused.json(), "message").empty());
}
