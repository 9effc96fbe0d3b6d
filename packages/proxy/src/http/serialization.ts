/** The schemas of answers are documentation: answers are written by hand, and tested against them. */
export const serializerCompiler = (): typeof JSON.stringify => JSON.stringify;
