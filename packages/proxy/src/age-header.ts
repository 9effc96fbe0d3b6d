/** The header with the age of the flags. NOTE: not `Age`, which caches interpret. */
export const AGE_HEADER = "X-Flags-Age-Seconds";
