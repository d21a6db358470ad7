//===- Utf8.h - Is it text? -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings of a binary are UTF-8 (RFC 3629), so that whoever shows them need not
// ask: no byte that starts nothing, no overlong form, no surrogate, nothing
// past U+10FFFF.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_TARGET_UTF8_H
#define LPU_LIB_TARGET_UTF8_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lpu {

/// How many bytes from the start on are whole characters of UTF-8.
inline size_t utf8Prefix(std::string_view text) {
  auto byteAt = [&](size_t i) {
    return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t(0);
  };
  size_t place = 0;
  while (place < text.size()) {
    uint8_t lead = byteAt(place);
    unsigned more = lead < 0x80           ? 0
                    : (lead >> 5) == 0x06 ? 1
                    : (lead >> 4) == 0x0e ? 2
                    : (lead >> 3) == 0x1e ? 3
                                          : 4;
    if (more == 4) {
      return place;
    }
    static constexpr uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    uint32_t character = more ? lead & (0x3fu >> more) : lead;
    for (unsigned i = 1; i <= more; ++i) {
      uint8_t next = byteAt(place + i);
      if ((next >> 6) != 0x02) {
        return place;
      }
      character = character << 6 | (next & 0x3fu);
    }
    bool isSurrogate = character >= 0xd800 && character < 0xe000;
    if (character < least[more] || character > 0x10ffff || isSurrogate) {
      return place;
    }
    place += 1 + more;
  }
  return place;
}

} // namespace lpu

#endif // LPU_LIB_TARGET_UTF8_H
