import type { Subcommand } from "flags-server-kit/command-line";
import { translateEnvironment } from "../config/aliases/translate-environment.ts";
import { SETTINGS } from "../config/settings.ts";

/**
 * Makes a probe look for the server where the settings of a replaced product put it, and gives it the
 * option that it has in Edge.
 */
export function translateProbe(probe: Subcommand): Subcommand {
  return {
    ...probe,
    options: {
      ...probe.options,
      "edge-url": { value: "URL", meaning: "The same as --url, as in Unleash Edge." },
    },
    run: ({ options: { "edge-url": edgeUrl, ...options }, environment }) => {
      const url = options["url"] ?? edgeUrl ?? environment["EDGE_URL"];
      return probe.run({
        options: { ...options, ...(url !== undefined && url !== "" && { url }) },
        environment: translateEnvironment(SETTINGS, environment).environment,
      });
    },
  };
}
