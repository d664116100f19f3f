#pragma once
// Headers that nearly every translation unit includes. None of them belongs to this project, so a change of
// the project does not rebuild the precompiled header.
#include <boost/asio/awaitable.hpp>
#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
