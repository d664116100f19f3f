#pragma once
#include "third/pch.hpp"

#include <catch2/catch.hpp>
