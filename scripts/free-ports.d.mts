/** Finds ports of 127.0.0.1 that nothing listens on. */
export function findFreePorts(count: number): Promise<readonly number[]>;
