/**
 * Settings of the allocators of Bun (mimalloc) and of C: memory that is free stays mapped, in large pages where the kernel
 * has them. On a virtual machine, a page fault costs more than what it was for.
 */
export const memoryEnv = { MIMALLOC_PURGE_DELAY: '-1', GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' }
