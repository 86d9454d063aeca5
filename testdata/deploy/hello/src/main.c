#include <stdio.h>

#include "sum.h"

int main(void) {
	printf("hello %lu\n", sum(100));
	return 0;
}
