#ifndef UNIT_OOM_H
#define UNIT_OOM_H

/*
 * The failing allocator. Files named oom_<module>.c are linked so that malloc, calloc, realloc,
 * strdup and strndup of our code come here; libraries keep their own, except cJSON, whose hooks
 * lead here too from the first oom_reset() on.
 */

/* Starts counting from 0; the allocation number fail_at is refused, all others succeed. -1 refuses
 * none. */
void oom_reset(long fail_at);

/* As oom_reset, but refuses `count` allocations in a row: memory stays short for a while. */
void oom_reset_run(long fail_at, long count);

/* Allocations tried since oom_reset(), the refused one included. */
long oom_seen(void);

/*
 * Runs `run` once undisturbed (it must return 0) and then once for every allocation it made, with
 * that one refused (it must return E_NOMEM). It has to allocate at least once and to free all it
 * made either way: the address sanitizer looks.
 */
void oom_fail_each(int (*run)(void *ctx), void *ctx);

#endif
