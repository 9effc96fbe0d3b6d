/** Returns the path of a program, or undefined if it is not installed. */
export function findProgram(command: string): string | undefined;
