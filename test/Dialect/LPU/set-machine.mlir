// RUN: lpu-opt %s --lpu-set-machine=machine=tiny | FileCheck %s --check-prefix=TINY
// RUN: lpu-opt %s --lpu-set-machine | FileCheck %s --check-prefix=DEFAULT
// RUN: not lpu-opt %s --lpu-set-machine=machine=huge 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// TINY: #lpu.machine<{{{.*}}name = "tiny"
// DEFAULT: #lpu.machine<{{{.*}}name = "lpu-hbm3"
// UNKNOWN: huge
module {}
