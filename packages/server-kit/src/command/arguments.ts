/** What the command was asked to do. */
export type Request =
  | { readonly kind: "run" | "help" | "version" }
  | { readonly kind: "unknown"; readonly argument: string };

/** Reads the arguments after the name of the command. Settings are not among them. */
export function parseArguments(args: readonly string[]): Request {
  const [argument, ...rest] = args;
  if (argument === undefined) return { kind: "run" };
  if (rest.length === 0 && ["--help", "-h"].includes(argument)) return { kind: "help" };
  if (rest.length === 0 && ["--version", "-v"].includes(argument)) return { kind: "version" };
  const known = /^(?:--help|-h|--version|-v)$/;
  return { kind: "unknown", argument: args.find((text) => !known.test(text)) ?? args.join(" ") };
}
