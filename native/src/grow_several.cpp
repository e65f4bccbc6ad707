// Trees of several outputs. They are rare, so that quick compiling counts for more here.
#include "grow_as.hpp"

namespace coterie {

COTERIE_SEVERAL(std::uint8_t, LabelsKind);
COTERIE_SEVERAL(std::uint16_t, LabelsKind);
COTERIE_SEVERAL(std::uint8_t, ValuesKind);
COTERIE_SEVERAL(std::uint16_t, ValuesKind);

}  // namespace coterie
