#include "factors.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>

namespace {

std::string text_of_first_code(testing::HttpResponse const& r)
{
    return std::string(r.json().at("recoveryCodes").at(0).as_string());
}

} // namespace

TEST_CASE("each recovery code works once, in lower case and without dashes too", "[recovery]")
{
    World const world;
    auto const ada = world.new_account_with_totp();
    auto const use = [&](std::string const& code) {
        return world.verify(world.challenged(ada), "recovery_code", code);
    };
    auto const left = [&] {
        return world.as(ada).get("/v1/auth/mfa").json().at("recoveryCodesLeft").as_int64();
    };
    CHECK(left() == 10);
    CHECK(use(ada.recovery_codes[0]).status == 200);
    CHECK(outcome(use(ada.recovery_codes[0])) == invalid);
    std::string typed = ada.recovery_codes[1];
    std::erase(typed, '-');
    std::ranges::transform(
        typed, typed.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::ranges::replace(typed, '1', 'l');
    std::ranges::replace(typed, '0', 'o');
    CHECK(use(" " + typed.substr(0, 5) + " " + typed.substr(5)).status == 200);
    CHECK(left() == 8);
    auto wrong = ada.recovery_codes[2];
    wrong.back() = wrong.back() == 'A' ? 'B' : 'A';
    CHECK(outcome(use(wrong)) == invalid); // its first group matches a row
    CHECK(use(ada.recovery_codes[2]).status == 200);
    CHECK(outcome(use("nonsense")) == invalid);
}

TEST_CASE("replacing the recovery codes needs a fresh second factor, and checks a code only if there is one",
    "[recovery]")
{
    World const world;
    auto ada = world.new_account_with_totp();
    auto const replace = [&](std::string const& request) {
        return world.as(ada).post("/v1/auth/mfa/recovery-codes", request);
    };
    CHECK(outcome(replace(code_body(world.totp_code(ada, 1)))) == "403 REAUTHENTICATION_REQUIRED");
    world.reauthenticate(ada);
    CHECK(outcome(replace(code_body(other_code(world.totp_code(ada, 1))))) == invalid);
    CHECK(outcome(replace(code_body(""))) == "400 VALIDATION_ERROR");
    auto const fresh = replace(code_body(world.totp_code(ada, 1)));
    REQUIRE(fresh.status == 200);
    CHECK(fresh.header("cache-control") == "no-store");
    CHECK(fresh.json().at("recoveryCodes").as_array().size() == 10);
    CHECK(outcome(world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes[0])) == invalid);
    auto const with_code = replace(code_body(text_of_first_code(fresh)));
    CHECK(with_code.status == 200);
    CHECK(replace("").status == 200);
    auto const without_code = replace("{}");
    REQUIRE(without_code.status == 200);
    CHECK(outcome(world.verify(world.challenged(ada), "recovery_code", text_of_first_code(with_code))) ==
          invalid);
    CHECK(
        world.verify(world.challenged(ada), "recovery_code", text_of_first_code(without_code)).status == 200);
    auto without_factor = world.as(world.new_account());
    CHECK(outcome(without_factor.post("/v1/auth/mfa/recovery-codes", code_body("123456"))) == setup_required);
}
