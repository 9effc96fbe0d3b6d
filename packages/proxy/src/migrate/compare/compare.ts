import type { Subcommand } from "flags-server-kit/command-line";
import type { Translation } from "../translate-environment.ts";

export const COMPARE: Subcommand<Translation> = {
  name: "compare",
  summary: "Compares the flags that this proxy and another one return",
  description: [
    "Requests the flags for many contexts from this proxy and from another one, for example the proxy that it replaces, or an earlier version. Prints the differences for each flag. Both proxies must be running.",
    "The contexts have random values for the fields that the rules of the flags read, preferably values that the rules mention. The rules come from the upstream in FLAGS_URL; without it, contexts have the standard fields.",
    "Can be followed by the arguments of Unleash Edge: flags-proxy compare --with URL edge --upstream-url URL --tokens TOKENS.",
    "Flags whose results change between requests with the same context are random, and are not compared.",
  ],
  options: {
    with: {
      value: "URL",
      description:
        "Required. The other proxy: an address that ends with /proxy, /api/frontend or /api/proxy.",
    },
    url: {
      value: "URL",
      description:
        "This proxy, with or without /proxy, /api/frontend or /api/proxy at the end. Default: /proxy on this machine, at the address that the settings determine.",
    },
    key: {
      value: "KEY",
      description:
        "The client key for this proxy. Other users of this machine can see it. Default: the first of FLAGS_PROXY_CLIENT_KEYS.",
    },
    "key-file": { value: "FILE", description: "A file that contains only this key." },
    "with-key": {
      value: "KEY",
      description:
        "The client key for the other proxy. Other users of this machine can see it. Default: the same.",
    },
    "with-key-file": { value: "FILE", description: "A file that contains only this key." },
    contexts: {
      value: "FILE",
      description: "Also compares the contexts in a file with one JSON object on each line.",
    },
    count: { value: "N", description: "Number of random contexts. Default: 1000." },
    all: { description: "Compares all flags, including those that are off: requests /all." },
  },
  exitCodes: [
    "There are no differences.",
    "There are differences.",
    "The command line is invalid, or the proxies cannot be compared.",
  ],
  run: async ({ options, environment }) => {
    const { runCompare } = await import("./run-compare.ts");
    const { formatComparison } = await import("./format-comparison.ts");
    const comparison = await runCompare(options, environment);
    return {
      output: formatComparison(comparison),
      exitCode: comparison.differences.length === 0 ? 0 : 1,
    };
  },
};
