# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The xtc-*-dev packages export every MLIR target with INTERFACE_LINK_LIBRARIES
# "...;LLVM" (libLLVM.so).  Redirect that to the static component libraries, so
# that nothing we ship needs libLLVM.so at run time and no LLVM symbol of ours
# can be bound to those of another MLIR in the process (torch_mlir).

set(LLVM_LINK_LLVM_DYLIB OFF)
set(MLIR_LINK_MLIR_DYLIB OFF)
add_library(lpu_llvm INTERFACE)
target_link_libraries(lpu_llvm INTERFACE
  LLVMFrontendOpenMP LLVMAsmParser LLVMBitReader LLVMBitWriter LLVMIRReader LLVMCore
  LLVMTargetParser LLVMRemarks LLVMBinaryFormat LLVMSupport)
foreach(_target IN LISTS MLIR_EXPORTED_TARGETS)
  if(TARGET ${_target})
    foreach(_property INTERFACE_LINK_LIBRARIES MLIR_AGGREGATE_DEP_LIBS_IMPORTED)
      get_target_property(_value ${_target} ${_property})
      if(_value)
        list(TRANSFORM _value REPLACE "^LLVM$" "lpu_llvm")
        list(TRANSFORM _value REPLACE "^\\$<LINK_ONLY:LLVM>$" "$<LINK_ONLY:lpu_llvm>")
        set_target_properties(${_target} PROPERTIES ${_property} "${_value}")
      endif()
    endforeach()
  endif()
endforeach()
