//===- Translations.cpp - lpuisa to binary and back -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the translations between the lpuisa dialect and the binary format
// with lpu-translate.
//
//===----------------------------------------------------------------------===//

#include "lpu/InitAll.h"

void mlir::lpu::registerAllTranslations() {}
