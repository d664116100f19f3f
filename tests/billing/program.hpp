#pragma once

#include "support/program.hpp"
#include "world.hpp"

/// The billing program, running on the data of a World. The World must outlive it.
class BillingProgram : public testing::Program {
public:
    /// Returns once the program is ready.
    explicit BillingProgram(World const& world) : Program(BILLING_PROGRAM, world.variables()) {}

    /// A client with the purchase provider's credential for `demo-sandbox`.
    testing::HttpClient client() const { return Program::client(purchases_secret); }
};
