//===- Numerics.cpp - Number formats and single operations ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transcendentals of one number.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Numerics.h"

#include <cmath>

using namespace lpu;

float numerics::exp(float x) { return float(std::exp(double(x))); }
float numerics::exp2(float x) { return float(std::exp2(double(x))); }
float numerics::expm1(float x) { return float(std::expm1(double(x))); }
float numerics::log(float x) { return float(std::log(double(x))); }
float numerics::log2(float x) { return float(std::log2(double(x))); }
float numerics::log10(float x) { return float(std::log10(double(x))); }
float numerics::log1p(float x) { return float(std::log1p(double(x))); }
float numerics::sin(float x) { return float(std::sin(double(x))); }
float numerics::cos(float x) { return float(std::cos(double(x))); }
float numerics::tan(float x) { return float(std::tan(double(x))); }
float numerics::tanh(float x) { return float(std::tanh(double(x))); }
float numerics::erf(float x) { return float(std::erf(double(x))); }
float numerics::erfc(float x) { return float(std::erfc(double(x))); }
float numerics::rsqrt(float x) { return float(1 / std::sqrt(double(x))); }
float numerics::pow(float x, float y) { return float(std::pow(double(x), double(y))); }
float numerics::atan(float x) { return float(std::atan(double(x))); }
float numerics::atan2(float y, float x) { return float(std::atan2(double(y), double(x))); }
float numerics::asin(float x) { return float(std::asin(double(x))); }
float numerics::acos(float x) { return float(std::acos(double(x))); }
float numerics::sinh(float x) { return float(std::sinh(double(x))); }
float numerics::cosh(float x) { return float(std::cosh(double(x))); }
float numerics::asinh(float x) { return float(std::asinh(double(x))); }
float numerics::acosh(float x) { return float(std::acosh(double(x))); }
float numerics::atanh(float x) { return float(std::atanh(double(x))); }
float numerics::cbrt(float x) { return float(std::cbrt(double(x))); }
