//===- TMTensorOps.td - Operations of the tm_tensor dialect *- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the tm_tensor dialect, and the root file that TableGen is run on.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_TMTENSOR_IR_TMTENSOROPS_TD
#define LPU_DIALECT_TMTENSOR_IR_TMTENSOROPS_TD

include "lpu/Dialect/TMTensor/IR/TMTensorDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TMTensor_Op<string mnemonic, list<Trait> traits = []>
    : Op<TMTensor_Dialect, mnemonic, traits>;

#endif // LPU_DIALECT_TMTENSOR_IR_TMTENSOROPS_TD
