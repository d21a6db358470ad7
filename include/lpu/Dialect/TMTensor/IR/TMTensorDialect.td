//===- TMTensorDialect.td - The tm_tensor dialect ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the dialect itself; its operations are in TMTensorOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_TMTENSOR_IR_TMTENSORDIALECT_TD
#define LPU_DIALECT_TMTENSOR_IR_TMTENSORDIALECT_TD

include "mlir/IR/OpBase.td"

def TMTensor_Dialect : Dialect {
  let name = "tm_tensor";
  let cppNamespace = "::mlir::tm_tensor";
  let summary = "What torch-mlir emits beside linalg";
  let description = [{
    The operations of torch-mlir's `tm_tensor` dialect that its linalg output
    holds, in the same textual form: programs cross from torch-mlir as text.
  }];
}

#endif // LPU_DIALECT_TMTENSOR_IR_TMTENSORDIALECT_TD
