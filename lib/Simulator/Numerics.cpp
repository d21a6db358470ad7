//===- Numerics.cpp - Number formats and single operations ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transcendentals of one number, for whoever is not a kernel.
//
//===----------------------------------------------------------------------===//

#include "Kernels/Transcendentals.h"

using namespace lpu;

float numerics::exp(float x) { return sequences::exp(x); }
float numerics::exp2(float x) { return sequences::exp2(x); }
float numerics::expm1(float x) { return sequences::expm1(x); }
float numerics::log(float x) { return sequences::log(x); }
float numerics::log2(float x) { return sequences::log2(x); }
float numerics::log10(float x) { return sequences::log10(x); }
float numerics::log1p(float x) { return sequences::log1p(x); }
float numerics::sin(float x) { return sequences::sin(x); }
float numerics::cos(float x) { return sequences::cos(x); }
float numerics::tan(float x) { return sequences::tan(x); }
float numerics::tanh(float x) { return sequences::tanh(x); }
float numerics::erf(float x) { return sequences::erf(x); }
float numerics::erfc(float x) { return sequences::erfc(x); }
float numerics::rsqrt(float x) { return sequences::rsqrt(x); }
float numerics::pow(float x, float y) { return sequences::pow(x, y); }
float numerics::atan(float x) { return sequences::atan(x); }
float numerics::atan2(float y, float x) { return sequences::atan2(y, x); }
float numerics::asin(float x) { return sequences::asin(x); }
float numerics::acos(float x) { return sequences::acos(x); }
float numerics::sinh(float x) { return sequences::sinh(x); }
float numerics::cosh(float x) { return sequences::cosh(x); }
float numerics::asinh(float x) { return sequences::asinh(x); }
float numerics::acosh(float x) { return sequences::acosh(x); }
float numerics::atanh(float x) { return sequences::atanh(x); }
float numerics::cbrt(float x) { return sequences::cbrt(x); }
