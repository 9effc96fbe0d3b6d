import { nameSetting, readEnvironment } from "flags-server-kit";
import type { LoadedConfig } from "./assemble-config.ts";
import { loadConfig } from "./load-config.ts";
import type { ProxyOptions } from "./options.ts";
import { SETTINGS } from "./settings.ts";

/** The configuration of a proxy inside another program, which has the process for itself. */
export async function loadEmbeddedConfig(options: ProxyOptions): Promise<LoadedConfig> {
  const config = await loadConfig(options, readEnvironment());
  if (config.workers > 1) {
    config.logger.warn(
      `${nameSetting(SETTINGS.workers)} has no effect here: only the command flags-proxy starts workers`,
    );
  }
  return config;
}
