#include "sum.h"

unsigned long sum(unsigned long n) { return n * (n + 1) / 2; }
