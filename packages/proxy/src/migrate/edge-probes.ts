import { createProbe, type Subcommand } from "flags-server-kit/command-line";
import { PROBE_DEFINITIONS, PROBE_SETTINGS } from "../cli/probe-definitions.ts";
import { removeClientPath } from "../cli/proxy-address.ts";
import type { Translation } from "./translate-environment.ts";

const CA_FILE = "ca-certificate-file";

/** What the probes request with the address of Edge. */
const IN_EDGE = {
  health: {
    path: "/internal-backstage/health",
    note: " With --edge-url or EDGE_URL, checks only that it responds, as in Unleash Edge.",
  },
  ready: { path: "/ready", note: "" },
} as const;

/**
 * The probes, which look for the server where the settings of a replaced product put it, and have the options
 * and variables that they have in Edge.
 */
export const PROBES: readonly Subcommand<Translation>[] = PROBE_DEFINITIONS.map((each) => {
  const { path, note } = IN_EDGE[each.name];
  const definition = {
    ...each,
    description: `${each.description}${note}`,
    settings: PROBE_SETTINGS,
    sourcesOf: (translation: Translation) => translation,
  };
  const probe = createProbe(definition);
  const edgeProbe = createProbe({ ...definition, path, urlName: "--edge-url or EDGE_URL" });
  return {
    ...probe,
    options: {
      ...probe.options,
      url: {
        value: "URL",
        description:
          "URL of the proxy, with or without /proxy at the end, if the settings do not determine it.",
      },
      "edge-url": {
        short: "e",
        value: "URL",
        description: `Base URL of the server, as in Unleash Edge. Requests ${path} there.`,
      },
    },
    run: ({ options: { "edge-url": edgeUrl, ...options }, environment }) => {
      // NOTE: an empty variable counts as not set.
      const { EDGE_URL, CA_CERTIFICATE_FILE } = environment.given;
      const url = edgeUrl ?? (EDGE_URL || undefined);
      const ca = options[CA_FILE] ?? (CA_CERTIFICATE_FILE || undefined);
      const given = { ...options, ...(ca !== undefined && { [CA_FILE]: ca }) };
      const ownUrl = options["url"];
      if (ownUrl === undefined && url !== undefined) {
        return edgeProbe.run({ options: { ...given, url }, environment });
      }
      return probe.run({
        options: typeof ownUrl === "string" ? { ...given, url: removeClientPath(ownUrl) } : given,
        environment,
      });
    },
  };
});
