#include "providers/provider_answers.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace std::chrono_literals;
using auth_mfa::ProviderAnswers;
using sms::Outcome;

TEST_CASE("the provider probably takes as long as for one of its last accepted messages", "[answers]")
{
    ProviderAnswers answers(200ms);
    auto const now = ProviderAnswers::Clock::now();
    CHECK(answers.probable(now).took == 200ms);
    answers.add({.outcome = Outcome::unreachable}, 5ms, now);
    CHECK(answers.probable(now).took == 200ms);
    for (int i = 0; i < 200; ++i)
        answers.add({.outcome = Outcome::accepted}, std::chrono::milliseconds(i), now);
    std::set<ProviderAnswers::Clock::duration> seen;
    for (int i = 0; i < 1000; ++i) {
        auto const answer = answers.probable(now);
        CHECK(answer.outcome == Outcome::accepted);
        seen.insert(answer.took);
    }
    CHECK(*seen.begin() >= 136ms); // the last 64
    CHECK(seen.size() > 32);
}

TEST_CASE("the provider probably fails again for a minute", "[answers]")
{
    ProviderAnswers answers(200ms);
    auto const now = ProviderAnswers::Clock::now();
    answers.add({.outcome = Outcome::accepted}, 100ms, now);
    auto const failure = GENERATE(Outcome::refused, Outcome::not_sent, Outcome::unknown);
    answers.add({.outcome = failure}, 3s, now);
    CHECK(answers.probable(now + 59s).outcome == failure);
    CHECK(answers.probable(now + 59s).took == 3s);
    CHECK(answers.probable(now + 60s).outcome == Outcome::accepted);
    CHECK(answers.probable(now + 60s).took == 100ms);
    // An answer about one number shows that the provider works.
    auto const works =
        GENERATE(Outcome::accepted, Outcome::opted_out, Outcome::country, Outcome::unreachable);
    answers.add({.outcome = works}, 100ms, now + 1s);
    CHECK(answers.probable(now + 1s).outcome == Outcome::accepted);
}

TEST_CASE("a refusal of one message does not make others fail, a refusal of the account does", "[answers]")
{
    ProviderAnswers answers(200ms);
    auto const now = ProviderAnswers::Clock::now();
    auto const probable = [&](unsigned status) {
        answers.add({.outcome = Outcome::accepted}, 100ms, now);
        answers.add({.outcome = Outcome::refused, .status = status}, 3s, now);
        return answers.probable(now).outcome;
    };
    CHECK(probable(400) == Outcome::accepted);
    CHECK(probable(404) == Outcome::accepted);
    for (unsigned const status : {0U, 401U, 403U, 429U, 500U, 503U})
        CHECK(probable(status) == Outcome::refused);
}
