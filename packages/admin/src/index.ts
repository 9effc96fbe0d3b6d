/** Version of the admin API that this package speaks. */
export const ADMIN_API_VERSION = 1;
