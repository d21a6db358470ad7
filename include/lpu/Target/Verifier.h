//===- Verifier.h - Checks a program once, before it runs -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After `verify` has accepted a program, the simulator trusts it: every field
// means something, every view stays in its memory whatever the registers hold
// within their bounds, shapes fit their instructions, micro-programs are well
// formed and control stays in .text.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TARGET_VERIFIER_H
#define LPU_TARGET_VERIFIER_H

#include "lpu/Target/Program.h"
#include "lpu/Target/Result.h"

#include <optional>

namespace lpu {

/// Nothing, or the first thing that is wrong: "instruction 12 (mm): ...,
/// expected ...".
std::optional<Error> verify(const Program &program);

} // namespace lpu

#endif // LPU_TARGET_VERIFIER_H
