/*
** elementwise.h - operations with one expression for scalars (scalar.h) and for vectors (int.h); both include this.
**
** LANE_W1(name, of x), LANE_W2 (x, y), LANE_W3 (x, y, z): lanes of 32 bits.  LANE_ANY1, 2, 3: of every width, as
** name_16, name_32 and name_64.
*/
LANE_ANY2(add, x + y)
LANE_ANY2(sub, x - y)
LANE_ANY2(mul, x * y)
LANE_ANY3(mad, x * y + z)
LANE_ANY1(neg, -x)
LANE_ANY2(and, x & y)
LANE_ANY2(or, x | y)
LANE_ANY2(xor, x ^ y)
LANE_ANY1(not, ~x)
LANE_ANY1(mov, x)
LANE_W2(mulwide_u16, x * y)
LANE_W3(madwide_u16, x * y + z)
LANE_W2(mulhi_u16, x * y >> 16)
LANE_W2(pack_32, x | y << 16)
