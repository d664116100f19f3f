#pragma once

#include "testing/program.hpp"
#include "world.hpp"

/// The billing program, over the data of a World, which outlives it.
class BillingProgram : public testing::Program {
public:
    /// Returns once it is ready.
    explicit BillingProgram(World const& world) : Program(BILLING_PROGRAM, world.variables()) {}

    /// What the purchase platform is to `demo-sandbox`.
    testing::HttpClient client() const { return Program::client(purchases_secret); }
};
