# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Linking is a third of an incremental build with GNU ld.  Use lld or mold when
# the machine has one; the result is the same.

if(NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld=")
  find_program(LPU_LD_LLD NAMES ld.lld)
  find_program(LPU_LD_MOLD NAMES ld.mold mold)
  if(LPU_LD_MOLD)
    add_link_options(-fuse-ld=mold)
  elseif(LPU_LD_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()
