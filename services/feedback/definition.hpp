#pragma once

#include "service/run.hpp"

namespace feedback {

/// The definition of the service, for service::run. Apart from app.hpp, so that main.cpp compiles quickly.
service::Definition definition();

} // namespace feedback
