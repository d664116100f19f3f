#pragma once

#include "service/run.hpp"

namespace notify {

/// The definition of the service, for service::run. Apart from app.hpp, so that main.cpp compiles quickly.
service::Definition definition();

} // namespace notify
