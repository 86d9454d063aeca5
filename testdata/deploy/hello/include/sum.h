/* sum adds the numbers from 1 to n. */
unsigned long sum(unsigned long n);
