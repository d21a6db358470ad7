# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# lpu_add_mlir_free_library(<name> <sources...>): a static library of the
# MLIR-free half (binary format, simulator).  It follows LLVM's language rules
# (no exceptions, no RTTI), and never lets the compiler contract a*b+c into an
# FMA on its own: where a value is rounded is part of the instruction set.

function(lpu_add_mlir_free_library name)
  add_library(${name} STATIC ${ARGN})
  target_compile_options(${name} PRIVATE
    -Wall -Wextra -Werror=switch -Wno-missing-field-initializers
    -fno-exceptions -fno-rtti -ffp-contract=off)
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/include")
endfunction()
