import type { Subcommand } from "flags-server-kit/command-line";
import type { TranslatedEnvironment } from "../../config/translation-report.ts";

export const EXPLAIN: Subcommand<TranslatedEnvironment> = {
  name: "explain",
  summary: "Explains why a flag is on or off for a context",
  description: [
    "Requests the definitions from the upstream in FLAGS_URL and evaluates the flag as the proxy would, without context enrichers. Without FLAG, explains all flags in one line each.",
    "Can be followed by the arguments of Unleash Edge: flags-proxy explain FLAG edge --upstream-url URL --tokens TOKENS.",
    "With --url, queries a running proxy instead, which needs ENABLE_EXPLAIN=true.",
  ],
  argument: "FLAG",
  options: {
    context: {
      value: "JSON",
      description: `The context, as in the body of POST /proxy: '{"userId":"7","properties":{"plan":"pro"}}'. Default: an empty one.`,
    },
    environment: {
      value: "NAME",
      description:
        "The environment, if FLAGS_API_TOKEN has tokens for several. Default: the first. Cannot be used with --url.",
    },
    url: {
      value: "URL",
      description: "The address of a running proxy, with or without /proxy at the end.",
    },
    key: {
      value: "TOKEN",
      description:
        "For --url: a server token, or a key with `explain` in the access file. Other users of this machine can see it. Default: the first of EXP_SERVER_SIDE_SDK_CONFIG_TOKENS.",
    },
    "key-file": { value: "FILE", description: "A file that contains only this key." },
    json: { description: "Prints all details as JSON." },
  },
  exitCodes: [
    "The flag exists, or all flags were explained.",
    "The flag does not exist, or the flags cannot be read.",
  ],
  run: async ({ argument, options, environment }) => {
    const { runExplain } = await import("./run-explain.ts");
    const { formatExplanations } = await import("./format-explanations.ts");
    const explanations = await runExplain({ flag: argument, options, environment });
    const isKnown = explanations.every(({ reason }) => reason !== "FLAG_NOT_FOUND");
    const output =
      options["json"] === true
        ? `${JSON.stringify({ flags: explanations }, undefined, 2)}\n`
        : formatExplanations(explanations, { hasDetails: argument !== undefined });
    return { output, exitCode: isKnown ? 0 : 1 };
  },
};
