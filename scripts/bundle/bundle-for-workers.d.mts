/** Returns the minified code of a program as one ES module. Only modules of Node stay imported. */
export function bundleForWorkers(entry: string, omitted?: readonly string[]): Promise<string>;
