import type { Environment } from "flags-server-kit/command-line";
import { isRecord } from "flags-server-kit/neutral";
import { nameSetting, readEnvironment } from "flags-server-kit";
import type { ProxyConfig } from "../config/config.ts";
import { loadConfig, type Purpose } from "../config/load-config.ts";
import type { ProxyOptions } from "../config/options.ts";
import { SETTINGS } from "../config/settings.ts";
import { translateOptions } from "./aliases/old-proxy-aliases.ts";
import { translateEnvironment } from "./translate-environment.ts";

/** Loads a configuration from options and variables that may have the names of other products. */
export function loadTranslatedConfig(
  options: ProxyOptions,
  environment: Environment,
  purpose: Purpose = {},
): Promise<ProxyConfig> {
  if (!isRecord(options)) return loadConfig(options, environment, purpose);
  const translated = translateOptions(options);
  // NOTE: UPSTREAM_URL may belong to the program in which the proxy is embedded.
  const isAddressGiven = translated.options["flagsUrl"] !== undefined;
  const report = translateEnvironment(environment, {
    ...(isAddressGiven && { hasAddress: true }),
    options: translated.used,
  });
  const origins = new Map([...report.origins, ...translated.origins]);
  return loadConfig(translated.options, report.environment, {
    ...purpose,
    report: { ...report, origins },
  });
}

/**
 * Loads the configuration of a proxy that is embedded in another program.
 *
 * NOTE: the variables of OpenTelemetry are for the telemetry of that program.
 */
export async function loadEmbeddedConfig(options: ProxyOptions): Promise<ProxyConfig> {
  const variables = Object.entries(readEnvironment()).filter(([name]) => !name.startsWith("OTEL_"));
  const config = await loadTranslatedConfig(options, Object.fromEntries(variables));
  if (config.workers > 1) {
    config.logger.warn(
      `${nameSetting(SETTINGS.workers)} has no effect here: only the command flags-proxy starts workers`,
    );
  }
  return config;
}
